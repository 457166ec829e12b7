"""Every verdict of the quote check, with what it may and may not create."""

from __future__ import annotations

import pytest

from cmtui.errors import NotFound
from cmtui.model.quote import Verdict
from cmtui.store.memory import InMemoryKnowledgeRepository
from cmtui.verification.quotes import QuoteChecker
from support.documents import make_document

VOYAGE = (
    "At dusk the old king wept beside the harbour, and would not be led indoors.\n\n"
    "The committee found that the drug would not improve outcomes in adults over sixty.\n\n"
    "Bread is bread. Bread is bread.\n\n"
    "The evi-\ndence was “plain” to scienti\ufb01c eyes.\n"
)
REPORT = "The lamp was first lit in March 1893 by the keeper's own daughter.\n"


@pytest.fixture
def checker() -> tuple[QuoteChecker, str, str]:
    repository = InMemoryKnowledgeRepository()
    ids = []
    for name, text in (("voyage.txt", VOYAGE), ("report.txt", REPORT)):
        document, content, artifact = make_document(text, name=name)
        repository.commit_document(document, content=content, artifact=artifact)
        ids.append(document.document_id)
    return QuoteChecker(repository), ids[0], ids[1]


def test_exact_is_evidence(checker: tuple[QuoteChecker, str, str]) -> None:
    check, identities = checker[0].check("the old king wept beside the harbour")
    assert check.verdict is Verdict.EXACT
    assert check.locations[0].text == "the old king wept beside the harbour"
    assert check.evidence_ids == (identities[0].evidence_id,)


def test_over_passages_is_a_set(checker: tuple[QuoteChecker, str, str]) -> None:
    """D14: exact_split, verbatim or with another blank at the break."""
    for joint in ("\n\n", " "):
        quote = f"would not be led indoors.{joint}The committee found"
        check, identities = checker[0].check(quote)
        assert check.verdict is Verdict.EXACT_SPLIT
        assert [i.text for i in identities] == ["would not be led indoors.", "The committee found"]
        assert check.evidence_ids == tuple(i.evidence_id for i in identities)


@pytest.mark.parametrize(
    ("quote", "verdict", "shown"),
    [
        ('The evidence was "plain" to scientific eyes.', Verdict.LAYOUT, "The evi-\ndence was “plain” to"),
        ("Bread is bread.", Verdict.AMBIGUOUS, "Bread is bread."),
        ("The drug", Verdict.TOO_SHORT, None),
        (
            "The committee found that the drug would improve outcomes in adults over sixty.",
            Verdict.NEAR_MISS,
            "would not improve",
        ),
        (
            "The committee found that the drug would not improve outcomes in adults over seventy.",
            Verdict.NEAR_MISS,
            "over sixty",
        ),
        ("The lamp was first lit in March 1898 by the keeper's own daughter.", Verdict.NEAR_MISS, "1893"),
        (
            "At dusk the old king wept beside the keeper's own daughter.",
            Verdict.STITCHED,
            "At dusk the old king wept beside the",
        ),
        (
            "The lamp was first lit in March 1893 … and would not be led indoors.",
            Verdict.STITCHED,
            "The lamp",
        ),
        ("Nothing of this kind was ever written by anybody anywhere.", Verdict.ABSENT, None),
        ("outcomes the adults drug sixty improve over found in committee", Verdict.ABSENT, None),
    ],
)
def test_nothing_else_is_evidence(
    checker: tuple[QuoteChecker, str, str], quote: str, verdict: Verdict, shown: str | None
) -> None:
    """Every other verdict shows canonical text and creates no identity (R88)."""
    check, identities = checker[0].check(quote)
    assert check.verdict is verdict
    assert not identities
    assert not check.evidence_ids
    assert check.explanation
    if shown is not None:
        assert shown in check.locations[0].text


def test_every_occurrence_of_an_ambiguous_quote_is_listed_and_an_offset_settles_it(
    checker: tuple[QuoteChecker, str, str],
) -> None:
    check, _ = checker[0].check("Bread is bread.", document_id=checker[1])
    assert [location.span.start for location in check.locations] == [
        VOYAGE.index("Bread"),
        VOYAGE.rindex("Bread"),
    ]
    settled, identities = checker[0].check(
        "Bread is bread.", document_id=checker[1], offset=VOYAGE.rindex("Bread")
    )
    assert settled.verdict is Verdict.EXACT
    assert identities[0].span.start == VOYAGE.rindex("Bread")
    wrong, none = checker[0].check("Bread is bread.", document_id=checker[1], offset=3)
    assert wrong.verdict is Verdict.AMBIGUOUS
    assert not none


def test_a_quote_from_another_source_is_misattributed(checker: tuple[QuoteChecker, str, str]) -> None:
    quote = "The lamp was first lit in March 1893"
    check, identities = checker[0].check(quote, document_id=checker[1])
    assert check.verdict is Verdict.MISATTRIBUTED
    assert check.locations[0].document_id == checker[2]
    assert not identities


def test_a_short_quote_is_checked_at_a_stated_place(checker: tuple[QuoteChecker, str, str]) -> None:
    check, _ = checker[0].check("wept", document_id=checker[1], offset=VOYAGE.index("wept"))
    assert check.verdict is Verdict.EXACT


def test_the_difference_joins_to_both_sides(checker: tuple[QuoteChecker, str, str]) -> None:
    quote = "The lamp was first lit in May 1893 by the keeper's own daughter."
    check, _ = checker[0].check(quote)
    parts = check.locations[0].difference
    assert "".join(part.quote for part in parts) == quote
    assert "".join(part.source for part in parts) == check.locations[0].text
    assert any(part.op != "equal" for part in parts)


def test_an_unknown_document_is_named(checker: tuple[QuoteChecker, str, str]) -> None:
    with pytest.raises(NotFound):
        checker[0].check("the old king wept", document_id="ffff0000")
