"""The gate: the six adversarial classes of R88, and what is exact (R87, R89)."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmtui.errors import (
    CrossesPassage,
    QuoteAmbiguous,
    QuoteNotFound,
    SpanOutOfRange,
    VerificationError,
    WrongVersion,
)
from cmtui.model.claim import Proposal
from cmtui.model.identity import sha256_text, span_id
from cmtui.model.selectors import Span
from cmtui.model.source import CanonicalDocument, SourceRecord
from cmtui.verification.verifier import (
    entry_of,
    verify_proposal,
    verify_quote,
    verify_span,
    verify_split,
)
from support.documents import make_document

TEXT = (
    "The committee found that the drug would not improve outcomes, in adults over sixty.\n\n"
    "The king wept. The crew wept too.\n\n"
    "Nobody spoke of the ships; nobody dared.\n"
)


def _made(text: str = TEXT) -> tuple[CanonicalDocument, SourceRecord]:
    document, _, artifact = make_document(text)
    return document, SourceRecord(artifact, documents=(document.document_id,))


DOCUMENT, SOURCE = _made()


def test_an_exact_proposal_gets_its_four_layer_identity() -> None:
    """R10, R14, R87."""
    passage = DOCUMENT.passages[1]
    identity = verify_proposal(DOCUMENT, SOURCE, passage, Proposal("The king wept.", 0))
    assert identity.text == "The king wept." == DOCUMENT.slice(identity.span)
    assert identity.evidence_id == span_id(DOCUMENT.document_id, identity.span, sha256_text(identity.text))
    assert identity.source_id == SOURCE.source_id
    assert identity.canonical_content.content_id == DOCUMENT.document_id
    assert [step.name for step in identity.canonical_content.profile.steps] == ["newlines"]  # R16
    assert entry_of(identity).exact == identity.text


@pytest.mark.parametrize(
    ("quote", "offset", "error"),
    [
        pytest.param("The king wept!", 0, QuoteNotFound, id="punctuation"),
        pytest.param("The king cried.", 0, QuoteNotFound, id="paraphrase"),
        pytest.param("The king rode out at dawn.", None, QuoteNotFound, id="invented"),
        pytest.param("wept", None, QuoteAmbiguous, id="ambiguous-without-offset"),
        pytest.param("The crew wept too.\n\nNobody spoke", 15, CrossesPassage, id="cross-passage"),
        pytest.param("The king wept.", 1, QuoteNotFound, id="wrong-offset"),
        pytest.param("The king wept.", -1, CrossesPassage, id="negative-offset"),
        pytest.param("The king wept.", 10**9, CrossesPassage, id="offset-past-the-end"),
        pytest.param("", 0, SpanOutOfRange, id="empty"),
        pytest.param("the king wept.", 0, QuoteNotFound, id="case"),
        pytest.param("The king  wept.", 0, QuoteNotFound, id="blanks"),
    ],
)
def test_every_adversarial_class_fails_closed(
    quote: str, offset: int | None, error: type[VerificationError]
) -> None:
    """R88: punctuation, paraphrase, invention, ambiguity and crossing passages; R89: never repaired."""
    with pytest.raises(error) as caught:
        verify_proposal(DOCUMENT, SOURCE, DOCUMENT.passages[1], Proposal(quote, offset))
    assert caught.value.hint


def test_a_passage_or_source_of_another_version_is_refused() -> None:
    """R88: wrong version."""
    changed, other = _made(TEXT.replace("would not improve", "would improve"))
    with pytest.raises(WrongVersion):
        verify_proposal(DOCUMENT, SOURCE, changed.passages[0], Proposal("The committee", 0))
    with pytest.raises(WrongVersion):
        verify_span(DOCUMENT, other, Span(0, 5))


def test_ambiguity_is_settled_by_an_offset() -> None:
    """R32, R88."""
    passage = DOCUMENT.passages[1]
    first = verify_proposal(DOCUMENT, SOURCE, passage, Proposal("wept", 9))
    second = verify_proposal(DOCUMENT, SOURCE, passage, Proposal("wept", 24))
    assert first.text == second.text
    assert first.evidence_id != second.evidence_id


def test_overlapping_repeats_are_ambiguous_too() -> None:
    document, source = _made("aaaa aaaa")
    with pytest.raises(QuoteAmbiguous):
        verify_quote(document, source, "aaa")


def test_the_last_character_of_the_document_can_be_quoted() -> None:
    """A half-open end equal to the length is in range."""
    document, source = _made("The end is near.")
    assert verify_quote(document, source, "near.").span == Span(11, len(document.text))


@pytest.mark.parametrize("span", [Span(5, 5), Span(7, 3), Span(-1, 4), Span(0, 10**9)])
def test_spans_out_of_range_are_refused(span: Span) -> None:
    with pytest.raises(SpanOutOfRange):
        verify_span(DOCUMENT, SOURCE, span)


def test_a_span_over_passages_becomes_a_set_of_exact_members() -> None:
    """D14, R97: each member inside its own passage, never one fabricated quotation."""
    start = DOCUMENT.text.index("The crew")
    end = DOCUMENT.text.index("; nobody")
    with pytest.raises(CrossesPassage):
        verify_span(DOCUMENT, SOURCE, Span(start, end))
    evidence = verify_split(DOCUMENT, SOURCE, Span(start, end))
    assert evidence.text == ("The crew wept too.", "Nobody spoke of the ships")
    assert len(set(evidence.evidence_ids)) == 2


def test_locators_and_reference_do_not_enter_the_evidence_id() -> None:
    """R9, R17, R112."""
    identity = verify_span(DOCUMENT, SOURCE, Span(0, 13))
    moved = dataclasses.replace(
        SOURCE, artifact=dataclasses.replace(SOURCE.artifact, reference="file:///moved"), page_offset=7
    )
    assert verify_span(DOCUMENT, moved, Span(0, 13)).evidence_id == identity.evidence_id


@given(st.text(min_size=1, max_size=200), st.data())
def test_only_the_very_text_at_the_very_place_verifies(text: str, data: st.DataObject) -> None:
    """R87: for any text, a span verifies with its own text and with no other."""
    document, source = _made(text)
    if not document.passages:
        return
    passage = data.draw(st.sampled_from(document.passages))
    start = data.draw(st.integers(passage.start, passage.end - 1))
    end = data.draw(st.integers(start + 1, passage.end))
    exact = text[start:end]
    assert verify_span(document, source, Span(start, end), text=exact).text == exact
    other = data.draw(st.text(max_size=20).filter(lambda t: t != exact))
    with pytest.raises(QuoteNotFound):
        verify_span(document, source, Span(start, end), text=other)
