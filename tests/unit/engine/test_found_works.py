"""Importing found works: the DOI's own record, or the given fields with their origin; nothing guessed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

import cmtui.net.client
from cmtui import CitationIngestionService, CitationMachine, InMemoryKnowledgeRepository, LocalCitationMachine
from cmtui.engine.found import candidate_of, item_of_row, reference_id
from cmtui.errors import DoiNotFound, InvalidRequest, NotFound, ProviderError, StoreError
from cmtui.model.discovery import FoundWork
from cmtui.model.lookup import ProviderSettings
from cmtui.net.gate import RateGate
from support.cli import CommandLine, prepare
from support.local_http import LocalServer, Reply, Seen, json_reply, serving

DOI = "10.1000/skerrow.1871"
RECORD: dict[str, Any] = {
    "DOI": DOI, "type": "journal-article", "title": ["The lighthouse of Skerrow"],
    "author": [{"family": "Writer", "given": "Ann", "sequence": "first"}],
    "container-title": ["Journal of Harbours"], "issued": {"date-parts": [[1999, 5]]}, "URL": "https://doi.org/x",
}  # fmt: skip


def crossref(record: dict[str, Any]) -> Any:
    def answer(seen: Seen) -> Reply:
        if unquote(seen.path.partition("?")[0]) == f"/works/{record['DOI']}":
            return json_reply({"status": "ok", "message-type": "work", "message": record})
        return Reply(404, b"Resource not found.", {"Content-Type": "text/plain"})

    return answer


@pytest.fixture
def agency() -> Iterator[LocalServer]:
    with serving(crossref(RECORD)) as server:
        yield server


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests of a test need not keep the distance that a real host asks for."""
    monkeypatch.setattr(cmtui.net.client, "gate_of", lambda _: RateGate(1_000_000))


def settings(server: LocalServer) -> dict[str, ProviderSettings]:
    return {name: ProviderSettings(server.url) for name in ("crossref", "datacite")}


@pytest.fixture
def machine(tmp_path: Path) -> LocalCitationMachine:
    return LocalCitationMachine.open(tmp_path / "store")


def found(**fields: Any) -> FoundWork:
    row = {"provider": "semantic_scholar", "rank": 1, "title": "The lighthouse of Skerrow", "doi": DOI}
    return FoundWork(**(row | fields))


def ingested(machine: LocalCitationMachine, tmp_path: Path, **item: Any) -> str:
    (tmp_path / "light.txt").write_text("The lighthouse was lit.\n", encoding="utf-8")
    document_id = machine.ingest(tmp_path / "light.txt")
    if item:
        machine.set_bibliography(document_id, item)
    return document_id


def test_a_doi_becomes_the_agencys_record_and_nothing_of_the_row(
    machine: LocalCitationMachine, agency: LocalServer
) -> None:
    row = found(
        authors=({"literal": "SEARCH NAME"},), year=1900, container="SEARCH CONTAINER", abstract="A lead."
    )
    imported = machine.import_found(row, providers=settings(agency))
    assert imported.source_id is None
    assert imported.reference is not None
    item = imported.reference.item
    assert item["title"] == "The lighthouse of Skerrow"
    assert item["author"] == [{"family": "Writer", "given": "Ann"}]
    assert item["issued"] == {"date-parts": [[1999, 5]]}
    assert item["type"] == "article-journal"
    assert "SEARCH" not in str(item)
    assert "abstract" not in item
    assert imported.origin["provider"] == "crossref"
    assert imported.origin["found_by"] == "semantic_scholar"
    assert imported.origin["doi"] == DOI
    assert imported.origin["looked_up_at"]


def test_entries_are_kept_listed_replaced_and_removed(
    machine: LocalCitationMachine, agency: LocalServer
) -> None:
    first = machine.import_found(found(), providers=settings(agency))
    again = machine.import_found(found(provider="crossref"), providers=settings(agency))
    page = machine.import_found(found(doi=None, title="A page", url="https://a.org/x", provider="brave"))
    reopened = LocalCitationMachine.open(machine.path)
    assert [entry.item["title"] for entry in reopened.references()] == ["A page", "The lighthouse of Skerrow"]
    assert first.reference is not None
    assert again.reference is not None
    assert first.reference.reference_id == again.reference.reference_id
    assert again.reference.added_at == first.reference.added_at
    assert page.reference is not None
    gone = reopened.remove_reference(page.reference.reference_id[:10])
    assert gone.item["title"] == "A page"
    assert len(machine.references()) == 1
    with pytest.raises(NotFound):
        machine.remove_reference("ffffffff")


