"""SciFact's claims: are rationale sentences found, and is an abstract's label right (Wadden et al. 2020).

Open setting: abstracts come from retrieval, none is given. ``label_f1`` counts (claim, abstract) pairs with
the right label; ``label_rationale_f1`` asks moreover that the quoted sentences hold a complete gold
rationale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cmtui.evaluation.decisions import Decided, calibration, per_class
from cmtui.evaluation.measures import f1, share
from cmtui.evaluation.ranking import Ranker
from cmtui.evaluation.scifact import Abstract, SciFact, SciFactClaim
from cmtui.model.claim import Assessment, Relation
from cmtui.model.progress import Progress, ProgressCallback, no_progress
from cmtui.model.retrieval import PassageProjection
from cmtui.output import JsonObject
from cmtui.ports import InferenceBackend, SemanticMatcher

#: Abstracts that inference reads per claim, and those whose sentences are ranked.
READ = 10
SENTENCES_FROM = 3


@dataclass(frozen=True, slots=True)
class _Predicted:
    doc_id: str
    relation: str
    confidence: float
    sentences: frozenset[int]


def evidence_figures(
    data: SciFact,
    ranker: Ranker,
    matcher: SemanticMatcher,
    inference: InferenceBackend,
    *,
    mode: str,
    progress: ProgressCallback = no_progress,
) -> JsonObject:
    """The figures over all claims; ``mode`` is the retrieval that brings the abstracts."""
    abstracts = {abstract.doc_id: abstract for abstract in data.abstracts}
    hits = dict.fromkeys((1, 3), 0)
    within = dict.fromkeys((1, 3), 0)
    stated = 0
    right_label = right_rationale = predicted_count = gold_count = 0
    decided: list[Decided] = []
    for number, claim in enumerate(data.claims):
        progress(Progress("scifact", "claims", number, len(data.claims)))
        found = [abstracts[key] for key in ranker.ranking(mode, claim.text, limit=READ)]
        gold = {(r.doc_id, at) for r in claim.rationales for at in r.sentences}
        if gold:
            stated += 1
            cited = [abstracts[doc] for doc in dict.fromkeys(r.doc_id for r in claim.rationales)]
            for tally, pool in ((hits, found[:SENTENCES_FROM]), (within, cited)):
                best = _ranked_sentences(matcher, claim.text, pool)
                for depth in tally:
                    tally[depth] += any(place in gold for place in best[:depth])
        labels = {r.doc_id: r.relation for r in claim.rationales}
        gold_count += len(labels)
        predictions = _predict(inference, claim, found)
        predicted_count += len(predictions)
        for one in predictions:
            right = labels.get(one.doc_id) == one.relation
            right_label += right
            right_rationale += right and any(
                r.doc_id == one.doc_id and r.sentences <= one.sentences for r in claim.rationales
            )
            decided.append(Decided(labels.get(one.doc_id, "NEUTRAL"), one.relation, one.confidence))
        missed = labels.keys() - {one.doc_id for one in predictions}
        decided += [Decided(labels[doc], "NEUTRAL", 0.0) for doc in sorted(missed)]
    label = f1(right_label, predicted_count, gold_count)
    rationale = f1(right_rationale, predicted_count, gold_count)
    return {
        "sentence_hit_1": share(hits[1], stated),
        "sentence_hit_3": share(hits[3], stated),
        "label_f1": label["f1"],
        "label_rationale_f1": rationale["f1"],
        "sentence_hit_1_cited": share(within[1], stated),
        "sentence_hit_3_cited": share(within[3], stated),
        "claims": len(data.claims),
        "claims_with_evidence": stated,
        "label": label,
        "label_rationale": rationale,
        "per_class": per_class(decided),
        "calibration": calibration(decided),
        "abstracts_read": READ,
        "retrieval": mode,
    }


def _ranked_sentences(
    matcher: SemanticMatcher, claim: str, abstracts: Sequence[Abstract]
) -> list[tuple[str, int]]:
    """(abstract, sentence) by similarity to the claim; ties in the order of retrieval."""
    places = [(a.doc_id, at) for a in abstracts for at in range(len(a.sentences))]
    scores = matcher.similarities(claim, [sentence for a in abstracts for sentence in a.sentences])
    ranked = sorted(zip(scores, range(len(places)), strict=True), key=lambda item: (-item[0], item[1]))
    return [places[at] for _, at in ranked]


def _predict(inference: InferenceBackend, claim: SciFactClaim, found: Sequence[Abstract]) -> list[_Predicted]:
    passages = [PassageProjection(f"{a.doc_id}#0", a.body) for a in found]
    answers = inference.assess(claim.text, passages)
    return [
        _Predicted(abstract.doc_id, answer.relation.value, answer.confidence, _quoted(abstract, answer))
        for abstract, answer in zip(found, answers, strict=True)
        if answer.relation in (Relation.SUPPORTS, Relation.CONTRADICTS)
    ]


def _quoted(abstract: Abstract, answer: Assessment) -> frozenset[int]:
    """The sentences that the quotes touch; a quote that does not stand at its offset touches none."""
    touched: set[int] = set()
    for proposal in answer.proposals:
        start = abstract.body.find(proposal.quote) if proposal.offset is None else proposal.offset
        end = start + len(proposal.quote)
        if start < 0 or abstract.body[start:end] != proposal.quote:
            continue
        touched |= {at for at, span in enumerate(abstract.spans()) if span.start < end and start < span.end}
    return frozenset(touched)
