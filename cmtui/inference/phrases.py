"""Words as the reader of clauses sees them: items with contractions undone, and noun phrases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cmtui.inference.cues import LEXICON
from cmtui.inference.tokens import Token, number_value

BE = frozenset(["is", "are", "was", "were", "am", "be", "been", "being"])
HAVE = frozenset(["has", "have", "had", "having"])
DO = frozenset(["do", "does", "did"])
MODALS = frozenset(["will", "would", "can", "could", "may", "might", "must", "shall", "should"])
ARTICLES = frozenset(["a", "an", "the"])
POSSESSIVES = frozenset(["my", "your", "his", "her", "its", "our", "their"])
DEMONSTRATIVES = frozenset(["this", "that", "these", "those"])
QUANTIFIERS = LEXICON.words["quantifiers"]
DETERMINERS = ARTICLES | POSSESSIVES | DEMONSTRATIVES | QUANTIFIERS
PRONOUNS = LEXICON.words["pronouns"]
_INDEFINITE_PERSONS = {"someone": "a", "somebody": "a", "nobody": "no", "no-one": "no"}
CLAUSE_STARTERS = LEXICON.words["clause-starters"]
UNIT_MARKS = frozenset(["%", "$", "€", "£", "°"])


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """A determiner, a number and the words after them, folded."""

    det: str
    number: str | None
    words: tuple[str, ...]
    capital: bool = False

    @property
    def head_index(self) -> int:
        """Where the head stands in ``words``: before the first preposition."""
        for index, word in enumerate(self.words):
            if index and word in LEXICON.prepositions:
                return index - 1
        return len(self.words) - 1

    @property
    def head(self) -> str:
        """The head noun, folded; empty for an empty phrase."""
        return self.words[self.head_index] if self.words else ""

    @property
    def plural(self) -> bool:
        """Whether the head looks plural."""
        head = self.head
        return (
            "and" in self.words
            or head in LEXICON.irregular_plurals
            or (head.endswith("s") and not head.endswith(("ss", "us", "is")))
        )

    @property
    def pronoun(self) -> bool:
        """Whether the phrase is a bare pronoun, or leans on one (``his ship``)."""
        bare = not self.words and self.det in DEMONSTRATIVES
        return bare or self.det in POSSESSIVES or (len(self.words) == 1 and self.words[0] in PRONOUNS)

    def __str__(self) -> str:
        words = (self.words[0].title(), *self.words[1:]) if self.capital and self.words else self.words
        return " ".join(part.lstrip("@") for part in (self.det, self.number or "", *words) if part)


@dataclass(frozen=True, slots=True)
class Item:
    """A word with its token and the token's index; months are marked with "@"."""

    norm: str
    token: Token
    index: int


def items_of(tokens: Sequence[Token]) -> list[Item]:
    """The items of the tokens: "didn't" is "did" and "not"."""
    found: list[Item] = []
    for index, token in enumerate(tokens):
        plain = token.norm.replace("’", "'")
        base = LEXICON.contractions.get(plain)
        if base is not None:
            found += [Item(base, token, index), Item("not", token, index)]
        elif token.capital and token.norm in LEXICON.months and (index or token.norm not in {"may", "march"}):
            found.append(Item("@" + token.norm, token, index))
        else:
            found.append(Item(token.norm, token, index))
    return found


def noun_phrase(items: Sequence[Item]) -> NounPhrase:
    """The phrase the items make."""
    det, number, at = "", None, 0
    if items and items[0].norm in DETERMINERS and len(items) > 1:
        det, at = items[0].norm, 1
    if det == "an":
        det = "a"
    if at == 0 and len(items) == 1 and items[0].norm in _INDEFINITE_PERSONS:
        return NounPhrase(_INDEFINITE_PERSONS[items[0].norm], None, ("person",))
    if at < len(items) - 1 and (value := number_value(items[at].norm)) is not None:
        number, at = value, at + 1
        if number == "1" and not det and items[at - 1].norm == "one":
            det, number = "a", None
    words = tuple(item.norm for item in items[at:])
    return NounPhrase(det, number, words, at < len(items) and items[at].token.capital)
