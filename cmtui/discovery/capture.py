"""Capture: the complete bytes behind a URL, checked and kept exact (R54 to R66)."""

from __future__ import annotations

from cmtui.discovery.addresses import AddressPolicy
from cmtui.discovery.answers import MEDIA_TYPES, check_answer
from cmtui.discovery.exa_answers import kind_of_url
from cmtui.errors import CaptureValidationError, CmtuiError, InvalidRequest, ProviderUnreachable
from cmtui.model.discovery import CapturedSource, DiscoveryCandidate, DiscoveryMetadata
from cmtui.model.progress import CancelledCallback, never_cancelled
from cmtui.ports import Fetcher

#: Seconds for one capture, and bytes of one document (R50, R63).
TIMEOUT = 30.0
MAX_RESPONSE_BYTES = 4 * 1024 * 1024


class WebCapture:
    """Captures what a candidate's URL serves (``cmtui.ports.CitationAcquisitionAdapter``).

    ``fetcher`` replaces the default one; its answers are checked all the same (R65). ``policy`` says where
    the default one may go.
    """

    def __init__(
        self,
        *,
        fetcher: Fetcher | None = None,
        policy: AddressPolicy | None = None,
        timeout: float = TIMEOUT,
        max_response_bytes: int = MAX_RESPONSE_BYTES,
        cancelled: CancelledCallback = never_cancelled,
    ) -> None:
        self._fetcher = fetcher
        self._policy = policy
        self._timeout = timeout
        self._max_bytes = max_response_bytes
        self._cancelled = cancelled

    def capture(self, candidate: DiscoveryCandidate) -> CapturedSource:
        """The exact bytes. Raises CaptureValidationError, ProviderError, Cancelled."""
        url = candidate.discovery.url
        kind = str(candidate.source_kind)
        if kind not in MEDIA_TYPES:
            raise InvalidRequest(
                f"There is no kind of source called '{kind}'.", "The kinds are pdf, epub, markdown and text."
            )
        if not url:
            raise CaptureValidationError(
                "The candidate has no URL, so there is nothing to capture.", "Choose another.", rule="url"
            )
        try:
            answer = self._fetch().fetch(url, timeout=self._timeout, max_response_bytes=self._max_bytes)
        except CmtuiError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever an injected fetcher raises
            raise ProviderUnreachable(
                f"The fetcher failed ({type(error).__name__}).",
                "Check the address and the network.",
                provider="web",
                attempts=1,
            ) from None
        content, media_type, declared = check_answer(answer, kind=kind, url=url, limit=self._max_bytes)
        asked = answer.get("url")
        return CapturedSource(
            content,
            kind,
            url=asked if isinstance(asked, str) and asked else url.partition("#")[0],
            media_type=media_type,
            length_declared=declared,
        )

    def _fetch(self) -> Fetcher:
        if self._fetcher is None:
            from cmtui.discovery.fetcher import WebFetcher

            self._fetcher = WebFetcher(self._policy, cancelled=self._cancelled)
        return self._fetcher


def candidate_of_url(url: str, *, kind: str | None = None) -> DiscoveryCandidate:
    """A candidate for a URL that a person gave; its kind by the suffix unless it is stated (R55, R56)."""
    text = url.strip()
    return DiscoveryCandidate(
        source_kind=kind or kind_of_url(text),
        discovery=DiscoveryMetadata(provider="url", candidate_id=text, url=text),
    )
