"""Exa's answers, strictly read: every row or none (R44 to R47, R49, R53).

What Exa sends is a list of leads. Of the texts it sends along, the first highlight is kept as something to be
looked for in the captured source; everything else that could pass for a quotation is discarded (R45).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from cmtui.discovery.jsonlike import NotJsonLike, clean_text, json_like
from cmtui.model.discovery import CandidateHighlight, DiscoveryCandidate, DiscoveryMetadata

PROVIDER = "exa"

#: Keys that hold text of the source (or made of it), in whatever spelling and at whatever depth.
_CONTENT = frozenset(
    {
        "text",
        "fulltext",
        "highlight",
        "highlights",
        "highlightscores",
        "summary",
        "summaries",
        "content",
        "contents",
        "snippet",
        "snippets",
        "markdown",
        "html",
        "output",
        "context",
    }
)
#: What has a field of its own on DiscoveryMetadata, or is the list of rows.
_NAMED = frozenset({"id", "url", "title", "score"})
#: Suffixes of URL paths that promise a kind (R55); every other URL is taken for text.
_SUFFIXES = {".pdf": "pdf", ".epub": "epub", ".md": "markdown", ".markdown": "markdown"}


class MalformedAnswer(ValueError):
    """The answer is not of Exa's form. The message says where, and holds nothing of the payload."""


def candidates_of(
    answer: Any, *, query: str, limit: int, discovered_at: str
) -> tuple[DiscoveryCandidate, ...]:
    """The candidates of an answer in Exa's order, with 1-based ranks. Raises MalformedAnswer."""
    if not isinstance(answer, Mapping):
        raise MalformedAnswer(f"the answer is a {type(answer).__name__} and no mapping")
    rows = answer.get("results")
    if not isinstance(rows, (list, tuple)):
        raise MalformedAnswer("the answer has no list 'results'")
    if len(rows) > limit:
        raise MalformedAnswer(f"{len(rows)} results came where at most {limit} were asked for")
    rest = {key: value for key, value in answer.items() if key != "results"}
    response = _plain(rest, "the answer")
    return tuple(
        _candidate(row, rank, query=query, response=response, discovered_at=discovered_at)
        for rank, row in enumerate(rows, start=1)
    )


def kind_of_url(url: str) -> str:
    """The kind that the path of a URL promises: pdf, epub, markdown, else text (R55)."""
    try:
        path = urlsplit(url).path.lower()
    except ValueError:
        return "text"
    return next((kind for suffix, kind in _SUFFIXES.items() if path.endswith(suffix)), "text")


def _candidate(
    row: Any, rank: int, *, query: str, response: dict[str, Any], discovered_at: str
) -> DiscoveryCandidate:
    where = f"result {rank}"
    if not isinstance(row, Mapping):
        raise MalformedAnswer(f"{where} is a {type(row).__name__} and no mapping")
    url = _string(row, "url", where)
    if url is None or not _is_web(url):
        raise MalformedAnswer(f"{where} has no http or https URL")
    metadata = {key: value for key, value in row.items() if key not in _NAMED}
    return DiscoveryCandidate(
        source_kind=kind_of_url(url),
        discovery=DiscoveryMetadata(
            provider=PROVIDER,
            candidate_id=_string(row, "id", where) or url,
            url=url,
            title=_string(row, "title", where),
            query=query,
            rank=rank,
            score=_score(row, where),
            discovered_at=discovered_at,
            result_metadata=_plain(metadata, where),
            response_metadata=response,
        ),
        highlight=_highlight(row, where),
    )


def _string(row: Mapping[str, Any], key: str, where: str) -> str | None:
    value = row.get(key)
    if value is not None and not isinstance(value, str):
        raise MalformedAnswer(f"'{key}' of {where} is a {type(value).__name__} and no text")
    return clean_text(value).strip() or None if value is not None else None


def _score(row: Mapping[str, Any], where: str) -> float | None:
    value = row.get("score")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise MalformedAnswer(f"'score' of {where} is a {type(value).__name__} and no number")
    if value != value or value in (float("inf"), float("-inf")):
        raise MalformedAnswer(f"'score' of {where} is no finite number")
    return float(value)


def _highlight(row: Mapping[str, Any], where: str) -> CandidateHighlight | None:
    """The first highlight, without an offset: Exa gives none in the captured bytes (R45)."""
    texts = row.get("highlights")
    if texts is None:
        return None
    if not isinstance(texts, (list, tuple)) or not all(isinstance(text, str) for text in texts):
        raise MalformedAnswer(f"'highlights' of {where} is no list of texts")
    return CandidateHighlight(texts[0]) if texts and texts[0].strip() else None


def _is_web(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme.lower() in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False


def _plain(values: Mapping[Any, Any], where: str) -> dict[str, Any]:
    try:
        plain: dict[str, Any] = json_like(values, drop=_is_content, where=where)
    except NotJsonLike as error:
        raise MalformedAnswer(str(error)) from None
    return plain


def _is_content(key: str) -> bool:
    return key.lower().replace("_", "").replace("-", "") in _CONTENT
