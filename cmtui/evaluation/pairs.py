"""Claim and premise pairs: how often inference decides, and how often it is right when it does.

Three classes: SUPPORTS, CONTRADICTS, and neither. RELATED and INSUFFICIENT are both "neither": to abstain is
an answer (R91, R100). Precision is null where nothing was decided, recall where nothing was there to find.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cmtui.errors import InvalidRequest
from cmtui.evaluation.decisions import DECIDED, Decided, calibration, per_class
from cmtui.evaluation.measures import macro_f1, share
from cmtui.model.claim import Relation
from cmtui.model.progress import Progress, ProgressCallback, no_progress
from cmtui.model.retrieval import PassageProjection
from cmtui.output import JsonObject
from cmtui.ports import InferenceBackend

#: Labels of the data and the classes they are counted as.
LABELS = {"SUPPORT": "SUPPORTS", "CONTRADICT": "CONTRADICTS", "NEUTRAL": "NEUTRAL"}
CLASSES = ("SUPPORTS", "CONTRADICTS", "NEUTRAL")
#: The share of ids, in percent, that rules may be tuned on.
TUNE_PERCENT = 70
SPLITS = ("all", "tune", "held-out")


@dataclass(frozen=True, slots=True)
class Pair:
    """A claim, one premise, and the class a person gave them."""

    claim: str
    premise: str
    gold: str
    #: The row's id, or the digest of its texts where it has none: what the split goes by.
    pair_id: str = ""

    @property
    def split(self) -> str:
        """``tune`` for 70 % of ids by SHA-256, else ``held-out``."""
        digest = hashlib.sha256((self.pair_id or f"{self.claim}\n{self.premise}").encode("utf-8"))
        return "tune" if int(digest.hexdigest()[:8], 16) % 100 < TUNE_PERCENT else "held-out"


def read_pairs(path: Path, *, limit: int | None = None, split: str = "all") -> Iterator[Pair]:
    """The rows ``{claim, premise, label, id?}`` of a JSON-lines file in ``split``, at most ``limit``.

    Raises InvalidRequest with the line (1-based) of a row that cannot be read.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        raise InvalidRequest(f"There is no file '{path}'.", "Check the path.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidRequest(f"'{path}' cannot be read as UTF-8 text: {error}.", "Check the file.") from None
    taken = 0
    for number, line in enumerate(lines, 1):
        if limit is not None and taken >= limit:
            return
        if line.strip():
            pair = _pair(line, f"'{path}', line {number}")
            if split in ("all", pair.split):
                yield pair
                taken += 1


def _pair(line: str, where: str) -> Pair:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise InvalidRequest(f"{where}: this is not JSON ({error}).", "One object a line.") from None
    values = [row.get(key) if isinstance(row, dict) else None for key in ("claim", "premise", "label")]
    if not all(isinstance(value, str) for value in values) or values[2] not in LABELS:
        raise InvalidRequest(
            f"{where}: not a row of claim, premise and label.",
            f"Labels are {', '.join(LABELS)}.",
        )
    named = row.get("id")
    return Pair(str(values[0]), str(values[1]), LABELS[str(values[2])], "" if named is None else str(named))


def predict(
    backend: InferenceBackend, pairs: Iterable[Pair], *, progress: ProgressCallback = no_progress
) -> Iterator[Decided]:
    """Gold and predicted class of each pair; the backend sees the claim and one passage, as in the engine."""
    for number, pair in enumerate(pairs):
        progress(Progress("pairs", "", number))
        [answer] = backend.assess(pair.claim, [PassageProjection("premise#0", pair.premise)])
        decided = answer.relation in (Relation.SUPPORTS, Relation.CONTRADICTS)
        yield Decided(pair.gold, answer.relation.value if decided else "NEUTRAL", answer.confidence)


def score(outcomes: Sequence[Decided]) -> JsonObject:
    """The figures.

    ``accuracy`` is over all pairs and three classes; ``macro_f1`` is the mean F1 of the classes that occur
    (0 for one that is there and never found); ``decided`` counts the pairs called SUPPORTS or CONTRADICTS,
    and ``decided_accuracy`` is the share of these that is right.
    """
    pairs = [(row.gold, row.predicted) for row in outcomes]
    right = Counter(g for g, p in pairs if g == p)
    decided = [row for row in outcomes if row.predicted in DECIDED]
    return {
        "pairs": len(pairs),
        "decided": len(decided),
        "accuracy": share(sum(right.values()), len(pairs)),
        "macro_f1": macro_f1(pairs, CLASSES),
        "per_class": per_class(outcomes),
        "decided_accuracy": share(sum(1 for row in decided if row.gold == row.predicted), len(decided)),
        "calibration": calibration(outcomes),
    }
