"""The trail of a store: what happened, by whom, and whether the logs and the layers still hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cmtui.model.review import Json
from cmtui.model.selectors import Span
from cmtui.model.verification import LayerCheck

#: Who stands for what the program recorded itself.
ENGINE = "engine"


@dataclass(frozen=True, slots=True)
class AuditEvent:
    """One thing that the store holds a record of.

    ``time`` is UTC (ISO 8601), None where the store never wrote one. ``event`` is ``finding.accepted``,
    ``source.ingested``, ``claim.evaluated`` and so on; ``object`` is the full id of what it concerns and
    ``name`` its name for people. The ids say where ``enter`` leads. ``record`` is the whole line of a
    reviewer's log; empty for what the store shows in another way.
    """

    time: str | None
    actor: str
    event: str
    object: str
    name: str
    detail: str = ""
    document_id: str = ""
    source_id: str = ""
    evidence_id: str = ""
    claim_id: str = ""
    record: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LogChain:
    """The hash chain of one reviewer's log: how many events, and what is wrong with it (empty when whole)."""

    reviewer: str
    events: int
    problem: str = ""

    @property
    def ok(self) -> bool:
        """Whether every line follows the one before it."""
        return not self.problem


@dataclass(frozen=True, slots=True)
class AuditTrail:
    """Everything the store can truthfully say of what happened, newest first, and the state of its logs."""

    events: tuple[AuditEvent, ...]
    chains: tuple[LogChain, ...]

    @property
    def whole(self) -> bool:
        """Whether every log's chain holds."""
        return all(chain.ok for chain in self.chains)


@dataclass(frozen=True, slots=True)
class IdentityLayer:
    """One layer as it is shown: its digest, what it is made of, and its check."""

    check: LayerCheck
    digest: str
    about: str


@dataclass(frozen=True, slots=True)
class IdentityReport:
    """The layers of an evidence id (four) or of a document (three), each recomputed now.

    ``text`` is the exact text of the span, empty for a document.
    """

    subject: str
    layers: tuple[IdentityLayer, ...]
    text: str = ""
    span: Span | None = None

    @property
    def ok(self) -> bool:
        """Whether every layer verified."""
        return all(layer.check.ok for layer in self.layers)


@dataclass(frozen=True, slots=True)
class StoreCheck:
    """All sources and all evidence verified: how many of each, and a sentence for everything that failed."""

    documents: int
    evidence: int
    problems: tuple[str, ...]
    cancelled: bool = False
