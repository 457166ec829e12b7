"""One reader per kind of source."""
