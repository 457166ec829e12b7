"""Sources and their files: where a file is now, whether it changed, tags, and the original itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from cmtui.engine.files import file_reference, path_of, read_file
from cmtui.errors import Cancelled, InvalidRequest, SourceMissing
from cmtui.model.identity import sha256_bytes
from cmtui.model.progress import (
    CancelledCallback,
    Progress,
    ProgressCallback,
    never_cancelled,
    no_progress,
)
from cmtui.model.source import SourceRecord
from cmtui.ports import KnowledgeRepository

#: Folder of derived data that originals are written to for a viewer when their file is gone.
ORIGINALS_FOLDER = "originals"

#: Viewers that can be told a physical page, with how they are told it.
_PAGED_VIEWERS: tuple[tuple[str, str], ...] = (
    ("evince", "--page-index={page}"),
    ("okular", "--page={page}"),
    ("zathura", "--page={page}"),
    ("xreader", "--page-index={page}"),
    ("atril", "--page-index={page}"),
)


class FileState(StrEnum):
    """How the file of a source stands to what was ingested from it."""

    SAME = "same"
    CHANGED = "changed"
    MISSING = "missing"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class SourceFileState:
    """The file of one source: where it is (or was), and its state."""

    source_id: str
    name: str
    path: Path
    state: FileState


def file_paths(source: SourceRecord) -> tuple[Path, ...]:
    """Where the file of a source may be, the likeliest first: moved to, reference, aliases."""
    names = dict.fromkeys((source.moved_to or source.artifact.reference, *source.aliases))
    names.setdefault(source.artifact.reference)
    return tuple(path_of(name) for name in names if name.startswith("file:"))


def file_states(
    repository: KnowledgeRepository,
    *,
    progress: ProgressCallback = no_progress,
    cancelled: CancelledCallback = never_cancelled,
) -> tuple[SourceFileState, ...]:
    """The state of every source that was read from a file, in name order. Raises Cancelled."""
    sources = repository.sources()
    found: list[SourceFileState] = []
    for number, source in enumerate(sources):
        if cancelled():
            raise Cancelled("The look at the files was cancelled.", "Nothing was changed.")
        progress(Progress("compare files", source.name, number, len(sources)))
        paths = file_paths(source)
        if paths:
            path = next((p for p in paths if p.exists()), paths[0])
            state = _state(repository, source, path)
            found.append(SourceFileState(source.source_id, source.name, path, state))
    progress(Progress("compare files", "", len(sources), len(sources)))
    return tuple(found)


def _state(repository: KnowledgeRepository, source: SourceRecord, path: Path) -> FileState:
    if not path.exists():
        return FileState.MISSING
    current = repository.summary(source.documents[-1])
    try:
        if path.stat().st_size == current.size and sha256_bytes(read_file(path)) == current.bytes_sha256:
            return FileState.SAME
        return FileState.CHANGED
    except (SourceMissing, OSError):
        return FileState.UNREADABLE


def relink(repository: KnowledgeRepository, source_id: str, path: Path) -> SourceRecord:
    """Say where the file of a source is now. Its bytes must be those of a known version.

    Raises NotFound, SourceMissing; InvalidRequest for other bytes, or a path that is another source's.
    """
    source = repository.source(source_id)
    content = read_file(path)
    reference = file_reference(path)
    known = set(repository.documents_of_bytes(sha256_bytes(content)))
    if not known & set(source.documents):
        raise InvalidRequest(
            f"'{path}' is not '{source.name}' as it was ingested: its bytes are of no known version.",
            f"Ingest it as a new version: citation-machine ingest '{path}' "
            f"--reference '{source.artifact.reference}'",
        )
    for other in repository.source_by_reference(reference):
        if other.source_id != source.source_id:
            raise InvalidRequest(
                f"'{path}' is the file of another source, '{other.name}' ({other.source_id[:12]}).",
                "Remove that one first, or leave both as they are.",
            )
    return repository.add_alias(source.source_id, reference, moved=True)


# -- what a person sets ----------------------------------------------------------------------------------


def checked_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Tags without blanks around them, each once. Raises InvalidRequest for an empty or unprintable one."""
    clean = tuple(dict.fromkeys(" ".join(tag.split()) for tag in tags))
    for tag in clean:
        if not tag or not tag.isprintable() or len(tag) > 100:
            raise InvalidRequest(f"Not a tag: {tag!r}.", "A tag is a few words on one line.")
    return clean


