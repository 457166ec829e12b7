"""Bytes to canonical documents: readers, profiles, segmentation, and the child process that reads."""
