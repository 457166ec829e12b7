"""The sample corpus in a store: ingested once, described, and with its prepared claims evaluated."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from cmtui.model.claim import claim_id
from cmtui.model.progress import CancelledCallback, Progress, ProgressCallback, never_cancelled, no_progress
from cmtui.resources import sample_corpus_dir

if TYPE_CHECKING:
    from cmtui.engine import CitationMachine

#: Files of the corpus folder that describe it; they are no sources.
NOT_SOURCES = frozenset({"README", "LICENSE", "bibliography.json", "expected.json"})


def prepare(
    machine: CitationMachine,
    progress: ProgressCallback = no_progress,
    cancelled: CancelledCallback = never_cancelled,
) -> str | None:
    """Bring the corpus, its bibliography and its prepared claims into the store where they are missing.

    Returns the id of the first prepared claim. What a person changed in the store stays as it is.
    """
    folder = sample_corpus_dir()
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name not in NOT_SOURCES)
    report = machine.ingest_paths(files, progress=progress, cancelled=cancelled)
    described = json.loads((folder / "bibliography.json").read_text(encoding="utf-8"))
    for document in report.documents:
        source_id, name = document.summary.source_id, document.path.rsplit("/", 1)[-1]
        if name in described and machine.bibliography(source_id) is None:
            machine.set_bibliography(source_id, described[name])
    prepared = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["prepared"]
    known = {claim.claim_id: claim for claim in machine.claims(archived=True)}
    for number, text in enumerate(prepared):
        if cancelled():
            break
        claim = known.get(claim_id(text))
        if claim is None:
            progress(Progress("evaluate", text, number, len(prepared)))
            claim = machine.add_claim(text)
        if claim.latest is None:
            machine.evaluate_claim(claim.claim_id, progress=progress, cancelled=cancelled)
    return claim_id(prepared[0]) if prepared else None
