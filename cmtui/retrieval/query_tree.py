"""What a parsed query is: a tree of words, prefixes and phrases, and filters beside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Term:
    """Passages that hold a word with this stem."""

    stem: str


@dataclass(frozen=True, slots=True)
class Prefix:
    """Passages that hold a word that starts with ``text`` (folded, not stemmed)."""

    text: str


@dataclass(frozen=True, slots=True)
class Phrase:
    """Passages that hold these stems one after the other."""

    stems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Passages that match one child at least, and none of ``excluded``."""

    children: tuple[Node, ...]
    excluded: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class AllOf:
    """Passages that match every child, and none of ``excluded``."""

    children: tuple[Node, ...]
    excluded: tuple[Node, ...] = ()


Leaf = Term | Prefix | Phrase
Node = Term | Prefix | Phrase | AnyOf | AllOf


@dataclass(frozen=True, slots=True)
class FieldFilter:
    """``field:value`` of a query; ``field`` is kind, source or document."""

    field: str
    value: str
    excluded: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query.

    ``words`` is the text that is looked for (without what is excluded, operators and filters), for semantic
    search. ``unfiltered`` is the same query with filters that let everything through.
    """

    text: str
    root: Node
    filters: tuple[FieldFilter, ...]
    words: str
    unfiltered: str

    def leaves(self) -> tuple[Leaf, ...]:
        """Everything that is looked for, each once, in order; nothing that is excluded."""
        return tuple(dict.fromkeys(_leaves(self.root)))

    def exclusions(self) -> tuple[Node, ...]:
        """What no result may match, wherever NOT stands."""
        return tuple(_exclusions(self.root))


def _leaves(node: Node) -> Iterator[Leaf]:
    if isinstance(node, AnyOf | AllOf):
        for child in node.children:
            yield from _leaves(child)
    else:
        yield node


def _exclusions(node: Node) -> Iterator[Node]:
    if isinstance(node, AnyOf | AllOf):
        yield from node.excluded
        for child in node.children:
            yield from _exclusions(child)