def test_the_repository_in_memory_keeps_entries_too(agency: LocalServer) -> None:
    repository = InMemoryKnowledgeRepository()
    machine = CitationMachine(ingestion_port=CitationIngestionService(repository), repository=repository)
    imported = machine.import_found(found(), providers=settings(agency))
    assert imported.reference is not None
    assert machine.references() == (imported.reference,)
    machine.remove_reference(imported.reference.reference_id)
    assert machine.references() == ()


def test_a_source_with_the_doi_gets_what_it_lacks_and_keeps_what_it_has(
    machine: LocalCitationMachine, agency: LocalServer, tmp_path: Path
) -> None:
    document_id = ingested(machine, tmp_path, type="article-journal", title="My own title", DOI=DOI.upper())
    imported = machine.import_found(found(title=None), providers=settings(agency), reviewer="ann")
    assert imported.reference is None
    assert imported.source_id == machine.source(document_id).source_id
    assert "author" in imported.stored
    assert imported.left == ("title",)
    record = machine.bibliography(document_id)
    assert record is not None
    assert record.item["title"] == "My own title"
    assert record.item["author"] == [{"family": "Writer", "given": "Ann"}]
    assert len(record.history) == 1
    assert machine.references() == ()
    assert len(machine.repository.events("ann")) == 1


def test_a_document_can_be_named(machine: LocalCitationMachine, agency: LocalServer, tmp_path: Path) -> None:
    document_id = ingested(machine, tmp_path)
    imported = machine.add_by_doi(f"https://doi.org/{DOI}", document=document_id, providers=settings(agency))
    assert imported.source_id == machine.source(document_id).source_id
    record = machine.bibliography(document_id)
    assert record is not None
    assert record.item["DOI"] == DOI


def test_a_record_of_another_title_is_not_stored_unless_confirmed(
    machine: LocalCitationMachine, agency: LocalServer
) -> None:
    """A real DOI beside an invented title must not pass (providers.md 6.3)."""
    with pytest.raises(InvalidRequest, match="not of 'A wholly other work'"):
        machine.import_found(found(title="A wholly other work"), providers=settings(agency))
    assert machine.references() == ()
    assert machine.import_found(
        found(title="A wholly other work"), confirm=True, providers=settings(agency)
    ).reference


def test_a_title_with_its_subtitle_is_the_same_title(
    machine: LocalCitationMachine, agency: LocalServer
) -> None:
    row = found(title="The Lighthouse of <i>Skerrow</i>: a history")
    assert machine.import_found(row, providers=settings(agency)).reference


def test_notices_are_told_and_kept_with_a_source(machine: LocalCitationMachine, tmp_path: Path) -> None:
    retracted = RECORD | {
        "updated-by": [{"type": "retraction", "DOI": "10.1000/notice", "label": "Retraction",
                        "updated": {"date-parts": [[2001, 1, 1]]}, "source": "publisher"}]
    }  # fmt: skip
    document_id = ingested(
        machine, tmp_path, type="article-journal", title="The lighthouse of Skerrow", DOI=DOI
    )
    with serving(crossref(retracted)) as server:
        imported = machine.import_found(found(), providers=settings(server))
    assert imported.notices == ("retraction",)
    assert [notice.kind for notice in machine.editorial_notices(document_id)] == ["retraction"]


def test_without_a_doi_only_the_given_fields_become_the_entry() -> None:
    row = found(
        provider="brave", doi=None, title="Reading notes", url="https://a.org/notes", snippet="a lead",
        abstract="a lead", year=2020,
        authors=({"family": "Li", "given": "Wei", "parsed": "true"}, {"literal": "A Society"}),
        container="A site", language="en", citation_count=7,
    )  # fmt: skip
    assert item_of_row(row) == {
        "type": "webpage", "title": "Reading notes",
        "author": [{"family": "Li", "given": "Wei"}, {"literal": "A Society"}],
        "issued": {"date-parts": [[2020]]}, "container-title": "A site", "URL": "https://a.org/notes",
    }  # fmt: skip
    assert item_of_row(found(doi=None)) == {"type": "document", "title": "The lighthouse of Skerrow"}


