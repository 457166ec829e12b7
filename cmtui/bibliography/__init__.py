"""Bibliographic metadata and formatted citations."""
