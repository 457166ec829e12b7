"""Files of history that are written once, named by the SHA-256 of their bytes, and never changed.

They need no lock: two writers of one file write the same bytes. Damage is named, and nothing depends on them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from cmtui.errors import StoreError, StoreReadOnly
from cmtui.store import atomic
from cmtui.store.layout import id_of_file

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class WrittenOnce(Generic[_T]):
    """The files of one folder. ``what`` names one in sentences, ``read_only`` says why none is written.

    ``encoded`` gives the id and the bytes of a value; ``decoded`` the value, and raises ValueError that says
    what is wrong with the bytes; ``named`` the value with its id.
    """

    folder: Path
    what: str
    read_only: str | None
    encoded: Callable[[_T], tuple[str, bytes]]
    decoded: Callable[[str, bytes], _T]
    named: Callable[[_T, str], _T]

    def add(self, value: _T) -> _T:
        """Keep a value and give it back with its id. Raises InvalidRequest, StoreReadOnly."""
        if self.read_only:
            raise StoreReadOnly(self.read_only, f"No {self.what} can be kept here.")
        name, data = self.encoded(value)
        path = self.folder / f"{name}.json"
        if not path.exists():
            atomic.make_folder(path.parent)
            atomic.write_whole(path, data)
        return self.named(value, name)

    def all(self) -> list[_T]:
        """Every value, by the names of the files. Raises StoreError for a damaged one."""
        found = []
        for path in self.paths():
            try:
                found.append(self.read(path))
            except FileNotFoundError:
                continue
            except ValueError as error:
                raise StoreError(
                    f"The {self.what} {path} cannot be trusted: {error}.",
                    "Restore the file from a backup, or move it away: nothing else depends on it.",
                ) from error
        return found

    def paths(self) -> list[Path]:
        """The files, sorted by name."""
        if not self.folder.is_dir():
            return []
        return sorted(p for p in self.folder.iterdir() if p.suffix == ".json" and id_of_file(p.name))

    def read(self, path: Path) -> _T:
        """One value. Raises ValueError that says what is wrong, FileNotFoundError."""
        return self.decoded(path.stem, path.read_bytes())
