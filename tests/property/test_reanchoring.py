"""Re-anchoring over 1,000 seeded pairs of versions (issue 3, part 7; settlements 6, I2.7).

The versions differ by inserted, deleted and swapped paragraphs, edits of one word, and paragraphs that stand
twice. What became of each sentence is known from how the pair was made, not from looking at the texts.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest

from cmtui.model.reanchor import AnchorClass, Anchoring, AnchorReason
from cmtui.model.selectors import Span
from cmtui.verification.reanchoring import VersionPair
from support.documents import make_document

#: Made-up words, so that no two sentences are alike by chance.
_WORDS = [
    first + second
    for first in ("bal", "dor", "fen", "gim", "lus", "mar", "nev", "pol")
    for second in ("ad", "ery", "ick", "ole", "umb", "ant", "est", "ing", "ory", "ule")
]


@dataclass(frozen=True)
class Paragraph:
    """A paragraph with an identity of its own: two may read alike and still be two."""

    number: int
    sentences: tuple[str, ...]

    @property
    def text(self) -> str:
        return " ".join(self.sentences)


@dataclass(frozen=True)
class Pair:
    old: tuple[Paragraph, ...]
    new: tuple[Paragraph, ...]


def sentence(pick: random.Random) -> str:
    words = pick.sample(_WORDS, pick.randint(7, 12))
    return f"{words[0].capitalize()} {' '.join(words[1:])}."


def make_pair(seed: int) -> Pair:
    pick = random.Random(seed)
    count = 0

    def paragraph(sentences: tuple[str, ...] | None = None) -> Paragraph:
        nonlocal count
        count += 1
        return Paragraph(count, sentences or tuple(sentence(pick) for _ in range(pick.randint(1, 4))))

    old = [paragraph() for _ in range(pick.randint(3, 9))]
    if pick.random() < 0.3:  # a paragraph that reads like another one
        old.insert(pick.randrange(len(old) + 1), paragraph(pick.choice(old).sentences))
    new = list(old)
    for _ in range(pick.randint(0, 3)):
        action = pick.choice(("insert", "delete", "swap", "edit", "copy"))
        at = pick.randrange(len(new))
        if action == "insert":
            new.insert(pick.randrange(len(new) + 1), paragraph())
        elif action == "delete" and len(new) > 1:
            del new[at]
        elif action == "swap":
            other = pick.randrange(len(new))
            new[at], new[other] = new[other], new[at]
        elif action == "copy":
            new.insert(pick.randrange(len(new) + 1), paragraph(new[at].sentences))
        else:
            new[at] = Paragraph(new[at].number, edited(new[at].sentences, pick))
    return Pair(tuple(old), tuple(new))


def edited(sentences: tuple[str, ...], pick: random.Random) -> tuple[str, ...]:
    """One word of one sentence replaced by one that is nowhere else."""
    at = pick.randrange(len(sentences))
    words = sentences[at].split()
    words[pick.randrange(1, len(words) - 1)] = "zephyr"
    return (*sentences[:at], " ".join(words), *sentences[at + 1 :])


def starts(paragraphs: tuple[Paragraph, ...]) -> dict[tuple[int, int], int]:
    """Offset of each sentence, by paragraph number and sentence number."""
    found: dict[tuple[int, int], int] = {}
    at = 0
    for paragraph in paragraphs:
        for number, text in enumerate(paragraph.sentences):
            found[(paragraph.number, number)] = at
            at += len(text) + 1
        at += 1
    return found


def body(paragraphs: tuple[Paragraph, ...]) -> str:
    return "\n\n".join(paragraph.text for paragraph in paragraphs) + "\n"


def check(pair: Pair, key: tuple[int, int], text: str, found: Anchoring, span: Span) -> None:
    """That the answer is what the making of the pair says."""
    new = {p.number: p for p in pair.new}
    where = starts(pair.new)
    twice = sum(s == text for p in pair.old for s in p.sentences) > 1
    there = [where[(p.number, n)] for p in pair.new for n, s in enumerate(p.sentences) if s == text]
    here = new.get(key[0])
    if not there:
        if twice:  # its twin may have been edited, and nothing says which of the two that was
            assert found.anchor in (AnchorClass.CHANGED, AnchorClass.LOST)
        elif here is not None:
            assert (found.anchor, found.reason) == (AnchorClass.CHANGED, AnchorReason.EDITED)
            assert found.text == here.sentences[key[1]]
        else:
            assert (found.anchor, found.span) == (AnchorClass.LOST, None)
        if found.anchor is AnchorClass.CHANGED:
            assert "".join(part.quote for part in found.difference) == text
            assert "".join(part.source for part in found.difference) == found.text
        return
    if not twice and len(there) == 1:
        expected = AnchorClass.SAME_OFFSET if there[0] == span.start else AnchorClass.MOVED
        assert (found.anchor, found.span) == (expected, Span(there[0], there[0] + len(text)))
        return
    # It reads alike twice, in one version or both: it is never moved, for it could be the other one.
    if found.anchor is AnchorClass.SAME_OFFSET:
        assert span.start in there
    else:
        assert (found.anchor, found.reason) == (AnchorClass.CHANGED, AnchorReason.AMBIGUOUS)
        assert [place.start for place in found.places] == there


@pytest.mark.parametrize("block", range(10))
def test_the_class_is_right_in_every_pair(block: int) -> None:
    classes: dict[AnchorClass, int] = dict.fromkeys(AnchorClass, 0)
    for seed in range(block * 100, block * 100 + 100):
        pair = make_pair(seed)
        old = make_document(body(pair.old), name="a.txt")[0]
        new = make_document(body(pair.new), name="a.txt")[0]
        compare = VersionPair(old, new)
        for key, start in starts(pair.old).items():
            text = next(p for p in pair.old if p.number == key[0]).sentences[key[1]]
            span = Span(start, start + len(text))
            assert old.slice(span) == text
            found = compare.anchor(span)
            try:
                check(pair, key, text, found, span)
            except AssertionError as error:
                raise AssertionError(f"seed {seed}, “{text}”: {found}") from error
            if found.span is not None and found.anchor is not AnchorClass.CHANGED:
                assert new.slice(found.span) == text
            classes[found.anchor] += 1
    assert all(classes.values()), classes
