"""A whole store as one zip archive: written and read back, or read and put in place, never half of either.

The archive holds the store's files in name order with fixed times, then ``manifest.json`` with the size and
SHA-256 of each: the same store gives the same archive. An archive is somebody's file until it has proved that
it is a backup: every name must be one a store has, every byte must be announced, and everything is checked
before anything is put in place.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from secrets import token_hex
from typing import IO

import msgspec

from cmtui.errors import BackupRefused, Cancelled
from cmtui.model.progress import CancelledCallback, Progress, ProgressCallback
from cmtui.store import atomic
from cmtui.store.capture import STORE_FILE, CapturedFile
from cmtui.store.layout import DIGEST_ALGORITHM, FORMAT_VERSION
from cmtui.store.records import StoreFormat, decode, encode

ARCHIVE_FORMAT = "cmtui-backup/1"
MANIFEST = "manifest.json"
#: Bytes of a manifest: that of a million files.
MANIFEST_LIMIT = 256 << 20
#: An entry that grows more than this in unpacking, above the size, is a bomb. Deflate reaches 1,032.
RATIO_LIMIT = 500
RATIO_FLOOR = 64 << 20
#: The oldest time a zip archive can state: times are no part of a store.
_TIME = (1980, 1, 1, 0, 0, 0)
_CHUNK = 1 << 20
_PACKED = (b"%PDF-", b"PK\x03\x04")


class ManifestFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One file of the archive."""

    name: str
    size: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``manifest.json``: what the archive holds, and by which algorithm the digests were made."""

    format: str
    digest: str
    store_format: int
    files: tuple[ManifestFile, ...]


class Vanished(Exception):
    """A file of the listed moment is gone: its document was removed meanwhile."""


# -- writing ---------------------------------------------------------------------------------------------


def write_archive(
    target: Path,
    files: Sequence[CapturedFile],
    *,
    store_format: int,
    progress: ProgressCallback,
    cancelled: CancelledCallback,
) -> Manifest:
    """Write the archive beside ``target``, read it back, and only then rename it. Leaves no half archive.

    Raises Vanished, Cancelled, BackupRefused (what was written does not read back), OSError.
    """
    remove_leftovers(target, ".tmp")
    temporary = target.with_name(f".{target.name}.{os.getpid()}-{token_hex(4)}.tmp")
    total = len(files)
    try:
        descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, atomic.FILE_MODE)
        with os.fdopen(descriptor, "w+b") as raw:
            with zipfile.ZipFile(raw, "w", allowZip64=True) as archive:
                listed = []
                for number, file in enumerate(files):
                    if cancelled():
                        raise Cancelled("The backup was cancelled.", "Nothing was written.")
                    progress(Progress("back up", file.name, number, total))
                    listed.append(_add(archive, file))
                manifest = Manifest(
                    format=ARCHIVE_FORMAT,
                    digest=DIGEST_ALGORITHM,
                    store_format=store_format,
                    files=tuple(listed),
                )
                archive.writestr(_info(MANIFEST, packed=False), encode(manifest))
            raw.flush()
            os.fsync(raw.fileno())
        with open_archive(temporary) as (archive, found):
            if found != manifest:
                raise BackupRefused("The archive does not read back as it was written.", "Check the disk.")
            for _ in _checked(archive, found, _nowhere, "verify the backup", progress, cancelled):
                pass
        temporary.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    atomic.sync_folder(target.parent)
    return manifest


def _add(archive: zipfile.ZipFile, file: CapturedFile) -> ManifestFile:
    digest = hashlib.sha256()
    size = 0
    with contextlib.ExitStack() as stack:
        head, chunks = _chunks(file, stack)
        # What is packed already would not get smaller; what is huge is stored, so that no backup of ours
        # can look like a bomb.
        info = _info(file.name, packed=head.startswith(_PACKED) or _length(file) > RATIO_FLOOR)
        info.file_size = _length(file)
        with archive.open(info, "w", force_zip64=_length(file) > zipfile.ZIP64_LIMIT // 2) as entry:
            for chunk in chunks:
                digest.update(chunk)
                size += len(chunk)
                entry.write(chunk)
    return ManifestFile(name=file.name, size=size, sha256=digest.hexdigest())


def _length(file: CapturedFile) -> int:
    if file.content is not None:
        return len(file.content)
    return file.length if file.length is not None else file.path.stat().st_size


def _chunks(file: CapturedFile, stack: contextlib.ExitStack) -> tuple[bytes, Iterable[bytes]]:
    """The first bytes of a file, and all of it. Raises Vanished."""
    if file.content is not None:
        return file.content[:8], (file.content,)
    try:
        source = stack.enter_context(file.path.open("rb"))
    except FileNotFoundError as error:
        raise Vanished(file.name) from error
    head = source.read(8)
    source.seek(0)
    return head, _read(source, file)


def _read(source: IO[bytes], file: CapturedFile) -> Iterator[bytes]:
    left = file.length
    while left is None or left > 0:
        chunk = source.read(_CHUNK if left is None else min(left, _CHUNK))
        if not chunk:
            if left:
                raise Vanished(f"{file.name} became shorter")
            return
        if left is not None:
            left -= len(chunk)
        yield chunk


def _info(name: str, *, packed: bool) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _TIME)
    info.create_system = 3
    info.external_attr = (stat.S_IFREG | atomic.FILE_MODE) << 16
    info.compress_type = zipfile.ZIP_STORED if packed else zipfile.ZIP_DEFLATED
    return info


# -- reading ---------------------------------------------------------------------------------------------


@contextlib.contextmanager
def open_archive(path: Path) -> Iterator[tuple[zipfile.ZipFile, Manifest]]:
    """An archive whose table of contents is that of a backup. Raises BackupRefused, OSError."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive, _manifest(path, archive)
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,
        RuntimeError,
        UnicodeError,
    ) as error:
        raise refused(path, f"is damaged or no zip archive ({error})") from error


