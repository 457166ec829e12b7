"""From a candidate to a stored document and verified evidence (R25 to R35, R66 to R69)."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cmtui import (
    AcquisitionReceipt,
    CandidateHighlight,
    CapturedSource,
    CitationAcquisitionService,
    CitationIngestionService,
    CitationLexicalSearch,
    CitationMachine,
    DiscoveryCandidate,
    DiscoveryMetadata,
    InMemoryKnowledgeRepository,
    LocalCitationMachine,
)
from cmtui.discovery.addresses import AddressPolicy
from cmtui.discovery.capture import WebCapture
from cmtui.discovery.exa import ExaAcquisitionAdapter
from cmtui.discovery.fetcher import WebFetcher
from cmtui.errors import (
    AcquisitionError,
    CaptureValidationError,
    HighlightAlignmentError,
    IngestError,
    InvalidRequest,
    MissingKey,
    ProviderUnreachable,
    StoreError,
)
from cmtui.ports import CitationAcquisitionAdapter, Fetcher
from support.raw_http import head, sending

LOCAL = AddressPolicy(allow_addresses=frozenset({"127.0.0.1"}), ports=None)
TEXT = (
    "A complete source with exact evidence.\n\nIt says so twice: twice is more than once.\n\nThe end of it.\n"
)
BYTES = TEXT.encode()


class Adapter:
    """Captures what the test says, and counts."""

    def __init__(self, content: Any = BYTES, kind: str = "text", **more: Any) -> None:
        self.source = CapturedSource(content, kind, **more)
        self.calls = 0

    def capture(self, candidate: DiscoveryCandidate) -> CapturedSource:
        self.calls += 1
        return self.source


def candidate(
    highlight: str | None = None, offset: int | None = None, *, kind: str = "text", **metadata: Any
) -> DiscoveryCandidate:
    return DiscoveryCandidate(
        kind,
        DiscoveryMetadata(**{"provider": "example", "candidate_id": "candidate-1"} | metadata),
        None if highlight is None else CandidateHighlight(highlight, offset),
    )


@pytest.fixture
def machine(tmp_path: Path) -> LocalCitationMachine:
    return LocalCitationMachine.open(tmp_path / "store")


def files(machine: LocalCitationMachine) -> dict[str, bytes]:
    """Every file of the store but locks, with its bytes."""
    return {
        str(path.relative_to(machine.path)): path.read_bytes()
        for path in machine.path.rglob("*")
        if path.is_file() and "lock" not in path.name and not path.name.startswith("catalogue")
    }


# -- the seed's example ------------------------------------------------------------------------------


def test_r27_r28_and_r35_the_seeds_example_works_on_both_repositories(tmp_path: Path) -> None:
    repository = InMemoryKnowledgeRepository()
    machines: list[CitationMachine] = [
        LocalCitationMachine.open(tmp_path / "citations.json"),
        CitationMachine(
            ingestion_port=CitationIngestionService(repository), search_port=CitationLexicalSearch(repository)
        ),
    ]
    for machine in machines:
        acquisition = CitationAcquisitionService(machine)
        lead = DiscoveryCandidate(
            source_kind="text",
            discovery=DiscoveryMetadata(provider="example", candidate_id="candidate-1", score=0.9),
            highlight=CandidateHighlight(text="exact evidence"),
        )
        adapter = Adapter(b"A complete source with exact evidence.")
        receipt = acquisition.acquire(adapter, lead)
        assert receipt.evidence is not None
        assert machine.reconstruct(receipt.evidence) == "exact evidence"
        assert receipt.discovery == lead.discovery
        assert machine.receipts() == (receipt,)


def test_r25_any_object_with_capture_is_an_adapter() -> None:
    adapters: list[CitationAcquisitionAdapter] = [Adapter(), WebCapture(), ExaAcquisitionAdapter("k")]
    fetcher: Fetcher = WebFetcher()
    assert adapters
    assert fetcher


# -- bytes (R25, R26) --------------------------------------------------------------------------------


def test_r26_the_bytes_go_by_a_content_addressed_path_through_the_ingestion_port(tmp_path: Path) -> None:
    """A port that is not this program's gets the path and nothing else."""
    repository = InMemoryKnowledgeRepository()
    inner = CitationIngestionService(repository)
    seen: list[tuple[Path, bytes]] = []

    class Port:
        def ingest(self, path: str | Path) -> str:
            seen.append((Path(path), Path(path).read_bytes()))
            return inner.ingest(path)

    machine = CitationMachine(ingestion_port=Port(), repository=repository)
    receipt = CitationAcquisitionService(machine).acquire(Adapter(), candidate("exact evidence"))
    (path, content) = seen[0]
    assert content == TEXT.encode()
    document = machine.document(str(receipt.document_id))
    assert path.name == f"{document.version.bytes_sha256}.txt"
    assert not path.exists()
    assert machine.repository.content_bytes(document.version.bytes_sha256) == TEXT.encode()


