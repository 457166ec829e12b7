"""Errors as people read them: one sentence, and a hint that can be copied."""

from __future__ import annotations

import pytest

from cmtui.errors import CmtuiError, NotFound


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("no document 'ffff' in this store", "No document 'ffff' in this store."),
        ("There is no file 'a.txt'.", "There is no file 'a.txt'."),
        ("list what there is, then give an id", "List what there is, then give an id."),
        ("citation-machine verify --all", "citation-machine verify --all"),
        ("Run: citation-machine verify --all", "Run: citation-machine verify --all"),
        ("Recognise the text first: ocrmypdf a.pdf b.pdf", "Recognise the text first: ocrmypdf a.pdf b.pdf"),
        ("alice30.pdf is encrypted and needs a password.", "alice30.pdf is encrypted and needs a password."),
        ("OPS/c1.xhtml exceeds a limit", "OPS/c1.xhtml exceeds a limit."),
        ("no document 'zz'", "No document 'zz'."),
        ("Install it with: pip install 'cmtui[pdfium]'", "Install it with: pip install 'cmtui[pdfium]'"),
        ("", ""),
    ],
)
def test_messages_and_hints_are_sentences_and_commands_stay_as_typed(text: str, told: str) -> None:
    error = CmtuiError(text, text)
    assert error.sentence == told
    assert error.advice == told


def test_the_error_itself_keeps_its_words() -> None:
    assert str(NotFound("no claim 'x'", "list the claims")) == "no claim 'x'"
