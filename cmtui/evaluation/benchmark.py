"""The seven modes of D13 over the frozen fixture: retrieval alone, and evidence end to end (R140 to R146,
R188).

Nothing in a report depends on time, paths or hashing order: two runs with the same models give equal bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from cmtui.errors import CmtuiError
from cmtui.evaluation.fixture import DOMAINS, Fixture, FixturePair, FixtureQuery
from cmtui.evaluation.library import LabelledLibrary, ingested
from cmtui.evaluation.measures import f1, macro_f1, recall_at, reciprocal_rank, share
from cmtui.model.claim import CAVEAT as RELATION_CAVEAT
from cmtui.model.claim import EvidenceSpanIdentity, Finding, Relation
from cmtui.model.progress import Progress, ProgressCallback, no_progress
from cmtui.model.retrieval import PassageProjection
from cmtui.output import JsonObject, significant
from cmtui.ports import InferenceBackend, SemanticIndex

#: The modes in the order of the report (D13). Learned ones are null in a run without models.
RETRIEVAL_MODES = ("lexical", "semantic-local", "hybrid-local", "semantic-learned", "hybrid-learned")
END_TO_END_MODES = ("end-to-end-local", "end-to-end-learned")
MODES = RETRIEVAL_MODES + END_TO_END_MODES

DEPTHS = (1, 3, 5)
#: What the gate asks, declared before any model was run (R146).
GATE_GAIN = 0.10

GATE_CAVEAT = (
    "The gate compares two figures on one small set of this project's own. Passing it does not certify "
    "general semantic reliability."
)
CAVEATS = (
    "A compact engineering regression set, written by this project: not a test of generalisation.",
    RELATION_CAVEAT,
    "Thresholds are uncalibrated; measure on your own domain. An exact quote can still be misread.",
    GATE_CAVEAT,
)
FOUR = tuple(relation.value for relation in Relation)
THREE = ("SUPPORTS", "CONTRADICTS", "NEITHER")


@dataclass(frozen=True, slots=True)
class Models:
    """The learned parts of a run. None: their modes are not run."""

    index: SemanticIndex | None = None
    inference: InferenceBackend | None = None
    #: What is printed of the models: name and revision or digest of each.
    description: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class _Answer:
    """What one retrieval mode answered to one query. ``error`` stands for no ranking at all."""

    query: FixtureQuery
    ranking: tuple[str, ...] = ()
    error: str | None = None

    @property
    def relevant(self) -> frozenset[str]:
        return frozenset(gold.passage for gold in self.query.gold)

    def recall(self, depth: int) -> float:
        return recall_at(self.ranking, self.relevant, depth)

    @property
    def reciprocal(self) -> float:
        return reciprocal_rank(self.ranking, self.relevant)


@dataclass(frozen=True, slots=True)
class _Case:
    """What evidence was found for one query. ``findings`` are the supporting ones: (passage, exact gold)."""

    query: FixtureQuery
    findings: tuple[tuple[str, bool], ...] = ()
    error: str | None = None

    @property
    def exact(self) -> bool:
        return self.error is None and any(exact for _, exact in self.findings)

    @property
    def strict(self) -> bool:
        """All that was found is right, and what is there was found; an error is a failure (R145)."""
        if self.error is not None:
            return False
        if not self.query.answerable:
            return not self.findings
        return self.exact and all(exact for _, exact in self.findings)


@dataclass(frozen=True, slots=True)
class _Judgement:
    """The relation a backend gave a fixed pair; None for an error."""

    pair: FixturePair
    relation: str | None


def run_benchmark(
    fixture: Fixture,
    models: Models | None = None,
    *,
    modes: Collection[str] = MODES,
    progress: ProgressCallback = no_progress,
) -> JsonObject:
    """The whole report. A query or pair that fails is counted as an error and stays in every denominator.

    Modes that are not among ``modes``, and learned ones without their model, are null.
    """
    models = models or Models()
    library = ingested([(p.passage_id, p.text) for p in fixture.passages])
    learned = models.index is not None
    runs: dict[str, list[_Answer] | None] = {}
    for mode in RETRIEVAL_MODES:
        wanted = mode in modes and (learned or not mode.endswith("learned"))
        runs[mode] = _retrieve(library, fixture, mode, models, progress) if wanted else None
    body: dict[str, JsonObject | None] = {
        mode: None if answers is None else _retrieval_mode(answers) for mode, answers in runs.items()
    }
    backends = {"end-to-end-local": library.machine.inference, "end-to-end-learned": models.inference}
    for mode, inference in backends.items():
        index = models.index if mode.endswith("learned") else None
        body[mode] = (
            None
            if inference is None or mode not in modes
            else _end_to_end(library, fixture, index, inference, progress)
        )
    return {
        "fixture": {
            "name": "semantic_regression",
            "sha256": fixture.sha256,
            "passages": len(fixture.passages),
            "queries": len(fixture.queries),
            "answerable": sum(1 for q in fixture.queries if q.answerable),
            "no_answer": sum(1 for q in fixture.queries if not q.answerable),
            "pairs": len(fixture.pairs),
        },
        "models": None if models.description is None else dict(models.description),
        "modes": {mode: body[mode] for mode in MODES},
        "not_run": [mode for mode in MODES if body[mode] is None],
        "gains": _gains(runs),
        "gate": gate(body),
        "caveats": list(CAVEATS),
    }


def gate(modes: Mapping[str, JsonObject | None]) -> JsonObject:
    """Whether learned semantic or hybrid retrieval gains enough over lexical; null when it was not run
    (R146).
    """
    lexical = modes["lexical"]
    rows: JsonObject = {}
    for mode in ("semantic-learned", "hybrid-learned"):
        body = modes[mode]
        if body is None or lexical is None:
            rows[mode] = None
            continue
        figures, base = body["retrieval"], lexical["retrieval"]
        gain, mrr = figures["recall_3"] - base["recall_3"], figures["mrr"] - base["mrr"]
        rows[mode] = {
            "recall_3_gain": significant(gain),
            "mrr_gain": significant(mrr),
            "passed": gain >= GATE_GAIN - 1e-6 and mrr >= 0.0,
        }
    ran = [row for row in rows.values() if row is not None]
    return {
        "rule": f"learned semantic or hybrid Recall@3 >= lexical + {GATE_GAIN:.2f}, and MRR >= lexical",
        "passed": any(row["passed"] for row in ran) if ran else None,
        **rows,
        "caveat": GATE_CAVEAT,
    }


# -- retrieval ----------------------------------------------------------------------------------------


def _retrieve(
    library: LabelledLibrary, fixture: Fixture, mode: str, models: Models, progress: ProgressCallback
) -> list[_Answer]:
    machine, everything = library.machine, len(fixture.passages)
    index = models.index if mode.endswith("learned") else None
    kind = mode.partition("-")[0]

    def search(query: str) -> list[str]:
        if kind == "lexical":
            return library.ranking(machine.search(query, limit=everything))
        if kind == "semantic":
            return library.ranking(machine.semantic_search(query, limit=everything, index=index))
        return library.ranking(machine.hybrid_search(query, limit=everything, index=index))

    answers: list[_Answer] = []
    for number, query in enumerate(fixture.queries):
        progress(Progress("benchmark", mode, number, len(fixture.queries)))
        try:
            answers.append(_Answer(query, tuple(search(query.query))))
        except CmtuiError as error:
            answers.append(_Answer(query, error=type(error).__name__))
    return answers


def _retrieval_mode(answers: Sequence[_Answer]) -> JsonObject:
    """Retrieval figures; what retrieval alone cannot know is null (R144)."""

    def figures(rows: Sequence[_Answer]) -> JsonObject:
        asked = [row for row in rows if row.query.answerable]
        return {
            "queries": len(asked),
            **{f"recall_{k}": share(sum(row.recall(k) for row in asked), len(asked)) for k in DEPTHS},
            **{f"hit_{k}": share(sum(1 for row in asked if row.recall(k) > 0), len(asked)) for k in DEPTHS},
            "mrr": share(sum(row.reciprocal for row in asked), len(asked)),
        }

    return {
        "retrieval": figures(answers),
        "pairs": None,
        "evidence": None,
        "errors": sum(1 for row in answers if row.error),
        "per_domain": {
            domain: {
                "retrieval": figures([row for row in answers if row.query.domain == domain]),
                "pairs": None,
                "evidence": None,
            }
            for domain in DOMAINS
        },
        "ranks": {row.query.query_id: _first_rank(row) for row in answers if row.query.answerable},
    }


def _first_rank(row: _Answer) -> int | None:
    return next((place for place, key in enumerate(row.ranking, 1) if key in row.relevant), None)


def _gains(runs: Mapping[str, Sequence[_Answer] | None]) -> JsonObject:
    """Each mode against another on the same queries: differences, and how many got better or worse."""
    compared = (
        ("semantic-local", "lexical"),
        ("hybrid-local", "lexical"),
        ("semantic-learned", "lexical"),
        ("hybrid-learned", "lexical"),
        ("semantic-learned", "semantic-local"),
        ("hybrid-learned", "hybrid-local"),
    )
    return {f"{mode} over {base}": _gain(runs[mode], runs[base]) for mode, base in compared}


def _gain(answers: Sequence[_Answer] | None, base: Sequence[_Answer] | None) -> JsonObject | None:
    if answers is None or base is None:
        return None
    pairs = [(a, b) for a, b in zip(answers, base, strict=True) if a.query.answerable]
    return {
        **{
            f"recall_{k}": share(sum(a.recall(k) - b.recall(k) for a, b in pairs), len(pairs)) for k in DEPTHS
        },
        "mrr": share(sum(a.reciprocal - b.reciprocal for a, b in pairs), len(pairs)),
        "better": sum(1 for a, b in pairs if a.reciprocal > b.reciprocal),
        "equal": sum(1 for a, b in pairs if a.reciprocal == b.reciprocal),
        "worse": sum(1 for a, b in pairs if a.reciprocal < b.reciprocal),
    }


# -- end to end ---------------------------------------------------------------------------------------


def _end_to_end(
    library: LabelledLibrary,
    fixture: Fixture,
    index: SemanticIndex | None,
    inference: InferenceBackend,
    progress: ProgressCallback,
) -> JsonObject:
    cases: list[_Case] = []
    for number, query in enumerate(fixture.queries):
        progress(Progress("benchmark", "evidence", number, len(fixture.queries)))
        try:
            found = library.machine.find_evidence(
                query.claim,
                retrieval_query=query.query,
                limit=len(fixture.passages),
                index=index,
                inference=inference,
                save=False,
            )
            cases.append(_Case(query, tuple(_checked(library, query, finding) for finding in found)))
        except CmtuiError as error:
            cases.append(_Case(query, error=type(error).__name__))
    judgements: list[_Judgement] = []
    for number, pair in enumerate(fixture.pairs):
        progress(Progress("benchmark", "pairs", number, len(fixture.pairs)))
        try:
            [answer] = inference.assess(
                pair.claim, [PassageProjection(pair.passage, fixture.text(pair.passage))]
            )
            judgements.append(_Judgement(pair, answer.relation.value))
        except CmtuiError:
            judgements.append(_Judgement(pair, None))
    return {
        "retrieval": None,
        "pairs": _pairs(judgements),
        "evidence": _evidence(cases),
        "errors": sum(1 for c in cases if c.error) + sum(1 for j in judgements if j.relation is None),
        "per_domain": {
            domain: {
                "retrieval": None,
                "pairs": _pairs([j for j in judgements if j.pair.domain == domain]),
                "evidence": _evidence([c for c in cases if c.query.domain == domain]),
            }
            for domain in DOMAINS
        },
        "outcomes": {case.query.query_id: _outcome(case) for case in cases},
        "backend": inference.name,
    }


def _checked(library: LabelledLibrary, query: FixtureQuery, finding: Finding) -> tuple[str, bool]:
    """The passage of a supporting finding, and whether it is a gold span, read back exactly."""
    passage = library.keys[finding.document_id]
    evidence = finding.evidence
    exact = (
        isinstance(evidence, EvidenceSpanIdentity)
        and library.machine.reconstruct(evidence) == evidence.text
        and any(
            gold.passage == passage and gold.span == evidence.span and gold.text == evidence.text
            for gold in query.gold
        )
    )
    return passage, exact


def _evidence(cases: Sequence[_Case]) -> JsonObject:
    answerable = [case for case in cases if case.query.answerable]
    silent = [case for case in cases if not case.query.answerable]
    return {
        "exact_span": share(sum(1 for c in answerable if c.exact), len(answerable)),
        "strict_end_to_end": share(sum(1 for c in cases if c.strict), len(cases)),
        "strict_answerable": share(sum(1 for c in answerable if c.strict), len(answerable)),
        "no_answer_abstention": share(sum(1 for c in silent if c.strict), len(silent)),
        "supporting_findings": sum(len(c.findings) for c in cases),
        "wrong_supporting_findings": sum(1 for c in cases for _, exact in c.findings if not exact),
        "cases": len(cases),
        "errors": sum(1 for c in cases if c.error),
    }


def _outcome(case: _Case) -> str:
    if case.error is not None:
        return f"error: {case.error}"
    if not case.findings:
        return "nothing found" if case.query.answerable else "abstained"
    if case.strict:
        return "exact"
    gold = {g.passage for g in case.query.gold}
    if case.exact:
        return "exact and wrong"
    return "other span" if all(passage in gold for passage, _ in case.findings) else "wrong passage"


def _pairs(judgements: Sequence[_Judgement]) -> JsonObject:
    """Fixed pairs over the four relations, and over three where nothing turns on RELATED or INSUFFICIENT."""
    four = [(j.pair.label.value, j.relation or "ERROR") for j in judgements]
    three = [(_three(g), _three(p)) for g, p in four]
    gold, predicted = Counter(g for g, _ in four), Counter(p for _, p in four)
    right = Counter(g for g, p in four if g == p)
    return {
        "pairs": len(four),
        "accuracy": share(sum(right.values()), len(four)),
        "macro_f1": macro_f1(four, FOUR),
        "accuracy_three_way": share(sum(1 for g, p in three if g == p), len(three)),
        "macro_f1_three_way": macro_f1(three, THREE),
        "per_class": {c: f1(right[c], predicted[c], gold[c]) for c in FOUR},
        "errors": predicted["ERROR"],
    }


def _three(relation: str) -> str:
    return "NEITHER" if relation in ("RELATED", "INSUFFICIENT") else relation
