"""Bugs that people reported elsewhere, as tests here (ingest.md 6, rows 1 to 7, 12 and 13)."""

from __future__ import annotations

from pathlib import Path

import pytest

from cmtui.engine import LocalCitationMachine
from cmtui.errors import QuoteAmbiguous, QuoteNotFound, SpanOutOfRange, VerificationError
from cmtui.model.quote import QuoteCheck, Verdict
from cmtui.model.reanchor import AnchorClass
from cmtui.model.selectors import Span
from cmtui.model.source import CanonicalDocument
from cmtui.verification.verifier import occurrences, stands_at, verify_quote, verify_span
from support.pdf_fixtures import make_pdf, to_unicode_map

DATA = Path(__file__).parents[3] / ".." / "shared" / "data" / "files" / "pdf"


@pytest.fixture
def machine(tmp_path: Path) -> LocalCitationMachine:
    return LocalCitationMachine.open(tmp_path / "store")


def ingested(machine: LocalCitationMachine, name: str, content: str | bytes) -> CanonicalDocument:
    path = machine.path.parent / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return machine.document(machine.ingest(path))


def test_row_1_evidence_does_not_move_to_a_lookalike_after_an_edit(machine: LocalCitationMachine) -> None:
    """hypothesis/client 7571."""
    alpha = "Team Alpha grew its output by twelve percent."
    old = ingested(machine, "teams.txt", f"{alpha}\n\nTeam Beta grew its output by twelve percent.\n")
    evidence = machine.quote_span(old.document_id, Span(0, len(alpha)))
    new = ingested(machine, "teams.txt", "Team Beta grew its output by twelve percent.\n")
    assert machine.reconstruct(evidence.evidence_id) == alpha
    assert machine.verify([evidence.evidence_id])[0].ok
    [report] = machine.version_reports()
    assert report.rows[0].anchoring.anchor is AnchorClass.LOST
    with pytest.raises(VerificationError):
        machine.accept_reanchoring(evidence.evidence_id)
    with pytest.raises(VerificationError):
        verify_span(new, machine.repository.source_of(new.document_id), Span(0, len(alpha)), text=alpha)


def test_row_2_a_short_word_is_not_matched_fuzzily(machine: LocalCitationMachine) -> None:
    """hypothesis/h 2634, 4328 and client 480: "Linus" is not in "chines"."""
    document = ingested(machine, "ships.txt", "The chines of the hull are sharp, and the line is clean.\n")
    check = machine.check_quote("Linus", document_id=document.document_id, offset=4)
    assert check.verdict is Verdict.ABSENT
    assert check.locations == ()
    assert machine.check_quote("Linus").verdict is Verdict.TOO_SHORT
    with pytest.raises(QuoteNotFound):
        verify_quote(document, machine.repository.source_of(document.document_id), "Linus")


def test_row_3_a_repeated_text_is_ambiguous_without_an_offset(machine: LocalCitationMachine) -> None:
    """Kareadita/Kavita 4661, dom-anchor-text-quote 13: never the first occurrence by default."""
    text = "The event came first, and then the event came again.\n"
    document = ingested(machine, "events.txt", text)
    source = machine.repository.source_of(document.document_id)
    assert [span.start for span in occurrences(text, "the event came")] == [31]
    assert [span.start for span in occurrences(text, "event came")] == [4, 35]
    with pytest.raises(QuoteAmbiguous):
        verify_quote(document, source, "event came")
    assert verify_quote(document, source, "event came", offset=35).span.start == 35
    check = machine.check_quote("event", document_id=document.document_id, offset=35)
    assert check.verdict is Verdict.EXACT
    assert check.locations[0].span.start == 35


def test_row_6_offsets_out_of_range_are_a_clean_error(machine: LocalCitationMachine) -> None:
    """hypothesis/client 558. Rows 4 and 5 are in test_quotes_over_pages, row 7 in test_versions."""
    document = ingested(machine, "short.txt", "A short text.\n")
    for span in (Span(10**9, 10**9 + 4), Span(0, 10**9), Span(-1, 4), Span(4, 4), Span(8, 2)):
        with pytest.raises(SpanOutOfRange) as caught:
            machine.quote_span(document.document_id, span)
        assert caught.value.hint
    assert not stands_at(document, "A short", 10**9)
    assert not stands_at(document, "A short", -14)
    assert not stands_at(document, "", 0)
    assert stands_at(document, "A short text.", 0)


