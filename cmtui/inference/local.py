"""The conservative offline backend (R90): pure functions of claim and passage, no model, no network."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cmtui.inference import clauses
from cmtui.inference.reasons import REASONS
from cmtui.inference.rules import (
    CONFIDENCE,
    RELATED_SHARE,
    CompiledClaim,
    Verdict,
    assess_sentence,
    compile_claim,
    telling,
)
from cmtui.inference.tokens import fold, lemma, tokenize
from cmtui.ingest.segmentation import sentences
from cmtui.model.claim import Assessment, Proposal, Relation
from cmtui.model.retrieval import PassageProjection
from cmtui.model.selectors import Span
from cmtui.model.source import PassageRole

_MUTE_ROLES = {
    PassageRole.HEADING: "role-heading",
    PassageRole.REFERENCE: "role-reference",
    PassageRole.CODE: "role-code",
    PassageRole.TABLE: "role-table",
}
_WORDS = re.compile(r"\w+")


class LocalInferenceBackend:
    """Rules over single sentences: simple facts, negation, bounded concepts; else abstention (R90 to R92).

    Stateless and safe to share between threads. Speed: about 0.1 ms for a passage without the claim's words,
    a few tenths of a millisecond for one with them.
    """

    @property
    def name(self) -> str:
        """Name and revision, recorded in runs. The revision changes when an answer may change."""
        return "cmtui-rules/1"

    def assess(self, claim: str, passages: Sequence[PassageProjection]) -> list[Assessment]:
        """One assessment per passage, in order. Proposals are exact substrings with their offset."""
        compiled = compile_claim(claim)
        return [_assess_passage(compiled, passage) for passage in passages]


def _answer(
    passage: PassageProjection, relation: Relation, confidence: float, reason: str, explanation: str
) -> Assessment:
    return Assessment(passage.passage_id, relation, confidence, reason, explanation)


def _assess_passage(claim: CompiledClaim, passage: PassageProjection) -> Assessment:
    if claim.problem is not None:
        return _answer(
            passage, Relation.INSUFFICIENT, 0.0, claim.problem, f"Not checked: {REASONS[claim.problem]}."
        )
    share = claim.share({lemma(fold(word)) for word in _WORDS.findall(passage.text)})
    if share < RELATED_SHARE:
        return _answer(
            passage,
            Relation.INSUFFICIENT,
            round(1.0 - share, 6),
            "few-shared-words",
            f"The passage has {share:.0%} of the claim's content words.",
        )
    mute = _MUTE_ROLES.get(passage.role)
    if mute is not None:
        return _answer(
            passage, Relation.RELATED, round(share, 6), mute, f"Nothing is asserted: {REASONS[mute]}."
        )
    verdicts = _verdicts(claim, passage.text)
    supporting = [v for v in verdicts if v.relation is Relation.SUPPORTS]
    contradicting = [v for v in verdicts if v.relation is Relation.CONTRADICTS]
    if supporting and contradicting:
        one, two = supporting[0], contradicting[0]
        return _answer(
            passage,
            Relation.RELATED,
            round(share, 6),
            "conflict",
            f"“{passage.text[one.start : one.end]}” supports, "
            f"“{passage.text[two.start : two.end]}” contradicts.",
        )
    deciding = supporting or contradicting
    if deciding:
        best = max(deciding, key=lambda v: (CONFIDENCE[v.reason], -v.start))
        return Assessment(
            passage.passage_id,
            best.relation,
            CONFIDENCE[best.reason],
            best.reason,
            best.explanation,
            (Proposal(passage.text[best.start : best.end], best.start),),
        )
    if not verdicts:
        return _answer(
            passage,
            Relation.INSUFFICIENT,
            round(1.0 - share, 6),
            "few-shared-words",
            "No single sentence has enough of the claim's words.",
        )
    best = max(verdicts, key=lambda v: (v.share, telling(v.reason), -v.start))
    return _answer(passage, Relation.RELATED, round(best.share, 6), best.reason, best.explanation)


def _sentence_spans(text: str) -> list[tuple[Span, bool]]:
    """Sentences, trimmed, each with whether a harmless distress label stood on the lines before it."""
    spans: list[tuple[Span, bool]] = []
    for whole in sentences(text):
        span = clauses.trimmed(text, whole)
        labelled = False
        # A label on its own line ("Grief") belongs to no sentence.
        while True:
            line_end = text.find("\n", span.start, span.end)
            if line_end < 0 or not clauses.is_distress_label(text[span.start : line_end]):
                break
            span = clauses.trimmed(text, Span(line_end, span.end))
            labelled = True
        if span.start < span.end:
            spans.append((span, labelled))
    return spans


def _verdicts(claim: CompiledClaim, text: str) -> list[Verdict]:
    spans = _sentence_spans(text)
    quoted = clauses.open_quote_at(text, [span.start for span, _ in spans])
    found: list[Verdict] = []
    for at, (span, _) in enumerate(spans):
        words = _WORDS.findall(text, span.start, span.end)
        if claim.share({lemma(fold(word)) for word in words}) < RELATED_SHARE:
            continue
        tokens = tokenize(text, span.start, span.end)
        verdict = assess_sentence(claim, tokens, quoted=quoted[at])
        if verdict is None:
            continue
        if verdict.relation is not Relation.RELATED:
            verdict = _in_context(text, spans, at, verdict)
        found.append(verdict)
    return found


def _in_context(text: str, spans: Sequence[tuple[Span, bool]], at: int, verdict: Verdict) -> Verdict:
    """The verdict, or RELATED when its neighbours take the assertion away (R91)."""

    def related(reason: str, explanation: str) -> Verdict:
        return Verdict(Relation.RELATED, reason, explanation, verdict.start, verdict.end, verdict.share)

    if at + 1 < len(spans):
        following = spans[at + 1][0]
        word = clauses.takes_back(text[following.start : following.end])
        if word is not None:
            return related("retracted", f"The next sentence takes it back with “{word}”.")
    if at:
        before = text[spans[at - 1][0].start : spans[at - 1][0].end]
        if clauses.is_distress_label(before):
            return verdict
        tokens = tokenize(before)
        if before.endswith(":"):
            return related("fragment-context", f"“{before}” introduces the sentence.")
        if clauses.is_fragment(tokens):
            return related("fragment-context", f"“{before}” before the sentence may change what it means.")
        cue = clauses.first_cue(tokens)
        if cue is not None and (cue[0] == "fiction" or tokens[0].norm in ("suppose", "assume", "consider")):
            return related("fiction", f"“{cue[1]}” in the sentence before makes this one uncertain.")
    return verdict
