"""The sample corpus with older versions of its texts, and the 2,000 forged quotes made from it."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from cmtui.engine import CitationMachine
from cmtui.model.source import CanonicalDocument
from support.corpus import CORPUS, SOURCES, documents, expected, memory_machine, sentences
from support.forgeries import SEED, ForgedQuote, Forgery, forged_quotes, older_version


@dataclass(frozen=True)
class Library:
    """The corpus in its current version, with two older versions of every text and Markdown file."""

    machine: CitationMachine
    current: dict[str, CanonicalDocument]
    forged: list[ForgedQuote]

    def of(self, kind: Forgery) -> list[ForgedQuote]:
        """The forgeries of one class."""
        return [forged for forged in self.forged if forged.kind is kind]


def forged_library(folder: Path) -> Library:
    """Ingest the versions one after the other as the same files of ``folder``, and forge."""
    machine = memory_machine()
    editable = [name for name in SOURCES if name.endswith((".txt", ".md"))]
    for seed in (SEED, SEED + 1):
        for name in editable:
            text = (CORPUS / name).read_text("utf-8")
            (folder / name).write_text(older_version(text, seed=seed), "utf-8")
        assert not machine.ingest_paths([folder]).errors
    for name in SOURCES:
        shutil.copyfile(CORPUS / name, folder / name)
    assert not machine.ingest_paths([folder]).errors
    current = documents(machine)
    assert len(current) == len(SOURCES)
    older: dict[str, list[str]] = {name: [] for name in editable}
    for row in machine.documents():
        if not row.current:
            document = machine.document(row.document_id)
            older[row.name] += [
                s.text for s in sentences(row.name, document) if s.text not in current[row.name].text
            ]
    forged = forged_quotes(
        {name: [s.text for s in sentences(name, d)] for name, d in current.items()},
        older,
        {name: d.text for name, d in current.items()},
        stated=[claim["claim"] for claim in expected()["claims"] if claim["expect"] == "supports"],
    )
    return Library(machine, current, forged)
