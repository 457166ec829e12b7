"""What re-verification of an evidence identity answers, layer by layer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Layer(StrEnum):
    """The four layers of identity (R10)."""

    ARTIFACT = "artifact"
    VERSION = "version"
    CONTENT = "content"
    SPAN = "span"


@dataclass(frozen=True, slots=True)
class LayerCheck:
    """One layer recomputed: ``reason`` says what was compared, or why it failed."""

    layer: Layer
    ok: bool
    reason: str


@dataclass(frozen=True, slots=True)
class EvidenceCheck:
    """All layers of one evidence id. ``ok`` only when every layer is."""

    evidence_id: str
    layers: tuple[LayerCheck, ...]

    @property
    def ok(self) -> bool:
        """Whether every layer verified."""
        return all(layer.ok for layer in self.layers)
