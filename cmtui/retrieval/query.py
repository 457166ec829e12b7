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

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from cmtui.errors import QueryError
from cmtui.model.identity import SourceKind
from cmtui.retrieval.projection import fold
from cmtui.retrieval.tokens import STOP_WORDS, Token, stem, tokenize, words

#: Longest query in characters, deepest nesting of parentheses, shortest prefix.
MAX_LENGTH = 20_000
MAX_DEPTH = 40
MIN_PREFIX = 2
#: The value of a filter that lets everything through.
ANY = "*"

_OPERATORS = frozenset({"AND", "OR", "NOT"})
_QUOTES = str.maketrans(dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb", '"'))
_LEXEME = re.compile(
    r"(?P<blank>\s+)|(?P<open>\()|(?P<close>\))"
    r'|(?P<field>(?i:kind|source|document):(?:"[^"]*"|[^\s()"]+))'
    r'|(?P<quote>"(?P<phrase>[^"]*)(?P<ended>"?))|(?P<word>[^\s()"]+)'
)


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


def parse(text: str) -> Query:
    """Read a query. Raises QueryError, and nothing else, for any string."""
    return _Parser(text).parse()


def plain_query(text: str) -> str:
    """A query for any of the words of ``text``, whatever punctuation or operators it holds.

    The empty string when ``text`` holds no word.
    """
    return " ".join(token.text for token in _main(words(text)))


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


@dataclass(frozen=True, slots=True)
class _Lexeme:
    """``kind`` is open, close, field, phrase, word, an operator, or end."""

    kind: str
    value: str
    at: int
    end: int


@dataclass(slots=True)
class _Group:
    """The members of one any-of group while it is read. ``loose`` are bare words."""

    loose: list[Node] = field(default_factory=list)
    stops: list[str] = field(default_factory=list)
    excluded: list[Node] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Word:
    """A bare word as typed: its tokens, and the prefix it ends with if any."""

    tokens: tuple[Token, ...]
    joined: tuple[str, ...]
    prefix: str | None


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.lexemes: list[_Lexeme] = []
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
        self.lexemes = list(_lex(self.text))
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
        after_or: _Lexeme | None = None
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

    def _all(self, depth: int, group: _Group, after_or: _Lexeme | None) -> None:
        """all := not (AND not)* ; its parts go straight into ``group`` when there is only one."""
        parts: list[tuple[bool, Node | _Word | None, _Lexeme]] = [self._not(depth)]
        operator: _Lexeme | None = None
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
            elif isinstance(part, _Word):
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

    def _not(self, depth: int) -> tuple[bool, Node | _Word | None, _Lexeme]:
        lexeme = self._peek()
        if lexeme.kind != "NOT":
            return False, self._atom(depth, excluded=False), lexeme
        operator = self._next()
        lexeme = self._peek()
        if lexeme.kind in ("end", "close", *_OPERATORS):
            raise self._lone(operator)
        self.excluding += 1
        part = self._atom(depth, excluded=True)
        self.excluding -= 1
        return True, part, lexeme

    def _atom(self, depth: int, *, excluded: bool) -> Node | _Word | None:
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
            chosen = _field_filter(self.text, lexeme, excluded=excluded)
            if chosen.value != ANY:
                self.filters.append(chosen)
            self.filtered += 1
            self.cut.append((lexeme.at, lexeme.end))
            return None
        if lexeme.kind == "phrase":
            phrase = _phrase(lexeme.value)
            if phrase is None:
                raise self._error(
                    "no word stands inside the quotation marks", lexeme, "Put words in, or remove them."
                )
            self._want(lexeme.value)
            return phrase
        if lexeme.kind in _OPERATORS:
            raise self._lone(lexeme)
        word = _word(self.text, lexeme)
        if word is not None:
            self._want(lexeme.value.rstrip("*"))
        return word

    # -- helpers -----------------------------------------------------------------------------------

    def _want(self, text: str) -> None:
        if not self.excluding:
            self.wanted.append(text)

    def _peek(self) -> _Lexeme:
        return self.lexemes[self.place]

    def _next(self) -> _Lexeme:
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

    def _error(self, what: str, lexeme: _Lexeme, hint: str) -> QueryError:
        return _error(self.text, what, lexeme.at, hint)

    def _lone(self, lexeme: _Lexeme) -> QueryError:
        return self._error(
            f"{lexeme.kind} has nothing to join",
            lexeme,
            f"Put words around it, or write it in lower case to search for '{lexeme.kind.lower()}'.",
        )

    def _lone_not(self, lexeme: _Lexeme) -> QueryError:
        return self._error("NOT has nothing to exclude", lexeme, "Put a word after it.")

    def _misplaced(self, lexeme: _Lexeme) -> QueryError:
        return self._error(
            "a filter cannot stand in parentheses or beside OR",
            lexeme,
            "Write filters beside the other words: king kind:pdf",
        )


def _error(text: str, what: str, at: int, hint: str) -> QueryError:
    shown = " ".join(text[at : at + 24].split())
    return QueryError(f"The query cannot be read: at character {at + 1} (“{shown}”), {what}.", hint)


def _lex(text: str) -> Iterator[_Lexeme]:
    plain = text.translate(_QUOTES)
    for match in _LEXEME.finditer(plain):
        kind = match.lastgroup or ""
        at, end = match.span()
        if match.group("blank") is not None:
            continue
        if match.group("quote") is not None:
            if not match.group("ended"):
                raise _error(text, "a quotation mark is not closed", at, "Close it, or remove it.")
            yield _Lexeme("phrase", text[match.start("phrase") : match.end("phrase")], at, end)
        elif match.group("field") is not None:
            yield _Lexeme("field", match.group(), at, end)
        elif match.group("word") is not None:
            word = text[at:end]
            yield _Lexeme(word if word in _OPERATORS else "word", word, at, end)
        else:
            yield _Lexeme(kind, match.group(), at, end)
    yield _Lexeme("end", "", len(text), len(text))


def _field_filter(text: str, lexeme: _Lexeme, *, excluded: bool) -> FieldFilter:
    name, _, value = lexeme.value.partition(":")
    name = name.lower()
    value = value.strip('"').strip()
    if not value:
        raise _error(text, f"'{name}:' has no value", lexeme.at, f"Write it after the colon: {name}:VALUE")
    if name == "kind":
        value = value.lower()
        if value != ANY and value not in {str(kind) for kind in SourceKind}:
            kinds = ", ".join(SourceKind)
            raise _error(text, f"there is no kind '{value}'", lexeme.at, f"The kinds are {kinds}.")
    return FieldFilter(name, value, excluded)


def _word(text: str, lexeme: _Lexeme) -> _Word | None:
    value = lexeme.value
    star = value.find("*")
    if star >= 0 and star != len(value) - 1:
        raise _error(
            text,
            "a star can only end a word",
            lexeme.at + star,
            "Write the beginning of the word, then the star: experim*",
        )
    folded = fold(value.rstrip("*"))
    tokens = _main(tokenize(folded))
    prefix = None
    if star >= 0:
        if not tokens or len(tokens[-1].text) < MIN_PREFIX or tokens[-1].end != len(folded.text):
            raise _error(
                text,
                f"a star needs at least {MIN_PREFIX} letters before it",
                lexeme.at + star,
                "Write more of the word before the star.",
            )
        prefix = tokens.pop().text
    if not tokens and prefix is None:
        return None
    return _Word(tuple(tokens), () if prefix else _join(folded.text, tokens), prefix)


def _add_loose(word: _Word, group: _Group) -> None:
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


def _strict(part: Node | _Word | None) -> Node | None:
    """A bare word beside AND or NOT: a hyphenated one is a phrase there."""
    if not isinstance(part, _Word):
        return part
    nodes: list[Node] = []
    if part.tokens:
        nodes.append(_phrase_node(tuple(token.stem for token in part.tokens), part.joined))
    if part.prefix is not None:
        nodes.append(Prefix(part.prefix))
    return nodes[0] if len(nodes) == 1 else AllOf(tuple(nodes))


def _phrase(text: str) -> Node | None:
    folded = fold(text)
    tokens = _main(tokenize(folded))
    if not tokens:
        return None
    return _phrase_node(tuple(token.stem for token in tokens), _join(folded.text, tokens))


def _phrase_node(stems: tuple[str, ...], joined: tuple[str, ...]) -> Node:
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


def _main(tokens: list[Token]) -> list[Token]:
    """One token per position: the joined word, without its halves."""
    seen = -1
    kept: list[Token] = []
    for token in tokens:
        if token.position != seen:
            kept.append(token)
            seen = token.position
    return kept
