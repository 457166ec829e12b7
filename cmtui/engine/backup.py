"""Backup and restore of a whole store: one archive, checked on both ends."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cmtui.errors import InvalidRequest, NotFound, StoreError
from cmtui.model.progress import (
    CancelledCallback,
    ProgressCallback,
    never_cancelled,
    no_progress,
)
from cmtui.ports import KnowledgeRepository

if TYPE_CHECKING:
    from cmtui.store.migration import Migration

#: Backups begun anew because a document was removed while they were made, before giving up.
ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class BackupReport:
    """What a backup or restore did. ``size`` is of the archive, ``content`` of the files in it, in bytes.

    ``damaged`` names files that were copied as they are although they do not hash to their own name;
    ``left_out`` names files in the store directory that are no part of a store.
    """

    path: Path
    files: int
    documents: int
    size: int
    content: int
    damaged: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def backup(
    repository: KnowledgeRepository,
    path: Path,
    *,
    replace: bool = False,
    progress: ProgressCallback = no_progress,
    cancelled: CancelledCallback = never_cancelled,
) -> BackupReport:
    """Write the whole store, as it is at one moment, to the archive ``path``, and read it back.

    Derived data and locks are left out. Others may go on writing meanwhile. Raises InvalidRequest for a path
    inside the store or an existing file (unless ``replace``), Cancelled, StoreError; no half archive is left.
    """
    from cmtui.store.archive import Vanished, write_archive
    from cmtui.store.directory import StoreRepository

    if not isinstance(repository, StoreRepository) or repository.root is None:
        raise InvalidRequest("Only a store directory can be backed up.", "Open one.")
    target = Path(os.path.abspath(path.expanduser()))  # noqa: PTH100 - keeps symlinks
    if target.resolve().is_relative_to(repository.root.resolve()):
        raise InvalidRequest(f"'{target}' lies inside the store.", "Write the backup elsewhere.")
    if target.is_dir() or (target.exists() and not replace):
        raise InvalidRequest(f"'{target}' exists already.", "Choose another name, or give --replace.")
    if not target.parent.is_dir():
        raise InvalidRequest(f"There is no folder '{target.parent}'.", "Make it, or write elsewhere.")
    for _ in range(ATTEMPTS):
        captured = repository.capture()
        try:
            with file_errors(target):
                manifest = write_archive(
                    target,
                    captured,
                    store_format=repository.format_version,
                    progress=progress,
                    cancelled=cancelled,
                )
        except Vanished:
            continue
        names = [file.name for file in manifest.files]
        return BackupReport(
            path=target,
            files=len(names),
            documents=sum(name.startswith("snapshots/") for name in names),
            size=target.stat().st_size,
            content=sum(file.size for file in manifest.files),
            damaged=tuple(
                f.name for f in manifest.files if f.name.startswith("blobs/") and f.sha256 != f.name[-64:]
            ),
            left_out=repository.strangers(),
        )
    raise StoreError(
        "The store changed faster than it could be copied.", "Try again when fewer documents are removed."
    )


def restore(
    path: Path,
    into: Path,
    *,
    progress: ProgressCallback = no_progress,
    cancelled: CancelledCallback = never_cancelled,
) -> BackupReport:
    """Put a backup in place as the store ``into``, which must be new or an empty folder.

    Everything is checked before the folder appears, by one rename. Raises NotFound, InvalidRequest,
    BackupRefused, Cancelled, StoreError; then nothing is put in place.
    """
    from cmtui.store.archive import restore_archive

    source = Path(os.path.abspath(path.expanduser()))  # noqa: PTH100 - keeps symlinks
    target = Path(os.path.abspath(into.expanduser()))  # noqa: PTH100
    if not source.is_file():
        raise NotFound(f"There is no backup '{source}'.", "Check the path.")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise InvalidRequest(
            f"'{target}' exists and is not empty.",
            "Restore into a new folder with --into DIR, or move the old store away first.",
        )
    with file_errors(target):
        manifest = restore_archive(source, target, progress=progress, cancelled=cancelled)
    return BackupReport(
        path=target,
        files=len(manifest.files),
        documents=sum(file.name.startswith("snapshots/") for file in manifest.files),
        size=source.stat().st_size,
        content=sum(file.size for file in manifest.files),
        damaged=tuple(
            f.name for f in manifest.files if f.name.startswith("blobs/") and f.sha256 != f.name[-64:]
        ),
    )


@contextlib.contextmanager
def file_errors(path: Path) -> Iterator[None]:
    """Turn OSError into StoreError that names the file."""
    import errno

    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StoreError(
                f"The disk is full: '{path}' was not written.", "Free some space and try again."
            ) from error
        name = error.filename or path
        raise StoreError(
            f"'{name}': {error.strerror or error}; '{path}' was not written.",
            "Check the permissions and the disk.",
        ) from error


def migrate(
    root: Path,
    archive: Path | None = None,
    *,
    progress: ProgressCallback = no_progress,
    cancelled: CancelledCallback = never_cancelled,
) -> Migration:
    """Bring a store of an older format up to date; its backup goes beside it unless ``archive`` says where.

    Raises StoreFormatError, StoreLocked, StoreError, Cancelled; the store is then as it was.
    """
    from cmtui.store import migration

    store = Path(os.path.abspath(root.expanduser()))  # noqa: PTH100 - keeps symlinks
    found = migration.format_of(store)
    target = archive or store.with_name(f"{store.name}.format-{found}.zip")
    with file_errors(store):
        return migration.migrate(store, target, progress=progress, cancelled=cancelled)
