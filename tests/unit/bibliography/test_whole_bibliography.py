"""One bibliography over all cited sources, and what goes on the clipboard, over a real store."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cmtui.engine import LocalCitationMachine
from cmtui.errors import InvalidRequest, MetadataMissing
from cmtui.model.claim import EvidenceSpanIdentity
from cmtui.model.selectors import Span

TEXTS = {
    "tides": "The tide rises twice a day. Keepers write it down, “as they must”, in a book.\n",
    "seals": "The seals rest at low tide. They count as neighbours.\n",
    "nets": "Nets dry on the wall. Nobody owns the wall.\n",
}
AUTHOR = [{"family": "Roe", "given": "Jane"}]
ITEMS = {
    "tides": {"type": "book", "title": "tides", "author": AUTHOR, "issued": {"date-parts": [[2020]]}},
    "seals": {"type": "book", "title": "seals", "author": AUTHOR, "issued": {"date-parts": [[2020]]}},
}


@pytest.fixture
def machine(tmp_path: Path) -> LocalCitationMachine:
    made = LocalCitationMachine.open(tmp_path / "store")
    for name, text in TEXTS.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
        document = made.ingest(tmp_path / f"{name}.txt")
        if name in ITEMS:
            made.set_bibliography(document, ITEMS[name])
    return made


def document_of(machine: LocalCitationMachine, name: str) -> str:
    return next(row.document_id for row in machine.documents() if row.name.startswith(name))


def evidence(machine: LocalCitationMachine, name: str, quote: str) -> EvidenceSpanIdentity:
    document = document_of(machine, name)
    start = machine.repository.document(document).text.index(quote)
    return machine.quote_span(document, Span(start, start + len(quote)))


def test_numbers_follow_the_first_citation(machine: LocalCitationMachine) -> None:
    keys = [document_of(machine, name) for name in ("tides", "seals", "tides")]
    made = machine.bibliography_of(keys, style="ieee")
    assert made.text == "[1] J. Roe, tides. 2020.\n[2] J. Roe, seals. 2020."


def test_year_suffixes_run_over_all_sources(machine: LocalCitationMachine) -> None:
    keys = [document_of(machine, name) for name in ("tides", "seals")]
    made = machine.bibliography_of(keys, style="chicago", output="markdown")
    assert made.text == "Roe, Jane. 2020a. *Seals*.\n\nRoe, Jane. 2020b. *Tides*."


@pytest.mark.parametrize(
    ("output", "start", "end"),
    [
        ("plain", "Roe, Jane. ", "2020."),
        ("html", '<div class="csl-bib-body">', "</div>"),
        ("rtf", "{\\rtf1", "}"),
    ],
)
def test_a_bibliography_is_one_text_in_every_output(
    machine: LocalCitationMachine, output: str, start: str, end: str
) -> None:
    made = machine.bibliography_of(style="mla", output=output)
    assert made.text.startswith(start)
    assert made.text.endswith(end)
    assert made.text.count("{\\rtf1") <= 1
    assert len(made.entries) == 2
    assert made.warnings == ("'nets.txt' has no bibliographic metadata; it is left out.",)


def test_a_named_source_without_metadata_is_an_error(machine: LocalCitationMachine) -> None:
    with pytest.raises(MetadataMissing, match="nets"):
        machine.bibliography_of([document_of(machine, "nets")], style="mla")


def test_only_what_the_reviewer_accepted_is_printed(machine: LocalCitationMachine) -> None:
    with pytest.raises(MetadataMissing, match="accepted"):
        machine.bibliography_of(reviewer="ada", style="mla")
    claim = machine.add_claim("The seals rest at low tide.")
    machine.evaluate_claim(claim.claim_id)
    report = machine.claim(claim.claim_id)
    assert report.latest is not None
    found = next(f for f in report.latest.findings if f.evidence_id and "seals" in f.text)
    assert found.evidence_id is not None
    machine.review("ada").accept(claim.claim_id, found.evidence_id)
    assert machine.bibliography_of(reviewer="ada", style="mla").text == "Roe, Jane. Seals. 2020."


QUOTE = "Keepers write it down, “as they must”, in a book."


def test_a_quotation_is_copied_character_by_character_before_its_citation(
    machine: LocalCitationMachine,
) -> None:
    target = evidence(machine, "tides", QUOTE)
    plain = machine.copy_forms(target, "plain", "apa", cite_form="inline", quote=True)
    assert plain.text == f"“{QUOTE}” (Roe, 2020)"
    html = machine.copy_forms(target, "html", "mla", cite_form="inline", quote=True)
    assert (html.mime, html.text, html.plain) == ("text/html", f"“{QUOTE}” (Roe)", f"“{QUOTE}” (Roe)")
    rtf = machine.copy_forms(target, "rtf", "chicago-notes", cite_form="footnote", quote=True)
    assert rtf.text.startswith("{\\rtf1")
    assert "{\\i Tides}" in rtf.text


def test_what_is_copied_says_what_made_it(machine: LocalCitationMachine) -> None:
    target = evidence(machine, "tides", QUOTE)
    made = machine.copy_forms(target, "markdown", "apa", quote=True)
    assert made.provenance["engine"].startswith("citeproc-py ")
    assert len(made.provenance["style_sha256"]) == 64
    assert made.provenance["evidence_id"] == target.evidence_id
    assert made.provenance["document_id"] == target.document_id
    assert made.what == "APA quotation, Markdown"


def test_records_are_copied_as_files_of_other_programs(machine: LocalCitationMachine) -> None:
    document = document_of(machine, "tides")
    assert machine.copy_forms(document, "bibtex").text.startswith("@book{")
    assert json.loads(machine.copy_forms(document, "csl-json").text)[0]["title"] == "tides"
    ris = machine.copy_forms(document, "ris")
    assert ris.text.startswith("TY  - BOOK")
    assert ris.mime == "application/x-research-info-systems"


def test_what_cannot_be_copied_is_refused(machine: LocalCitationMachine) -> None:
    document = document_of(machine, "tides")
    with pytest.raises(InvalidRequest, match="no evidence"):
        machine.copy_forms(document, "plain", quote=True)
    with pytest.raises(InvalidRequest, match="holds no quotation"):
        machine.copy_forms(evidence(machine, "tides", QUOTE), "bibtex", quote=True)
    with pytest.raises(InvalidRequest, match="clipboard form"):
        machine.copy_forms(document, "docx")


def test_a_forged_target_is_not_quoted(machine: LocalCitationMachine) -> None:
    """The words are compared with the canonical text again before they are copied (fail closed)."""
    from dataclasses import replace

    from cmtui.errors import VerificationError

    forged = replace(evidence(machine, "tides", QUOTE), text=QUOTE.replace("book", "boot"))
    with pytest.raises(VerificationError):
        machine.copy_forms(forged, "plain", quote=True)


def test_nothing_of_a_quotation_reaches_the_engine(
    machine: LocalCitationMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cmtui.bibliography.formatting import BaseFormatter

    seen: list[str] = []
    original = BaseFormatter.run

    def watched(self: BaseFormatter, item: dict, **options: object) -> object:
        seen.append(json.dumps([item, options], ensure_ascii=False))
        return original(self, item, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(BaseFormatter, "run", watched)
    machine.copy_forms(evidence(machine, "tides", QUOTE), "plain", cite_form="inline", quote=True)
    assert seen
    assert not any("Keepers" in call for call in seen)
