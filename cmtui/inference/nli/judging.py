"""From classifications to assessments: whole passages or windows first, then the quote (R127 to R134)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cmtui.inference.claims import parse_claim
from cmtui.inference.nli.policy import WINDOW_CAVEAT, Decision, NLIPolicy
from cmtui.inference.nli.scoring import Scorer
from cmtui.inference.nli.windows import windows
from cmtui.inference.reasons import REASONS
from cmtui.ingest.segmentation import sentences
from cmtui.model.claim import Assessment, Proposal, Relation
from cmtui.model.progress import Progress, ProgressCallback
from cmtui.model.retrieval import PassageProjection
from cmtui.model.selectors import Span
from cmtui.model.source import PassageRole

#: Tokens that a premise and a hypothesis take together, special ones included. None: nothing is measured.
CountTokens = Callable[[str, str], int]

#: Roles that assert nothing, whatever a classifier says of their words.
_MUTE = {
    PassageRole.HEADING: "role-heading",
    PassageRole.REFERENCE: "role-reference",
    PassageRole.CODE: "role-code",
    PassageRole.TABLE: "role-table",
}


@dataclass(frozen=True, slots=True)
class _Reading:
    """One passage: its sentences and the runs of them that are classified whole."""

    passage: PassageProjection
    sentences: tuple[Span, ...]
    runs: tuple[range, ...]

    def span(self, run: range) -> Span:
        return Span(self.sentences[run.start].start, self.sentences[run.stop - 1].end)

    def text(self, run: range) -> str:
        # One run over everything is the passage as it stands, its outer blanks included.
        if run == range(len(self.sentences)):
            return self.passage.text
        span = self.span(run)
        return self.passage.text[span.start : span.end]


def judge_passages(
    claim: str,
    passages: Sequence[PassageProjection],
    scorer: Scorer,
    policy: NLIPolicy,
    *,
    count_tokens: CountTokens | None,
    progress: ProgressCallback,
) -> list[Assessment]:
    """One assessment per passage, in order.

    All passages, or all their windows, are classified first and in one go; only then are quotes shortened.
    """
    parsed = parse_claim(claim)
    if parsed.problem is not None:
        why = f"Not checked: {REASONS[parsed.problem]}."
        return [_abstained(p, parsed.problem, why) for p in passages]
    readings = [_read(passage, parsed.text, policy, count_tokens) for passage in passages]
    scorer.scores([(r.text(run), parsed.text) for r in readings if isinstance(r, _Reading) for run in r.runs])
    answers: list[Assessment] = []
    for done, reading in enumerate(readings):
        progress(Progress("infer", parsed.text, done, len(readings)))
        if isinstance(reading, Assessment):
            answers.append(reading)
        else:
            answers.append(_assess(reading, parsed.text, scorer, policy))
    progress(Progress("infer", parsed.text, len(readings), len(readings)))
    return answers


def _read(
    passage: PassageProjection, claim: str, policy: NLIPolicy, count_tokens: CountTokens | None
) -> _Reading | Assessment:
    """What to classify of a passage, or why nothing of it is."""
    mute = _MUTE.get(passage.role)
    if mute is not None:
        return _abstained(passage, mute, f"Nothing is asserted: {REASONS[mute]}.", Relation.RELATED)
    spans = tuple(sentences(passage.text))
    if not spans:
        return _abstained(passage, "few-shared-words", "The passage has no words.")
    everything = range(len(spans))

    def fits(text: str) -> bool:
        return count_tokens is None or count_tokens(text, claim) <= policy.max_tokens

    if fits(passage.text):
        return _Reading(passage, spans, (everything,))
    too_long = f"Claim and passage exceed {policy.max_tokens} tokens; nothing is cut off silently."
    if policy.long_passage_policy == "abstain":
        return _abstained(passage, "too-long", too_long)
    runs = windows(spans, lambda span: fits(passage.text[span.start : span.end]))
    if runs is None:
        return _abstained(
            passage,
            "too-long",
            f"Claim and a single sentence exceed {policy.max_tokens} tokens; no sentence is cut.",
        )
    if len(runs) > policy.max_windows:
        return _abstained(
            passage,
            "too-long",
            f"The passage needs {len(runs)} windows of {policy.max_tokens} tokens; "
            f"at most {policy.max_windows} are read.",
        )
    return _Reading(passage, spans, tuple(runs))


def _assess(reading: _Reading, claim: str, scorer: Scorer, policy: NLIPolicy) -> Assessment:
    decisions = [policy.decide(s) for s in scorer.scores([(reading.text(r), claim) for r in reading.runs])]
    relations = {decision.relation for decision in decisions}
    where = _where(reading)
    if {Relation.SUPPORTS, Relation.CONTRADICTS} <= relations:
        return _abstained(
            reading.passage,
            "conflict",
            f"One window supports the claim and another contradicts it{where}.",
            Relation.RELATED,
        )
    deciding = [
        (d, run)
        for d, run in zip(decisions, reading.runs, strict=True)
        if d.relation in (Relation.SUPPORTS, Relation.CONTRADICTS)
    ]
    if not deciding:
        return _undecided(reading.passage, decisions, where)
    decision, run = max(deciding, key=lambda item: (item[0].confidence, -item[1].start))
    shortened = _shortest(reading, run, claim, decision.relation, scorer, policy)
    if shortened is None:
        return _abstained(
            reading.passage,
            "conflict",
            f"One sentence alone supports the claim and another contradicts it{where}.",
            Relation.RELATED,
        )
    span, confidence = shortened
    return Assessment(
        reading.passage.passage_id,
        decision.relation,
        min(decision.confidence, confidence),  # R134
        decision.reason,
        f"{_sentence(decision.reason)} ({decision.confidence:.2f}){where}.",
        (Proposal(reading.passage.text[span.start : span.end], span.start),),
    )


def _undecided(passage: PassageProjection, decisions: Sequence[Decision], where: str) -> Assessment:
    """Neither: RELATED when every window says so, else INSUFFICIENT (R127)."""
    uncertain = [d for d in decisions if d.relation is Relation.INSUFFICIENT]
    chosen = min(uncertain or decisions, key=lambda d: d.confidence)
    return Assessment(
        passage.passage_id,
        chosen.relation,
        chosen.confidence,
        chosen.reason,
        f"{_sentence(chosen.reason)} ({chosen.confidence:.2f}){where}.",
    )


def _shortest(
    reading: _Reading, run: range, claim: str, relation: Relation, scorer: Scorer, policy: NLIPolicy
) -> tuple[Span, float] | None:
    """The shortest interval of sentences that decides alike, with its confidence (R128).

    At most ``max_span_proposals`` intervals are looked at; then the complete interval, which was classified
    already, is kept (R133). None when single sentences of it decide for and against: a conflict.
    """
    left = policy.max_span_proposals
    for size in range(1, len(run)):
        inner = [range(first, first + size) for first in range(run.start, run.stop - size + 1)][:left]
        if not inner:
            break
        left -= len(inner)
        decided = [
            (policy.decide(scores), part)
            for part, scores in zip(
                inner, scorer.scores([(reading.text(part), claim) for part in inner]), strict=True
            )
        ]
        if size == 1 and {Relation.SUPPORTS, Relation.CONTRADICTS} <= {d.relation for d, _ in decided}:
            return None
        found = [(d.confidence, part) for d, part in decided if d.relation is relation]
        if found:
            confidence, part = max(found, key=lambda item: (item[0], -item[1].start))
            return reading.span(part), confidence
    return reading.span(run), 1.0


def _abstained(
    passage: PassageProjection, reason: str, why: str, relation: Relation = Relation.INSUFFICIENT
) -> Assessment:
    return Assessment(passage.passage_id, relation, 0.0, reason, why)


def _where(reading: _Reading) -> str:
    if len(reading.runs) == 1:
        return ""
    return f"; read in {len(reading.runs)} overlapping windows, {WINDOW_CAVEAT}"


def _sentence(reason: str) -> str:
    text = REASONS[reason]
    return text[:1].upper() + text[1:]
