"""The doctor: every layer of a store re-hashed, and derived data put right on request.

``examine`` reads the directory alone, so that a store which no longer opens can be looked at too. ``doctor``
adds what needs the open store, and repairs: derived data and rebuildable sidecars are made anew, orphaned
bytes and what crashes left are removed. Nothing that cannot be made again is ever touched.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from cmtui.errors import InvalidRequest, NotFound, StoreReadOnly
from cmtui.model.health import DoctorReport, Health, HealthCheck
from cmtui.model.progress import CancelledCallback, ProgressCallback, never_cancelled, no_progress
from cmtui.ports import KnowledgeRepository, LexicalIndex

if TYPE_CHECKING:
    from cmtui.store.directory import StoreRepository
    from cmtui.store.inspection import Inspection

#: An index with more bytes for each character of text than this is built anew, above the floor. One that ran
#: away had some 200 times its text: 18 GiB for 93 MiB (paperless-ngx #13679).
INDEX_BYTES_PER_CHARACTER = 20
INDEX_FLOOR = 64 << 20


def examine(
    root: Path,
    *,
    progress: ProgressCallback = no_progress,
    cancelled: CancelledCallback = never_cancelled,
) -> DoctorReport:
    """The health of a store directory, whether or not it opens. Changes nothing.

    Raises NotFound, Cancelled.
    """
    from cmtui.store.layout import DIGEST_ALGORITHM

    return DoctorReport(tuple(_examined(root, progress, cancelled).checks), DIGEST_ALGORITHM)


def _examined(root: Path, progress: ProgressCallback, cancelled: CancelledCallback) -> Inspection:
    from cmtui.store.inspection import Inspection

    if not root.is_dir():
        raise NotFound(f"There is no store at '{root}'.", "Check the path.")
    first = Inspection(root, progress, cancelled)
    first.run()
    seen = {_key(check) for check in first.checks if check.status is not Health.OK}
    if not seen:
        return first
    # Others may have been writing: only what is still so at a second look is a problem.
    second = Inspection(root, progress, cancelled)
    second.run()
    second.checks = [c for c in second.checks if c.status is Health.OK or _key(c) in seen]
    return second


def _key(check: HealthCheck) -> tuple[str, str, Health]:
    return check.layer, check.path, check.status


def doctor(
    repository: KnowledgeRepository,
    *,
    index: LexicalIndex | None = None,
    repair: bool = False,
    progress: ProgressCallback = no_progress,
    cancelled: CancelledCallback = never_cancelled,
) -> DoctorReport:
    """The health of every layer and file, and with ``repair`` what was put right.

    Raises InvalidRequest for a repository in memory, StoreReadOnly when it cannot repair, Cancelled.
    """
    from cmtui.store.directory import StoreRepository
    from cmtui.store.layout import DIGEST_ALGORITHM

    if not isinstance(repository, StoreRepository) or repository.root is None:
        raise InvalidRequest("Only a store directory can be looked at.", "Open one.")
    if repair and repository.read_only:
        raise StoreReadOnly(repository.read_only, "Repair a copy of the store that you may write to.")
    checks = _all_checks(repository, index, progress, cancelled)
    done: list[str] = []
    if repair and any(check.repairable for check in checks):
        done = _repair(repository, index, [c for c in checks if c.repairable], progress, cancelled)
        checks = _all_checks(repository, index, progress, cancelled)
    return DoctorReport(tuple(checks), DIGEST_ALGORITHM, tuple(done))


def _all_checks(
    repository: StoreRepository,
    index: LexicalIndex | None,
    progress: ProgressCallback,
    cancelled: CancelledCallback,
) -> list[HealthCheck]:
    assert repository.root is not None
    found = _examined(repository.root, progress, cancelled)
    checks = list(found.checks)
    if index is not None and repository.derived is not None:
        checks.append(_index_check(repository, index, found))
    return checks


def _index_check(repository: StoreRepository, index: LexicalIndex, found: Inspection) -> HealthCheck:
    """That the index covers exactly the documents, and is not much larger than their text."""
    folder = _index_folder(repository)
    path = f"derived/{folder.name}"
    advice = "search, or run: citation-machine doctor --repair"
    covered, there = index.covers(), found.documents
    size = sum((Path(base) / name).stat().st_size for base, _, names in os.walk(folder) for name in names)
    if covered != there:
        lacks, extra = len(there - covered), len(covered - there)
        sentence = f"The index lacks {lacks} documents and holds {extra} that are not there."
        return HealthCheck("derived", path, Health.STALE, sentence, advice, repairable=True)
    if size > max(INDEX_FLOOR, INDEX_BYTES_PER_CHARACTER * found.characters):
        sentence = f"The index has {size:,} bytes for {found.characters:,} characters of text."
        return HealthCheck("derived", path, Health.STALE, sentence, advice, repairable=True)
    return HealthCheck(
        "derived", path, Health.OK, f"{size:,} bytes for {found.characters:,} characters of text."
    )


def _index_folder(repository: StoreRepository) -> Path:
    from cmtui.retrieval.lexical_search import LEXICAL_FOLDER

    assert repository.derived is not None
    return repository.derived / LEXICAL_FOLDER


# -- repair ----------------------------------------------------------------------------------------------


def _repair(
    repository: StoreRepository,
    index: LexicalIndex | None,
    checks: list[HealthCheck],
    progress: ProgressCallback,
    cancelled: CancelledCallback,
) -> list[str]:
    """Put right what can be made again, and say what was done."""
    from cmtui.store.directory import StoreRepository
    from cmtui.store.inspection import is_dead_temporary
    from cmtui.store.locks import FolderLock

    root = repository.root
    assert root is not None
    done: list[str] = []
    catalogue = [c for c in checks if c.path == "derived/catalogue.sqlite"]
    if catalogue:
        repository.forget_catalogue()
    # Opening finishes interrupted commits and removals, gives documents their source back, and lists them.
    opened = StoreRepository.open(root)
    done.extend(f"{notice[:1].upper()}{notice[1:]}." for notice in opened.notices())
    if catalogue:
        done.append("The catalogue was made anew.")
    for check in checks:
        path = root / check.path
        if check.layer == "identity":
            with contextlib.suppress(NotFound):
                opened.document(path.stem)
            done.append(f"The identity sidecar of document {path.stem[:12]} was made anew.")
        elif check.layer == "locks":
            lock = FolderLock(path.with_name(path.name.removesuffix(".info")), timeout=0.0)
            with lock.try_hold() as held:
                if held:
                    lock.clear_note()
            done.append(f"The note {check.path} of a dead process was removed.")
        elif check.layer == "leftovers" and is_dead_temporary(path.name):
            path.unlink(missing_ok=True)
            done.append(f"The unfinished file {check.path} was removed.")
        elif check.layer == "snapshots":
            done.append(f"The interrupted removal of document {path.stem[:12]} was finished.")
    if any(check.layer == "bytes" for check in checks):
        orphans = opened.remove_orphan_blobs()
        done.extend(f"The orphaned bytes {digest[:12]} were removed." for digest in orphans)
    if index is not None and any(c.path == f"derived/{_index_folder(repository).name}" for c in checks):
        done.append(_rebuilt_index(opened, index, progress, cancelled))
    return done


def _rebuilt_index(
    repository: StoreRepository,
    index: LexicalIndex,
    progress: ProgressCallback,
    cancelled: CancelledCallback,
) -> str:
    from cmtui.retrieval.refresh import refresh

    folder = _index_folder(repository)
    close = getattr(index, "close", None)
    if close is not None:
        close()
    shutil.rmtree(folder, ignore_errors=True)
    rows = repository.summaries()
    refresh(repository, index, rows, frozenset(), progress=progress, cancelled=cancelled)
    return f"The index was built anew from {len(rows)} documents."
