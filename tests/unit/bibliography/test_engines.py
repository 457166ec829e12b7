"""Engines and styles by name: what is installed, what is said when it is not, threads, caches, languages."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from cmtui.bibliography import pandoc, styles
from cmtui.bibliography.engines import formatter
from cmtui.bibliography.service import Formatter
from cmtui.errors import EngineMissing, InvalidRequest, StylesMissing, UnknownStyle

BOOK = {
    "type": "book",
    "title": "a study of things",
    "author": [{"family": "Kuhn", "given": "Thomas S."}],
    "publisher": "Some Press",
    "issued": {"date-parts": [[2010, 5]]},
}
HEAD = '<style xmlns="http://purl.org/net/xbiblio/csl" version="1.0" class="in-text">\n'
INFO = "<info><title>T</title><id>t</id></info>\n"
LAYOUT = '<layout><text variable="title"/></layout>'


@pytest.fixture
def no_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without the extras and without a pandoc on the PATH."""
    monkeypatch.setattr(pandoc, "executable", lambda: None)
    monkeypatch.setattr(styles, "official_folder", lambda: None)


def test_a_missing_engine_is_an_error_and_never_another_engine(no_extras: None) -> None:
    with pytest.raises(EngineMissing) as caught:
        formatter("pandoc")
    assert "cmtui[pandoc]" in caught.value.hint
    assert formatter("citeproc-py").engine.startswith("citeproc-py ")


def test_an_unknown_engine_names_the_nearest() -> None:
    with pytest.raises(InvalidRequest) as caught:
        formatter("pandock")
    assert "'pandoc'" in caught.value.hint


def test_an_official_style_without_the_extra_says_what_to_install(no_extras: None) -> None:
    with pytest.raises(StylesMissing) as caught:
        styles.canonical_name("official:nature")
    assert "cmtui[styles]" in caught.value.hint
    with pytest.raises(UnknownStyle) as plain:
        styles.canonical_name("nature")
    assert "cmtui[styles]" in plain.value.hint


@pytest.mark.skipif(styles.official_folder() is None, reason="needs the extra: pip install 'cmtui[styles]'")
def test_official_styles_are_best_effort_and_say_so() -> None:
    assert formatter().format(BOOK, style="apa").warnings == ()
    official = formatter().format(BOOK, style="official:apa")
    assert "best effort" in official.warnings[0]
    assert official.style_sha256 != formatter().format(BOOK, style="apa").style_sha256
    parent = formatter().format(BOOK, style="nature")
    dependent = formatter().format(BOOK, style="nature-physics")
    assert (dependent.text, dependent.style_sha256) == (parent.text, parent.style_sha256)


@pytest.mark.skipif(styles.official_folder() is None, reason="needs the extra: pip install 'cmtui[styles]'")
def test_a_sample_of_official_styles_formats_without_exception() -> None:
    folder = styles.official_folder()
    assert folder is not None
    for path in sorted(folder.glob("*.csl"))[::240]:
        engine = Formatter()
        name = f"official:{path.stem}"
        for form in engine.forms(name):
            made = engine.format_items([BOOK, {"type": "webpage", "title": "W"}], style=name, form=form)
            assert made.entries or made.citations


CITED = f"<citation>{LAYOUT}</citation>"
MALFORMED = {
    "cut off": (f"{INFO}<citation>", 3, "not well-formed"),
    "unknown element": (f"{INFO}{CITED}\n<bibliographie/></style>", 4, "no element <bibliographie>"),
    "macro gone": (f'{INFO}<citation><layout><text macro="x"/></layout></citation></style>', 3, "macro 'x'"),
    "no layout": (f"{INFO}<citation/></style>", 3, "<citation> has no <layout>"),
    "a circle": (f'{INFO}<macro name="a"><text macro="a"/></macro>{CITED}</style>', 3, "calls itself"),
}


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        *((HEAD + body, line, reason) for body, line, reason in MALFORMED.values()),
        ("<html><body/></html>", 1, "its root is <html>"),
    ],
    ids=[*MALFORMED, "another kind of file"],
)
def test_a_malformed_style_names_line_and_reason(
    tmp_path: Path, content: str, line: int, reason: str
) -> None:
    path = tmp_path / "odd.csl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UnknownStyle) as caught:
        formatter().format(BOOK, style=str(path), form="inline")
    assert f"line {line}:" in caught.value.message
    assert reason in caught.value.message


def test_a_style_file_of_the_users_works_and_is_marked(tmp_path: Path) -> None:
    path = tmp_path / "own.csl"
    path.write_text(f"{HEAD}{INFO}<citation>{LAYOUT}</citation></style>", encoding="utf-8")
    made = formatter().format(BOOK, style=str(path), form="inline")
    assert made.text == "a study of things"
    assert "best effort" in made.warnings[0]


def test_the_language_of_terms_is_part_of_the_result_and_of_its_key() -> None:
    english = formatter().format(BOOK, style="apa", form="inline", locator="3", locator_label="chapter")
    german = formatter(locale="de-DE").format(
        BOOK, style="apa", form="inline", locator="3", locator_label="chapter"
    )
    assert (english.locale, german.locale) == ("en-US", "de-DE")
    assert "Chapter" in english.text
    assert "Kapitel" in german.text


def test_threads_have_style_trees_of_their_own_and_agree() -> None:
    engine = Formatter()
    items = [{**BOOK, "id": str(n), "title": f"work {n}"} for n in range(12)]
    expected = {name: Formatter().format_items(items, style=name).text for name in styles.SHIPPED}
    wrong: list[str] = []
    start = threading.Barrier(6)

    def work() -> None:
        start.wait()
        for name in (*styles.SHIPPED, *reversed(styles.SHIPPED)):
            if engine.format_items(items, style=name).text != expected[name]:
                wrong.append(name)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_the_processor_library_is_never_patched() -> None:
    """Its classes are the same objects with the same methods after every style was loaded and used."""
    from citeproc import model

    before = {
        (name, key): value
        for name, cls in vars(model).items()
        if isinstance(cls, type)
        for key, value in vars(cls).items()
        if callable(value)
    }
    for name in styles.SHIPPED:
        Formatter().format(BOOK, style=name)
    after = {
        (name, key): value
        for name, cls in vars(model).items()
        if isinstance(cls, type)
        for key, value in vars(cls).items()
        if callable(value)
    }
    assert after == before
    assert all(not str(getattr(value, "__module__", "")).startswith("cmtui") for value in after.values())
