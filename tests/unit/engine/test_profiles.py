"""One file, several profiles: each makes a layer 3 of its own, and what was there still reconstructs."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from cmtui.engine import LocalCitationMachine, ingestion
from cmtui.errors import BackendMissing, InvalidRequest
from cmtui.ingest import profiles, sandbox
from cmtui.ingest.profiles import Reading
from cmtui.ingest.readers import pdfium
from cmtui.model.ingest import IngestReport, IngestStatus
from support.pdf_fixtures import make_pdf

PAGE = (
    "<html lang='en'><head><title>Lamps</title></head>"
    "<body><h1>Lamps</h1><p>The <em>old</em> lamp burns.</p></body></html>"
)
needs_pdfium = pytest.mark.skipif(
    find_spec("pypdfium2") is None, reason="the extra [pdfium] is not installed: pip install 'cmtui[pdfium]'"
)


@pytest.fixture
def machine(tmp_path: Path) -> LocalCitationMachine:
    return LocalCitationMachine.open(tmp_path / "store")


def _only(report: IngestReport) -> tuple[IngestStatus, str, str]:
    assert not report.errors, report.errors
    (one,) = report.documents
    return one.status, one.summary.document_id, one.summary.profile


class _Inline:
    """Reads in this process, where a test can change the profile's version."""

    size = 1

    def read(self, *args: object, **options: object) -> object:
        return sandbox.read_source_inline(*args, **options)  # type: ignore[arg-type]


def test_a_new_profile_version_applies_to_reprofile_only_and_old_evidence_reconstructs(
    machine: LocalCitationMachine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R23, R24, settlements.md 2.19."""
    path = tmp_path / "a.pdf"
    path.write_bytes(make_pdf(["The old lamp burns beside the harbour."]))
    _, first, _ = _only(machine.ingest_paths([path]))
    evidence = machine.identity(machine.search("lamp")[0])

    monkeypatch.setitem(profiles.VERSIONS, Reading.CANON, "2")
    monkeypatch.setattr(ingestion.CitationIngestionService, "_readers", lambda _self: _Inline())
    assert _only(machine.ingest_paths([path])) == (IngestStatus.UNCHANGED, first, "cmtui-canon/1")
    status, second, profile = _only(machine.ingest_paths([path], reprofile=True))
    assert (status, profile) == (IngestStatus.REPROFILED, "cmtui-canon/2")
    assert second != first
    assert machine.reconstruct(evidence.evidence_id) == "The old lamp burns beside the harbour."
    assert machine.document(first).profile.version == "1", "stored text is never extracted again"
    assert not machine.summary(first).current
    assert _only(machine.ingest_paths([path])) == (IngestStatus.UNCHANGED, second, "cmtui-canon/2")


def test_a_web_page_is_raw_markup_unless_its_text_is_asked_for(
    machine: LocalCitationMachine, tmp_path: Path
) -> None:
    """D3, R59."""
    path = tmp_path / "page.html"
    path.write_text(PAGE)
    status, raw, profile = _only(machine.ingest_paths([path]))
    assert (status, profile) == (IngestStatus.ADDED, "cmtui-canon/1")
    assert machine.document(raw).text == PAGE
    assert machine.summary(raw).kind == "text"

    status, text, profile = _only(machine.ingest_paths([path], html="text"))
    assert (status, profile) == (IngestStatus.REPROFILED, "html-text/1")
    assert machine.document(text).text == "Lamps\n\nThe old lamp burns."
    assert machine.document(text).version == machine.document(raw).version
    assert machine.document(raw).text == PAGE
    # What was chosen stays, until another choice is made.
    assert _only(machine.ingest_paths([path])) == (IngestStatus.UNCHANGED, text, "html-text/1")
    assert _only(machine.ingest_paths([path], html="raw")) == (IngestStatus.REPROFILED, raw, "cmtui-canon/1")
    assert _only(machine.ingest_paths([path], html="text"))[:2] == (IngestStatus.REPROFILED, text)
    path.write_text(PAGE.replace("old", "new"))
    status, _, profile = _only(machine.ingest_paths([path]))
    assert (status, profile) == (IngestStatus.NEW_VERSION, "html-text/1")


def test_the_choice_for_web_pages_leaves_other_files_alone(
    machine: LocalCitationMachine, tmp_path: Path
) -> None:
    (tmp_path / "in" / "page_files").mkdir(parents=True)
    (tmp_path / "in" / "a.txt").write_text("Plain text with a < b.")
    (tmp_path / "in" / "page.htm").write_text(PAGE)
    (tmp_path / "in" / "page_files" / "frame.html").write_text(PAGE.replace("old", "framed"))
    report = machine.ingest_paths([tmp_path / "in"], html="text")
    assert not report.errors
    assert [one.summary.profile for one in report.documents] == ["cmtui-canon/1", "html-text/1"]


@needs_pdfium
def test_pdfium_is_chosen_never_silent_and_another_layer_3(
    machine: LocalCitationMachine, tmp_path: Path
) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(make_pdf(["The evi-\ndence stands beside the harbour."]))
    _, first, profile = _only(machine.ingest_paths([path]))
    assert profile == "cmtui-canon/1"
    evidence = machine.identity(machine.search("harbour")[0])
    status, second, profile = _only(machine.ingest_paths([path], backend="pdfium"))
    assert (status, profile) == (IngestStatus.REPROFILED, "pdfium-text/1")
    assert machine.document(second).profile.extractor.name == "pypdfium2"
    assert "evi-\ndence" in machine.document(second).text
    assert machine.reconstruct(evidence.evidence_id).endswith("beside the harbour.")
    assert second != first


def test_without_the_extra_the_error_has_the_install_line(
    machine: LocalCitationMachine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(make_pdf(["Words."]))
    monkeypatch.setattr(pdfium, "find_spec", lambda _name: None)
    with pytest.raises(BackendMissing) as raised:
        machine.ingest_paths([path], backend="pdfium")
    assert "pip install 'cmtui[pdfium]'" in raised.value.hint
    assert machine.documents() == ()
    with pytest.raises(InvalidRequest):
        machine.ingest_paths([path], backend="poppler")
    with pytest.raises(InvalidRequest):
        machine.ingest_paths([path], html="both")


def test_the_same_text_under_other_bytes_is_told(machine: LocalCitationMachine, tmp_path: Path) -> None:
    """settlements.md 5.13: the same work in another file."""
    (tmp_path / "one.txt").write_bytes(b"The old lamp burns.\n")
    (tmp_path / "two.txt").write_bytes(b"The old lamp burns.\r\n")
    (tmp_path / "three.txt").write_bytes(b"The old lamp burnt.\n")
    machine.ingest(tmp_path / "one.txt")
    report = machine.ingest_paths([tmp_path / "two.txt", tmp_path / "three.txt"])
    two, three = report.documents
    (warning,) = two.summary.warnings
    assert warning.code == "duplicate-text"
    assert "'one.txt'" in warning.message
    assert three.summary.warnings == ()


def test_twins_within_one_run_are_told_too(machine: LocalCitationMachine, tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_bytes(b"The old lamp burns.\n")
    (tmp_path / "two.txt").write_bytes(b"\xef\xbb\xbfThe old lamp burns.\n")
    report = machine.ingest_paths([tmp_path / "one.txt", tmp_path / "two.txt"])
    assert [len(one.summary.warnings) for one in report.documents] == [0, 1]
