"""What the doctor says of a store: every layer, file by file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Health(StrEnum):
    """The state of one file."""

    OK = "ok"
    DAMAGED = "damaged"  # it is not what was written
    MISSING = "missing"  # something that is there needs it
    EMPTY = "empty"  # nothing is left of it
    UNREFERENCED = "unreferenced"  # nothing needs it
    STALE = "stale"  # behind what it is derived from


#: The states in which something is lost that cannot be made again from the rest of the store.
LOSSES = frozenset({Health.DAMAGED, Health.MISSING, Health.EMPTY})


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """One file of one layer. ``path`` is relative to the store; ``advice`` says what to do.

    ``repairable`` says that ``doctor --repair`` can put it right without touching what is not derived.
    """

    layer: str
    path: str
    status: Health
    sentence: str = ""
    advice: str = ""
    repairable: bool = False


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """Every check, in the order of layers. ``digest`` names the algorithm all digests were made with.

    ``repaired`` says what was put right, a sentence each; the checks are those made afterwards.
    """

    checks: tuple[HealthCheck, ...]
    digest: str
    repaired: tuple[str, ...] = ()

    @property
    def problems(self) -> tuple[HealthCheck, ...]:
        """Everything that is not ok."""
        return tuple(check for check in self.checks if check.status is not Health.OK)

    @property
    def healthy(self) -> bool:
        """Whether nothing is damaged, missing or empty; leftovers and stale derived data do no harm."""
        return not any(check.status in LOSSES for check in self.checks)

    @property
    def counts(self) -> Mapping[str, Mapping[str, int]]:
        """How many files of each layer are in each state."""
        counted: dict[str, dict[str, int]] = {}
        for check in self.checks:
            layer = counted.setdefault(check.layer, {})
            layer[check.status.value] = layer.get(check.status.value, 0) + 1
        return counted
