"""Acquiring several sources, by query and by URL, and what a failure leaves (R67 to R69)."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cmtui import (
    AcquisitionReceipt,
    CitationAcquisitionService,
    CitationMachine,
    DiscoveryCandidate,
    LocalCitationMachine,
)
from cmtui.discovery.addresses import AddressPolicy
from cmtui.discovery.capture import WebCapture
from cmtui.discovery.fetcher import WebFetcher
from cmtui.errors import (
    CaptureValidationError,
    InvalidRequest,
    MissingKey,
    ProviderUnreachable,
    StoreError,
)
from support.acquiring import TEXT, Adapter, candidate, files
from support.raw_http import head, sending

LOCAL = AddressPolicy(allow_addresses=frozenset({"127.0.0.1"}), ports=None)


def leads(*urls: str, highlight: str | None = "exact evidence") -> list[DiscoveryCandidate]:
    return [
        candidate(highlight, candidate_id=f"c{at}", url=url, rank=at) for at, url in enumerate(urls, start=1)
    ]


PAGE = head(Content_Type="text/plain", Content_Length=str(len(TEXT))) + TEXT.encode()


BAD = head("302 Found", Location="http://169.254.169.254/", Content_Length="0")


def acquire(machine: CitationMachine, candidates: list[DiscoveryCandidate], **more: Any) -> Any:
    return machine.acquire(candidates=candidates, adapter=WebCapture(policy=LOCAL, timeout=5.0), **more)


def test_r68_earlier_captures_survive_a_later_failure_and_the_others_go_on(
    machine: LocalCitationMachine,
) -> None:
    other = b"Another complete source with exact evidence in it."
    other_page = head(Content_Type="text/plain", Content_Length=str(len(other))) + other
    with sending(PAGE) as one, sending(BAD) as two, sending(other_page) as three:
        found = acquire(machine, leads(one.url, two.url, three.url))
    assert [r.error for r in found] == [None, "capture", None]
    assert "redirect" in str(found[1].message)
    assert found[1].hint
    assert (found[1].document_id, found[1].discovery.rank) == (None, 2)
    assert machine.receipts() == tuple(sorted((found[0], found[2]), key=lambda r: r.discovery.rank))
    for receipt in (found[0], found[2]):
        assert LocalCitationMachine.open(machine.path).reconstruct(receipt.evidence_id) == "exact evidence"


def test_r68_a_highlight_that_fails_keeps_its_document_on_the_receipt(machine: LocalCitationMachine) -> None:
    with sending(PAGE) as server:
        (receipt,) = acquire(machine, leads(server.url, highlight="stitched\n...highlight"))
    assert receipt.error == "highlight-alignment"
    assert receipt.document_id in machine.repository.document_ids()
    assert "search it" in str(receipt.hint)


FAULTS: dict[str, bytes] = {
    "encoded body": head(Content_Type="text/plain", Content_Encoding="gzip", Content_Length="4")
    + b"\x1f\x8b..",
    "length mismatch": head(Content_Type="text/plain", Content_Length="900") + b"short",
    "chunk cut": head(Content_Type="text/plain", Transfer_Encoding="chunked") + b"9\r\ncut",
    "oversize stated": head(Content_Type="text/plain", Content_Length="5000") + b"x" * 5000,
    "oversize streamed": head(Content_Type="text/plain") + b"x" * 5000,
    "206": head("206 Partial Content", Content_Type="text/plain", Content_Length="4") + b"part",
    "empty": head(Content_Type="text/plain", Content_Length="0"),
    "latin-1": head(Content_Type="text/plain; charset=iso-8859-1", Content_Length="4") + b"caf\xe9",
    "not utf-8": head(Content_Type="text/plain", Content_Length="4") + b"caf\xe9",
    "redirect": BAD,
    "garbage": b"garbage\r\n\r\n",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_refused_capture_writes_nothing_to_the_store(machine: LocalCitationMachine, fault: str) -> None:
    before = files(machine)
    with sending(FAULTS[fault]) as server, pytest.raises(CaptureValidationError) as caught:
        CitationAcquisitionService(machine).acquire(
            WebCapture(policy=LOCAL, max_response_bytes=1000), leads(server.url)[0]
        )
    assert caught.value.rule
    assert files(machine) == before


def test_html_served_as_pdf_writes_nothing_to_the_store(machine: LocalCitationMachine) -> None:
    body = b"<!DOCTYPE html><p>Log in"
    before = files(machine)
    page = head(Content_Type="application/pdf", Content_Length=str(len(body))) + body
    with sending(page) as server:
        (receipt,) = acquire(machine, leads(server.url), kind="pdf")
    assert receipt.error == "capture"
    assert "HTML" in str(receipt.message)
    assert files(machine) == before


def test_a_byte_order_mark_is_no_fault(machine: LocalCitationMachine) -> None:
    body = b"\xef\xbb\xbf" + TEXT.encode()
    with sending(head(Content_Type="text/plain", Content_Length=str(len(body))) + body) as server:
        (receipt,) = acquire(machine, leads(server.url))
    assert receipt.error is None
    version = machine.document(receipt.document_id).version
    assert machine.repository.content_bytes(version.bytes_sha256) == body


def test_a_network_failure_stands_on_the_receipt(machine: LocalCitationMachine) -> None:
    with sending(b"") as server:
        gone = server.url
    (receipt,) = acquire(machine, leads(gone))
    assert receipt.error == ProviderUnreachable.code
    assert machine.receipts() == ()


def test_cancelling_keeps_what_is_done_and_ends_the_one_that_runs(machine: LocalCitationMachine) -> None:
    with sending(PAGE) as one, sending(b"", hold=True) as two, sending(PAGE) as three:

        def stop() -> bool:
            return two.connections > 0

        adapter = WebCapture(fetcher=WebFetcher(LOCAL, cancelled=stop), timeout=30)
        found = machine.acquire(
            candidates=leads(one.url, two.url, three.url), adapter=adapter, cancelled=stop
        )
        assert three.connections == 0
    assert [r.error for r in found] == [None, "cancelled"]
    assert len(machine.documents()) == 1


def test_captures_run_one_after_the_other_and_report_themselves(machine: LocalCitationMachine) -> None:
    seen = []
    with sending(PAGE) as one, sending(PAGE) as two:
        acquire(machine, leads(one.url, two.url), progress=seen.append)
    assert [(p.operation, p.done, p.total) for p in seen] == [
        ("capture", 0, 2),
        ("capture", 1, 2),
        ("capture", 2, 2),
    ]
    assert seen[1].subject == two.url


def test_a_store_that_cannot_be_written_stops_the_run(machine: LocalCitationMachine) -> None:
    machine.repository._documents._read_only = "the store is read-only"  # type: ignore[attr-defined]
    with pytest.raises(StoreError, match="read-only"):
        machine.acquire(candidates=[candidate(), candidate()], adapter=Adapter())


class Searching(Adapter):
    def __init__(self, found: list[DiscoveryCandidate]) -> None:
        super().__init__()
        self.found = found
        self.asked: list[tuple[str, int]] = []

    def search(self, query: str, limit: int = 5) -> tuple[DiscoveryCandidate, ...]:
        self.asked.append((query, limit))
        return tuple(self.found)


def test_r67_a_query_is_searched_and_captured_through_the_adapter(machine: LocalCitationMachine) -> None:
    adapter = Searching(leads("https://a.org/1", "https://a.org/2"))
    found = machine.acquire("my query", adapter=adapter, limit=2)
    assert adapter.asked == [("my query", 2)]
    assert [r.discovery.candidate_id for r in found] == ["c1", "c2"]
    assert all(isinstance(r, AcquisitionReceipt) and r.evidence for r in found)


def test_r67_without_an_adapter_the_key_of_the_environment_is_needed(
    machine: LocalCitationMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EXA_API_KEY", raising=False)
    with pytest.raises(MissingKey, match="EXA_API_KEY"):
        machine.acquire("my query")


def test_a_url_is_captured_without_any_key(
    machine: LocalCitationMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EXA_API_KEY", raising=False)
    with sending(PAGE) as server:
        (refused,) = machine.acquire(url=server.url)
        assert refused.error == "capture"
        assert server.connections == 0, "a port of its own on loopback: two rules stand before it"
        (receipt,) = machine.acquire(url=server.url, adapter=WebCapture(policy=LOCAL))
    assert receipt.error is None
    assert receipt.discovery.provider == "url"


def test_a_stated_kind_corrects_every_candidate(machine: LocalCitationMachine) -> None:
    adapter = Adapter(b"# Head\n\nThe exact evidence is here.\n", "markdown")
    (receipt,) = machine.acquire(candidates=leads("https://a.org/1"), adapter=adapter, kind="markdown")
    assert receipt.error is None
    assert machine.summary(str(receipt.document_id)).kind == "markdown"


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.acquire(),
        lambda m: m.acquire("q", url="https://a.org/"),
        lambda m: m.acquire(url="https://a.org/", candidates=[]),
        lambda m: m.acquire(url="https://a.org/", kind="docx"),
        lambda m: m.acquire(url="https://a.org/", html="pretty"),
        lambda m: m.acquire(url="https://a.org/", timeout=0),
        lambda m: m.acquire(url="https://a.org/", max_bytes=-1),
        lambda m: m.acquire("q", adapter=Adapter()),
    ],
)
def test_what_is_asked_wrongly_is_refused(
    machine: LocalCitationMachine, call: Callable[[LocalCitationMachine], Any]
) -> None:
    with pytest.raises(InvalidRequest) as caught:
        call(machine)
    assert caught.value.hint


def test_r69_bibliography_is_never_filled_from_what_a_search_said(machine: LocalCitationMachine) -> None:
    said = {"title": "A title", "result_metadata": {"author": "Ann Writer", "publishedDate": "2020-01-01"}}
    receipt = CitationAcquisitionService(machine).acquire(Adapter(url="https://a.org/x"), candidate(**said))
    assert machine.repository.bibliography(str(receipt.source_id)) is None


def test_a_candidate_says_which_provider_and_which_id(machine: LocalCitationMachine) -> None:
    with pytest.raises(InvalidRequest, match="candidate_id"):
        CitationAcquisitionService(machine).acquire(Adapter(), candidate(candidate_id=""))


def test_a_capture_leaves_no_temporary_file(machine: LocalCitationMachine, tmp_path: Path) -> None:
    CitationAcquisitionService(machine).acquire(Adapter(), candidate())
    assert not [name for name in os.listdir(machine.path / "derived") if name.startswith("capture")]


def test_a_receipt_may_be_replaced_field_by_field(machine: LocalCitationMachine) -> None:
    receipt = CitationAcquisitionService(machine).acquire(Adapter(), candidate())
    assert replace(receipt, error="x").error == "x"
