"""The DOI look-up against a real server on loopback: who is asked, what is proposed, what is written."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import cmtui.net.client
from cmtui.config import load
from cmtui.engine import LocalCitationMachine
from cmtui.engine.lookup import look_up, providers_from_environment
from cmtui.engine.review import ReviewSession
from cmtui.errors import (
    ConfigError,
    DoiNotFound,
    InvalidMetadata,
    InvalidRequest,
    NotFound,
    ProviderError,
    ProviderMalformed,
    ProviderRateLimited,
    ProviderRefused,
    ProviderUnreachable,
)
from cmtui.model.bibliography import EditorialNotice, NoticeKind
from cmtui.model.lookup import ProviderSettings
from cmtui.net.gate import RateGate
from cmtui.store.directory import StoreRepository
from cmtui.store.memory import InMemoryKnowledgeRepository
from support.cli import CommandLine, prepare
from support.documents import make_document
from support.local_http import LocalServer, Reply, Seen, json_reply, serving

DOI = "10.5555/w.1"
RECORD: dict[str, Any] = {
    "DOI": "10.5555/W.1",
    "type": "journal-article",
    "title": ["On whales"],
    "author": [{"family": "Lovelace", "given": "Ada"}],
    "issued": {"date-parts": [[2020, 5]]},
    "container-title": ["Journal of Seas"],
    "volume": "3",
}
MARKDOWN = (
    "---\ntitle: On whales\nauthor: Ada Lovelace\ndoi: https://doi.org/10.5555/W.1\n---\n\nWhales sing.\n"
)


def crossref(**fields: Any) -> Reply:
    return json_reply({"status": "ok", "message-type": "work", "message": RECORD | fields})


def notice(kind: str, doi: str = "10.5555/R") -> dict[str, Any]:
    return {"DOI": doi, "type": kind, "label": kind.title(), "updated": {"date-parts": [[2021, 3, 1]]}}


NOT_FOUND = Reply(404, b"Resource not found.", {"Content-Type": "text/plain"})


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests of a test need not keep the distance that a real host asks for."""
    monkeypatch.setattr(cmtui.net.client, "gate_of", lambda _: RateGate(1_000_000))


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[LocalCitationMachine]:
    with LocalCitationMachine.open(tmp_path / "store") as opened:
        yield opened


def ingest(machine: LocalCitationMachine, tmp_path: Path, text: str = MARKDOWN) -> str:
    path = tmp_path / "whales.md"
    path.write_text(text, encoding="utf-8")
    return machine.ingest(path)


def at(server: LocalServer) -> dict[str, ProviderSettings]:
    """Both providers on one server: their paths differ."""
    return {"crossref": ProviderSettings(server.url), "datacite": ProviderSettings(server.url)}


# -- who is asked ------------------------------------------------------------------------------------


def test_crossref_answers_first() -> None:
    with serving([crossref()]) as server:
        found = look_up("https://doi.org/10.5555/W.1", providers=at(server))
    assert [seen.path for seen in server.seen] == ["/works/10.5555/w.1"]
    assert (found.doi, found.provider, found.source_id) == (DOI, "crossref", None)
    assert found.item["title"] == "On whales"
    assert [difference.field for difference in found.differences] == list(found.item)
    assert all(difference.current is None for difference in found.differences)
    assert found.looked_up_at.endswith("Z")


def test_the_polite_pool_is_asked_for_when_an_address_is_set() -> None:
    with serving([crossref()]) as server:
        settings = at(server) | {"crossref": ProviderSettings(server.url, mailto="ann@example.org")}
        look_up(DOI, providers=settings)
        [seen] = server.seen
    assert seen.path.endswith("?mailto=ann%40example.org")
    assert "mailto:ann@example.org" in seen.headers["user-agent"]


