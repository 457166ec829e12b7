"""Bringing sources in from outside: providers, safe capture, acquisition. Nothing here is evidence."""
