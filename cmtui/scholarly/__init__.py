"""Scholarly records: DOIs, ISBNs, names, titles, and what Crossref and DataCite say of a work."""