def test_datacite_answers_when_crossref_does_not_know_the_doi() -> None:
    attributes = {
        "doi": DOI,
        "titles": [{"title": "Whale counts"}],
        "creators": [{"name": "Sea Institute", "nameType": "Organizational"}],
        "publicationYear": 2022,
        "types": {"resourceTypeGeneral": "Dataset"},
    }

    def answer(seen: Seen) -> Reply:
        return (
            json_reply({"data": {"attributes": attributes}}) if seen.path.startswith("/dois/") else NOT_FOUND
        )

    with serving(answer) as server:
        found = look_up(DOI, providers=at(server))
        assert [seen.path for seen in server.seen] == ["/works/10.5555/w.1", "/dois/10.5555/w.1"]
    assert (found.provider, found.item["type"]) == ("datacite", "dataset")
    assert found.item["author"] == [{"literal": "Sea Institute"}]


def test_a_doi_that_nobody_knows() -> None:
    with serving([NOT_FOUND]) as server, pytest.raises(DoiNotFound) as caught:
        look_up(DOI, providers=at(server))
    assert DOI in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (Reply(429, headers={"Retry-After": "3600"}), ProviderRateLimited),
        (Reply(301, headers={"Location": "https://elsewhere.example/"}), ProviderRefused),
        (Reply(403), ProviderRefused),
        (Reply(200, b"<html>"), ProviderMalformed),
        (json_reply({"status": "ok", "message": {"title": ["no DOI"]}}), ProviderMalformed),
        (Reply(200, b"x" * (4 * 1024 * 1024 + 1)), ProviderMalformed),
    ],
)
def test_a_failure_of_crossref_is_said_and_datacite_is_not_asked(
    reply: Reply, error: type[ProviderError]
) -> None:
    with serving([reply]) as server:
        with pytest.raises(error) as caught:
            look_up(DOI, providers=at(server))
        assert [seen.path for seen in server.seen] == ["/works/10.5555/w.1"]
    assert caught.value.provider
    assert caught.value.hint


def test_a_crossref_that_is_busy_for_a_moment_is_asked_again() -> None:
    with serving([Reply(429, headers={"Retry-After": "0"}), crossref()]) as server:
        assert look_up(DOI, providers=at(server)).doi == DOI
        assert len(server.seen) == 2


@pytest.mark.parametrize("text", ["10.5555", "10. 5555/w", "whales", "https://example.org/x"])
def test_what_is_no_doi_is_never_sent(text: str) -> None:
    with serving([crossref()]) as server:
        with pytest.raises(InvalidRequest):
            look_up(text, providers=at(server))
        assert server.seen == []


def test_a_component_is_not_a_work() -> None:
    with serving([crossref(type="component", title=[])]) as server, pytest.raises(InvalidMetadata):
        look_up(DOI, providers=at(server))


# -- what is proposed --------------------------------------------------------------------------------


def test_the_doi_of_the_file_is_looked_up_and_nothing_is_written(
    machine: LocalCitationMachine, tmp_path: Path
) -> None:
    """R102: a look-up proposes; the bibliography stays as it was."""
    document = ingest(machine, tmp_path)
    before = {path: path.read_bytes() for path in (tmp_path / "store").rglob("*") if path.is_file()}
    with serving([crossref()]) as server:
        found = machine.lookup_doi(document, providers=at(server))
    assert found.source_id == machine.source(document).source_id
    assert found.warnings == ()
    assert machine.bibliography(document) is None
    after = {path: path.read_bytes() for path in (tmp_path / "store").rglob("*") if path.is_file()}
    assert {
        path for path in after if before.get(path) != after[path] and "derived" not in path.parts
    } == set()


def test_only_fields_that_say_something_else_are_proposed(
    machine: LocalCitationMachine, tmp_path: Path
) -> None:
    document = ingest(machine, tmp_path)
    current = {
        "type": "article-journal",
        "title": "On  whales",
        "author": [{"family": "Lovelace", "given": "Ada"}],
        "issued": {"date-parts": [["2020", 5]]},
        "DOI": "https://doi.org/10.5555/W.1",
        "volume": "4",
        "note": "mine",
    }
    machine.set_bibliography(document, current)
    with serving([crossref()]) as server:
        found = machine.lookup_doi(document, providers=at(server))
    assert [(d.field, d.current, d.proposed) for d in found.differences] == [
        ("container-title", None, "Journal of Seas"),
        ("volume", "4", "3"),
    ]


