"""The store directory on disk, and the same repository in memory."""