def refused(path: Path, reason: str) -> BackupRefused:
    """The error for an archive that is not put in place."""
    return BackupRefused(
        f"'{path}' {reason}; nothing was restored.", "Use another backup, made by: citation-machine backup"
    )


def _manifest(path: Path, archive: zipfile.ZipFile) -> Manifest:
    entries = archive.infolist()
    names = [entry.filename for entry in entries]
    if len(set(names)) != len(names):
        raise refused(path, "names a file twice")
    for entry in entries:
        problem = _entry_problem(entry)
        if problem:
            raise refused(path, f"holds {entry.filename[:80]!r}, {problem}")
    if MANIFEST not in names:
        raise refused(path, "has no manifest, so it is no backup of a store")
    info = archive.getinfo(MANIFEST)
    if info.file_size > MANIFEST_LIMIT:
        raise refused(path, "has a manifest that is too large")
    try:
        with archive.open(info) as entry_file:
            manifest = decode(entry_file.read(MANIFEST_LIMIT + 1), Manifest)
    except ValueError as error:
        raise refused(path, f"has a manifest that cannot be read ({error})") from error
    if manifest.format != ARCHIVE_FORMAT or manifest.digest != DIGEST_ALGORITHM:
        raise refused(path, f"is of another format ({manifest.format[:40]}, {manifest.digest[:20]})")
    if manifest.store_format > FORMAT_VERSION:
        raise refused(path, f"was made by a newer program (store format {manifest.store_format})")
    listed = {file.name: file.size for file in manifest.files}
    held = {entry.filename: entry.file_size for entry in entries if entry.filename != MANIFEST}
    if len(listed) != len(manifest.files):
        raise refused(path, "has a manifest that names a file twice")
    for name in sorted(listed.keys() - held.keys())[:1]:
        raise refused(path, f"lacks {name!r}, which its manifest names")
    for name in sorted(held.keys() - listed.keys())[:1]:
        raise refused(path, f"holds {name!r}, which its manifest does not name")
    for name in sorted(name for name, size in listed.items() if size != held[name])[:1]:
        raise refused(path, f"holds {name!r} in another size than its manifest states")
    if "store.json" not in listed:
        raise refused(path, "holds no store.json, so it is no backup of a store")
    return manifest


def _entry_problem(entry: zipfile.ZipInfo) -> str | None:
    """What keeps an entry from being a file of a store."""
    if entry.filename != MANIFEST and not STORE_FILE.fullmatch(entry.filename):
        return "which is no file of a store"
    if stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG):
        return "which is no plain file"
    if entry.flag_bits & 0x1:
        return "which is encrypted"
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "which is packed in a way that backups never are"
    if entry.file_size > RATIO_FLOOR and entry.file_size > RATIO_LIMIT * max(entry.compress_size, 1):
        return f"which would unpack to {entry.file_size:,} bytes from {entry.compress_size:,}"
    return None


