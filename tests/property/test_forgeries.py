"""2,000 forged quotes: none accepted. 2,000 untouched ones: all found (R87, R88).

The forgeries come from ``support/forgeries.py`` with a fixed seed; ``test_forged_claims.py`` states them as
claims.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest

from cmtui.model.quote import MINIMUM_QUOTE, Verdict
from support.corpus import sentences
from support.forged_library import Library, forged_library
from support.forgeries import PER_CLASS, SEED, Forgery

ACCEPTED = {Verdict.EXACT, Verdict.EXACT_SPLIT}
UNTOUCHED = 2_000


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return forged_library(tmp_path_factory.mktemp("corpus"))


def test_the_generator_makes_what_it_says(library: Library) -> None:
    """2,000 in eight classes, each differing from everything it could be mistaken for; the seed decides."""
    assert Counter(f.kind for f in library.forged) == dict.fromkeys(Forgery, PER_CLASS)
    assert len(library.forged) == 2_000
    everything = "\0".join(d.text for d in library.current.values())
    for forged in library.forged:
        if forged.kind is Forgery.WRONG_SOURCE:
            assert forged.text not in library.current[forged.source].text
        else:
            assert forged.text not in everything
    assert len({(f.kind, f.text, f.source) for f in library.forged}) == 2_000


@pytest.mark.parametrize("kind", Forgery)
def test_no_forged_quote_is_accepted(library: Library, kind: Forgery) -> None:
    """Not one of 250 in each class is exact where it says it stands, and none leaves an identity (R88)."""
    for forged in library.of(kind):
        attributed = kind in {Forgery.WRONG_SOURCE, Forgery.WRONG_VERSION}
        document_id = library.current[forged.source].document_id if attributed else None
        check = library.machine.check_quote(forged.text, document_id=document_id)
        assert check.verdict not in ACCEPTED, forged
        assert check.evidence_ids == (), forged
        if kind is Forgery.WRONG_SOURCE:
            assert check.verdict in {Verdict.MISATTRIBUTED, Verdict.TOO_SHORT}, forged


def untouched(library: Library) -> Iterator[tuple[str, str, int]]:
    """Document id, exact text and offset of sentences and of stretches of passages, by a fixed seed."""
    rng = random.Random(SEED)
    whole = [s for name, d in library.current.items() for s in sentences(name, d)]
    for sentence in whole:
        if len(sentence.text) >= MINIMUM_QUOTE:
            yield sentence.document_id, sentence.text, sentence.start
    passages = [(d, p) for d in library.current.values() for p in d.passages if p.end - p.start >= 40]
    while True:
        document, passage = rng.choice(passages)
        start = rng.randrange(passage.start, passage.end - MINIMUM_QUOTE)
        end = rng.randrange(start + MINIMUM_QUOTE, passage.end + 1)
        text = document.text[start:end]
        if text == text.strip():
            yield document.document_id, text, start


def test_every_untouched_quote_is_found(library: Library) -> None:
    """2,000 true quotes are exact at their place; those that stand more than once say so (R32, R87)."""
    everything = "\0".join(d.text for d in library.current.values())
    verdicts: Counter[Verdict] = Counter()
    for (document_id, text, start), _ in zip(untouched(library), range(UNTOUCHED), strict=False):
        check = library.machine.check_quote(text)
        verdicts[check.verdict] += 1
        if check.verdict is Verdict.AMBIGUOUS:
            assert everything.count(text) > 1, text
            assert any(x.document_id == document_id and x.span.start == start for x in check.locations)
            check = library.machine.check_quote(text, document_id=document_id, offset=start)
        assert check.verdict is Verdict.EXACT, (check.verdict, text)
        [location] = check.locations
        assert (location.document_id, location.span.start, location.text) == (document_id, start, text)
    assert verdicts[Verdict.EXACT] > UNTOUCHED * 0.9
    assert verdicts.total() == UNTOUCHED


def test_evidence_of_an_untouched_quote_reads_back(library: Library) -> None:
    """An exact quote's identity reconstructs to the very same characters (R15)."""
    for (_, text, _), _ in zip(untouched(library), range(0, UNTOUCHED, 20), strict=False):
        check = library.machine.check_quote(text)
        for evidence_id in check.evidence_ids:
            assert library.machine.reconstruct(evidence_id) == text
