"""What the soak tests share: processes that say what they did, and the check that it is all there."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from cmtui.engine import LocalCitationMachine
from cmtui.model.health import Health
from cmtui.model.review import Decision, EventType, fold
from cmtui.store.layout import Layout

PROGRAM = Path(__file__).with_name("work.py")


def start(*arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, PROGRAM, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@dataclass
class Acknowledged:
    """What processes said was done, in order."""

    documents: list[str] = field(default_factory=list)
    evidence: list[str] = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    saw: list[int] = field(default_factory=list)
    searches: int = 0

    def add(self, printed: str) -> None:
        """Take whole lines; one that was cut short by a kill was not acknowledged."""
        lines = printed.split("\n")[:-1]
        for line in lines:
            kind, _, value = line.partition(" ")
            if kind == "searched":
                self.searches += 1
            elif kind == "saw":
                self.saw.append(int(value))
            elif kind != "ready":
                {"document": self.documents, "evidence": self.evidence, "event": self.events}[kind].append(
                    value
                )


def check(root: Path, done: Acknowledged, reviewer: str) -> Counter[str]:
    """That the store opens, holds all that was acknowledged, and holds nothing that cannot be read."""
    found: Counter[str] = Counter()
    with LocalCitationMachine.open(root) as machine:
        repository = machine.repository
        ids = repository.document_ids()
        assert set(done.documents) <= set(ids)
        for document_id in ids:
            document = machine.document(document_id)
            repository.content_bytes(document.version.bytes_sha256)
            assert repository.source_of(document_id).documents
        log = repository.events(reviewer)
        names = [event.event_id for event in log]
        # In this order, and nothing but them and the action that was in flight at each kill.
        known = set(done.events)
        assert [name for name in names if name in known] == done.events
        found["events in flight"] = len(names) - len(done.events)
        accepted = {e.object for e in log if e.type is EventType.ACCEPTED and e.event_id in known}
        undone = {e.undoes for e in log if e.type is EventType.UNDONE}
        gone = {e.object for e in log if e.group in undone}
        state = fold(log)
        for key in accepted - gone:
            assert state.findings[key].decision is Decision.ACCEPTED
            assert state.findings[key].note
        for evidence_id in done.evidence:
            assert machine.reconstruct(evidence_id)
        assert all(layer.ok for layer in machine.verify())
        if done.documents:
            document = machine.document(done.documents[-1])
            word = document.text.split()[1]
            assert any(r.document_id == document.document_id for r in machine.search(word))
        health = machine.doctor()
        assert health.healthy, health.problems
        # What a kill may leave: bytes and temporary files that nothing needs, and an index that is behind.
        states = {problem.status for problem in health.problems}
        assert states <= {Health.UNREFERENCED, Health.STALE}, health.problems
        found["leftovers"] = len(health.problems)
        found["documents"] = len(ids)
    assert not Layout(root).lock.with_name("lock.info").exists()
    return found