@pytest.mark.parametrize(
    ("current", "warned"),
    [
        ({"title": "On whales", "author": [{"family": "Lovelace", "given": "A."}]}, ()),
        ({"title": "ON WHALES."}, ()),
        ({"title": "A history of the harbour"}, ("title",)),
        ({"title": "On whales", "author": [{"family": "Babbage"}]}, ("first author",)),
        ({"title": "On sharks", "author": [{"literal": "Sea Institute"}]}, ("title", "first author")),
    ],
)
def test_a_title_or_first_author_that_disagrees_is_a_warning(
    machine: LocalCitationMachine, tmp_path: Path, current: dict[str, Any], warned: tuple[str, ...]
) -> None:
    document = ingest(machine, tmp_path)
    machine.set_bibliography(document, {"type": "article-journal"} | current)
    with serving([crossref()]) as server:
        found = machine.lookup_doi(document, providers=at(server))
    assert len(found.warnings) == len(warned)
    for text, what in zip(found.warnings, warned, strict=True):
        assert text.startswith(f"The {what} disagrees")
        assert "DOI of another work?" in text


def test_without_a_bibliography_the_file_itself_is_compared(
    machine: LocalCitationMachine, tmp_path: Path
) -> None:
    document = ingest(machine, tmp_path)
    other = {"title": ["Harbours of the north"], "author": [{"family": "Hopper", "given": "Grace"}]}
    with serving([crossref(**other)]) as server:
        found = machine.lookup_doi(document, providers=at(server))
    assert [text.split(":")[0] for text in found.warnings] == [
        "The title disagrees",
        "The first author disagrees",
    ]


def test_a_subtitle_is_no_disagreement(machine: LocalCitationMachine, tmp_path: Path) -> None:
    document = ingest(machine, tmp_path)
    machine.set_bibliography(document, {"type": "book", "title": "The great whales"})
    with serving([crossref(title=["The great whales"], subtitle=["A history"])]) as server:
        assert machine.lookup_doi(document, providers=at(server)).warnings == ()


def test_an_answer_about_another_doi_is_a_warning() -> None:
    with serving([crossref(DOI="10.5555/other")]) as server:
        found = look_up(DOI, providers=at(server))
    assert found.doi == "10.5555/other"
    assert "not for 10.5555/w.1" in found.warnings[0]


def test_two_years_and_a_preprint_are_said() -> None:
    fields = {
        "published-print": {"date-parts": [[2020]]},
        "published-online": {"date-parts": [[2018]]},
        "relation": {"is-preprint-of": [{"id-type": "doi", "id": "10.5555/P"}]},
    }
    with serving([crossref(**fields)]) as server:
        said = " ".join(look_up(DOI, providers=at(server)).warnings)
    assert "10.5555/p" in said
    assert "Printed in 2020, online in 2018" in said


def test_a_source_without_a_doi_says_how_to_give_one(machine: LocalCitationMachine, tmp_path: Path) -> None:
    document = ingest(machine, tmp_path, "Whales sing.\n")
    with pytest.raises(InvalidRequest) as caught:
        machine.lookup_doi(document)
    assert "--doi" in caught.value.hint
    with pytest.raises(NotFound):
        machine.lookup_doi("0" * 64)


# -- editorial notices -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "state", "words"),
    [
        ("retraction", NoticeKind.RETRACTION, "is retracted"),
        ("withdrawal", NoticeKind.RETRACTION, "is retracted"),
        ("expression_of_concern", NoticeKind.CONCERN, "expression of concern"),
        ("erratum", NoticeKind.CORRECTION, "published correction"),
    ],
)
def test_three_editorial_states(kind: str, state: NoticeKind, words: str) -> None:
    with serving([crossref(**{"updated-by": [notice(kind)]})]) as server:
        found = look_up(DOI, providers=at(server))
    assert [n.kind for n in found.own_notices] == [state]
    assert words in found.warnings[0]
    assert "10.5555/r" in found.warnings[0]
    assert ("retracted" in found.warnings[0]) == (state is NoticeKind.RETRACTION)


