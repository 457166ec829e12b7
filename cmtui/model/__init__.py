"""Frozen values of the domain. Standard library only; nothing here reads a file or knows an adapter."""