def test_row_12_a_ligature_is_kept_and_found(machine: LocalCitationMachine) -> None:
    """docling 3420, PyMuPDF 3660: canonical text keeps U+FB01, and the shown text is exact."""
    content = make_pdf(
        ["The most scienti# minds of the age were called mis#ts by all."],
        to_unicode=to_unicode_map({"#": "FB01"} | {c: f"{ord(c):04X}" for c in "Themostscinaghwrldyubp. "}),
    )
    document = ingested(machine, "misfits.pdf", content)
    assert "scienti\ufb01 minds" in document.text
    [result] = machine.search("misfits")
    assert "mis\ufb01ts" in result.text
    assert document.slice(result.span) == result.text
    check = machine.check_quote("of the age were called misfits by all.")
    assert check.verdict is Verdict.LAYOUT
    assert check.locations[0].text == "of the age were called mis\ufb01ts by all."
    assert machine.check_quote(check.locations[0].text).verdict is Verdict.EXACT


def test_row_13_a_word_split_at_a_line_end_is_found_and_stays_split(machine: LocalCitationMachine) -> None:
    """ripgrep-all 44, zathura 700, jalan/pdftotext 70."""
    document = ingested(
        machine, "hyphens.pdf", make_pdf(["He looked for evi-\ndence of a well-\nknown keeper."])
    )
    [result] = machine.search("evidence")
    assert "evi-\ndence" in document.slice(result.span)
    for quote in ("He looked for evidence of a well-known keeper.", "He looked for evidence of a well-"):
        check = machine.check_quote(quote)
        assert check.verdict is Verdict.LAYOUT
        assert document.slice(check.locations[0].span) == check.locations[0].text
    assert machine.check_quote("He looked for evi-\ndence").verdict is Verdict.EXACT


@pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is not there")
def test_row_13_in_a_real_file(machine: LocalCitationMachine) -> None:
    document = machine.document(machine.ingest(DATA / "hyphens.pdf"))
    assert any(f"-{end}" in document.text for end in ("\n", " \n"))


def test_every_verdict_gives_its_reason(machine: LocalCitationMachine) -> None:
    """cli.md: the nine verdicts, each with a sentence that says why (exact needs none)."""
    document = ingested(
        machine,
        "voyage.txt",
        "At dusk the old king wept beside the harbour, and would not be led indoors.\f"
        "The committee found that the drug would not improve outcomes in adults.\n\n"
        "Bread is bread. Bread is bread.\n\nThe “plain” evidence was lost.\n",
    )
    other = ingested(machine, "report.txt", "The lamp was first lit in March 1893 by a child.\n")

    def check(quote: str) -> QuoteCheck:
        return machine.check_quote(quote)

    checks = {
        Verdict.EXACT: check("the old king wept beside the harbour"),
        Verdict.EXACT_SPLIT: check("would not be led indoors. The committee found"),
        Verdict.LAYOUT: check('The "plain" evidence was lost.'),
        Verdict.AMBIGUOUS: check("Bread is bread."),
        Verdict.MISATTRIBUTED: machine.check_quote(
            "The lamp was first lit", document_id=document.document_id
        ),
        Verdict.STITCHED: check("At dusk the old king wept beside the lamp was first lit in March"),
        Verdict.NEAR_MISS: check("The committee found that the drug would improve outcomes in adults."),
        Verdict.ABSENT: check("Nothing of this kind was written by anybody."),
        Verdict.TOO_SHORT: check("the king"),
    }
    assert {verdict: found.verdict for verdict, found in checks.items()} == {v: v for v in Verdict}
    assert [v for v, found in checks.items() if not found.explanation] == [Verdict.EXACT]
    assert checks[Verdict.MISATTRIBUTED].locations[0].document_id == other.document_id
    assert [v for v, found in checks.items() if found.evidence_ids] == [Verdict.EXACT, Verdict.EXACT_SPLIT]
    assert all(found.locations for v, found in checks.items() if v not in (Verdict.ABSENT, Verdict.TOO_SHORT))
