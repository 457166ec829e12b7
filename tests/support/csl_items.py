"""Hypothesis strategies for valid CSL-JSON items."""

from __future__ import annotations

from hypothesis import strategies as st

from cmtui.bibliography import markup

SUPPORTED_TYPES = (
    "book",
    "chapter",
    "article-journal",
    "article-magazine",
    "article-newspaper",
    "paper-conference",
    "thesis",
    "report",
    "webpage",
    "document",
    "post",
    "dataset",
)
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZéüñßøŽ山村한글Дж"
# "None" is what a null field must not print as, so no word is that.
_word = st.text(_LETTERS, min_size=1, max_size=9).filter(lambda word: "None" not in word)
words = st.lists(_word, min_size=1, max_size=5).map(" ".join)
_PIECES = (
    *("<i>", "</i>", "<b>x</b>", "“", "”", "'", '"', "‘q’", "?", "!", ".", "…", "[red]", "\\", "{", "}", "&"),
    *("$", "\ue100", "\ue10c", "\uf000", "*", "_", "a", "the", "x-y", ": ", " ", "%", "<", "&amp;", "None"),
    "\u200f",
)
#: Any text a person could paste, with what has special meaning somewhere.
wild = st.one_of(
    words,
    st.text(min_size=1, max_size=40),
    st.lists(
        st.sampled_from(_PIECES),
        min_size=1,
        max_size=12,
    ).map("".join),
)
_name = st.one_of(
    st.fixed_dictionaries(
        {"family": _word},
        optional={
            "given": st.one_of(_word, st.sampled_from(["J. R.", "Jean-Paul", "A.B.", "Yann A.", "春樹"])),
            "suffix": st.sampled_from(["Jr.", "III"]),
            "non-dropping-particle": st.sampled_from(["van", "de la", "d’"]),
            "dropping-particle": st.just("von"),
        },
    ),
    st.fixed_dictionaries({"literal": words}),
)
names = st.one_of(
    st.lists(_name, min_size=1, max_size=4),
    st.lists(_name, min_size=7, max_size=9),
    st.lists(_name, min_size=21, max_size=23),
)
_parts = st.one_of(
    st.tuples(st.integers(1, 9999)),
    st.tuples(st.integers(-500, -1)),
    st.tuples(st.integers(1000, 2100), st.integers(1, 12)),
    st.tuples(st.integers(1000, 2100), st.integers(1, 12), st.integers(1, 28)),
    st.tuples(st.integers(1000, 2100), st.integers(13, 16)),
).map(list)
dates = st.one_of(
    st.fixed_dictionaries(
        {"date-parts": st.lists(_parts, min_size=1, max_size=2)},
        optional={"circa": st.booleans(), "season": st.integers(1, 4)},
    ),
    st.fixed_dictionaries({"literal": words}),
    st.fixed_dictionaries({"raw": st.sampled_from(["2020-05-01", "spring 2020", "2019/2020"])}),
    st.sampled_from(["2021", "n.d.", "1999-12"]),
)
_number = st.one_of(
    st.integers(0, 9999), st.sampled_from(["2", "3rd", "12-14", "IV", "Revised edition", "1, 2"])
)


def items(text: st.SearchStrategy[str] = words) -> st.SearchStrategy[dict]:
    """Valid items of the supported types with any of the usual fields."""
    return st.fixed_dictionaries(
        {"type": st.sampled_from(SUPPORTED_TYPES), "title": text.filter(markup.clean)},
        optional={
            "author": names,
            "editor": names,
            "translator": st.lists(_name, min_size=1, max_size=2),
            "issued": dates,
            "accessed": dates,
            "container-title": text,
            "publisher": text,
            "publisher-place": text,
            "genre": text,
            "volume": _number,
            "issue": _number,
            "number": _number,
            "edition": _number,
            "page": st.sampled_from(["1-9", "327–330", "e0123", "12", "A1", "101-115, 120", 7]),
            "DOI": st.sampled_from(["10.1038/nature14539", "https://doi.org/10.1/a_b"]),
            "URL": st.sampled_from(["https://example.org/a_b?x=1&y=50%25", "http://x.org/q.."]),
            "language": st.sampled_from(["en", "de-DE", "ja", "fr"]),
            "version": st.just("2.0"),
        },
    )
