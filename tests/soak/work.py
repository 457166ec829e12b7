"""What the soak tests run in processes of their own: ``python work.py MODE ROOT ...``.

- ``ingest ROOT FOLDER SEED``: the command line's ``ingest`` over FOLDER in two parts with a search (which
  commits the index) after each, a recorded quotation and a review decision. Prints a line for each thing
  that was acknowledged, as soon as it was.
- ``library ROOT FOLDER SECONDS``: the application's side of two processes: ingests and searches.
- ``review ROOT SECONDS``: the command line's side: searches, quotes, decides and takes decisions back.

A line is ``document ID``, ``evidence ID``, ``event ID``, ``searched``, ``saw NUMBER`` or ``ready``.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import time
from pathlib import Path
from typing import Any

from cmtui.cli.main import main
from cmtui.engine import LocalCitationMachine
from cmtui.model.claim import Claim, claim_id
from cmtui.model.selectors import Span

CLAIM = "The keeper wrote the hour into the book"
LIBRARIAN, REVIEWER = "ann", "ben"


def say(*words: object) -> None:
    print(*words, flush=True)


def cli(root: str, *argv: str, fine: tuple[int, ...] = (0,)) -> dict[str, Any]:
    """Run a verb in this process and answer with what it printed."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(["--store", root, *argv])
    if status not in fine:
        raise AssertionError(f"{argv} ended with {status}: {err.getvalue()}")
    body = json.loads(out.getvalue())
    assert isinstance(body, dict)
    return body


def word_of(path: str | Path) -> str:
    """The word that stands in this file and in no other: its name."""
    return Path(path).stem.replace("-", "")


def decide(machine: LocalCitationMachine, reviewer: str, evidence_id: str, *, note: str) -> None:
    """Accept with a note: one group of two events, acknowledged when the call returns."""
    machine.repository.save_claim(Claim(claim_id(CLAIM), CLAIM))
    machine.review(reviewer).accept(claim_id(CLAIM), evidence_id, note=note)
    for event in machine.repository.events(reviewer)[-2:]:
        say("event", event.event_id)


def ingest(root: str, folder: str, seed: str) -> None:
    files = sorted(str(path) for path in Path(folder).iterdir())
    say("ready")
    for part in (files[::2], files[1::2]):
        for row in cli(root, "ingest", *part)["documents"]:
            say("document", row["document_id"])
        results = cli(root, "search", word_of(part[0]))["results"]
        assert [word_of(part[0]) in row["text"] for row in results] == [True], results
        say("searched")
        check = cli(root, "quote", results[0]["text"].split("\n")[0].strip())
        for location in check["locations"]:
            for evidence_id in location["evidence_ids"]:
                say("evidence", evidence_id)
        with LocalCitationMachine.open(root) as machine:
            decide(machine, LIBRARIAN, evidence_id, note=f"{seed} {part[0]}")


def library(root: str, folder: str, seconds: str) -> None:
    end = time.monotonic() + float(seconds)
    machine = LocalCitationMachine.open(root)
    number = events = 0
    while time.monotonic() < end or not number:
        number += 1
        path = Path(folder) / f"shelf-{number:05}.txt"
        word = word_of(path)
        path.write_text(f"The {word} keeper wrote the hour into the book.\n\nHe slept.\n", encoding="utf-8")
        say("document", machine.ingest(path))
        [result] = machine.search(word)
        assert word in result.text
        log = machine.repository.events(REVIEWER)
        assert len(log) >= events
        events = len(log)
        machine.claims()
        machine.documents()
    say("saw", events)


def review(root: str, seconds: str) -> None:
    end = time.monotonic() + float(seconds)
    machine = LocalCitationMachine.open(root)
    seen = number = 0
    while time.monotonic() < end or not seen:
        rows = machine.documents()
        assert len(rows) >= seen
        fresh, seen = rows[-1] if rows else None, len(rows)
        if fresh is None:
            continue
        number += 1
        word = word_of(fresh.name)
        if number % 4 == 0:  # the command line opens the store anew
            results = cli(root, "search", word)["results"]
            assert [word in row["text"] for row in results] == [True]
            check = cli(root, "quote", f"The {word} keeper wrote the hour into the book.")
            [evidence_id] = check["locations"][0]["evidence_ids"]
            assert len(cli(root, "documents")["documents"]) >= seen
        else:
            [result] = machine.search(word)
            evidence_id = machine.quote_span(
                result.document_id, Span(result.span.start, result.span.start + 20)
            ).evidence_id
        say("evidence", evidence_id)
        decide(machine, REVIEWER, evidence_id, note=str(number))
        if number % 5 == 0:
            machine.review(REVIEWER).undo()
            say("event", machine.repository.events(REVIEWER)[-1].event_id)
        assert machine.verify([evidence_id])[0].ok
    say("saw", seen)


if __name__ == "__main__":
    mode, *arguments = sys.argv[1:]
    {"ingest": ingest, "library": library, "review": review}[mode](*arguments)
