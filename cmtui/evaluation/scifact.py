"""SciFact: retrieval over its abstracts as in BEIR, and its claims with rationales (Wadden et al. 2020).

Labels and abstracts are the work of others: they are read where they lie and never copied here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cmtui.errors import InvalidRequest
from cmtui.evaluation.library import LabelledLibrary, committed
from cmtui.evaluation.measures import ndcg_at, recall_at, reciprocal_rank, share
from cmtui.evaluation.ranking import Ranker
from cmtui.model.progress import Progress, ProgressCallback, no_progress
from cmtui.model.selectors import Span
from cmtui.output import JsonObject

CORPUS = "scifact_corpus.jsonl"
QUERIES = "scifact_beir_queries.jsonl"
JUDGEMENTS = "scifact_beir_test_qrels.tsv"
CLAIMS = "scifact_claims_dev_a.jsonl"

DEPTHS = (1, 3, 5, 10, 100)
_RELATION = {"SUPPORT": "SUPPORTS", "CONTRADICT": "CONTRADICTS"}


@dataclass(frozen=True, slots=True)
class Abstract:
    """One document: what is indexed is its title and its sentences."""

    doc_id: str
    title: str
    sentences: tuple[str, ...]

    @property
    def indexed(self) -> str:
        """Title and abstract, as BEIR concatenates them."""
        return f"{self.title}\n{self.body}"

    @property
    def body(self) -> str:
        """The abstract alone: what inference reads."""
        return " ".join(self.sentences)

    def spans(self) -> list[Span]:
        """Where each sentence stands in ``body``."""
        found: list[Span] = []
        at = 0
        for sentence in self.sentences:
            found.append(Span(at, at + len(sentence)))
            at += len(sentence) + 1
        return found


@dataclass(frozen=True, slots=True)
class Rationale:
    """Sentences of one abstract that together support or contradict a claim."""

    doc_id: str
    sentences: frozenset[int]
    relation: str


@dataclass(frozen=True, slots=True)
class SciFactClaim:
    """A claim with its rationales; none for a claim without evidence."""

    claim_id: str
    text: str
    rationales: tuple[Rationale, ...]


@dataclass(frozen=True, slots=True)
class SciFact:
    """What is read of the folder."""

    abstracts: tuple[Abstract, ...]
    queries: Mapping[str, str]
    judgements: Mapping[str, Mapping[str, float]]
    claims: tuple[SciFactClaim, ...]

    def library(self) -> LabelledLibrary:
        """The engine over all abstracts."""
        return committed((abstract.doc_id, abstract.indexed) for abstract in self.abstracts)

    def subset(self, documents: int, queries: int, claims: int) -> SciFact:
        """The first judged queries and claims with their abstracts, and others up to ``documents``."""
        kept = dict(list(self.judgements.items())[:queries])
        chosen = self.claims[:claims]
        wanted = {doc for judged in kept.values() for doc in judged}
        wanted |= {rationale.doc_id for claim in chosen for rationale in claim.rationales}
        others = [a.doc_id for a in self.abstracts if a.doc_id not in wanted]
        wanted |= set(others[: max(0, documents - len(wanted))])
        abstracts = tuple(a for a in self.abstracts if a.doc_id in wanted)
        return SciFact(abstracts, self.queries, kept, chosen)


def read_scifact(folder: Path, claims: Path | None = None) -> SciFact:
    """The set in ``folder``, with the claims of another file when one is named. Raises InvalidRequest."""
    rows = _rows(folder / CORPUS)
    try:
        abstracts = tuple(Abstract(str(row["doc_id"]), row["title"], tuple(row["sentences"])) for row in rows)
        queries = {str(row["_id"]): str(row["text"]) for row in _rows(folder / QUERIES)}
        judgements = _judgements(folder / JUDGEMENTS)
        stated = tuple(_claim(row) for row in _rows(claims or folder / CLAIMS))
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidRequest(
            f"A row in '{folder}' is not as expected: {type(error).__name__} {error}.",
            "Take the files of the labelled sets as they are.",
        ) from None
    return SciFact(abstracts, queries, judgements, stated)


def retrieval_figures(
    data: SciFact, ranker: Ranker, modes: Sequence[str], *, progress: ProgressCallback = no_progress
) -> JsonObject:
    """nDCG@10, MRR (over 100 ranks) and recall per mode, over every judged query."""
    count = len(data.judgements)
    names = ("ndcg_10", "mrr", *(f"recall_{depth}" for depth in DEPTHS))
    sums = {mode: dict.fromkeys(names, 0.0) for mode in modes}
    for number, (query, gains) in enumerate(data.judgements.items()):
        progress(Progress("scifact", "queries", number, count))
        for mode in modes:
            ranking = ranker.ranking(mode, data.queries[query], limit=max(DEPTHS))
            total = sums[mode]
            total["ndcg_10"] += ndcg_at(ranking, gains, 10)
            total["mrr"] += reciprocal_rank(ranking, gains)
            for depth in DEPTHS:
                total[f"recall_{depth}"] += recall_at(ranking, gains, depth)
    body: JsonObject = {
        mode: {**{name: share(value, count) for name, value in total.items()}, "queries": count}
        for mode, total in sums.items()
    }
    return body


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise InvalidRequest(
                f"'{path}', line {number}: this is not JSON ({error}).", "One object a line."
            ) from None
        yield row


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InvalidRequest(
            f"There is no file '{path}'.", "--data is the folder with the SciFact files."
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidRequest(f"'{path}' cannot be read as UTF-8 text: {error}.", "Check the file.") from None


def _judgements(path: Path) -> dict[str, dict[str, float]]:
    judged: dict[str, dict[str, float]] = {}
    for line in _text(path).splitlines()[1:]:
        query, document, score = line.split("\t")
        if float(score) > 0:
            judged.setdefault(query, {})[document] = float(score)
    return judged


def _claim(row: Mapping[str, Any]) -> SciFactClaim:
    rationales = tuple(
        Rationale(str(e["doc_id"]), frozenset(e["sentences"]), _RELATION[e["label"]]) for e in row["evidence"]
    )
    return SciFactClaim(str(row["id"]), row["claim"], rationales)
