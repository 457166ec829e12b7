"""The Whoosh schema. Importing this module imports Whoosh: only ``lexical.py`` does, on first use."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from cmtui.retrieval.tokens import STOP_WORDS, words

with warnings.catch_warnings():
    # Whoosh 2.7.4 (2016) has seven invalid escapes and one comparison with a literal.
    warnings.simplefilter("ignore")
    from whoosh import fields, index
    from whoosh.analysis import Token
    from whoosh.filedb import filestore
    from whoosh.filedb.filestore import FileStorage
    from whoosh.filedb.structfile import BufferFile
    from whoosh.formats import Frequency

__all__ = ["Folder", "RamStorage", "create", "index", "schema"]

#: Largest file of the index, in bytes, that is read whole; larger ones (beyond about 40,000 passages in one
#: segment) are mapped.
READ_WHOLE = 64 * 1024 * 1024


class RamStorage(filestore.RamStorage):  # type: ignore[misc]  # Whoosh has no types
    """An index in memory, scratch files included. Whoosh would write those to one folder of the shared
    temporary directory (``MAIN.tmp``), where two processes delete what the other is reading back."""

    def temp_storage(self, name: str | None = None) -> Any:
        """Where a writer keeps what it has not committed yet."""
        del name
        return filestore.RamStorage()


@lru_cache(maxsize=2)
def _analyzed(text: str) -> tuple[list[tuple[str, int]], list[str]]:
    tokens = words(text)
    stems = [(token.stem, token.position) for token in tokens]
    return stems, [token.text for token in tokens if token.text not in STOP_WORDS]


class StemAnalyzer:
    """Stems of the projected text with their positions. Stop words are kept: phrases need them."""

    def __call__(self, value: str, **_: Any) -> Iterator[Any]:
        token = Token(positions=True)
        for token.text, token.pos in _analyzed(value)[0]:
            yield token


class SurfaceAnalyzer:
    """The words of the projected text as they are, for prefixes (``experim*`` is no prefix of a stem)."""

    def __call__(self, value: str, **_: Any) -> Iterator[Any]:
        token = Token()
        for token.text in _analyzed(value)[1]:
            yield token


def schema() -> Any:
    """One row per passage. The text itself lies in the canonical store and is not stored here."""
    return fields.Schema(
        passage_id=fields.ID(stored=True, unique=True),
        document_id=fields.ID(),
        about=fields.STORED(),  # source and kind, on the first row of each document
        body=fields.TEXT(analyzer=StemAnalyzer(), phrase=True, stored=False),
        # Scorable only because Whoosh looks for a length file on disk at each posting of other fields.
        surface=fields.FieldType(format=Frequency(), analyzer=SurfaceAnalyzer(), scorable=True),
    )


class Folder(FileStorage):  # type: ignore[misc]
    """The files of an index. Small ones are read whole, so that no handle stays open, and that a file which
    somebody cuts short raises an error: a mapped one would kill the process with a bus error."""

    def open_file(self, name: str, **kwargs: Any) -> Any:
        """Open a file for reading."""
        path = Path(self._fpath(name))
        if path.stat().st_size > READ_WHOLE:
            return super().open_file(name, **kwargs)
        return BufferFile(path.read_bytes(), name=name)


def create(storage: Any) -> Any:
    """A new, empty index in ``storage``."""
    return index.FileIndex.create(storage, schema(), index._DEF_INDEX_NAME)
