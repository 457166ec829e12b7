"""From a candidate to a stored document and verified evidence (R25 to R35, R66 to R69)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cmtui import (
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
from cmtui.discovery.capture import WebCapture
from cmtui.discovery.exa import ExaAcquisitionAdapter
from cmtui.discovery.fetcher import WebFetcher
from cmtui.errors import (
    AcquisitionError,
    HighlightAlignmentError,
    IngestError,
    InvalidRequest,
    StoreError,
)
from cmtui.ports import CitationAcquisitionAdapter, Fetcher
from support.acquiring import TEXT, Adapter, candidate, files

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
