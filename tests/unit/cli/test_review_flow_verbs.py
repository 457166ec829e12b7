"""``review`` beyond single decisions: groups, spans, filters, sums, several reviewers, files, plain text."""

from __future__ import annotations

import csv
import io
import json
import shutil
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from cmtui.cli.main import main
from support.cli import WHALES, CommandLine

CLAIM = "Whales are mammals"


@pytest.fixture(autouse=True)
def _reviewer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CMTUI_REVIEWER", "ada")


@pytest.fixture(scope="module")
def prepared_review(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with two sources on whales, with a claim that was evaluated over them and without."""
    folder = tmp_path_factory.mktemp("review")
    (folder / "whales.txt").write_text(WHALES, encoding="utf-8")
    (folder / "more.md").write_text("# A\n\nAll whales are mammals.\n\n# B\n\nWhales are large mammals.\n")
    files = [str(folder / name) for name in ("whales.txt", "more.md")]
    with redirect_stdout(io.TextIOWrapper(io.BytesIO())):
        assert main(["--store", str(folder / "bare"), "ingest", *files]) == 0
        shutil.copytree(folder / "bare", folder / "store")
        assert main(["--store", str(folder / "store"), "claims", "add", CLAIM]) == 0
    return folder


@pytest.fixture
def findings(cli: CommandLine, prepared_review: Path) -> list[dict]:
    """The findings of a claim about whales, the one of whales.txt first."""
    shutil.copytree(prepared_review / "store", cli.store)
    rows = cli.ok("review", "list")["findings"]
    assert len(rows) >= 3
    return sorted(rows, key=lambda row: row["text"] != "Whales are mammals.")


def ids(findings: list[dict], count: int) -> list[str]:
    return [row["evidence_id"] for row in findings[:count]]


# -- deciding ----------------------------------------------------------------------------------


def test_several_findings_are_decided_and_undone_as_one(cli: CommandLine, findings) -> None:
    one, two, three = ids(findings, 3)
    body = cli.ok("review", "reject", one, two[:12], three, "--reason", "off-topic")
    assert [row["decision"] for row in body["findings"]] == ["rejected"] * 3
    assert cli.ok("review", "undo")["description"] == "Undid: reject (3)"
    assert cli.ok("review", "list", "--decision", "rejected")["findings"] == []
    assert cli("review", "redo", "--plain").out.startswith("Redid: reject (3).")
    accepted = cli.ok("review", "accept", one, two)
    assert len(accepted["findings"]) == 2


def test_the_reviewers_relation_is_set_and_taken_back(cli: CommandLine, findings) -> None:
    [one] = ids(findings, 1)
    assert cli.ok("review", "relation", one, "RELATED")["reviewer_relation"] == "RELATED"
    [row] = cli.ok("review", "list", "--filter", "rel:rel is:overridden")["findings"]
    assert (row["relation"], row["reviewer_relation"]) == ("SUPPORTS", "RELATED")
    assert cli.ok("review", "relation", one, "engine")["reviewer_relation"] is None
    assert cli.fails("review", "relation", one, "MAYBE")["type"] == "UsageError"


@pytest.mark.parametrize(
    ("how", "text"),
    [
        (("--words-after", "2"), "Whales are mammals. They breathe"),
        (("--words-before", "-1"), "are mammals."),
        (("--sentences-after", "1"), "Whales are mammals. They breathe air with lungs."),
        (("--quote", "breathe air"), "breathe air"),
        (("--start", "0", "--end", "10"), "Whales are"),
        (("--end", "6"), "Whales"),
    ],
)
def test_a_span_is_adjusted_and_verified(cli: CommandLine, findings, how, text: str) -> None:
    [one] = ids(findings, 1)
    assert findings[0]["text"] == "Whales are mammals."
    made = cli.ok("review", "adjust", one, *how)
    assert (made["text"], made["old_evidence_id"], made["decision"]) == (text, one, "undecided")
    following = cli.ok("review", "next")["finding"]
    assert (following["evidence_id"], following["adjusted_from"]) == (made["evidence_id"], one)
    old = next(r for r in cli.ok("review", "list")["findings"] if r["evidence_id"] == one)
    assert old["adjusted_to"] == made["evidence_id"]
    cli.ok("review", "undo")
    assert cli.ok("review", "next")["finding"]["evidence_id"] == one


@pytest.mark.parametrize(
    "how",
    [
        (),
        ("--quote", "x", "--start", "1"),
        ("--quote", "not there"),
        ("--start", "0", "--end", "99999"),
        ("--start", "0", "--end", "19"),
    ],
)
def test_a_span_that_cannot_be_is_refused(cli: CommandLine, findings, how) -> None:
    [one] = ids(findings, 1)
    cli.fails("review", "adjust", one, *how)
    assert cli.fails("review", "undo")["type"] == "NothingToUndo"


# -- reading -----------------------------------------------------------------------------------


def test_list_and_next_are_filtered(cli: CommandLine, findings) -> None:
    [one] = ids(findings, 1)
    cli.ok("review", "tag", one, "key")
    assert [r["evidence_id"] for r in cli.ok("review", "list", "--filter", "tag:key")["findings"]] == [one]
    assert cli.ok("review", "list", "--filter", "source:ulysses rel:sup")["findings"] == []
    found = cli.ok("review", "list", "--filter=-tag:key")["findings"]
    assert one not in [row["evidence_id"] for row in found]
    assert len(found) == len(findings) - 1
    assert cli.ok("review", "next", "--filter", "queen")["finding"] is None
    error = cli.fails("review", "list", "--filter", "tga:key")
    assert "Did you mean “tag:”?" in error["hint"]
    wide = cli.ok("review", "next", "--context", "10")["finding"]["context"]
    assert len(wide["after"]) == 10


def test_the_summary_counts_by_relation(cli: CommandLine, findings) -> None:
    cli.ok("review", "accept", findings[0]["evidence_id"])
    body = cli.ok("review", "summary")
    assert body["total"]["accepted"] == {"SUPPORTS": 1}
    assert (body["total"]["findings"], body["total"]["decided"]) == (len(findings), 1)
    assert body["claims"][0]["claim"] == CLAIM
    said = cli("review", "summary", "--pretty").out
    assert f"All claims: 1 of {len(findings)} decided. 1 accepted (1 supports);" in said


# -- several reviewers -------------------------------------------------------------------------


def test_others_stay_hidden_until_the_reviewer_looks(cli: CommandLine, findings) -> None:
    one, two, three = ids(findings, 3)
    cli.ok("review", "reject", one, "--reason", "bens-reason", "--reviewer", "ben")
    cli.ok("review", "accept", two, three, "--reviewer", "ben")
    cli.ok("review", "accept", one, two, three)
    for verb in (
        ("list",),
        ("next",),
        ("summary",),
        ("export",),
        ("export", "--format", "jsonl"),
        ("undo",),
        ("redo",),
    ):
        for form in ((), ("--plain",)):
            assert "ben" not in cli("review", *verb, *form).out, verb
    for verb in (("diff", "ada", "ben"), ("conflicts", "ada", "ben")):
        error = cli.fails("review", *verb)
        assert (error["type"], "unblind" in error["hint"]) == ("ReviewError", True)
    assert cli.ok("review", "unblind") == {"reviewer": "ada", "blind": False, "others": ["ben"]}
    body = cli.ok("review", "diff", "ada", "ben")
    assert (body["compared"], body["table"]["accepted"]) == (3, {"accepted": 2, "rejected": 1})
    assert body["observed"] == 0.666667
    assert body["kappa"] == 0
    [conflict] = body["conflicts"]
    assert conflict["second"]["reasons"] == ["bens-reason"]
    said = cli("review", "diff", "ada", "ben", "--pretty").out
    assert "Cohen's kappa: 0.000." in said
    assert "ben: rejected; reasons bens-reason" in said
    assert cli.ok("review", "blind")["blind"] is True
    cli.fails("review", "diff", "ada", "ben")


def test_an_undefined_kappa_is_said_so(cli: CommandLine, findings) -> None:
    one, two = ids(findings, 2)
    for name in ("ada", "ben"):
        cli.ok("review", "accept", one, two, "--reviewer", name)
    cli.ok("review", "unblind")
    body = cli.ok("review", "diff", "ada", "ben")
    assert (body["kappa"], body["observed"]) == (None, 1)
    assert "by chance is certain" in body["undefined"]
    assert (
        "not defined, because both accepted everything" in cli("review", "diff", "ada", "ben", "--plain").out
    )
    assert cli.fails("review", "diff", "ada", "nobody")["type"] == "NotFound"


def test_a_conflict_is_settled_by_an_adjudicator(cli: CommandLine, findings) -> None:
    one, two = ids(findings, 2)
    cli.ok("review", "accept", one, two)
    cli.ok("review", "reject", one, two, "--reviewer", "ben")
    carol = ("--reviewer", "carol")
    cli.ok("review", "unblind", *carol)
    assert cli.ok("review", "conflicts", "ada", "ben", *carol)["open"] == 2
    between = ("--between", "ada", "ben", *carol)
    assert cli.fails("review", "adjudicate", one, *between)["type"] == "UsageError"
    made = cli.ok("review", "adjudicate", one, "--accept", "--note", "literal", *between)
    assert (made["settled"], made["open"]) == ("accepted", 1)
    assert made["between"] == {"ada": "accepted", "ben": "rejected"}
    [left] = cli.ok("review", "conflicts", "ada", "ben", *carol)["conflicts"]
    assert left["evidence_id"] == two
    assert len(cli.ok("review", "conflicts", "ada", "ben", "--all", *carol)["conflicts"]) == 2
    outcome = cli.ok("review", "outcome", "ada", "ben", *carol)
    assert outcome["open"] == 1
    assert [(r["evidence_id"], r["decision"], r["by"]) for r in outcome["findings"]] == [
        (one, "accepted", "adjudication")
    ]
    assert "1 conflicts are open" in cli("review", "outcome", "ada", "ben", "--plain", *carol).out
    assert cli.ok("review", "undo", *carol)["description"] == "Undid: adjudication"
    third = findings[2]["evidence_id"]
    assert cli.fails("review", "adjudicate", third, "--accept", *between)["type"] == "NotFound"


# -- files -------------------------------------------------------------------------------------


def test_every_format_is_printed_or_written(cli: CommandLine, findings, tmp_path: Path) -> None:
    cli.ok("review", "accept", findings[0]["evidence_id"], "--note", "=x")
    table = list(csv.DictReader(io.StringIO(cli("review", "export", "--format", "csv").out)))
    assert [(row["quote"], row["note"]) for row in table] == [("Whales are mammals.", "'=x")]
    assert "## Whales are mammals" in cli("review", "export", "--format", "markdown").out
    page = json.loads(cli("review", "export", "--format", "annotations").out)
    assert page["items"][0]["target"]["selector"][0]["exact"] == "Whales are mammals."
    assert cli("review", "export", "--format", "csl-json").out.strip() == "[]"
    for name in ("jsonl", "bundle"):
        path = tmp_path / f"review.{name}"
        body = cli.ok("review", "export", "--format", name, "--to", path)
        assert body["bytes"] == path.stat().st_size
        assert cli.fails("review", "export", "--format", name, "--to", path)["message"].endswith(
            "exists already."
        )
        cli.ok("review", "export", "--format", name, "--to", path, "--replace")
    assert cli.fails("review", "export", "--format", "bundle")["type"] == "UsageError"
    assert cli.fails("review", "export", "--to", tmp_path / "x")["type"] == "UsageError"
    assert (
        cli.fails("review", "export", "--format", "csv", "--to", tmp_path / "no" / "x")["type"]
        == "InvalidRequest"
    )


def test_an_export_is_imported_into_another_store(
    cli: CommandLine, findings, tmp_path: Path, capsys: pytest.CaptureFixture[str], prepared_review: Path
) -> None:
    one, two = ids(findings, 2)
    cli.ok("review", "accept", one, "--note", "good")
    cli.ok("review", "reject", two, "--reason", "off-topic")
    path = tmp_path / "ada.jsonl"
    cli.ok("review", "export", "--format", "jsonl", "--to", path)
    folder = tmp_path / "colleague"
    folder.mkdir()
    other = CommandLine(folder, capsys, cli._prepared)
    shutil.copytree(prepared_review / "bare", other.store)
    body = other.ok("review", "import", path)
    assert (body["reviewer"], body["actions"], body["claims"], body["identical"]) == ("ada", 2, 1, True)
    again = other.ok("review", "import", path)
    assert (again["actions"], again["known"]) == (0, 2)
    rows = other.ok("review", "list", "--decision", "accepted")["findings"]
    assert [(row["evidence_id"], row["note"]) for row in rows] == [(one, "good")]
    assert "2 known already" in other("review", "import", path, "--plain").out
    assert other.fails("review", "import", folder / "no.jsonl")["type"] == "NotFound"
    (folder / "bad.jsonl").write_text("{}")
    assert other.fails("review", "import", folder / "bad.jsonl")["type"] == "InvalidRequest"


def test_what_is_refused_is_named_with_status_one(
    cli: CommandLine, findings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cli.ok("review", "accept", findings[0]["evidence_id"])
    path = tmp_path / "ada.jsonl"
    cli.ok("review", "export", "--format", "jsonl", "--to", path)
    folder = tmp_path / "colleague"
    folder.mkdir()
    other = CommandLine(folder, capsys, cli._prepared)
    other.ok("ingest", other.write("else.txt", "Something else.\n"))
    ran = other("review", "import", path)
    assert ran.status == 1
    [refused] = [one for one in ran.object["refused"] if one["actions"]]
    assert (refused["source"], refused["actions"]) == ("whales.txt", 1)
    assert "whales.txt" in other("review", "import", path, "--pretty").out


# -- plain text --------------------------------------------------------------------------------


def test_every_verb_reads_aloud(cli: CommandLine, findings) -> None:
    """R183 and tui.md 0.8: the path for screen readers; no table, no box, no JSON."""
    one, two = ids(findings, 2)
    drawn = set("│┃┌┏─━▌▕█{}\t")
    for words in (
        ("list",),
        ("next",),
        ("accept", one),
        ("reject", two, "--reason", "off-topic", "--note", "n"),
        ("skip", two),
        ("undo",),
        ("redo",),
        ("note", one, "good\none"),
        ("tag", one, "a", "b"),
        ("relation", one, "RELATED"),
        ("adjust", one, "--words-after", "1"),
        ("summary",),
        ("unblind",),
        ("blind",),
        ("export", "--format", "markdown"),
    ):
        for form in ("--plain", "--pretty"):
            ran = cli("review", *words, form)
            if words[0] in ("adjust",) and form == "--pretty":
                continue  # done by the first form already
            assert ran.status == 0, ran.err
            assert ran.out.endswith("\n")
            assert not drawn & set(ran.out), words
