"""Two processes at one store at once (issue 3, part 9; settlements 6, I2.9).

``make test`` runs 5 seconds, ``make soak`` 60: the environment says how many (SOAK_SECONDS).
"""

from __future__ import annotations

import os
from pathlib import Path

from cmtui.engine import LocalCitationMachine
from soak.checks import Acknowledged, check, start

SECONDS = float(os.environ.get("SOAK_SECONDS", "5"))


def test_two_processes_work_at_one_store_at_once(tmp_path: Path) -> None:
    """settlements 6, I2.9: no lost event, no exception, and each sees the other's work."""
    root, folder = tmp_path / "store", tmp_path / "files"
    folder.mkdir()
    LocalCitationMachine.open(root).close()
    processes = [start("library", root, folder, SECONDS), start("review", root, SECONDS)]
    done = Acknowledged()
    for process in processes:
        printed, errors = process.communicate(timeout=SECONDS * 4 + 120)
        assert process.returncode == 0, errors
        assert not errors
        done.add(printed)
    found = check(root, done, "ben")
    assert found["events in flight"] == 0
    assert found["documents"] == len(done.documents)
    events_seen, documents_seen = done.saw
    assert events_seen > 0
    assert documents_seen > 0
    print(
        f"\n{SECONDS:.0f} s: {len(done.documents)} documents, {len(done.events)} events, "
        f"{len(done.evidence)} quotations; the library saw {events_seen} events, the reviewer "
        f"{documents_seen} documents"
    )
