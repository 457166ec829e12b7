"""The query language of lexical search.

::

    king sea                any of these words, the rarer the better (BM25)
    "king of the sea"       these words in this order, in any inflection
    king AND (sea OR lake)  both; OR is the same as nothing between words
    king NOT sea            passages with the first and without the second
    experim*                words that start so
    kind:pdf source:4f2a document:"9c1d"     only from there; several of one field mean any of them

AND binds closer than OR; operators are upper case. Filters stand at the top level, with NOT before them at
most. Only ``"``, ``(``, ``)``, ``*`` and the operators have a meaning; all other punctuation separates words.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cmtui.errors import QueryError
from cmtui.retrieval.query_lexer import (
    ANY,
    OPERATORS,
    Lexeme,
    Word,
    error_at,
    field_filter,
    lex,
    main_tokens,
    phrase_node,
    read_phrase,
    read_word,
)
from cmtui.retrieval.query_tree import AllOf, AnyOf, FieldFilter, Leaf, Node, Phrase, Prefix, Query, Term
from cmtui.retrieval.tokens import STOP_WORDS, words

__all__ = [
    "AllOf",
    "AnyOf",
    "FieldFilter",
    "Leaf",
    "Node",
    "Phrase",
    "Prefix",
    "Query",
    "Term",
    "parse",
    "plain_query",
]

#: Longest query in characters, and deepest nesting of parentheses.
MAX_LENGTH = 20_000
MAX_DEPTH = 40


def parse(text: str) -> Query:
    """Read a query. Raises QueryError, and nothing else, for any string."""
    return _Parser(text).parse()


def plain_query(text: str) -> str:
    """A query for any of the words of ``text``, whatever punctuation or operators it holds.

    The empty string when ``text`` holds no word.
    """
    return " ".join(token.text for token in main_tokens(words(text)))


@dataclass(slots=True)
class _Group:
    """The members of one any-of group while it is read. ``loose`` are bare words."""

    loose: list[Node] = field(default_factory=list)
    stops: list[str] = field(default_factory=list)
    excluded: list[Node] = field(default_factory=list)


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.lexemes: list[Lexeme] = []
        self.place = 0
        self.filters: list[FieldFilter] = []
        self.filtered = 0
        self.cut: list[tuple[int, int]] = []
        self.wanted: list[str] = []
        self.excluding = 0

    def parse(self) -> Query:
        if len(self.text) > MAX_LENGTH:
            raise QueryError(
                f"The query has {len(self.text):,} characters; {MAX_LENGTH:,} are allowed.",
                "Search for fewer words.",
            )
        self.lexemes = list(lex(self.text))
        if len(self.lexemes) == 1:
            raise QueryError("The query is empty.", "Type one or more words to search for.")
        root = self._any(0)
        lexeme = self._peek()
        if lexeme.kind == "close":
            raise self._error("a closing parenthesis has no opening one", lexeme, "Remove it, or open one.")
        if root is None:
            raise QueryError(
                "The query holds no word to search for.",
                "Add a word with a letter or digit beside the filters.",
            )
        return Query(
            text=self.text,
            root=root,
            filters=tuple(self.filters),
            words=" ".join(self.wanted),
            unfiltered=self._without_filters(),
        )

    # -- grammar -----------------------------------------------------------------------------------

    def _any(self, depth: int) -> Node | None:
        """any := all (OR? all)* ; None when it holds nothing but filters or punctuation."""
        group = _Group()
        after_or: Lexeme | None = None
        filtered = False
        while True:
            lexeme = self._peek()
            if lexeme.kind in ("end", "close"):
                if after_or is not None:
                    raise self._lone(after_or)
                break
            if lexeme.kind == "OR":
                if after_or is not None or not (group.loose or group.stops or group.excluded):
                    raise self._lone(lexeme)
                if filtered:
                    raise self._misplaced(lexeme)
                after_or = self._next()
                continue
            before = self.filtered
            self._all(depth, group, after_or)
            filtered = self.filtered > before
            if filtered and after_or is not None:
                raise self._misplaced(after_or)
            after_or = None
        return self._close(group)

    def _close(self, group: _Group) -> Node | None:
        if not group.loose:
            if group.stops:
                raise QueryError(
                    f"'{' '.join(group.stops)}' holds only words too common to search for.",
                    "Add a word with content, or put the words in double quotes to find them as a phrase.",
                )
            if group.excluded:
                raise QueryError(
                    "NOT needs something to take away from.",
                    "Name what to find before it, for example: sea NOT storm",
                )
            return None
        if len(group.loose) == 1 and not group.excluded:
            return group.loose[0]
        return AnyOf(tuple(group.loose), tuple(group.excluded))

    def _all(self, depth: int, group: _Group, after_or: Lexeme | None) -> None:
        """all := not (AND not)* ; its parts go straight into ``group`` when there is only one."""
        parts: list[tuple[bool, Node | Word | None, Lexeme]] = [self._not(depth)]
        operator: Lexeme | None = None
        while self._peek().kind == "AND":
            operator = self._next()
            if self._peek().kind in ("end", "close", "AND", "OR"):
                raise self._lone(operator)
            parts.append(self._not(depth))
        if operator is None:
            excluded, part, lexeme = parts[0]
            if excluded:
                if after_or is not None:
                    raise self._error(
                        "OR NOT would match almost every passage", after_or, "Leave out the OR: a NOT b."
                    )
                node = _strict(part)
                if node is not None:
                    group.excluded.append(node)
                elif lexeme.kind != "field":
                    raise self._lone_not(lexeme)
            elif isinstance(part, Word):
                _add_loose(part, group)
            elif part is not None:
                group.loose.append(part)
            return
        children: list[Node] = []
        taken: list[Node] = []
        for excluded, part, lexeme in parts:
            node = _strict(part)
            if node is None:
                if lexeme.kind == "field":
                    continue
                raise self._lone(operator)
            (taken if excluded else children).append(node)
        if not children:
            group.excluded.extend(taken)
        elif len(children) == 1 and not taken:
            group.loose.append(children[0])
        else:
            group.loose.append(AllOf(tuple(children), tuple(taken)))

    def _not(self, depth: int) -> tuple[bool, Node | Word | None, Lexeme]:
        lexeme = self._peek()
        if lexeme.kind != "NOT":
            return False, self._atom(depth, excluded=False), lexeme
        operator = self._next()
        lexeme = self._peek()
        if lexeme.kind in ("end", "close", *OPERATORS):
            raise self._lone(operator)
        self.excluding += 1
        part = self._atom(depth, excluded=True)
        self.excluding -= 1
        return True, part, lexeme

    def _atom(self, depth: int, *, excluded: bool) -> Node | Word | None:
        lexeme = self._next()
        if lexeme.kind == "open":
            if depth >= MAX_DEPTH:
                raise self._error("parentheses are nested too deeply", lexeme, "Use fewer of them.")
            node = self._any(depth + 1)
            if self._peek().kind != "close":
                raise self._error("a parenthesis is not closed", lexeme, "Close it, or remove it.")
            self._next()
            if node is None:
                raise self._error("nothing stands inside the parentheses", lexeme, "Fill or remove them.")
            return node
        if lexeme.kind == "field":
            if depth:
                raise self._misplaced(lexeme)
            chosen = field_filter(self.text, lexeme, excluded=excluded)
            if chosen.value != ANY:
                self.filters.append(chosen)
            self.filtered += 1
            self.cut.append((lexeme.at, lexeme.end))
            return None
        if lexeme.kind == "phrase":
            phrase = read_phrase(lexeme.value)
            if phrase is None:
                raise self._error(
                    "no word stands inside the quotation marks", lexeme, "Put words in, or remove them."
                )
            self._want(lexeme.value)
            return phrase
        if lexeme.kind in OPERATORS:
            raise self._lone(lexeme)
        word = read_word(self.text, lexeme)
        if word is not None:
            self._want(lexeme.value.rstrip("*"))
        return word

    # -- helpers -----------------------------------------------------------------------------------

    def _want(self, text: str) -> None:
        if not self.excluding:
            self.wanted.append(text)

    def _peek(self) -> Lexeme:
        return self.lexemes[self.place]

    def _next(self) -> Lexeme:
        lexeme = self.lexemes[self.place]
        if lexeme.kind != "end":
            self.place += 1
        return lexeme

    def _without_filters(self) -> str:
        kept: list[str] = []
        at = 0
        for start, end in self.cut:
            kept.append(self.text[at : self.text.index(":", start) + 1] + "*")
            at = end
        return "".join(kept) + self.text[at:]

    def _error(self, what: str, lexeme: Lexeme, hint: str) -> QueryError:
        return error_at(self.text, what, lexeme.at, hint)

    def _lone(self, lexeme: Lexeme) -> QueryError:
        return self._error(
            f"{lexeme.kind} has nothing to join",
            lexeme,
            f"Put words around it, or write it in lower case to search for '{lexeme.kind.lower()}'.",
        )

    def _lone_not(self, lexeme: Lexeme) -> QueryError:
        return self._error("NOT has nothing to exclude", lexeme, "Put a word after it.")

    def _misplaced(self, lexeme: Lexeme) -> QueryError:
        return self._error(
            "a filter cannot stand in parentheses or beside OR",
            lexeme,
            "Write filters beside the other words: king kind:pdf",
        )


def _add_loose(word: Word, group: _Group) -> None:
    """A bare word in an any-of group: each of its parts, and a hyphenated word also joined."""
    for token in word.tokens:
        if token.text in STOP_WORDS:
            group.stops.append(token.text)
        else:
            group.loose.append(Term(token.stem))
    if word.joined and len(word.joined) == 1:
        group.loose.append(Term(word.joined[0]))
    if word.prefix is not None:
        group.loose.append(Prefix(word.prefix))


def _strict(part: Node | Word | None) -> Node | None:
    """A bare word beside AND or NOT: a hyphenated one is a phrase there."""
    if not isinstance(part, Word):
        return part
    nodes: list[Node] = []
    if part.tokens:
        nodes.append(phrase_node(tuple(token.stem for token in part.tokens), part.joined))
    if part.prefix is not None:
        nodes.append(Prefix(part.prefix))
    return nodes[0] if len(nodes) == 1 else AllOf(tuple(nodes))
