"""The read-only HTTP server of the extra ``[server]``."""
