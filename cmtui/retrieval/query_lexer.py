"""Reading a query's characters: lexemes, bare words, phrases and filters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cmtui.errors import QueryError
from cmtui.model.identity import SourceKind
from cmtui.retrieval.projection import fold
from cmtui.retrieval.query_tree import AnyOf, FieldFilter, Leaf, Node, Phrase, Term
from cmtui.retrieval.tokens import Token, stem, tokenize

#: Shortest prefix in characters.
MIN_PREFIX = 2
#: The value of a filter that lets everything through.
ANY = "*"

OPERATORS = frozenset({"AND", "OR", "NOT"})
_QUOTES = str.maketrans(dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb", '"'))
_LEXEME = re.compile(
    r"(?P<blank>\s+)|(?P<open>\()|(?P<close>\))"
    r'|(?P<field>(?i:kind|source|document):(?:"[^"]*"|[^\s()"]+))'
    r'|(?P<quote>"(?P<phrase>[^"]*)(?P<ended>"?))|(?P<word>[^\s()"]+)'
)


@dataclass(frozen=True, slots=True)
class Lexeme:
    """``kind`` is open, close, field, phrase, word, an operator, or end."""

    kind: str
    value: str
    at: int
    end: int


@dataclass(frozen=True, slots=True)
class Word:
    """A bare word as typed: its tokens, and the prefix it ends with if any."""

    tokens: tuple[Token, ...]
    joined: tuple[str, ...]
    prefix: str | None


def lex(text: str) -> Iterator[Lexeme]:
    """The lexemes of a query, the last of kind ``end``. Raises QueryError for an open quotation mark."""
    plain = text.translate(_QUOTES)
    for match in _LEXEME.finditer(plain):
        kind = match.lastgroup or ""
        at, end = match.span()
        if match.group("blank") is not None:
            continue
        if match.group("quote") is not None:
            if not match.group("ended"):
                raise error_at(text, "a quotation mark is not closed", at, "Close it, or remove it.")
            yield Lexeme("phrase", text[match.start("phrase") : match.end("phrase")], at, end)
        elif match.group("field") is not None:
            yield Lexeme("field", match.group(), at, end)
        elif match.group("word") is not None:
            word = text[at:end]
            yield Lexeme(word if word in OPERATORS else "word", word, at, end)
        else:
            yield Lexeme(kind, match.group(), at, end)
    yield Lexeme("end", "", len(text), len(text))


def field_filter(text: str, lexeme: Lexeme, *, excluded: bool) -> FieldFilter:
    """Read ``field:value``. Raises QueryError for an unknown kind."""
    name, _, value = lexeme.value.partition(":")
    name = name.lower()
    value = value.strip('"').strip()
    if not value:
        raise error_at(text, f"'{name}:' has no value", lexeme.at, f"Write it after the colon: {name}:VALUE")
    if name == "kind":
        value = value.lower()
        if value != ANY and value not in {str(kind) for kind in SourceKind}:
            kinds = ", ".join(SourceKind)
            raise error_at(text, f"there is no kind '{value}'", lexeme.at, f"The kinds are {kinds}.")
    return FieldFilter(name, value, excluded)


def read_word(text: str, lexeme: Lexeme) -> Word | None:
    """Read a bare word; None when it is punctuation. Raises QueryError for a misplaced star."""
    value = lexeme.value
    star = value.find("*")
    if star >= 0 and star != len(value) - 1:
        raise error_at(
            text,
            "a star can only end a word",
            lexeme.at + star,
            "Write the beginning of the word, then the star: experim*",
        )
    folded = fold(value.rstrip("*"))
    tokens = main_tokens(tokenize(folded))
    prefix = None
    if star >= 0:
        if not tokens or len(tokens[-1].text) < MIN_PREFIX or tokens[-1].end != len(folded.text):
            raise error_at(
                text,
                f"a star needs at least {MIN_PREFIX} letters before it",
                lexeme.at + star,
                "Write more of the word before the star.",
            )
        prefix = tokens.pop().text
    if not tokens and prefix is None:
        return None
    return Word(tuple(tokens), () if prefix else _join(folded.text, tokens), prefix)


def read_phrase(text: str) -> Node | None:
    """Read the inside of quotation marks; None when it holds no word."""
    folded = fold(text)
    tokens = main_tokens(tokenize(folded))
    if not tokens:
        return None
    return phrase_node(tuple(token.stem for token in tokens), _join(folded.text, tokens))


def phrase_node(stems: tuple[str, ...], joined: tuple[str, ...]) -> Node:
    """The stems one after the other, also with hyphenated words joined when there are any."""

    def leaf(parts: tuple[str, ...]) -> Leaf:
        return Term(parts[0]) if len(parts) == 1 else Phrase(parts)

    return AnyOf((leaf(stems), leaf(joined))) if joined else leaf(stems)


def _join(text: str, tokens: list[Token]) -> tuple[str, ...]:
    """The stems when hyphens between letters are left out, as after a line-end hyphen; () if there are none.

    The index has ``wellknown`` for a line that ends in ``well-``, and ``well`` ``known`` within a line.
    """
    runs: list[str] = []
    last: Token | None = None
    for token in tokens:
        if (
            last is not None
            and text[last.end : token.start] == "-"
            and last.text[-1].isalpha()
            and token.text[0].isalpha()
        ):
            runs[-1] += token.text
        else:
            runs.append(token.text)
        last = token
    return tuple(stem(run) for run in runs) if len(runs) < len(tokens) else ()


def main_tokens(tokens: list[Token]) -> list[Token]:
    """One token per position: the joined word, without its halves."""
    seen = -1
    kept: list[Token] = []
    for token in tokens:
        if token.position != seen:
            kept.append(token)
            seen = token.position
    return kept


def error_at(text: str, what: str, at: int, hint: str) -> QueryError:
    """A QueryError that points at a character of the query."""
    shown = " ".join(text[at : at + 24].split())
    return QueryError(f"The query cannot be read: at character {at + 1} (“{shown}”), {what}.", hint)