def test_r25_the_exact_bytes_are_stored_with_marks_and_line_ends(machine: LocalCitationMachine) -> None:
    content = b"\xef\xbb\xbfOne line.\r\nAnother line.\r\n"
    receipt = CitationAcquisitionService(machine).acquire(Adapter(content), candidate())
    version = machine.document(str(receipt.document_id)).version
    assert machine.repository.content_bytes(version.bytes_sha256) == content
    assert receipt.source_version == version.version_id
    assert (receipt.evidence, receipt.error) == (None, None)


@pytest.mark.parametrize(
    "source",
    [
        None,
        b"bytes",
        CapturedSource(bytearray(b"x"), "text"),  # type: ignore[arg-type]
        CapturedSource(b"", "text"),
        CapturedSource(b"x", "docx"),
        CapturedSource(b"# x", "markdown"),
    ],
)
def test_r25_an_adapter_that_brings_anything_else_than_complete_bytes_of_the_kind_is_refused(
    machine: LocalCitationMachine, source: Any
) -> None:
    class Bad:
        def capture(self, candidate: DiscoveryCandidate) -> Any:
            return source

    before = files(machine)
    with pytest.raises(AcquisitionError):
        CitationAcquisitionService(machine).acquire(Bad(), candidate())
    assert files(machine) == before


def test_bytes_that_cannot_be_read_are_an_ingest_error_and_leave_nothing(
    machine: LocalCitationMachine,
) -> None:
    before = files(machine)
    with pytest.raises(IngestError):
        CitationAcquisitionService(machine).acquire(
            Adapter(b"%PDF-1.7 nothing", "pdf"), candidate(kind="pdf")
        )
    assert files(machine) == before
    assert machine.documents() == ()
    assert machine.receipts() == ()


def test_a_captured_sources_reference_is_its_url(machine: LocalCitationMachine) -> None:
    url = "https://example.org/papers/voyage.html?x=1"
    adapter = Adapter(b"<p>The voyage began.</p>", url=url, media_type="text/html")
    receipt = CitationAcquisitionService(machine).acquire(adapter, candidate())
    source = machine.source(str(receipt.source_id))
    assert source.artifact.reference == url
    assert receipt.url == url
    assert machine.title(source.source_id) is None, "R102: nothing is made of a file name or a URL"


@pytest.mark.parametrize(
    ("html", "text"),
    [(None, "<p>A &amp; B went.</p>"), ("raw", "<p>A &amp; B went.</p>"), ("text", "A & B went.")],
)
def test_r59_html_is_raw_markup_unless_its_readable_text_is_asked_for(
    machine: LocalCitationMachine, html: str | None, text: str
) -> None:
    content = b"<!DOCTYPE html><html><body><p>A &amp; B went.</p></body></html>"
    adapter = Adapter(content, url="https://a.org/x", media_type="text/html")
    receipt = CitationAcquisitionService(machine, html=html).acquire(adapter, candidate())
    document = machine.document(str(receipt.document_id))
    assert text in document.text
    assert machine.repository.content_bytes(document.version.bytes_sha256) == content


