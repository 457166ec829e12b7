"""What to highlight in a result: spans of the canonical content, each a run of whole characters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cmtui.model.selectors import Span
from cmtui.retrieval.concepts import ConceptLexicon, concept_lexicon
from cmtui.retrieval.projection import Projection, fold
from cmtui.retrieval.query import AllOf, AnyOf, Leaf, Node, Phrase, Prefix, Term
from cmtui.retrieval.tokens import Token, stem, tokenize, word_counts


class PassageWords:
    """The words of one passage, ready to be looked for."""

    def __init__(self, text: str) -> None:
        self._projection: Projection = fold(text)
        self.tokens: list[Token] = tokenize(self._projection)

    def matches(self, node: Node) -> bool:
        """Whether the passage matches a query node, as the index would say."""
        if isinstance(node, AnyOf | AllOf):
            test = any if isinstance(node, AnyOf) else all
            return test(self.matches(child) for child in node.children) and not any(
                self.matches(excluded) for excluded in node.excluded
            )
        return bool(self._found(node))

    def spans(self, leaves: Iterable[Leaf], *, offset: int = 0) -> list[Span]:
        """Spans of the words that match any leaf, shifted by ``offset``."""
        return self._spans((token for leaf in leaves for token in self._found(leaf)), offset)

    def related_spans(
        self, text: str, *, offset: int = 0, lexicon: ConceptLexicon | None = None
    ) -> list[Span]:
        """Spans of the words that share a stem or a concept with a word of ``text``."""
        lexicon = lexicon or concept_lexicon()
        stems: set[str] = set()
        concepts: set[str] = set()
        for word in word_counts(text):
            if not Token(word, word, 0, 0, 0).is_stop:
                stems.add(stem(word))
                concepts.update(lexicon.of_word(word, stem(word)))
        return self._spans(
            (
                token
                for token in self.tokens
                if not token.is_stop and (token.stem in stems or not concepts.isdisjoint(lexicon.of(token)))
            ),
            offset,
        )

    def _found(self, leaf: Leaf) -> list[Token]:
        if isinstance(leaf, Term):
            return [token for token in self.tokens if token.stem == leaf.stem]
        if isinstance(leaf, Prefix):
            return [token for token in self.tokens if token.text.startswith(leaf.text) and not token.is_stop]
        return self._phrase(leaf)

    def _phrase(self, phrase: Phrase) -> list[Token]:
        at: dict[int, list[Token]] = {}
        for token in self.tokens:
            at.setdefault(token.position, []).append(token)
        found: list[Token] = []
        for start in at:
            run: list[Token] = []
            for place, wanted in enumerate(phrase.stems):
                here = next((t for t in at.get(start + place, ()) if t.stem == wanted), None)
                if here is None:
                    break
                run.append(here)
            else:
                found.extend(run)
        return found

    def _spans(self, tokens: Iterable[Token], offset: int) -> list[Span]:
        spans = {self._projection.canonical_span(token.start, token.end) for token in tokens}
        return [span.shift(offset) for span in merged(spans)]


def merged(spans: Iterable[Span]) -> list[Span]:
    """Spans in order, with those that overlap made one."""
    result: list[Span] = []
    for span in sorted(spans):
        if result and span.start < result[-1].end:
            result[-1] = Span(result[-1].start, max(result[-1].end, span.end))
        else:
            result.append(span)
    return result


def joined(first: Sequence[Span], second: Sequence[Span]) -> tuple[Span, ...]:
    """The spans of both, merged."""
    return tuple(merged([*first, *second]))