def test_the_doi_of_a_notice_is_not_a_retracted_work() -> None:
    with serving([crossref(**{"update-to": [notice("retraction", "10.5555/OLD")]})]) as server:
        found = look_up(DOI, providers=at(server))
    assert found.own_notices == ()
    assert found.warnings == ("This DOI is a notice of retraction about 10.5555/old, not the work itself.",)


def test_a_title_that_says_retracted_without_a_notice() -> None:
    with serving([crossref(title=["RETRACTED: On whales"])]) as server:
        assert "no notice is registered" in look_up(DOI, providers=at(server)).warnings[0]


def test_notices_stay_with_the_source_and_are_read_offline(
    machine: LocalCitationMachine, tmp_path: Path
) -> None:
    document = ingest(machine, tmp_path)
    updates = [notice("erratum", "10.5555/E"), notice("retraction")]
    with serving([crossref(**{"updated-by": updates})]) as server:
        found = machine.lookup_doi(document, providers=at(server))
    assert machine.editorial_notices(document) == ()
    machine.apply_lookup(found, ["type", "title", "DOI"])
    with LocalCitationMachine.open(tmp_path / "store") as again:
        assert [n.kind.value for n in again.editorial_notices(document)] == ["retraction", "correction"]
        record = again.bibliography(document)
        assert record is not None
        assert record.notices_checked_at
        again.set_bibliography(document, record.item | {"title": "On whales, corrected"})
        assert len(again.editorial_notices(document)) == 2
        again.set_bibliography(document, record.item | {"DOI": "10.5555/another"})
        assert again.editorial_notices(document) == ()


@pytest.mark.parametrize("kind", ["memory", "directory"])
def test_notices_outlive_edits_and_give_way_to_the_next_look_up(tmp_path: Path, kind: str) -> None:
    """Both repositories keep them beside the item; a sidecar without a look-up does not mention them."""
    repository = (
        InMemoryKnowledgeRepository() if kind == "memory" else StoreRepository.open(tmp_path / "store")
    )
    document, content, artifact = make_document(name="a.txt")
    repository.commit_document(document, content=content, artifact=artifact)
    source, item = artifact.artifact_id, {"type": "book", "title": "A", "DOI": DOI}
    assert repository.set_bibliography(source, item).notices_checked_at is None
    if kind == "directory":
        assert b"notices" not in (tmp_path / "store" / "bibliography" / f"{source}.json").read_bytes()
    found = EditorialNotice(NoticeKind.CONCERN, DOI, "10.5555/c", "Concern", "2021-03", "publisher")
    kept = repository.set_bibliography(source, item, notices=[found])
    assert (kept.notices, kept.history) == ((found,), ())
    assert repository.set_bibliography(source, item | {"title": "B"}).notices == (found,)
    assert repository.bibliography(source) == repository.set_bibliography(source, item | {"title": "B"})
    cleared = repository.set_bibliography(source, item | {"title": "B"}, notices=())
    assert cleared.notices == ()
    assert cleared.notices_checked_at is not None


def test_a_form_that_stores_the_fields_itself_keeps_the_notices(
    machine: LocalCitationMachine, tmp_path: Path
) -> None:
    document = ingest(machine, tmp_path)
    with serving([crossref(**{"updated-by": [notice("retraction")]})]) as server:
        form = {"type": "book", "title": "On whales", "volume": "9"}
        found = machine.lookup_doi(document, item=form, providers=at(server))
    assert ("volume", "9") in [(row.field, row.current) for row in found.differences]
    assert machine.keep_notices(found) is None
    machine.set_bibliography(document, form | {"DOI": "10.5555/another"})
    assert machine.keep_notices(found) is None
    machine.set_bibliography(document, form | {"DOI": f"https://doi.org/{DOI}"})
    kept = machine.keep_notices(found)
    assert kept is not None
    assert [n.kind for n in machine.editorial_notices(document)] == [NoticeKind.RETRACTION]