def test_r60_a_highlight_whose_entities_differ_is_refused_raw_and_found_in_the_readable_text(
    machine: LocalCitationMachine,
) -> None:
    adapter = Adapter(b"<html><p>A &amp; B went.</p></html>", url="https://a.org/x", media_type="text/html")
    with pytest.raises(HighlightAlignmentError, match="character for character"):
        CitationAcquisitionService(machine).acquire(adapter, candidate("A & B went."))
    receipt = CitationAcquisitionService(machine, html="text").acquire(adapter, candidate("A & B went."))
    assert receipt.evidence is not None
    assert machine.reconstruct(receipt.evidence) == "A & B went."


# -- highlights (R31 to R33) -------------------------------------------------------------------------


def error_of(machine: LocalCitationMachine, highlight: str, offset: int | None = None, **more: Any) -> str:
    service = CitationAcquisitionService(machine)
    with pytest.raises(HighlightAlignmentError) as caught:
        service.acquire(Adapter(**more), candidate(highlight, offset))
    assert caught.value.hint
    (receipt,) = machine.receipts()
    assert receipt.error == "highlight-alignment"
    assert receipt.evidence is None
    assert machine.document(str(receipt.document_id)), "the document is stored all the same"
    assert machine.repository.evidence_entries() == ()
    return caught.value.message


@pytest.mark.parametrize(
    "highlight",
    [
        "exact evidence!", "Exact evidence", "exact  evidence", "exact evidence\n", "inexact evidence",
        "A complete source\n...exact evidence.", "A complete source ... exact evidence.", "exact “evidence”",
        "exact\u00a0evidence", "exact evide\u0301nce", "exact evidence \ud800",
    ],
)  # fmt: skip
def test_r31_nothing_but_the_exact_text_is_promoted(machine: LocalCitationMachine, highlight: str) -> None:
    assert "does not stand" in error_of(machine, highlight)


def test_r31_a_highlight_is_matched_in_the_stored_text_and_not_in_the_bytes(
    machine: LocalCitationMachine,
) -> None:
    assert "does not stand" in error_of(machine, "one\r\ntwo", content=b"one\r\ntwo three four five.")
    service = CitationAcquisitionService(machine)
    receipt = service.acquire(Adapter(b"one\r\ntwo three four five."), candidate("one\ntwo"))
    assert receipt.evidence is not None


def test_r32_repeated_text_needs_an_offset(machine: LocalCitationMachine) -> None:
    assert "stands 2 times" in error_of(machine, "twice")


def test_r32_an_exact_offset_decides_between_repetitions(machine: LocalCitationMachine) -> None:
    service = CitationAcquisitionService(machine)
    for offset in (TEXT.index("twice"), TEXT.rindex("twice")):
        receipt = service.acquire(Adapter(), candidate("twice", offset))
        assert receipt.span is not None
        assert (receipt.span.start, receipt.span.end) == (offset, offset + 5)
    assert len({r.evidence_id for r in machine.receipts()}) == 2


@pytest.mark.parametrize("shift", [-1, 1])
def test_r32_an_offset_that_is_off_by_one_is_refused(machine: LocalCitationMachine, shift: int) -> None:
    assert "at offset" in error_of(machine, "exact evidence", TEXT.index("exact evidence") + shift)


def test_r32_an_offset_outside_the_text_is_refused(machine: LocalCitationMachine) -> None:
    assert "not inside" in error_of(machine, "exact evidence", 10_000)


