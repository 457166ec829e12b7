"""The JSON command line."""