# -- what is written ---------------------------------------------------------------------------------


def test_only_accepted_fields_are_written_and_the_rest_stays(
    machine: LocalCitationMachine, tmp_path: Path
) -> None:
    document = ingest(machine, tmp_path)
    mine = {"id": "w", "type": "book", "title": "On whales", "volume": "4", "note": "mine", "DOI": DOI}
    machine.set_bibliography(document, mine)
    with serving([crossref()]) as server:
        found = machine.lookup_doi(document, providers=at(server))
    record = machine.apply_lookup(found, ["volume", "issued"], reviewer="ann")
    assert record.item == mine | {"volume": "3", "issued": {"date-parts": [[2020, 5]]}}
    assert record.history == (mine,)
    ReviewSession(machine.repository, "ann").undo()
    undone = machine.bibliography(document)
    assert undone is not None
    assert undone.item == mine


def test_a_field_that_was_not_proposed_is_refused(machine: LocalCitationMachine, tmp_path: Path) -> None:
    document = ingest(machine, tmp_path)
    with serving([crossref()]) as server:
        found = machine.lookup_doi(document, providers=at(server))
    with pytest.raises(InvalidRequest) as caught:
        machine.apply_lookup(found, ["publisher"])
    assert "container-title" in caught.value.hint
    with pytest.raises(InvalidMetadata):
        machine.apply_lookup(found, ["title"])
    with pytest.raises(InvalidRequest):
        machine.apply_lookup(found, [])
    assert machine.bibliography(document) is None


def test_what_changed_after_the_look_up_is_not_overwritten(
    machine: LocalCitationMachine, tmp_path: Path
) -> None:
    document = ingest(machine, tmp_path)
    machine.set_bibliography(document, {"type": "book", "title": "On whales", "volume": "4"})
    with serving([crossref()]) as server:
        found = machine.lookup_doi(document, providers=at(server))
    machine.set_bibliography(document, {"type": "book", "title": "On whales", "volume": "5"})
    with pytest.raises(InvalidRequest) as caught:
        machine.apply_lookup(found, ["volume"])
    assert "again" in caught.value.hint


def test_a_bare_look_up_is_written_to_a_named_source(machine: LocalCitationMachine, tmp_path: Path) -> None:
    document = ingest(machine, tmp_path)
    with serving([crossref()]) as server:
        found = machine.lookup_doi(DOI, providers=at(server))
    with pytest.raises(InvalidRequest):
        machine.apply_lookup(found, ["type", "title"])
    record = machine.apply_lookup(found, ["type", "title"], source=document)
    assert record.item == {"type": "article-journal", "title": "On whales"}


# -- the network only on command (D1, R117) ----------------------------------------------------------


