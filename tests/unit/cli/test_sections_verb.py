"""``sections`` on the command line, against services on loopback (R170, R174 to R178)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.cli import CommandLine
from support.literature import RELEVANT, SECTION, crossref_answer, crossref_item, literature
from support.local_http import LocalServer, serving

GOOD = [
    crossref_item(f"10.5555/m{n}", f"Soil carbon of marshes {n}", abstract=f"<jats:p>{RELEVANT}</jats:p>")
    for n in range(2)
]


@pytest.fixture
def services(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalServer]:
    with serving(literature(crossref=crossref_answer(*GOOD))) as server:
        for name in ("CROSSREF", "BRAVE"):
            monkeypatch.setenv(f"CMTUI_{name}_BASE_URL", server.url)
        monkeypatch.setenv("CMTUI_SEMANTIC_SCHOLAR_BASE_URL", server.url.replace("127.0.0.1", "localhost"))
        monkeypatch.setenv("BRAVE_API_KEY", "test-key-of-brave")
        yield server


def draft(cli: CommandLine) -> Path:
    return cli.write("draft.md", f"# Carbon of tidal marshes\n\n{SECTION}\n")


def test_a_run_prints_citations_and_its_audit_can_be_read_again(
    cli: CommandLine, services: LocalServer
) -> None:
    body = cli.ok("sections", "run", draft(cli))
    assert (body["gate"], body["total_found"], body["cache_hits"]) == ("ok", 2, 0)
    [section] = body["sections"]
    assert section["found"] is True
    assert section["citations"][0]["apa7"].startswith("Writer, J. (2024). Soil carbon of marshes")
    assert section["rejected"] == section["rejected_candidates"]
    assert {row["name"]: row["status"] for row in section["providers"]}["crossref"] == "ok"
    audit = cli.ok("sections", "audit", body["document_id"][:10])
    assert audit["audit_id"] == body["audit_id"]
    assert audit["sections"][0]["audit"][0]["parts"]["score"]["doi"] == 0.2
    assert "test-key-of-brave" not in str(audit)
    again = cli.ok("sections", "run", draft(cli))
    assert again["cache_hits"] == 1
    state = cli.ok("sections", "cache")
    assert (state["entries"], state["expired"]) == (1, 0)
    assert cli.ok("sections", "cache", "--clear") == {
        "entries": 0,
        "expired": 0,
        "bytes": state["bytes"],
        "removed": 1,
    }


def test_r178_too_few_citations_fail_the_gate_unless_it_warns(
    cli: CommandLine, services: LocalServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITATION_MIN_COUNT", "3")
    ran = cli("sections", "run", draft(cli))
    body = ran.object
    assert ran.status == 1
    assert (body["gate"], body["total_found"]) == ("P0", 2)
    assert body["warnings"]
    assert cli.ok("sections", "run", draft(cli), "--gate", "warn")["gate"] == "warning"


def test_a_draft_that_is_not_there_or_holds_no_prose(cli: CommandLine, services: LocalServer) -> None:
    assert cli.fails("sections", "run", "gone.md")["type"] == "SourceMissing"
    assert cli.fails("sections", "run", cli.write("e.md", "# Heading\n"))["type"] == "SectionError"
    assert cli.fails("sections", "audit", "abcd")["type"] == "NotFound"
    assert services.seen == []
