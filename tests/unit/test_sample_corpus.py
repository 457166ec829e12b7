"""The sample corpus: what its files are, and what the engine must find in them, sentence by sentence."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from cmtui.model.claim import EvidenceReport, Finding, Relation
from cmtui.model.source import PageBasis
from support.corpus import CORPUS, ROOT, SOURCES, corpus_machine, documents, expected
from support.make_corpus import built

CLAIMS = expected()["claims"]
SEARCHES = expected()["searches"]
#: A sentence of the corpus as expected.json names it: file and exact canonical text.
Stated = tuple[str, str]


def stated(spans: list[dict[str, str]]) -> Counter[Stated]:
    return Counter((span["file"], span["text"]) for span in spans)


@pytest.mark.parametrize("name", sorted(built()))
def test_the_committed_file_is_the_built_one(name: str) -> None:
    """Run tests/support/make_corpus.py after changing a manuscript."""
    assert (CORPUS / name).read_bytes() == built()[name]


def test_the_corpus_has_all_four_kinds_at_a_readable_length() -> None:
    """Six to ten sources of PDF, EPUB, Markdown and plain text (R2)."""
    library = documents(corpus_machine())
    assert sorted(library) == list(SOURCES)
    assert 6 <= len(library) <= 10
    assert {str(d.kind) for d in library.values()} == {"pdf", "epub", "markdown", "text"}
    assert all(2_000 <= len(d.text) <= 9_000 for d in library.values())
    assert sum(len(d.passages) for d in library.values()) >= 30


def test_the_pdf_states_roman_and_arabic_labels() -> None:
    """Front matter i to iii, then 1 to 4; physical pages are counted apart (R8)."""
    pdf = documents(corpus_machine())["ardle-light-survey.pdf"]
    assert [page.label for page in pdf.tables.pages] == ["i", "ii", "iii", "1", "2", "3", "4"]
    assert [page.number for page in pdf.tables.pages] == [1, 2, 3, 4, 5, 6, 7]
    assert {mark.path[0] for mark in pdf.tables.sections} >= {"Summary", "2 The keepers", "5 Cost"}


def test_the_pdf_keeps_hyphens_and_ligatures_as_they_are() -> None:
    """Nothing is repaired in canonical text (R13)."""
    text = documents(corpus_machine())["ardle-light-survey.pdf"].text
    assert "Two sur-\nveyors spent" in text
    assert "electri\ufb01ed" in text
    assert "\ufb02ash" in text


def test_the_epub_states_chapters_and_printed_pages() -> None:
    """Chapters from the navigation document, printed pages from its page list (R8)."""
    epub = documents(corpus_machine())["the-voyage.epub"]
    assert [chapter.title for chapter in epub.tables.chapters] == ["The Harbour", "The Ships", "The Letter"]
    assert [mark.label for mark in epub.tables.print_pages] == ["7", "8", "9", "10", "11", "12", "13"]
    at = epub.text.index("The old king wept")
    locators = epub.locate(next(p.span for p in epub.passages if p.start <= at < p.end))
    assert locators.chapter == "The Ships"
    assert locators.print_page == "9"
    assert locators.cited_page is not None
    assert locators.cited_page.basis is PageBasis.PRINT


def test_the_specification_has_pages_by_form_feed_and_no_labels() -> None:
    """A page counted by form feeds is physical: no label is invented (R102)."""
    text = documents(corpus_machine())["span-format.txt"]
    assert len(text.tables.pages) == 5
    assert text.tables.page_basis is PageBasis.FORMFEED
    assert all(page.label is None for page in text.tables.pages)


def test_all_sources_but_one_have_metadata_and_it_is_valid() -> None:
    """Explicit metadata only, one source left without (R101, R102)."""
    items = json.loads((CORPUS / "bibliography.json").read_text("utf-8"))
    assert set(SOURCES) - set(items) == {"notes-on-provenance.md"}
    assert set(items) <= set(SOURCES)
    machine = corpus_machine()
    rows = {row.name: row for row in machine.documents()}
    for name, item in items.items():
        record = machine.set_bibliography(rows[name].document_id, item)
        assert record.item["title"] == item["title"]
        assert item["title"].split(":")[0].split(",")[0] in machine.format_citation(rows[name].document_id)


def test_the_readme_says_whose_words_these_are() -> None:
    text = (CORPUS / "README").read_text("utf-8")
    assert "CC0" in text
    assert all(name in text for name in SOURCES)


def test_there_are_enough_claims_of_each_kind() -> None:
    counts = Counter(claim["expect"] for claim in CLAIMS)
    assert len(CLAIMS) >= 15
    assert set(counts) == {"supports", "contradicts", "none"}
    assert min(counts.values()) >= 4


def test_no_claim_shares_its_sentence_with_the_language_data() -> None:
    """What the rules and the concept lexicon know was not written for these claims."""
    data = [p for p in (ROOT / "cmtui").rglob("*") if p.suffix in {".txt", ".toml", ".json"}]
    known = "\n".join(" ".join(path.read_text("utf-8").split()) for path in data).casefold()
    assert known
    for claim in CLAIMS:
        for sentence in [claim["claim"], *(span["text"] for span in claim.get("spans", ()))]:
            assert " ".join(sentence.rstrip(".").split()).casefold() not in known


def found(report: EvidenceReport, findings: tuple[Finding, ...]) -> Counter[Stated]:
    names = {row.document_id: row.name for row in corpus_machine().documents()}
    return Counter((names[f.document_id], str(f.text)) for f in findings)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: str(claim["claim"]))
def test_the_claim_finds_exactly_its_sentences(claim: dict[str, object]) -> None:
    """Every expected span and no other, each exact in its file and read back equal (R84, R87, R90, R95)."""
    machine = corpus_machine()
    report = machine.find_evidence(str(claim["claim"]), limit=20, diagnostics=True)
    spans, against = stated(claim.get("spans", [])), stated(claim.get("against", []))  # type: ignore[arg-type]
    supports, contradicts = {
        "supports": (spans, against),
        "contradicts": (against, spans),
        "none": (Counter[Stated](), Counter[Stated]()),
    }[str(claim["expect"])]
    assert found(report, report.findings) == supports
    assert found(report, report.contradictions) == contradicts
    assert not report.refused
    for finding in [*report.findings, *report.contradictions]:
        document = machine.document(finding.document_id)
        assert document.slice(finding.span) == finding.text
    for finding in report.findings:
        assert finding.evidence is not None
        assert machine.reconstruct(finding.evidence) == finding.text
        [evidence_id] = finding.evidence_ids
        assert machine.reconstruct(evidence_id) == finding.text


@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: f"{search['mode']}: {search['query']}")
def test_the_search_finds_its_passage(search: dict[str, object]) -> None:
    """The passage with this text is among the first results (R70 to R72, R75)."""
    machine = corpus_machine()
    method = {
        "lexical": machine.search,
        "semantic": machine.semantic_search,
        "hybrid": machine.hybrid_search,
    }[str(search["mode"])]
    results = method(str(search["query"]), limit=int(str(search["within"])))
    names = {row.document_id: row.name for row in machine.documents()}
    assert any(names[r.document_id] == search["file"] and str(search["text"]) in r.text for r in results)


def test_the_prepared_claims_show_support_contradiction_and_abstention() -> None:
    """The demo lands on a claim that has all three among its findings."""
    prepared = expected()["prepared"]
    assert prepared
    assert set(prepared) <= {claim["claim"] for claim in CLAIMS}
    report = corpus_machine().find_evidence(prepared[0], diagnostics=True)
    assert report.findings
    assert report.contradictions
    assert report.related
    assert all(f.relation is Relation.RELATED and f.evidence is None for f in report.related)


def test_the_builder_needs_nothing_but_python() -> None:
    """The two binary files can be rebuilt anywhere, without the program itself."""
    for name in ("make_corpus.py", "make_corpus_epub.py", "make_corpus_pdf.py"):
        text = (Path(__file__).resolve().parents[1] / "support" / name).read_text("utf-8")
        assert "cmtui" not in text
