"""The groups of settings below the top level. A new one takes its place in ``Settings`` too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cmtui.config.rules import Rule, setting
from cmtui.model.lookup import BRAVE, CROSSREF, DATACITE, EXA, SEMANTIC_SCHOLAR, ProviderSettings

#: Reasons offered after a rejection, in the order of the digits that pick them.
REJECT_REASONS = ("off-topic", "figurative", "wrong subject", "wrong relation", "other")

#: Where a decision moves the cursor: to the next finding without one, to the next row, or nowhere.
ADVANCE = ("undecided", "next")


@dataclass(frozen=True, slots=True)
class ReviewSettings:
    """How reviewing behaves: whether a decision moves on, and which reasons a rejection offers."""

    auto_advance: bool = setting(True, "Whether a decision moves the cursor on.")
    advance_to: str = setting("undecided", "Where a decision moves the cursor to.", choices=ADVANCE)
    reject_reasons: tuple[str, ...] = setting(
        REJECT_REASONS,
        "Reasons after a rejection, by digit.",
        most=9,
        example="[off-topic, figurative]",
    )


@dataclass(frozen=True, slots=True)
class SectionSettings:
    """The section pipeline (R161, R162, R169, R174, R178). Its names in the environment are CITATION_*."""

    min_score: float = setting(
        0.50, "The combined score that a candidate must exceed.", env="CITATION_MIN_SCORE", low=0, high=1
    )
    min_relevance: float = setting(
        0.16, "The least Jaccard relevance of a candidate.", env="CITATION_MIN_RELEVANCE", low=0, high=1
    )
    max_candidates: int = setting(
        12,
        "Candidates kept for each section.",
        env="CITATION_MAX_CANDIDATES_PER_SECTION",
        low=1,
        high=1000,
    )
    cache_ttl_days: int = setting(
        30, "Days for which an answer is reused.", env="CITATION_CACHE_TTL_DAYS", low=0, high=3650
    )
    min_count: int = setting(
        2, "Citations below which a document fails its gate.", env="CITATION_MIN_COUNT", low=0, high=1000
    )
    provider_timeout: float = setting(
        10.0,
        "Seconds that each provider has.",
        env="CITATION_PROVIDER_TIMEOUT_SECONDS",
        unit="seconds",
        above=0,
        high=600,
    )


@dataclass(frozen=True, slots=True)
class LearnedSettings:
    """Models of your own. Nothing is downloaded: each is a directory on this machine."""

    embedding_model: str | None = setting(
        None,
        "The directory of the embedding model that embed and --index learned use.",
        example="~/models/bge-small",
    )
    nli_model: str | None = setting(
        None,
        "The directory of the three-way model that --inference learned uses.",
        example="~/models/nli",
    )


#: Providers and how each is asked. A subclass of ProviderSettings may add fields of its own; describe them in
#: PROVIDER_RULES. The variable of ``providers.NAME.FIELD`` is ``CMTUI_NAME_FIELD``.
PROVIDERS: Mapping[str, ProviderSettings] = {
    "semantic_scholar": SEMANTIC_SCHOLAR,
    "crossref": CROSSREF,
    "brave": BRAVE,
    "exa": EXA,
    "datacite": DATACITE,
}

#: What the fields of a provider allow.
PROVIDER_RULES: Mapping[str, Rule] = {
    "base_url": Rule("Where the service is.", shape="url", example="https://host/path"),
    "deadline": Rule("Seconds for a whole exchange, retries included.", unit="seconds", above=0, high=600),
    "mailto": Rule("Your address, for the service's polite pool.", shape="e-mail"),
    "when": Rule(
        "When sections ask it: with the others, or when they gave nothing.", choices=("fallback", "parallel")
    ),
}

#: Secrets: named, so that ``config show`` can say whether each is set. No file ever holds one (R42), and no
#: value of one is ever printed.
SECRETS: Mapping[str, str] = {
    "EXA_API_KEY": "exa",
    "SEMANTIC_SCHOLAR_API_KEY": "semantic_scholar",
    "BRAVE_API_KEY": "brave",
}
