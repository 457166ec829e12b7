"""Retrieval with a model of the user's own (extra ``[learned]``): none is bundled, none is downloaded.

Importing this package loads no weights and no heavy library (R124).
"""