def change_tags(
    repository: KnowledgeRepository, source_id: str, *, add: Sequence[str] = (), drop: Sequence[str] = ()
) -> SourceRecord:
    """Add and drop tags of a source; what is already so stays so. Raises NotFound, InvalidRequest."""
    source = repository.source(source_id)
    dropped = set(checked_tags(drop))
    wanted = [tag for tag in dict.fromkeys((*source.tags, *checked_tags(add))) if tag not in dropped]
    if tuple(wanted) == source.tags:
        return source
    return repository.update_source(source.source_id, tags=wanted)


# -- the original ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Original:
    """The original of a document as a file: its own, or (``copied``) one written from the stored bytes."""

    document_id: str
    path: Path
    copied: bool
    page: int | None = None


def original(repository: KnowledgeRepository, document_id: str, page: int | None = None) -> Original:
    """A file with exactly the bytes the document was made from. ``page`` is physical, from 1.

    Raises NotFound, BlobDamaged; InvalidRequest for a page the document does not have, or in memory.
    """
    row = repository.summary(document_id)
    if page is not None and not 1 <= page <= max(row.pages, 1):
        raise InvalidRequest(f"'{row.name}' has no page {page}.", f"It has {row.pages} pages.")
    for path in file_paths(repository.source(row.source_id)):
        try:
            if path.stat().st_size == row.size and sha256_bytes(path.read_bytes()) == row.bytes_sha256:
                return Original(row.document_id, path, copied=False, page=page)
        except OSError:
            continue
    return Original(row.document_id, _written(repository, row.bytes_sha256, row.name), copied=True, page=page)


def _written(repository: KnowledgeRepository, digest: str, name: str) -> Path:
    from cmtui.store import atomic
    from cmtui.store.disk import disk_errors

    if repository.derived is None or repository.root is None:
        raise InvalidRequest("The original is in memory only.", "Open a store directory.")
    content = repository.content_bytes(digest)
    safe = "".join(c if c.isalnum() or c in "-_. " else "_" for c in name).strip(" .")[-100:] or "original"
    folder = repository.derived / ORIGINALS_FOLDER / digest[:16]
    path = folder / safe
    with disk_errors(repository.root):
        for made in (repository.derived, folder.parent, folder):
            atomic.make_folder(made)
        if not path.exists() or path.read_bytes() != content:
            atomic.write_whole(path, content)
    return path


def viewer_command(found: Original) -> tuple[str, ...] | None:
    """The command that shows an original in the system viewer, or None where there is no viewer.

    Only some viewers can be told a page; without one of them the file opens where the viewer likes.
    """
    path = str(found.path)
    if found.page is not None and found.path.suffix.lower() == ".pdf":
        for viewer, option in _PAGED_VIEWERS:
            if shutil.which(viewer):
                return (viewer, option.format(page=found.page), path)
    for opener in ("open",) if sys.platform == "darwin" else ("xdg-open", "wslview"):
        if shutil.which(opener):
            return (opener, path)
    return None


def show(command: Sequence[str]) -> bool:
    """Start a viewer and leave it alone: it has no terminal, and nobody waits for it."""
    try:
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ},
        )
    except OSError:
        return False
    return True


def changed_paths(states: Sequence[SourceFileState]) -> Iterator[Path]:
    """The files to ingest again."""
    return (state.path for state in states if state.state is FileState.CHANGED)
