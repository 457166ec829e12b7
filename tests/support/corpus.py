"""The sample corpus in memory: one machine with every file ingested, shared by the tests that read it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from cmtui.engine import CitationMachine, LocalCitationMachine
from cmtui.model.source import CanonicalDocument

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "sample_corpus"
SOURCES = tuple(sorted(p.name for p in CORPUS.iterdir() if p.suffix in {".pdf", ".epub", ".md", ".txt"}))

#: A sentence as far as these self-written texts need one: up to a full stop, question or exclamation mark
#: that a blank and a capital, digit or quotation mark follow.
_SENTENCE = re.compile(r"\S.*?[.?!][”’\"]*(?=\s+[“‘\"A-ZÅ0-9]|\s*$)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class CorpusSentence:
    """A sentence exactly as it stands in a passage of a document."""

    document_id: str
    name: str
    start: int
    text: str


def memory_machine() -> LocalCitationMachine:
    """A machine over an empty in-memory repository (R7), with the same parts as over a store directory."""
    from cmtui.store.memory import InMemoryKnowledgeRepository

    return LocalCitationMachine(InMemoryKnowledgeRepository())


@cache
def corpus_machine() -> LocalCitationMachine:
    """A memory machine that holds the sample corpus. Shared: do not add to it."""
    machine = memory_machine()
    report = machine.ingest_paths([CORPUS])
    assert not report.errors, report.errors
    return machine


def documents(machine: CitationMachine) -> dict[str, CanonicalDocument]:
    """The current documents by file name."""
    return {row.name: machine.document(row.document_id) for row in machine.documents() if row.current}


def sentences(name: str, document: CanonicalDocument) -> list[CorpusSentence]:
    """The sentences of a document's passages, in order, each an exact slice of the canonical text."""
    found = []
    for passage in document.passages:
        for match in _SENTENCE.finditer(document.passage_text(passage)):
            found.append(
                CorpusSentence(document.document_id, name, passage.start + match.start(), match.group())
            )
    return found


def expected() -> dict[str, Any]:
    """``expected.json``: claims, searches and the claims prepared for the demo."""
    data: dict[str, Any] = json.loads((CORPUS / "expected.json").read_text("utf-8"))
    return data
