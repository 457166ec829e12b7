"""Citation Machine: exact, verified evidence from your own sources."""

from cmtui._version import __version__

__all__ = ["__version__"]
