"""What the store tests run in another process: ``python store_process.py MODE ROOT ...``.

- ``commit ROOT PREFIX COUNT``: commits documents ``PREFIX0``... and prints each id once it is acknowledged.
- ``die ROOT STEP``: as ``commit``, but kills itself (SIGKILL) at the STEP-th file-system step.
- ``events ROOT REVIEWER COUNT``: appends groups of two events.
- ``hold ROOT``: takes the commit lock and keeps it until its standard input ends.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from cmtui.model.review import EventDraft, EventType
from cmtui.store.directory import StoreRepository
from cmtui.store.layout import Layout
from cmtui.store.locks import FolderLock
from support.documents import make_document, make_evidence


def commit(root: str, prefix: str, count: int) -> None:
    repository = StoreRepository.open(root)
    for number in range(count):
        # Every third document is a new version of an older source.
        name = f"{prefix}{number - number % 3}.txt"
        document, content, artifact = make_document(f"{prefix} {number}.\n\n" + "x " * 3000, name=name)
        repository.commit_document(document, content=content, artifact=artifact)
        repository.record_evidence([make_evidence(document, 0, 3)])
        repository.append_events("ann", [EventDraft(EventType.NOTED, document.document_id)] * 2)
        print(document.document_id, flush=True)


def die(root: str, step: int) -> None:
    left = step

    def counted(name: str) -> None:
        real = getattr(os, name)

        def call(*args: object, **kwargs: object) -> object:
            nonlocal left
            left -= 1
            if left <= 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*args, **kwargs)

        setattr(os, name, call)

    for name in ("write", "fsync", "replace", "open"):
        counted(name)
    commit(root, "d", 1000)


def events(root: str, reviewer: str, count: int) -> None:
    repository = StoreRepository.open(root)
    for number in range(count):
        repository.append_events(reviewer, [EventDraft(EventType.NOTED, f"{number}/{half}") for half in "ab"])


def hold(root: str) -> None:
    with FolderLock(Layout(Path(root)).lock, timeout=5).hold("test holding"):
        print("held", flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    mode, *arguments = sys.argv[1:]
    match mode:
        case "commit":
            commit(arguments[0], arguments[1], int(arguments[2]))
        case "die":
            die(arguments[0], int(arguments[1]))
        case "events":
            events(arguments[0], arguments[1], int(arguments[2]))
        case "hold":
            hold(arguments[0])
