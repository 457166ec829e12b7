"""Bytes to canonical documents: readers, profiles, segmentation, and the child process that reads.

The way of a file: ``kinds.detect_kind`` -> ``sandbox.read_source`` (a reader in a child process) ->
``build.build_document`` (the answer checked, cut into passages, hashed).
"""
