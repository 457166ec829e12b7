"""Duplicates are links with reasons, and no two works are taken for one (issue 5, part 7)."""

from __future__ import annotations

from typing import Any

import pytest

from cmtui.bibliography.comparison import isbns
from cmtui.bibliography.duplicates import find_duplicates

BASE: dict[str, Any] = {
    "type": "article-journal",
    "title": "On whales",
    "author": [{"family": "Ada", "given": "Mary"}],
    "issued": {"date-parts": [[2021]]},
}


def reasons(one: dict[str, Any], other: dict[str, Any]) -> tuple[str, ...]:
    found = find_duplicates([("a", one), ("b", other)])
    return found[0].reasons if found else ()


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ({"DOI": "10.1/X"}, {"DOI": "https://doi.org/10.1/x"}, ("doi", "title-author-year")),
        ({}, {"title": "On Whales!"}, ("title-author-year",)),
        (
            {},
            {"title": "On <i>whales</i>", "author": [{"family": "ada", "given": "M."}]},
            ("title-author-year",),
        ),
        ({}, {"author": [{"family": "Ada", "given": "Bob"}]}, ()),  # another author
        ({}, {"author": [{"family": "Bee", "given": "Mary"}]}, ()),
        ({}, {"issued": {"date-parts": [[2022]]}}, ()),  # JabRef #11850, #1424: same title, other work
        ({"DOI": "10.1/x"}, {"DOI": "10.1/y"}, ()),
        ({"ISSN": "1234-567X"}, {"ISSN": "1234-567X", "title": "Other"}, ()),  # JabRef #2708, #7770
        ({"author": []}, {"author": []}, ()),
        ({"title": ""}, {"title": ""}, ()),
        ({"issued": {}}, {"issued": {}}, ()),
    ],
)
def test_pairs(one: dict[str, Any], other: dict[str, Any], expected: tuple[str, ...]) -> None:
    assert reasons(BASE | one, BASE | other) == expected


def test_books_by_isbn_but_not_their_chapters() -> None:
    book = {"type": "book", "title": "Whole", "ISBN": "978-3-16-148410-0"}
    assert reasons(book, book | {"ISBN": "3-16-148410-X", "title": "The whole"}) == ("isbn",)
    chapter = {"type": "chapter", "title": "One", "ISBN": "978-3-16-148410-0"}
    assert reasons(book, chapter) == ()
    assert reasons(chapter, chapter | {"title": "Two"}) == ()


def test_many_records_of_one_work_are_linked_to_the_first() -> None:
    found = find_duplicates([(str(index), BASE) for index in range(200)])
    assert len(found) == 199
    assert {one.first for one in found} == {"0"}


def test_isbns_of_ten_and_thirteen_digits_are_one() -> None:
    assert isbns("3-16-148410-X 9783161484100 (pbk)") == ["9783161484100"]
    assert isbns("no number 12") == []
