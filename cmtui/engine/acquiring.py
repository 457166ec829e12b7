"""Acquiring sources from outside, on explicit command (D1, R67): search, capture, store, and receipts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cmtui.engine.core import MachineCore
from cmtui.engine.ingestion import CitationIngestionService, IngestOptions
from cmtui.errors import CmtuiError, InvalidRequest
from cmtui.model.discovery import AcquisitionReceipt, DiscoveryCandidate
from cmtui.model.identity import SourceKind
from cmtui.model.lookup import ProviderSettings
from cmtui.model.progress import CancelledCallback, Progress, ProgressCallback, never_cancelled, no_progress
from cmtui.ports import CitationAcquisitionAdapter, Clock

if TYPE_CHECKING:
    from cmtui.discovery.exa import ExaAcquisitionAdapter

#: The code on the receipt of a candidate whose capture the person cancelled.
CANCELLED = "cancelled"


class AcquisitionOperations(MachineCore):
    """Bringing sources in from outside. Only complete bytes become a source, only exact text evidence."""

    def acquire(
        self,
        query: str | None = None,
        *,
        url: str | None = None,
        adapter: CitationAcquisitionAdapter | None = None,
        candidates: Iterable[DiscoveryCandidate] | None = None,
        limit: int = 5,
        kind: SourceKind | str | None = None,
        html: str | None = None,
        timeout: float | None = None,
        max_bytes: int | None = None,
        settings: ProviderSettings | None = None,
        clock: Clock | None = None,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> tuple[AcquisitionReceipt, ...]:
        """Capture what a query finds, a URL, or given candidates, one after the other (R67, R68).

        Exactly one of ``query``, ``url`` and ``candidates`` is given. A query is searched through
        ``adapter``, else through Exa with the key in EXA_API_KEY. ``kind`` corrects what the sources are
        (R56), ``html`` is 'raw' or 'text'; ``timeout`` (seconds) and ``max_bytes`` bound each exchange.
        ``settings`` say where Exa is and how long it has, else the environment does.

        One receipt for each candidate, in order. A capture or highlight that fails stands on its own receipt
        and harms no other; after a receipt with the error 'cancelled' nothing more was done. Raises
        InvalidRequest, MissingKey, ExaProviderError when the search itself fails (then nothing was captured),
        StoreError.
        """
        from cmtui.discovery.acquisition import CitationAcquisitionService
        from cmtui.discovery.capture import candidate_of_url

        given = [value for value in (query, url, candidates) if value is not None]
        if len(given) != 1:
            raise InvalidRequest(
                "Give one of a query, a URL and candidates.", "Try: citation-machine acquire --url URL"
            )
        stated = None if kind is None else _kind(kind)
        service = CitationAcquisitionService(self, html=html, clock=clock)
        using = adapter or self._adapter(
            query is not None, timeout=timeout, max_bytes=max_bytes, settings=settings, cancelled=cancelled
        )
        if query is not None:
            progress(Progress("search", query, 0, 0))
            found = _search(using, query, limit)
        elif url is not None:
            found = (candidate_of_url(url, kind=stated),)
        else:
            found = tuple(candidates or ())
        if stated is not None:
            found = tuple(replace(candidate, source_kind=str(stated)) for candidate in found)
        receipts: list[AcquisitionReceipt] = []
        for number, candidate in enumerate(found):
            if cancelled():
                break
            progress(Progress("capture", candidate.discovery.url or "", number, len(found)))
            receipts.append(service.attempt(using, candidate))
            if receipts[-1].error == CANCELLED:
                break
        progress(Progress("capture", "", len(receipts), len(found)))
        return tuple(receipts)

    def receipts(self, document_id: str | None = None) -> tuple[AcquisitionReceipt, ...]:
        """The receipts of what was acquired, oldest first, with their evidence verified anew (R34).

        Needs neither the adapter nor the network. ``evidence`` is None where it no longer verifies, as when
        the document was removed; ``evidence_id`` stays. Raises NotFound, StoreError.
        """
        full = None if document_id is None else self.repository.document(document_id).document_id
        return tuple(self._with_evidence(receipt) for receipt in self.repository.receipts(full))

    def _with_evidence(self, receipt: AcquisitionReceipt) -> AcquisitionReceipt:
        if receipt.evidence_id is None:
            return receipt
        try:
            entry = self.repository.evidence(receipt.evidence_id)
            return replace(receipt, evidence=self._verified(entry.document_id, entry.span, entry.exact))
        except CmtuiError:
            return receipt

    def ingest_captured(
        self, path: Path, *, kind: SourceKind, reference: str, html: str | None = None
    ) -> str:
        """Ingest a captured file through the ingestion port, under the URL it came from (R26).

        A port of one's own is given the path alone, as ``CitationIngestionPort`` says. Raises IngestError.
        """
        port = self._ingestion
        if not isinstance(port, CitationIngestionService):
            return port.ingest(path)
        text = kind in (SourceKind.TEXT, SourceKind.MARKDOWN)
        # The bytes were checked to be UTF-8; what a page says of itself in a meta element does not count.
        options = IngestOptions(kind, "utf-8" if text else None, reference, html=html)
        return port.ingest_file(path, options).summary.document_id

    def _adapter(
        self,
        searching: bool,
        *,
        timeout: float | None,
        max_bytes: int | None,
        settings: ProviderSettings | None,
        cancelled: CancelledCallback,
    ) -> CitationAcquisitionAdapter:
        """Exa for a query, the plain fetcher for everything that already has a URL."""
        from cmtui.discovery.capture import MAX_RESPONSE_BYTES, TIMEOUT, WebCapture
        from cmtui.discovery.exa import ExaAcquisitionAdapter, check_bounds

        seconds = timeout if timeout is not None else TIMEOUT if settings is None else settings.deadline
        size = MAX_RESPONSE_BYTES if max_bytes is None else max_bytes
        check_bounds(seconds, size)
        if not searching:
            return WebCapture(timeout=seconds, max_response_bytes=size, cancelled=cancelled)
        return ExaAcquisitionAdapter(
            timeout=seconds,
            max_response_bytes=size,
            base_url=None if settings is None else settings.base_url,
            cancelled=cancelled,
        )


def _search(
    adapter: CitationAcquisitionAdapter | ExaAcquisitionAdapter, query: str, limit: int
) -> tuple[DiscoveryCandidate, ...]:
    search = getattr(adapter, "search", None)
    if search is None:
        raise InvalidRequest(
            "This adapter captures and does not search.", "Give it candidates, or an adapter with search()."
        )
    return tuple(search(query, limit=limit))


def _kind(kind: SourceKind | str) -> SourceKind:
    try:
        return SourceKind(kind)
    except ValueError:
        raise InvalidRequest(
            f"There is no kind of source called '{kind}'.", "The kinds are pdf, epub, markdown and text."
        ) from None