def test_nothing_but_a_look_up_connects(
    machine: LocalCitationMachine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R117, D1: metadata with a DOI and a URL is stored, searched and cited without a connection."""
    asked: list[Any] = []

    def refuse(*arguments: Any, **_: Any) -> None:
        asked.append(arguments)
        raise OSError("no network here")

    document = ingest(machine, tmp_path)  # the reader is a child process, joined by pipes
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    item = {"type": "article-journal", "title": "On whales", "DOI": DOI, "URL": "https://a.example/"}
    machine.set_bibliography(document, item)
    machine.search("whales")
    machine.hybrid_search(DOI)
    machine.find_evidence("Whales sing.")
    machine.metadata_candidates(document)
    machine.editorial_notices(document)
    for style in machine.citation_styles():
        machine.format_citation(document, style=style)
    assert asked == []
    closed = {name: ProviderSettings("http://127.0.0.1:9") for name in ("crossref", "datacite")}
    with pytest.raises(ProviderUnreachable):
        machine.lookup_doi(document, providers=closed)
    assert len(asked) == 1


# -- settings ----------------------------------------------------------------------------------------


def test_base_urls_are_settings(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(
        "providers:\n  crossref:\n    base_url: https://mirror.example\n"
        "    mailto: a@b.example\n    deadline: 5\n"
    )
    settings = load({}, file).providers
    assert settings["crossref"] == ProviderSettings("https://mirror.example", 5.0, "a@b.example")
    assert settings["datacite"].base_url == "https://api.datacite.org"
    environment = {
        "CMTUI_CROSSREF_BASE_URL": "http://127.0.0.1:1",
        "CMTUI_DATACITE_BASE_URL": "http://127.0.0.1:2",
    }
    assert load(environment, file).providers["crossref"].base_url == "http://127.0.0.1:1"
    assert providers_from_environment(environment)["datacite"].base_url == "http://127.0.0.1:2"
    assert providers_from_environment({})["crossref"].base_url == "https://api.crossref.org"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("providers:\n  crosref:\n    base_url: x\n", "line 2"),
        ("providers:\n  crossref:\n    base_ur: x\n", "line 3"),
        ("providers:\n  crossref:\n    base_url: x\n", "line 3"),
        ("providers:\n  crossref:\n    deadline: 0\n", "line 3"),
        ("providers:\n  crossref:\n    mailto: nobody\n", "line 3"),
        ("providers: x\n", "line 1"),
    ],
)
def test_wrong_provider_settings_name_their_line(tmp_path: Path, text: str, place: str) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load({}, file)
    assert place in caught.value.message


# -- the verb ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepare(tmp_path_factory.mktemp("prepared"))


@pytest.fixture
def cli(tmp_path: Path, capsys: pytest.CaptureFixture[str], prepared: Path) -> CommandLine:
    return CommandLine(tmp_path, capsys, prepared)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[LocalServer]:
    """A server that the environment names as Crossref and DataCite."""
    with serving([crossref(**{"updated-by": [notice("retraction")]})]) as server:
        monkeypatch.setenv("CMTUI_CONFIG", str(tmp_path / "none.yaml"))
        monkeypatch.setenv("CMTUI_CROSSREF_BASE_URL", server.url)
        monkeypatch.setenv("CMTUI_DATACITE_BASE_URL", server.url)
        yield server


def test_the_verb_prints_the_differences_and_writes_on_request(cli: CommandLine, asked: LocalServer) -> None:
    bare = cli.bare("lookup", "--doi", f"https://doi.org/{DOI}").object
    assert bare["item"]["title"] == "On whales"
    assert (bare["source_id"], bare["accepted"]) == (None, [])
    document = cli.ingested()["whales.txt"]
    shown = cli.ok("lookup", document, "--doi", DOI)
    assert {row["field"] for row in shown["differences"]} >= {"type", "title", "author", "DOI"}
    assert shown["notices"][0]["kind"] == "retraction"
    assert cli.ok("bibliography", "show", document)["items"][0]["item"] is None
    words = [word for field in ("type", "title", "DOI") for word in ("--accept", field)]
    done = cli.ok("lookup", document, "--doi", DOI, *words)
    assert done["accepted"] == ["type", "title", "DOI"]
    [row] = cli.ok("bibliography", "show", document)["items"]
    assert row["item"] == {"type": "article-journal", "title": "On whales", "DOI": DOI}
    assert [shown["kind"] for shown in row["notices"]] == ["retraction"]
    again = cli.ok("lookup", document, "--accept-all")
    assert "author" in again["accepted"]
    assert cli.ok("lookup", document)["differences"] == []
    lines = cli("lookup", "--doi", DOI, "--jsonl").out.splitlines()
    assert [json.loads(line)["field"] for line in lines][:2] == ["type", "title"]


def test_the_verb_says_what_is_missing(cli: CommandLine, asked: LocalServer) -> None:
    assert cli.fails("lookup")["type"] == "InvalidRequest"
    assert cli.fails("lookup", "--doi", "whales")["type"] == "InvalidRequest"
    assert cli.fails("lookup", "--doi", DOI, "--accept-all")["type"] == "InvalidRequest"
    document = cli.ingested()["whales.txt"]
    assert "--doi" in cli.fails("lookup", document)["hint"]
    assert asked.seen == []
    asked.script = [NOT_FOUND]
    assert cli.fails("lookup", "--doi", DOI)["type"] == "DoiNotFound"
