"""The semantic index that a search uses when none is named: the local matcher, its vectors kept."""

from __future__ import annotations

from pathlib import Path

from cmtui.ports import DocumentRepository, SemanticIndex


def default_semantic_index(repository: DocumentRepository | None) -> SemanticIndex:
    """Over a store directory with vectors under its derived data (D4), else in memory (R76).

    Raises ConfigError for a concept file of the store that cannot be read.
    """
    from cmtui.retrieval.concepts import store_lexicon

    derived: Path | None = getattr(repository, "derived", None)
    if derived is None:
        from cmtui.retrieval.semantic import InMemorySemanticIndex

        return InMemorySemanticIndex()
    from cmtui.retrieval.vectors_index import VECTORS_FOLDER, MappedSemanticIndex

    root: Path | None = getattr(repository, "root", None)
    return MappedSemanticIndex(derived / VECTORS_FOLDER, lexicon=store_lexicon(root))
