"""Where the files that ship with the program lie: inside the wheel, or beside the package in a checkout."""

from __future__ import annotations

from pathlib import Path

from cmtui.errors import CmtuiError

_PACKAGE = Path(__file__).resolve().parent


def _shipped(name: str) -> Path:
    for folder in (_PACKAGE / name, _PACKAGE.parent / name):
        if folder.is_dir():
            return folder
    raise CmtuiError(
        f"The folder '{name}' is missing from this installation.",
        "Reinstall the package: pip install --force-reinstall cmtui",
    )


def styles_dir() -> Path:
    """The folder of this project's CSL styles."""
    return _shipped("styles")


def sample_corpus_dir() -> Path:
    """The folder of the sample corpus."""
    return _shipped("sample_corpus")


def fixtures_dir() -> Path:
    """The folder of the frozen evaluation fixture: in the wheel, or under ``tests`` in a checkout."""
    inside = _PACKAGE / "fixtures"
    return inside if inside.is_dir() else _shipped("tests") / "fixtures"
