"""What the pipeline runs under: thresholds of the seed, and who is asked (R161, R162, R166, R174, R178)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from cmtui.errors import InvalidRequest

#: The structured databases and the web search, in the order in which answers are merged.
STRUCTURED = ("semantic_scholar", "crossref")
WEB = "brave"


@dataclass(frozen=True, slots=True)
class SectionOptions:
    """Settings of a run. A score must exceed ``min_score``, a relevance reach ``min_relevance`` (R161).

    ``web`` is ``fallback`` (Brave is asked when the databases gave nothing accepted) or ``parallel``.
    ``rows`` are asked of each provider. ``gate`` is ``fail`` or ``warn`` below ``min_count`` citations in a
    document. Raises InvalidRequest.
    """

    min_score: float = 0.50
    min_relevance: float = 0.16
    max_candidates: int = 12
    cache_ttl_days: int = 30
    min_count: int = 2
    web: str = "fallback"
    gate: str = "fail"
    rows: int = 12
    providers: tuple[str, ...] = (*STRUCTURED, WEB)

    def __post_init__(self) -> None:
        for name in ("min_score", "min_relevance"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise InvalidRequest(
                    f"The setting {name} is {getattr(self, name)}, not from 0 to 1.",
                    f"The default is {SectionOptions.__dataclass_fields__[name].default}.",
                )
        for name, low in (("max_candidates", 1), ("cache_ttl_days", 0), ("min_count", 0), ("rows", 1)):
            if getattr(self, name) < low:
                raise InvalidRequest(f"The setting {name} is below {low}.", f"Give {low} or more.")
        for name, known in (("web", ("fallback", "parallel")), ("gate", ("fail", "warn"))):
            if getattr(self, name) not in known:
                raise InvalidRequest(
                    f"The setting {name} cannot be '{getattr(self, name)}'.", f"It is {' or '.join(known)}."
                )
        unknown = sorted(set(self.providers) - {*STRUCTURED, WEB})
        if unknown or not self.providers:
            raise InvalidRequest(
                f"Sections cannot ask '{unknown[0] if unknown else ''}'.",
                f"The providers are {', '.join((*STRUCTURED, WEB))}.",
            )

    def as_json(self) -> Mapping[str, Any]:
        """The settings for the audit."""
        return asdict(self) | {"providers": list(self.providers)}
