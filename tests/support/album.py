"""A store whose screens look the same wherever and whenever they are taken."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from cmtui.engine import CitationMachine, LocalCitationMachine
from cmtui.model.claim import claim_id
from cmtui.resources import sample_corpus_dir
from cmtui.tui.demo import NOT_SOURCES

#: So long that what a screen shows of a path is the same wherever it is.
DEEP = "-".join(["sources"] * 14)


class Noon:
    """Always the same second."""

    def now(self) -> str:
        """A fixed moment."""
        return "2026-03-14T12:00:00Z"


def prepare_album(folder: Path) -> Path:
    """The store: the sample corpus without its PDF (its ids hang on the reader's version), decided on."""
    corpus = folder / DEEP
    shutil.copytree(sample_corpus_dir(), corpus)
    described = json.loads((corpus / "bibliography.json").read_text("utf-8"))
    claims = json.loads((corpus / "expected.json").read_text("utf-8"))["prepared"]
    files = sorted(p for p in corpus.iterdir() if p.name not in NOT_SOURCES and p.suffix != ".pdf")
    with LocalCitationMachine.open(folder / "store", clock=Noon()) as machine:
        for document in machine.ingest_paths(files).documents:
            item = described.get(Path(document.path).name)
            if item is not None:
                machine.set_bibliography(document.summary.source_id, item)
        for text in claims:
            machine.add_claim(text)
            machine.evaluate_claim(claim_id(text))
        first = next(claim for claim in machine.claims() if claim.claim_id == claim_id(claims[0]))
        ids = [f.evidence_id for f in first.latest.findings if f.evidence_id] if first.latest else []
        session = machine.review("ada")
        session.accept(first.claim_id, ids[0])
        session.note(first.claim_id, ids[0], "good primary")
        session.reject(first.claim_id, ids[2], reasons=["figurative"])
        machine.change_tags(machine.sources()[0].source_id, add=["harbour"])
    return folder / "store"


def source_masks(machine: CitationMachine) -> dict[str, str]:
    """What to put for the ids of sources, which hang on the path: shown form and mask, of one length."""
    masks = {}
    for number, source in enumerate(machine.sources()):
        key = source.source_id
        masks |= {
            f"{key[:12]}…": f"source{number:06}…",
            f"{key[:4]}…{key[-4:]}": f"src{number}…src{number}",
            f"{key[:4]}… ": f"src{number}… ",
        }
    return masks