def test_without_a_doi_the_entry_says_where_it_came_from(machine: LocalCitationMachine) -> None:
    imported = machine.import_found(found(doi=None, provider="exa", url="https://a.org/x"))
    assert imported.origin == {"provider": "exa", "found_by": "exa"}
    assert "nobody has checked it" in imported.warnings[0]


def test_a_work_without_doi_and_title_is_refused(machine: LocalCitationMachine) -> None:
    with pytest.raises(InvalidRequest, match="nothing to cite"):
        machine.import_found(found(doi=None, title=None))
    assert machine.references() == ()


@pytest.mark.parametrize(
    ("doi", "error"),
    [("10.1000/unknown", DoiNotFound), ("not a doi", InvalidRequest), ("10. 1000/x", InvalidRequest)],
)
def test_a_doi_that_is_none_or_unknown_stores_nothing(
    machine: LocalCitationMachine, agency: LocalServer, doi: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        machine.add_by_doi(doi, providers=settings(agency))
    assert machine.references() == ()


def test_an_agency_that_fails_stores_nothing(machine: LocalCitationMachine) -> None:
    with serving([Reply(400, b"{}")]) as server, pytest.raises(ProviderError):
        machine.import_found(found(), providers=settings(server))
    assert machine.references() == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"DOI": "10.1000/A"}, {"DOI": "10.1000/a", "title": "x"}),
        ({"URL": "https://a.org/x/"}, {"URL": "http://A.org/x?utm_source=y"}),
        ({"title": "The Sea"}, {"title": "the  sea"}),
    ],
)
def test_the_same_work_has_one_id(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert reference_id(one) == reference_id(other)
    assert reference_id(one) != reference_id({"title": "another"})


def test_a_found_work_with_an_address_can_be_captured() -> None:
    lead = candidate_of(found(url="https://a.org/x.pdf", snippet="joined ... text"), query="q")
    assert lead.source_kind == "pdf"
    assert lead.highlight is None
    assert (lead.discovery.provider, lead.discovery.rank, lead.discovery.query) == (
        "semantic_scholar",
        1,
        "q",
    )
    assert candidate_of(found(url="https://a.org/x"), kind="pdf").source_kind == "pdf"
    with pytest.raises(InvalidRequest, match="no address"):
        candidate_of(found())


def test_a_damaged_entry_is_noticed(machine: LocalCitationMachine) -> None:
    machine.import_found(found(doi=None))
    (path,) = (machine.path / "references").glob("*.json")
    assert machine.doctor().healthy
    path.write_bytes(b"{}")
    with pytest.raises(StoreError):
        machine.references()
    assert [check.layer for check in machine.doctor().checks if check.status != "ok"] == ["references"]


def test_entries_are_in_a_backup(machine: LocalCitationMachine, tmp_path: Path) -> None:
    from cmtui.engine.backup import restore

    machine.import_found(found(doi=None))
    machine.backup(tmp_path / "backup.tar")
    restore(tmp_path / "backup.tar", tmp_path / "other")
    assert LocalCitationMachine.open(tmp_path / "other").references() == machine.references()


# -- the command line --------------------------------------------------------------------------------


def test_bibliography_add_and_entries(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    agency: LocalServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "prepared").mkdir()
    cli = CommandLine(tmp_path, capsys, prepare(tmp_path / "prepared"))
    monkeypatch.setenv("CMTUI_CROSSREF_BASE_URL", agency.url)
    monkeypatch.setenv("CMTUI_DATACITE_BASE_URL", agency.url)
    added = cli("bibliography", "add", "--doi", DOI)
    assert added.status == 0
    assert added.object["item"]["title"] == "The lighthouse of Skerrow"
    assert added.object["origin"]["provider"] == "crossref"
    (entry,) = cli("bibliography", "entries").object["entries"]
    assert entry["entry_id"] == added.object["entry_id"]
    removed = cli("bibliography", "entries", "--remove", entry["entry_id"]).object
    assert removed["removed"]["entry_id"] == entry["entry_id"]
    assert removed["entries"] == []
    unknown = cli("bibliography", "add", "--doi", "10.1000/unknown")
    assert (unknown.status, unknown.error["type"]) == (2, "DoiNotFound")
