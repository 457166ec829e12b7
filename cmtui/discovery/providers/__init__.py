"""Search services for works and pages, each with its own parser (providers.md 1)."""
