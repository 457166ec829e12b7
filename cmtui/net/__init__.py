"""One safe way to the network: explicit requests with limits, a rate gate and no surprises (D1, D2)."""