def test_r32_offsets_count_code_points(machine: LocalCitationMachine) -> None:
    text = "𝔘nicode 😀 first, then the words. The words again."
    receipt = CitationAcquisitionService(machine).acquire(
        Adapter(text.encode()), candidate("words", text.rindex("words"))
    )
    assert receipt.evidence is not None
    assert receipt.evidence.text == "words"


def test_r33_a_highlight_over_a_passage_border_is_refused(machine: LocalCitationMachine) -> None:
    text = "# One\n\n" + "First part. " * 200 + "\n\n# Two\n\nSecond part starts here.\n"
    service = CitationAcquisitionService(machine)
    lead = candidate("# Two\n\nSecond part", kind="markdown")
    with pytest.raises(HighlightAlignmentError, match="border of a passage"):
        service.acquire(Adapter(text.encode(), "markdown"), lead)
    assert machine.repository.evidence_entries() == ()


@pytest.mark.parametrize(
    ("text", "offset"), [("", None), (7, None), ("x", -1), ("x", True), ("x", 1.0), ("x", "1")]
)
def test_a_highlight_that_is_none_is_refused_before_anything_is_captured(
    machine: LocalCitationMachine, text: Any, offset: Any
) -> None:
    adapter = Adapter()
    with pytest.raises(InvalidRequest):
        CitationAcquisitionService(machine).acquire(adapter, candidate(text, offset))
    assert adapter.calls == 0


# -- metadata (R29, R30) -----------------------------------------------------------------------------


def test_r29_everything_a_provider_said_is_on_the_receipt_and_comes_back_from_the_store(
    machine: LocalCitationMachine,
) -> None:
    said = {
        "url": "https://a.org/x", "title": "T", "query": "q", "rank": 3, "score": 0.5,
        "discovered_at": "2026-12-01T09:30:00Z", "result_metadata": {"a": [1, 2.5, None, True, {"b": "c"}]},
        "response_metadata": {"requestId": "r"},
    }  # fmt: skip
    receipt = CitationAcquisitionService(machine).acquire(Adapter(), candidate("exact evidence", **said))
    reopened = LocalCitationMachine.open(machine.path)
    (again,) = reopened.receipts()
    assert again == receipt
    assert again.discovery.result_metadata == {"a": [1, 2.5, None, True, {"b": "c"}]}
    assert again.evidence == receipt.evidence


@pytest.mark.parametrize("bad", [object(), b"x", {1: 2}, {"a": float("nan")}, {"a": {1, 2}}, 2**70])
def test_r29_metadata_is_json_like(machine: LocalCitationMachine, bad: Any) -> None:
    adapter = Adapter()
    with pytest.raises(InvalidRequest, match="JSON-like"):
        CitationAcquisitionService(machine).acquire(adapter, candidate(result_metadata={"x": bad}))
    assert adapter.calls == 0


def test_a_lone_surrogate_in_metadata_does_not_stop_the_receipt(machine: LocalCitationMachine) -> None:
    receipt = CitationAcquisitionService(machine).acquire(Adapter(), candidate(title="a\ud800b"))
    assert receipt.discovery.title == "a?b"
    assert machine.receipts() == (receipt,)


def test_r30_nothing_a_provider_said_is_in_any_file_but_the_receipt(machine: LocalCitationMachine) -> None:
    said = {"candidate_id": "ID-SAID", "title": "TITLE-SAID", "query": "QUERY-SAID", "score": 0.123456,
            "url": "https://said.example/", "result_metadata": {"k": "META-SAID"}}  # fmt: skip
    CitationAcquisitionService(machine).acquire(Adapter(), candidate("exact evidence", **said))
    for name, content in files(machine).items():
        told = b"SAID" in content or b"said.example" in content or b"0.123456" in content
        assert told == name.startswith("receipts/"), name


# -- again, and offline (R34, R66) -------------------------------------------------------------------


