"""Queries and indexes."""

from __future__ import annotations

from cmtui.errors.base import CmtuiError


class RetrievalError(CmtuiError):
    """A search cannot be answered."""

    code = "retrieval"


class QueryError(RetrievalError):
    """The query cannot be read; the message points at the place."""

    code = "query"


class EnumerationUnsupported(RetrievalError):
    """Semantic and hybrid search need a port that enumerates its passages (R83)."""

    code = "enumeration-unsupported"


class UnknownCandidate(RetrievalError):
    """An index answered with a passage it was not given (R78)."""

    code = "unknown-candidate"


class InvalidScore(RetrievalError):
    """An index answered with a score that is no finite number (R78)."""

    code = "invalid-score"


class IndexRebuilding(RetrievalError):
    """The index does not cover the store yet; partial answers are never given unmarked."""

    code = "index-rebuilding"


class IndexDamaged(RetrievalError):
    """Derived index files cannot be read and could not be rebuilt."""

    code = "index-damaged"


class ModelDirectoryError(RetrievalError):
    """A local model directory is wrong: a file, its digest, its manifest, or a model that does not fit."""

    code = "model"


class ExtraMissing(RetrievalError):
    """A part that was asked for needs a package that is not installed; the hint is the install line."""

    code = "extra-missing"
