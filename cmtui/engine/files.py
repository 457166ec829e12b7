"""Which files an ingest run reads, and by what reference a file is known."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from cmtui.errors import SourceMissing

#: Files that a folder walk takes up. A file named by itself is always tried.
SUFFIXES = frozenset({".pdf", ".epub", ".md", ".markdown", ".txt", ".text", ".html", ".htm", ".xhtml"})


def file_reference(path: Path) -> str:
    """The reference of a local file: its absolute ``file:`` URI, symlinks resolved, bytes percent-encoded."""
    return path.resolve().as_uri()


def reference_exists(reference: str) -> bool:
    """Whether a ``file:`` reference still names a file; other references always count as there."""
    if not reference.startswith("file:"):
        return True
    return path_of(reference).exists()


def path_of(reference: str) -> Path:
    """The path of a ``file:`` reference."""
    from urllib.parse import unquote_to_bytes, urlsplit

    return Path(unquote_to_bytes(urlsplit(reference).path).decode("utf-8", "surrogateescape"))


def expand(paths: Iterable[str | Path]) -> list[Path]:
    """The files to ingest: files as given, folders walked in name order without hidden entries.

    A path that does not exist is kept, so that reading it reports it.
    """
    files: list[Path] = []
    seen: set[Path] = set()
    for given in paths:
        path = Path(given).expanduser()
        for file in _walk(path) if path.is_dir() else [path]:
            key = file.absolute()
            if key not in seen:
                seen.add(key)
                files.append(file)
    return files


def _walk(folder: Path) -> list[Path]:
    found: list[Path] = []
    entries = sorted(folder.iterdir(), key=lambda e: e.name)
    pages = [entry for entry in entries if entry.suffix.lower() in {".html", ".htm"}]
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            if any(entry.name == f"{page.stem}_files" for page in pages):
                continue  # what a browser saved beside a page: frames and scripts, no sources
            found.extend(_walk(entry))
        elif entry.suffix.lower() in SUFFIXES:
            found.append(entry)
    return found


def read_file(path: Path) -> bytes:
    """The exact bytes of a file. Raises SourceMissing with the reason."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise SourceMissing(f"There is no file '{path}'.", "Check the path.") from None
    except IsADirectoryError:
        raise SourceMissing(f"'{path}' is a folder.", "Give a file, or a folder of files.") from None
    except PermissionError:
        raise SourceMissing(f"'{path}' may not be read by this user.", "Change its permissions.") from None
    except OSError as error:
        raise SourceMissing(
            f"'{path}' cannot be read: {error.strerror}.", "Check the disk and the path."
        ) from None
