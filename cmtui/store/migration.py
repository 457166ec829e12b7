"""Stores of older formats: a backup first, then a changed copy, then a swap.

A step turns format n into n + 1 in a folder that nobody else sees: the backup, unpacked and checked. So each
migration proves its backup, and whatever goes wrong, the store is as it was. When all steps are done the copy
takes the store's place by two renames; should the machine stop between them, the next open finishes the
second.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

from cmtui.errors import StoreError, StoreFormatError
from cmtui.model.progress import CancelledCallback, ProgressCallback
from cmtui.store import atomic
from cmtui.store.archive import extract, glob_escape, is_alive, remove_leftovers, write_archive
from cmtui.store.capture import STORE_FILE, CapturedFile
from cmtui.store.layout import DIGEST_ALGORITHM, FORMAT_VERSION, Layout
from cmtui.store.locks import FolderLock
from cmtui.store.records import StoreFormat, decode, encode

#: Changes a store in place from the format it is registered for to the next one, ``store.json`` excepted.
Step = Callable[[Layout], None]

#: The steps by the format they start from. Format 1 is the first that was ever released.
STEPS: dict[int, Step] = {}

_READY = ".migrated"
_OLD = ".before-migration"


@dataclass(frozen=True, slots=True)
class Migration:
    """What was done: formats, the steps by the format they started from, and where the backup is."""

    path: Path
    found: int
    reached: int
    steps: tuple[int, ...] = ()
    backup: Path | None = None


def format_of(root: Path) -> int:
    """The format a store states. Raises StoreFormatError."""
    try:
        return decode(Layout(root).format_file.read_bytes(), StoreFormat).format
    except (OSError, ValueError) as error:
        raise StoreFormatError(
            f"{root} is no store whose format can be read: {error}", "restore store.json from a backup"
        ) from error


def migrate(
    root: Path,
    backup: Path,
    *,
    progress: ProgressCallback,
    cancelled: CancelledCallback,
    steps: Mapping[int, Step] | None = None,
    target: int = FORMAT_VERSION,
) -> Migration:
    """Bring a store to format ``target``. The backup is written to ``backup``, which must not exist.

    Raises StoreFormatError when no step leads there, StoreLocked, StoreError, Cancelled, OSError; the store
    is then as it was.
    """
    known = STEPS if steps is None else steps
    found = format_of(root)
    if found == target:
        return Migration(root, found, target)
    path = tuple(range(found, target))
    if found > target or any(number not in known for number in path):
        raise StoreFormatError(
            f"no steps lead from format {found} to format {target}", "use the program that wrote the store"
        )
    if backup.exists():
        raise StoreError(f"{backup} exists already", "give another name for the backup")
    for suffix in (_READY, _OLD):
        remove_leftovers(root, suffix)
    stage = root.with_name(f".{root.name}.{os.getpid()}-{token_hex(4)}{_READY}")
    with _everything_held(root):
        files = _files(root)
        write_archive(backup, files, store_format=found, progress=progress, cancelled=cancelled)
        try:
            stage.mkdir(mode=atomic.FOLDER_MODE)
            extract(backup, stage, progress=progress, cancelled=cancelled)
            layout = Layout(stage)
            for folder in layout.folders():
                atomic.make_folder(folder)
            for number in path:
                known[number](layout)
            atomic.write_whole(
                layout.format_file, encode(StoreFormat(format=target, digest=DIGEST_ALGORITHM))
            )
            if _sizes(_files(root)) != _sizes(files):
                raise StoreError("the store changed while it was migrated", "close other programs, try again")
        except BaseException:
            shutil.rmtree(stage, ignore_errors=True)
            raise
        old = root.with_name(f".{root.name}.{os.getpid()}-{token_hex(4)}{_OLD}")
        root.rename(old)
        stage.rename(root)
        atomic.sync_folder(root.parent)
    shutil.rmtree(old, ignore_errors=True)
    return Migration(root, found, target, path, backup)


def finish_swap(root: Path) -> bool:
    """Put a finished migration in place that stopped between its two renames; True when there was one."""
    if root.exists() or not root.parent.is_dir():
        return False
    pattern = f".{glob_escape(root.name)}.*-*"
    # Only a stage whose last step was done has the new format; only a swap that was begun has an old one.
    old = [p for p in root.parent.glob(pattern + _OLD) if not _is_owned(p, root)]
    ready = [p for p in root.parent.glob(pattern + _READY) if not _is_owned(p, root)]
    if len(old) != 1:
        return False
    chosen = ready[0] if len(ready) == 1 and _is_complete(ready[0]) else old[0]
    with contextlib.suppress(OSError):
        chosen.rename(root)
        atomic.sync_folder(root.parent)
        return True
    return False


def _is_owned(path: Path, root: Path) -> bool:
    """Whether the process that made a folder still lives."""
    pid = path.name.removeprefix(f".{root.name}.").partition("-")[0]
    return not pid.isdecimal() or is_alive(int(pid))


def _is_complete(stage: Path) -> bool:
    try:
        return format_of(stage) == FORMAT_VERSION
    except StoreFormatError:
        return False


@contextlib.contextmanager
def _everything_held(root: Path) -> Iterator[None]:
    """Hold every lock of the store: nobody commits, records or decides meanwhile."""
    layout = Layout(root)
    locks = [layout.lock, layout.claims / ".lock", layout.bibliography / ".lock", layout.evidence / ".lock"]
    locks += [path.with_name(f".{path.stem}.lock") for path in sorted(layout.events.glob("*.jsonl"))]
    with contextlib.ExitStack() as stack:
        for path in locks:
            if path.parent.is_dir():
                stack.enter_context(FolderLock(path, timeout=10.0).hold("migrate the store"))
        yield


def _files(root: Path) -> tuple[CapturedFile, ...]:
    found = []
    for folder, _, names in os.walk(root):
        for name in names:
            inside = (Path(folder) / name).relative_to(root).as_posix()
            if STORE_FILE.fullmatch(inside):
                found.append(CapturedFile(inside, root / inside))
    return tuple(sorted(found, key=lambda file: file.name))


def _sizes(files: tuple[CapturedFile, ...]) -> list[tuple[str, int]]:
    return [(file.name, file.path.stat().st_size) for file in files]