def extract(
    path: Path, folder: Path, *, progress: ProgressCallback, cancelled: CancelledCallback
) -> Manifest:
    """Unpack an archive into an empty folder, checking every file while it is written.

    Raises BackupRefused, Cancelled, OSError. The caller removes the folder when this fails.
    """
    with open_archive(path) as (archive, manifest):
        needed = sum(file.size for file in manifest.files)
        free = shutil.disk_usage(folder).free
        if needed > free:
            raise BackupRefused(
                f"'{path}' unpacks to {needed:,} bytes, and {folder.parent} has {free:,} left.",
                "Free some space, or restore elsewhere with --into.",
            )

        @contextlib.contextmanager
        def written(name: str) -> Iterator[IO[bytes]]:
            target = folder / name
            target.parent.mkdir(mode=atomic.FOLDER_MODE, parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            with os.fdopen(os.open(target, flags, atomic.FILE_MODE), "wb") as out:
                yield out
                out.flush()
                os.fsync(out.fileno())

        for _ in _checked(archive, manifest, written, "restore", progress, cancelled):
            pass
        try:
            stated = decode((folder / "store.json").read_bytes(), StoreFormat)
        except ValueError as error:
            raise refused(path, f"holds a store.json that cannot be read ({error})") from error
        if stated.format != manifest.store_format or stated.digest != DIGEST_ALGORITHM:
            raise refused(path, "holds a store of another format than its manifest states")
        return manifest


@contextlib.contextmanager
def _nowhere(_: str) -> Iterator[None]:
    yield None


def _checked(
    archive: zipfile.ZipFile,
    manifest: Manifest,
    sink: Callable[[str], AbstractContextManager[IO[bytes] | None]],
    operation: str,
    progress: ProgressCallback,
    cancelled: CancelledCallback,
) -> Iterator[ManifestFile]:
    """Read every file of the archive into ``sink(name)``, and compare it with the manifest."""
    path = Path(str(archive.filename or "the archive"))
    for number, file in enumerate(manifest.files):
        if cancelled():
            raise Cancelled(f"To {operation} was cancelled.", "Nothing was put in place.")
        progress(Progress(operation, file.name, number, len(manifest.files)))
        digest = hashlib.sha256()
        size = 0
        with archive.open(file.name) as entry, sink(file.name) as out:
            while chunk := entry.read(_CHUNK):
                size += len(chunk)
                if size > file.size:
                    break
                digest.update(chunk)
                if out is not None:
                    out.write(chunk)
        if size != file.size or digest.hexdigest() != file.sha256:
            raise refused(path, f"holds {file.name!r} damaged: it does not hash to what its manifest states")
        yield file


# -- putting in place ------------------------------------------------------------------------------------


def restore_archive(
    path: Path, into: Path, *, progress: ProgressCallback, cancelled: CancelledCallback
) -> Manifest:
    """Restore into a new or empty folder, by one rename when everything is checked. Raises as ``extract``."""
    into.parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(into, ".restoring")
    stage = into.with_name(f".{into.name}.{os.getpid()}-{token_hex(4)}.restoring")
    try:
        stage.mkdir(mode=atomic.FOLDER_MODE)
        manifest = extract(path, stage, progress=progress, cancelled=cancelled)
        for folder, _, _ in os.walk(stage):
            atomic.sync_folder(Path(folder))
        # An empty folder is replaced by a rename; one that somebody filled meanwhile is not.
        stage.rename(into)
    except BaseException:
        shutil.rmtree(stage, ignore_errors=True)
        raise
    atomic.sync_folder(into.parent)
    return manifest


def remove_leftovers(target: Path, suffix: str) -> None:
    """Remove what interrupted runs of dead processes left beside ``target``."""
    for leftover in target.parent.glob(f".{glob_escape(target.name)}.*-*{suffix}"):
        pid = leftover.name.removeprefix(f".{target.name}.").partition("-")[0]
        if pid.isdecimal() and not is_alive(int(pid)):
            with contextlib.suppress(OSError):
                shutil.rmtree(leftover) if leftover.is_dir() else leftover.unlink()


def glob_escape(name: str) -> str:
    """A file name as a pattern that matches itself alone."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in name)


def is_alive(pid: int) -> bool:
    """Whether a process of this machine lives."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
