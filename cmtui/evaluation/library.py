"""A library in memory over labelled texts: the engine as users have it, with the labels of the data beside
it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cmtui.engine.machine import LocalCitationMachine
from cmtui.model.identity import (
    CanonicalizationProfile,
    Extractor,
    SourceArtifact,
    SourceKind,
    SourceVersion,
    sha256_bytes,
    sha256_text,
)
from cmtui.model.retrieval import SearchResult
from cmtui.model.selectors import Span
from cmtui.model.source import CanonicalDocument, LocatorTables, Passage
from cmtui.store.memory import InMemoryKnowledgeRepository

#: The profile of texts that come from a labelled set and not from a file.
PROFILE = CanonicalizationProfile("cmtui-evaluation", "1", (), Extractor("labelled", "1"))


@dataclass(frozen=True, slots=True)
class LabelledLibrary:
    """The engine over texts, and which text each document is. Texts are single passages."""

    machine: LocalCitationMachine
    keys: dict[str, str]

    def ranking(self, results: Iterable[SearchResult]) -> list[str]:
        """The keys of results in order, each once."""
        return list(dict.fromkeys(self.keys[result.document_id] for result in results))


def ingested(texts: Sequence[tuple[str, str]]) -> LabelledLibrary:
    """Each text as a plain text file that goes through the whole of ingest; for small sets."""
    machine = LocalCitationMachine(InMemoryKnowledgeRepository())
    keys: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="cmtui-evaluation-") as folder:
        for key, text in texts:
            path = Path(folder) / f"{key}.txt"
            path.write_text(text, encoding="utf-8")
            # A reference of its own: ties are broken by source, and a temporary folder is never the same.
            keys[machine.ingest(path, reference=f"evaluation:{key}")] = key
    return LabelledLibrary(machine, keys)


def committed(texts: Iterable[tuple[str, str]]) -> LabelledLibrary:
    """Each text as a document of one passage, without reading a file; for thousands of abstracts."""
    repository = InMemoryKnowledgeRepository()
    keys: dict[str, str] = {}
    for key, text in texts:
        content = text.encode("utf-8")
        document = CanonicalDocument(
            version=SourceVersion(SourceKind.TEXT, sha256_bytes(content), len(content)),
            profile=PROFILE,
            text=text,
            text_sha256=sha256_text(text),
            passages=(Passage(0, 0, len(text), sha256_text(text)),),
            tables=LocatorTables(),
            language="en",
        )
        repository.commit_document(
            document, content=content, artifact=SourceArtifact(SourceKind.TEXT, f"evaluation:{key}")
        )
        keys[document.document_id] = key
    return LabelledLibrary(LocalCitationMachine(repository), keys)


def span_within(passage: Span, span: Span) -> Span:
    """A span of a document as offsets into its passage."""
    return Span(span.start - passage.start, span.end - passage.start)
