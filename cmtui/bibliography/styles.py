"""The styles by name: where their CSL file is, and which forms they have."""

from __future__ import annotations

import difflib
import hashlib
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from cmtui.errors import UnknownStyle
from cmtui.resources import styles_dir

#: This project's own CSL files, by the name that commands and settings use.
SHIPPED = {
    "mla": "mla.csl",
    "apa": "apa.csl",
    "chicago": "chicago-author-date.csl",
    "chicago-notes": "chicago-notes-bibliography.csl",
    "ieee": "ieee.csl",
}
BIBTEX = "bibtex"
NAMES = (*SHIPPED, BIBTEX)

#: Ids of the official styles for the same manuals, which other programs and the golden cases use.
ALIASES = {
    "modern-language-association": "mla",
    "apa-7th-edition": "apa",
    "american-psychological-association": "apa",
    "chicago-author-date": "chicago",
    "chicago-notes-bibliography": "chicago-notes",
    "bib": BIBTEX,
}


@dataclass(frozen=True, slots=True)
class StyleFile:
    """A CSL file as read: its name, bytes and digest."""

    name: str
    content: bytes
    sha256: str


def canonical_name(style: str) -> str:
    """The name of a shipped style, BibTeX, or the path of a .csl file. Raises UnknownStyle."""
    name = style.strip()
    folded = ALIASES.get(name.lower(), name.lower())
    if folded in NAMES:
        return folded
    if name.lower().endswith(".csl"):
        if Path(name).is_file():
            return name
        raise UnknownStyle(f"There is no style file '{name}'.", "Check the path.")
    near = difflib.get_close_matches(folded, (*NAMES, *ALIASES), n=1)
    nearest = f"Did you mean '{ALIASES.get(near[0], near[0])}'? " if near else ""
    raise UnknownStyle(
        f"There is no style '{style}'.",
        f"{nearest}Styles: {', '.join(NAMES)}, or the path of a .csl file.",
    )


def style_file(name: str) -> StyleFile:
    """The CSL file of a canonical name other than BibTeX, read again when it has changed on disk. Raises
    UnknownStyle when it cannot be read."""
    path = _shipped_path(name) if name in SHIPPED else Path(name)
    try:
        status = path.stat()
        return _read(name, path, status.st_mtime_ns, status.st_size)
    except OSError as error:
        raise UnknownStyle(
            f"The style file '{path}' cannot be read: {error.strerror}.", "Check the path."
        ) from error


@cache
def _shipped_path(name: str) -> Path:
    return styles_dir() / SHIPPED[name]


@lru_cache(maxsize=32)
def _read(name: str, path: Path, mtime: int, size: int) -> StyleFile:  # noqa: ARG001  (the key of the cache)
    content = path.read_bytes()
    return StyleFile(name, content, hashlib.sha256(content).hexdigest())
