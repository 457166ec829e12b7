"""The citation processor's elements, with what citeproc-py 0.11 lacks or has wrong put right.

Each class replaces one of ``citeproc.model`` for the styles that ``csl.py`` loads, by an element lookup of
its own; the library itself is never patched. The modules import citeproc and lxml, so only modules that are
themselves imported lazily may import them.
"""
