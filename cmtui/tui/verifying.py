"""Verifying sources from the library screen, in a worker thread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cmtui.errors import CmtuiError
from cmtui.model.progress import Progress
from cmtui.model.source import DocumentSummary
from cmtui.model.verification import EvidenceCheck
from cmtui.tui.workers import Call

if TYPE_CHECKING:
    from cmtui.engine import CitationMachine


def verify_sources(
    machine: CitationMachine, rows: Sequence[DocumentSummary], call: Call
) -> dict[str, tuple[EvidenceCheck, ...] | str]:
    """Per source id: the checks of its recorded evidence, or why its text could not be read.

    Reading a document proves its snapshot by its own hash; each evidence span then proves bytes, text and
    span.
    """
    results: dict[str, tuple[EvidenceCheck, ...] | str] = {}
    for number, row in enumerate(rows):
        if call.cancelled():
            break
        call.progress(Progress("verify", row.name, number, len(rows)))
        try:
            machine.document(row.document_id)
            ids = [entry.evidence_id for entry in machine.repository.evidence_entries(row.document_id)]
            results[row.source_id] = machine.verify(ids) if ids else ()
        except CmtuiError as error:
            results[row.source_id] = str(error)
    return results