def test_r66_acquiring_the_same_bytes_again_changes_no_identity(machine: LocalCitationMachine) -> None:
    service = CitationAcquisitionService(machine)
    first = service.acquire(Adapter(url="https://a.org/x"), candidate("exact evidence"))
    again = service.acquire(Adapter(url="https://a.org/x"), candidate("exact evidence", score=0.1, rank=9))
    other = service.acquire(Adapter(url="https://mirror.org/y"), candidate("exact evidence"))
    assert [r.status for r in (first, again, other)] == ["added", "unchanged", "alias"]
    assert len({r.document_id for r in (first, again, other)}) == 1
    assert len({r.source_version for r in (first, again, other)}) == 1
    assert len({r.evidence_id for r in (first, again, other)}) == 1
    assert len(machine.documents()) == 1
    assert len(machine.repository.evidence_entries()) == 1
    assert machine.source(str(first.source_id)).aliases == ("https://mirror.org/y",)


def test_new_bytes_at_a_known_url_are_a_new_version_of_its_source(machine: LocalCitationMachine) -> None:
    service = CitationAcquisitionService(machine)
    first = service.acquire(Adapter(url="https://a.org/x"), candidate("exact evidence"))
    second = service.acquire(
        Adapter(b"Another text with exact evidence.", url="https://a.org/x"), candidate()
    )
    third = service.acquire(Adapter(url="https://a.org/x"), candidate())
    assert [r.status for r in (first, second, third)] == ["added", "new_version", "new_version"]
    assert first.source_id == second.source_id == third.source_id
    assert first.evidence is not None
    assert machine.reconstruct(first.evidence) == "exact evidence"


def test_r34_evidence_is_reconstructed_offline_without_the_adapter(tmp_path: Path) -> None:
    machine = LocalCitationMachine.open(tmp_path / "store")
    adapter = Adapter()
    receipt = CitationAcquisitionService(machine).acquire(adapter, candidate("exact evidence"))
    adapter.capture = lambda _: pytest.fail("asked the adapter")  # type: ignore[method-assign]
    reopened = LocalCitationMachine.open(tmp_path / "store")
    assert receipt.evidence_id is not None
    assert reopened.reconstruct(receipt.evidence_id) == "exact evidence"
    (again,) = reopened.receipts(receipt.document_id)
    assert again.evidence == receipt.evidence
    assert adapter.calls == 1


def test_a_receipt_outlives_its_document_without_evidence(machine: LocalCitationMachine) -> None:
    receipt = CitationAcquisitionService(machine).acquire(Adapter(), candidate("exact evidence"))
    machine.repository.remove_document(str(receipt.document_id), reason="test")
    (again,) = machine.receipts()
    assert again.evidence is None
    assert again.evidence_id == receipt.evidence_id


def test_a_damaged_receipt_is_noticed_by_reading_and_by_the_doctor(machine: LocalCitationMachine) -> None:
    CitationAcquisitionService(machine).acquire(Adapter(), candidate("exact evidence", title="Before"))
    (path,) = (machine.path / "receipts").glob("*.json")
    assert machine.doctor().healthy
    path.write_bytes(path.read_bytes().replace(b"Before", b"After!"))
    with pytest.raises(StoreError, match="cannot be trusted"):
        machine.receipts()
    (bad,) = [check for check in machine.doctor().checks if check.status != "ok"]
    assert bad.layer == "receipts"
    assert "does not hash" in bad.sentence


def test_receipts_are_in_a_backup(machine: LocalCitationMachine, tmp_path: Path) -> None:
    from cmtui.engine.backup import restore

    receipt = CitationAcquisitionService(machine).acquire(Adapter(), candidate("exact evidence"))
    machine.backup(tmp_path / "backup.tar")
    restore(tmp_path / "backup.tar", tmp_path / "other")
    assert LocalCitationMachine.open(tmp_path / "other").receipts() == (receipt,)


# -- several (R67, R68) ------------------------------------------------------------------------------


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


# -- a query or a URL --------------------------------------------------------------------------------


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
