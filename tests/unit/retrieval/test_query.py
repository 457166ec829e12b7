"""The query language: what it means, and what it says when it cannot be read."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cmtui.errors import QueryError
from cmtui.retrieval.query import (
    AllOf,
    AnyOf,
    FieldFilter,
    Node,
    Phrase,
    Prefix,
    Term,
    parse,
    plain_query,
)
from cmtui.retrieval.tokens import STOP_WORDS, words


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ("kings", Term("king")),
        ("king sea", AnyOf((Term("king"), Term("sea")))),
        ("king OR sea", AnyOf((Term("king"), Term("sea")))),
        ("the king", Term("king")),
        ('"king of the sea"', Phrase(("king", "of", "the", "sea"))),
        ("\u201cking of\u201d", Phrase(("king", "of"))),
        ("king AND sea", AllOf((Term("king"), Term("sea")))),
        ("king sea AND lake", AnyOf((Term("king"), AllOf((Term("sea"), Term("lake")))))),
        ("king AND (sea OR lake)", AllOf((Term("king"), AnyOf((Term("sea"), Term("lake")))))),
        ("king NOT sea", AnyOf((Term("king"),), (Term("sea"),))),
        ("king AND NOT sea", AllOf((Term("king"),), (Term("sea"),))),
        ("NOT sea king", AnyOf((Term("king"),), (Term("sea"),))),
        ("experim*", Prefix("experim")),
        ("and or not king", Term("king")),
        ("time:12", AnyOf((Term("time"), Term("12")))),
        ("king \u2014 sea!", AnyOf((Term("king"), Term("sea")))),
        ("well-known", AnyOf((Term("well"), Term("known"), Term("wellknown")))),
        ('"well-known fact"', AnyOf((Phrase(("well", "known", "fact")), Phrase(("wellknown", "fact"))))),
    ],
)
def test_meaning(text: str, root: Node) -> None:
    """Words are any-of, AND binds closer than OR, operators are upper case."""
    assert parse(text).root == root


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("  \n", "empty"),
        ("the of and", "too common"),
        ("\u2014 ...", "no word"),
        ("kind:pdf", "no word"),
        ('king "of the sea', "character 6.*not closed"),
        ("(king", "character 1.*not closed"),
        ("king)", "character 5.*no opening"),
        ("()", "nothing stands inside"),
        ('""', "no word stands inside"),
        ("AND", "AND has nothing to join"),
        ("king AND", "character 6.*AND has nothing"),
        ("OR king", "OR has nothing"),
        ("king OR", "OR has nothing"),
        ("king AND OR sea", "AND has nothing"),
        ("NOT", "NOT has nothing"),
        ("NOT NOT sea", "NOT has nothing"),
        ("NOT sea", "something to take away from"),
        ("king OR NOT sea", "almost every passage"),
        ("*", "star"),
        ("*ing", "can only end a word"),
        ("k*g", "character 2.*can only end a word"),
        ("k*", "at least 2 letters"),
        ("kind:odt king", "no kind 'odt'"),
        ("(kind:pdf king)", "filter cannot stand"),
        ("king OR kind:pdf", "filter cannot stand"),
        ("(" * 50 + "a" + ")" * 50, "nested too deeply"),
        ("x" * 20_001, "20,001 characters"),
    ],
)
def test_mistakes_are_told_with_their_place(text: str, said: str) -> None:
    """One clear sentence, and a hint that says what to do."""
    with pytest.raises(QueryError, match=said) as caught:
        parse(text)
    assert caught.value.hint


def test_filters() -> None:
    """Filters are taken out of what is looked for, wherever they stand at the top level."""
    query = parse('kind:PDF king NOT source:4f AND document:"9c 1" sea')
    assert query.filters == (
        FieldFilter("kind", "pdf"),
        FieldFilter("source", "4f", excluded=True),
        FieldFilter("document", "9c 1"),
    )
    assert query.words == "king sea"
    assert query.root == AnyOf((Term("king"), Term("sea")))


def test_leaves_and_exclusions() -> None:
    """What is looked for is known apart from what is excluded."""
    query = parse('king AND (sea NOT storm) "old man"')
    assert query.leaves() == (Term("king"), Term("sea"), Phrase(("old", "man")))
    assert query.exclusions() == (Term("storm"),)


QUERIES = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "AND",
                "OR",
                "NOT",
                "(",
                ")",
                '"',
                "*",
                "king",
                "the",
                "well-known",
                "kind:pdf",
                "source:ab",
                "document:",
                "kind:",
                "\u201c",
                "\u2014",
                "NOT kind:text",
                "exper*",
                "\u6771\u4eac",
                "\ud800",
            ]
        ),
        st.text(max_size=6),
    ),
    max_size=10,
).map(" ".join)


@settings(max_examples=300, deadline=None)
@given(text=QUERIES)
def test_any_string_is_a_query_or_a_query_error(text: str) -> None:
    """No other exception, and a query without its filters means the same."""
    try:
        query = parse(text)
    except QueryError:
        return
    again = parse(query.unfiltered)
    assert again.root == query.root
    assert again.filters == ()


@settings(max_examples=120, deadline=None)
@given(text=QUERIES)
def test_plain_words_are_always_readable(text: str) -> None:
    """A sentence with any punctuation becomes a query for its words."""
    plain = plain_query(text)
    if any(token.text not in STOP_WORDS for token in words(plain)):
        assert parse(plain).filters == ()
    else:
        with pytest.raises(QueryError, match=r"empty|too common"):
            parse(plain)
