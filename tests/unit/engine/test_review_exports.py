"""Exports of a review: every format, hostile texts, the bundle with its verifier, and the way back."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cmtui.engine import LocalCitationMachine
from cmtui.engine.exports import FORMATS, jsonl, markdown
from cmtui.engine.exports.importing import ReviewImport
from cmtui.engine.exports.reading import read
from cmtui.engine.exports.table import cell
from cmtui.engine.review import ReviewSession
from cmtui.errors import InvalidRequest, NothingToUndo
from cmtui.model.claim import CAVEAT
from cmtui.model.review import Decision, EventType
from cmtui.model.selectors import Span
from cmtui.store.memory import InMemoryKnowledgeRepository
from support.documents import make_document
from support.reviewing import CLAIM, stored

HOSTILE = (
    '=HYPERLINK("http://evil","x") wept.\n\n'
    "-2+3 | <script>alert('é')</script> [x](javascript:0) `code` *b* # \\\n# heading, said \"she\".\n\n"
    '\U0001f469‍\U0001f52c @SUM(A1) 漢字\tand, "quotes"\n'
)


class Clock:
    """A minute passes with every look."""

    def __init__(self) -> None:
        self.minutes = 0

    def now(self) -> str:
        self.minutes += 1
        return f"2026-12-01T{self.minutes // 60:02}:{self.minutes % 60:02}:00Z"


def opened(path: Path, text: str = HOSTILE) -> tuple[LocalCitationMachine, tuple[str, ...]]:
    machine = LocalCitationMachine.open(path, clock=Clock())
    return machine, stored(machine.repository, text)


@pytest.fixture
def machine(tmp_path: Path) -> LocalCitationMachine:
    """A store where ada accepted, rejected with reasons, tagged, noted, overrode, adjusted and undid."""
    machine, ids = opened(tmp_path / "one")
    source = machine.repository.sources()[0]
    machine.set_bibliography(
        source.source_id,
        {
            "id": "w",
            "type": "book",
            "title": "=The *Voyage*",
            "author": [{"family": "Writer", "given": "Jane"}],
            "issued": {"date-parts": [[2024]]},
            "publisher": "Example Press",
        },
    )
    review = machine.review("ada")
    review.accept(CLAIM, ids[0], note="=1+1 good\nsecond line")
    review.tag(CLAIM, ids[0], ["grief", "+plus"])
    review.reject(CLAIM, ids[1], reasons=["off-topic", "other"])
    review.skip(CLAIM, ids[2])
    review.undo()
    review.adjust(CLAIM, ids[2], Span(ids_span(machine, ids[2]).start, ids_span(machine, ids[2]).start + 3))
    ReviewSecret.leave(machine, ids)
    return machine


class ReviewSecret:
    """What another reviewer did, which must appear nowhere."""

    @staticmethod
    def leave(machine: LocalCitationMachine, ids: tuple[str, ...]) -> None:
        ben = machine.review("ben-the-second")
        ben.reject(CLAIM, ids[0], reasons=["secretreason"])
        ben.note(CLAIM, ids[0], "secretnote")
        ben.tag(CLAIM, ids[1], ["secrettag"])


def ids_span(machine: LocalCitationMachine, evidence: str) -> Span:
    return machine.recorded(evidence).span


def export(machine: LocalCitationMachine, name: str, **more) -> bytes:
    return machine.export_review("ada", name, **more).content


@pytest.mark.parametrize("name", [each.name for each in FORMATS])
def test_each_format_is_deterministic_and_says_nothing_of_others(machine, tmp_path: Path, name: str) -> None:
    """Equal stores give equal bytes, and a blind reviewer's export holds no other reviewer's word."""
    content = export(machine, name)
    assert content == export(machine, name)
    assert content == export(LocalCitationMachine.open(tmp_path / "one"), name)
    for word in (b"ben-the-second", b"secretreason", b"secretnote", b"secrettag"):
        assert word not in content


def test_an_unknown_format_is_named_with_those_there_are(machine) -> None:
    with pytest.raises(InvalidRequest, match="docx") as caught:
        machine.export_review("ada", "docx")
    assert "jsonl, csv" in caught.value.advice


# -- csv ---------------------------------------------------------------------------------------------------


def test_csv_holds_every_field_and_no_formula(machine) -> None:
    content = export(machine, "csv", decisions=list(Decision))
    rows = list(csv.DictReader(io.StringIO(content.decode("utf-8"), newline="")))
    assert [row["decision"] for row in rows] == ["accepted", "rejected", "undecided", "undecided"]
    first = rows[0]
    assert first["quote"] == '\'=HYPERLINK("http://evil","x") wept.'
    assert first["note"] == "'=1+1 good\nsecond line"
    assert (first["tag:grief"], first["tag:+plus"], rows[1]["tag:grief"]) == ("1", "1", "0")
    assert rows[1]["reasons"] == "off-topic; other"
    assert rows[1]["quote"].startswith("'-2+3")
    assert first["reviewer"] == "ada"
    assert first["decided_at"].startswith("2026-12-01T")
    assert first["citation"].startswith("Writer, Jane. =The")
    text = content.decode("utf-8")
    for record in csv.reader(io.StringIO(text, newline="")):
        assert not [value for value in record if value.startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert text.count("\r\n") >= len(rows)


@given(st.text(max_size=20))
def test_no_cell_begins_a_formula(text: str) -> None:
    made = cell(text)
    assert made in (text, f"'{text}")
    assert not made.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"))


# -- markdown ----------------------------------------------------------------------------------------------


def rendered(text: str) -> str:
    """What a CommonMark reader sees of it."""
    from html import unescape

    from markdown_it import MarkdownIt

    html = MarkdownIt("commonmark").render(text)
    return unescape(re.sub(r"<[^>]+>", "", html))


@given(st.text(st.sampled_from("ab1 \t\n\\`*_{}[]()<>#+-.!|~&=:$'\"@"), max_size=40))
def test_markdown_shows_a_text_as_it_is(text: str) -> None:
    """No sign of a quote becomes markup, a link, a heading, a list or code."""
    assert rendered(markdown.block_quote(text)).split() == text.split()


def test_markdown_groups_quotes_under_claims_with_citation_and_caveat(machine) -> None:
    text = export(machine, "markdown").decode("utf-8")
    assert f"*{CAVEAT}*" in text
    assert "## The king was sad" in text
    assert text.index("**accepted**") < text.index("**rejected**")
    shown = rendered(text)
    assert "<script>alert('é')</script> [x](javascript:0) `code` *b*" in shown
    assert "# heading, said" in shown
    assert "Writer, Jane. =The *Voyage*" in shown or "Writer, Jane." in shown
    assert "Tags: grief, +plus" in shown
    assert "off-topic, other" in shown
    assert "<script>" not in text.replace("\\<script\\>", "")


# -- web annotations ---------------------------------------------------------------------------------------

MOTIVATIONS = {
    "assessing", "bookmarking", "classifying", "commenting", "describing", "editing", "highlighting",
    "identifying", "linking", "moderating", "questioning", "replying", "tagging",
}  # fmt: skip
IRI = re.compile(r"[a-z][a-z0-9+.-]*:[^\s<>\"{}|\\^`]+")


def check_annotation(one: dict, context: bool = False) -> None:
    """The musts of the Web Annotation Data Model, sections 3.1 to 4.4."""
    assert IRI.fullmatch(one["id"])
    assert one["type"] == "Annotation"
    assert set(one["motivation"]) <= MOTIVATIONS
    bodies = one["body"] if isinstance(one["body"], list) else [one["body"]]
    for body in bodies:
        assert body["type"] == "TextualBody"
        assert isinstance(body["value"], str)
        assert body["purpose"] in MOTIVATIONS
        assert body["format"] == "text/plain"
    target = one["target"]
    assert target["type"] == "SpecificResource"
    source = target["source"] if isinstance(target["source"], str) else target["source"]["id"]
    assert IRI.fullmatch(source)
    kinds = {selector["type"]: selector for selector in target["selector"]}
    quote, position = kinds["TextQuoteSelector"], kinds["TextPositionSelector"]
    assert set(quote) == {"type", "exact", "prefix", "suffix"}
    assert 0 <= position["start"] < position["end"]
    assert position["end"] - position["start"] == len(quote["exact"])
    assert target["state"]["type"] == "TimeState"
    assert IRI.fullmatch(target["state"]["cached"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", one.get("created", "2026-01-01T00:00:00Z"))
    assert one["creator"] == {"type": "Person", "nickname": "ada"}


def test_annotations_follow_the_w3c_model(machine) -> None:
    page = json.loads(export(machine, "annotations", decisions=list(Decision)))
    assert page["@context"] == "http://www.w3.org/ns/anno.jsonld"
    assert page["type"] == "AnnotationPage"
    assert IRI.fullmatch(page["id"])
    assert page["partOf"]["type"] == "AnnotationCollection"
    assert page["partOf"]["total"] == len(page["items"]) == 4
    for one in page["items"]:
        check_annotation(one)
    assert len({one["id"] for one in page["items"]}) == 4
    text = make_document(HOSTILE, name="story.txt")[0].text
    for one in page["items"]:
        quote, position = one["target"]["selector"]
        assert text[position["start"] : position["end"]] == quote["exact"]
        assert text[: position["start"]].endswith(quote["prefix"])
    first, second, *_ = page["items"]
    said = {(body["purpose"], body["value"]) for body in first["body"]}
    assert {("assessing", "accepted"), ("tagging", "+plus"), ("classifying", "SUPPORTS")} <= said
    assert ("commenting", "=1+1 good\nsecond line") in said
    assert ("tagging", "off-topic") in {(body["purpose"], body["value"]) for body in second["body"]}
    assert "/library/" not in json.dumps(page)


# -- bibliographies -----------------------------------------------------------------------------------------


def test_bibliographies_hold_the_accepted_sources(machine) -> None:
    assert b"@book{" in export(machine, "bibtex")
    assert b"TY  - BOOK" in export(machine, "ris")
    [item] = json.loads(export(machine, "csl-json"))
    assert item["title"] == "=The *Voyage*"
    nothing = machine.export_review("nobody", "csl-json")
    assert json.loads(nothing.content) == []


def test_sources_without_metadata_are_named(tmp_path: Path) -> None:
    machine, ids = opened(tmp_path / "bare")
    machine.review("ada").accept(CLAIM, ids[0])
    for name in ("bibtex", "markdown"):
        assert "story.txt" in machine.export_review("ada", name).warnings[0]


# -- the way back --------------------------------------------------------------------------------------------


def log(machine: LocalCitationMachine) -> list[str]:
    return [event.event_id for event in machine.repository.events("ada")]


def test_an_export_restores_the_very_log_and_twice_is_once(machine, tmp_path: Path) -> None:
    """Lossless: the same events, ids and times, and so the same state and the same export."""
    content = export(machine, "jsonl")
    other = LocalCitationMachine.open(tmp_path / "two")
    document, data, artifact = make_document(
        HOSTILE, name="elsewhere.txt", reference="file:///else/where.txt"
    )
    assert document.document_id == machine.documents()[0].document_id
    other.repository.commit_document(document, content=data, artifact=artifact)
    made = other.import_review(content)
    assert (made.reviewer, made.known, made.refused, made.claims, made.runs) == ("ada", 0, (), 1, 1)
    assert made.identical
    assert made.actions == len({event.group for event in machine.repository.events("ada")})
    assert log(other) == log(machine)
    files = [path / "events" / "ada.jsonl" for path in (tmp_path / "one", tmp_path / "two")]
    assert files[0].read_bytes() == files[1].read_bytes()
    assert other.review("ada").state() == machine.review("ada").state()
    assert [c.text for c in other.claims()] == ["The king was sad"]
    findings = [line for line in export(other, "jsonl").split(b"\n") if b'"type":"event"' in line]
    assert findings == [line for line in content.split(b"\n") if b'"type":"event"' in line]
    again = other.import_review(content)
    assert (again.actions, again.claims, again.evidence) == (0, 0, 0)
    assert again.known == made.actions
    assert log(other) == log(machine)
    # What was done since is added, and the next undo is that of the imported log.
    machine.review("ada").skip(CLAIM, machine.claims()[0].latest.findings[2].evidence_id)
    assert other.import_review(export(machine, "jsonl")).actions == 1
    assert log(other) == log(machine)
    assert other.review("ada").undo().state == machine.review("ada").undo().state


def two_sources(path: Path) -> tuple[LocalCitationMachine, str, str]:
    machine, ids = opened(path)
    extra = make_document("Another paper. It weeps.\n", name="other.txt")
    machine.repository.commit_document(extra[0], content=extra[1], artifact=extra[2])
    identity = machine.quote_span(extra[0].document_id, Span(0, 14))
    return machine, ids[0], identity.evidence_id


def test_what_does_not_verify_is_refused_and_comes_later_in_its_order(tmp_path: Path) -> None:
    machine, here, missing = two_sources(tmp_path / "a")
    review = machine.review("ada")
    review.decide([(CLAIM, here), (CLAIM, missing)], Decision.REJECTED)
    review.accept(CLAIM, here)
    review.note(CLAIM, machine.claims()[0].latest.findings[1].evidence_id, "elsewhere")
    content = export(machine, "jsonl")
    other, _ = opened(tmp_path / "b")
    made = other.import_review(content)
    [refused] = made.refused
    assert (refused.evidence_id, refused.source) == (missing, "other.txt")
    assert "not in this store" in refused.reason
    # The accept of the other finding waits too: it came after an action that is still missing.
    assert (made.actions, made.refused_actions, made.identical) == (1, 2, False)
    assert other.review("ada").state().of(CLAIM, here).decision is Decision.UNDECIDED
    extra = make_document("Another paper. It weeps.\n", name="other.txt")
    other.repository.commit_document(extra[0], content=extra[1], artifact=extra[2])
    again = other.import_review(content)
    assert (again.actions, again.known, again.refused_actions) == (2, 1, 0)
    assert other.review("ada").state().findings == machine.review("ada").state().findings


def test_changed_canonical_text_is_refused(tmp_path: Path) -> None:
    machine, ids = opened(tmp_path / "a")
    machine.review("ada").accept(CLAIM, ids[0])
    other, _ = opened(tmp_path / "b", HOSTILE.replace("wept", "slept"))
    made = other.import_review(export(machine, "jsonl"))
    assert (made.actions, made.refused_actions) == (0, 1)
    assert other.repository.events("ada") == ()


def test_newer_decisions_made_here_are_not_overruled(tmp_path: Path) -> None:
    machine, ids = opened(tmp_path / "a")
    review = machine.review("ada")
    review.accept(CLAIM, ids[0])
    content = export(machine, "jsonl")
    other, _ = opened(tmp_path / "b")
    other.repository.append_events("ada", [], time=None)
    late = other.review("ada")
    late.repository.append_events(
        "ada", [late._draft(EventType.REJECTED, CLAIM, ids[0], {})], time="2027-01-01T00:00:00Z"
    )
    made = other.import_review(content)
    assert (made.actions, made.older) == (0, 1)
    assert late.state().of(CLAIM, ids[0]).decision is Decision.REJECTED


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (b'"reasons":["off-topic"', b'"reasons":["relevant"', "was changed"),
        (b"wept.", b"slept.", "changed"),
        (b'"type":"review"', b'"type":"x"', "no exported review"),
        (b'"claim_id"', b'"claim_ix"', "not whole"),
    ],
)
def test_a_file_that_was_changed_is_refused_whole(machine, tmp_path: Path, old, new, says: str) -> None:
    content = export(machine, "jsonl").replace(old, new)
    other, _ = opened(tmp_path / "two")
    with pytest.raises(InvalidRequest, match=says):
        other.import_review(content)
    assert other.repository.reviewers() == ()


@pytest.mark.parametrize("content", [b"", b"{", b"[]\n", b"\xff\xfe", b"PK\x03\x04nonsense", b"null\n"])
def test_what_is_no_export_is_said_so(machine, content: bytes) -> None:
    with pytest.raises(InvalidRequest):
        machine.import_review(content)


def test_a_file_cut_short_is_refused(machine) -> None:
    lines = export(machine, "jsonl").split(b"\n")
    events = [n for n, line in enumerate(lines) if b'"type":"event"' in line]
    del lines[events[-1]]
    with pytest.raises(InvalidRequest, match="cut short"):
        machine.import_review(b"\n".join(lines))


# -- the bundle ---------------------------------------------------------------------------


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """verify.py as a colleague runs it: isolated, without site packages, and so without cmtui."""
    return subprocess.run(
        [sys.executable, "-I", "-S", str(folder / "verify.py"), *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        cwd=folder.parent,
    )


@pytest.fixture
def bundle(machine, tmp_path: Path) -> Path:
    folder = tmp_path / "bundle"
    with zipfile.ZipFile(io.BytesIO(export(machine, "bundle"))) as archive:
        archive.extractall(folder)
    return folder


def test_a_colleague_verifies_the_bundle_without_this_program(machine, bundle: Path, tmp_path: Path) -> None:
    """Settlements 5.15; P1 and P4 end on it."""
    names = {path.relative_to(bundle).as_posix() for path in bundle.rglob("*") if path.is_file()}
    document = machine.documents()[0].document_id
    expected = {
        "README.md",
        "manifest.json",
        "quotes.md",
        "review.jsonl",
        "verify.py",
        f"texts/{document}.txt",
    }
    assert names == expected
    done = run(bundle)
    assert done.returncode == 0, done.stdout
    assert "0 failed" in done.stdout
    assert "accepted      1 quotes" in done.stdout
    assert "ok " in done.stdout
    packed = tmp_path / "sent.zip"
    packed.write_bytes(export(machine, "bundle"))
    assert run(bundle, str(packed)).returncode == 0
    (tmp_path / "originals").mkdir()
    (tmp_path / "originals" / "mine.txt").write_bytes(HOSTILE.encode())
    found = run(bundle, str(bundle), "--originals", str(tmp_path / "originals"))
    assert "ok  original story.txt" in found.stdout
    readme = (bundle / "README.md").read_text("utf-8")
    assert "python3 verify.py" in readme
    assert "not truth" in readme


def repair_manifest(folder: Path) -> None:
    """What somebody does who changes a file and its digest with it."""
    import hashlib

    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    for name in manifest["files"]:
        manifest["files"][name] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("texts/*.txt", b"wept", b"slept"),
        ("review.jsonl", b"wept.", b"slept."),
        ("review.jsonl", b'"finding.rejected"', b'"finding.accepted"'),
        ("review.jsonl", b'"decision":"rejected"', b'"decision":"accepted"'),
        ("review.jsonl", b"off-topic", b"on-topic"),
        ("review.jsonl", b'"start":0', b'"start":1'),
        ("review.jsonl", b"story.txt", b"other.txt"),
    ],
)
def test_every_change_of_a_bundle_is_found(bundle: Path, name: str, old: bytes, new: bytes) -> None:
    """Even when the manifest is made to agree."""
    [path] = bundle.glob(name)
    content = path.read_bytes()
    assert old in content
    path.write_bytes(content.replace(old, new))
    assert run(bundle).returncode == 1
    repair_manifest(bundle)
    done = run(bundle)
    assert done.returncode == 1
    assert "FAILED" in done.stdout


def test_a_missing_a_strange_and_a_broken_file_are_named(bundle: Path) -> None:
    (bundle / "quotes.md").unlink()
    (bundle / "extra.txt").write_text("x")
    done = run(bundle)
    assert "quotes.md is missing" in done.stdout
    assert "extra.txt is not in the manifest" in done.stdout
    (bundle / "review.jsonl").write_text("{")
    assert "no whole bundle" in run(bundle).stdout


def test_the_verifier_is_python_3_8_and_imports_the_standard_library_alone(bundle: Path) -> None:
    import ast

    tree = ast.parse((bundle / "verify.py").read_text("utf-8"), feature_version=(3, 8))
    imported = {n.names[0].name for n in ast.walk(tree) if isinstance(n, ast.Import)}
    imported |= {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    assert imported <= {"__future__", "hashlib", "json", "sys", "zipfile", "pathlib", "typing"}


def test_a_quote_cannot_steer_the_terminal_of_whoever_checks_it(tmp_path: Path) -> None:
    machine, ids = opened(tmp_path / "s", "Red \x1b[31m and \u202eturned.\n\nTwo.\n\nThree.\n")
    machine.review("ada").accept(CLAIM, ids[0])
    with zipfile.ZipFile(io.BytesIO(export(machine, "bundle"))) as archive:
        archive.extractall(tmp_path / "b")
    done = run(tmp_path / "b")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout


def test_a_private_bundle_holds_no_text_and_says_what_that_means(machine, tmp_path: Path) -> None:
    folder = tmp_path / "private"
    with zipfile.ZipFile(io.BytesIO(export(machine, "bundle", private=True))) as archive:
        assert not [name for name in archive.namelist() if name.startswith("texts/")]
        archive.extractall(folder)
    done = run(folder)
    assert done.returncode == 0
    assert "only words and ids agree" in done.stdout


def test_a_bundle_is_imported_like_its_review(machine, tmp_path: Path) -> None:
    other, _ = opened(tmp_path / "two")
    assert other.import_review(export(machine, "bundle")).identical


steps = st.lists(
    st.tuples(
        st.sampled_from(
            ["accept", "reject", "skip", "note", "tag", "reasons", "adjust", "group", "undo", "redo", "sight"]
        ),
        st.integers(0, 2),
    ),
    max_size=14,
)


@settings(max_examples=60, deadline=None)
@given(steps, st.integers(0, 14))
def test_any_review_comes_back_as_it_was_however_often_it_is_imported(
    actions: list[tuple[str, int]], early: int
) -> None:
    """Lossless: after any actions, imported once in between and twice at the end, the log is the same log."""
    source, target = InMemoryKnowledgeRepository(clock=Clock()), InMemoryKnowledgeRepository()
    ids = stored(source, "One two three.\n\nFour five six.\n\nSeven eight nine.\n")
    document, data, artifact = make_document(
        "One two three.\n\nFour five six.\n\nSeven eight nine.\n", name="x.txt"
    )
    target.commit_document(document, content=data, artifact=artifact)
    review = ReviewSession(source, "ada")
    for number, (action, which) in enumerate(actions):
        if number == early:
            ReviewImport(target, read(jsonl.write(review))).run()
        with contextlib.suppress(NothingToUndo, InvalidRequest):
            act(review, action, ids[which], which)
    made = ReviewImport(target, read(jsonl.write(review))).run()
    assert made.identical
    assert made.refused == ()
    assert target.events("ada") == source.events("ada")
    assert ReviewSession(target, "ada").state() == review.state()
    again = ReviewImport(target, read(jsonl.write(review))).run()
    assert (again.actions, again.known, again.older) == (0, made.actions + made.known, 0)


def act(review: ReviewSession, action: str, evidence: str, which: int) -> None:
    """One action of a person."""
    if action in ("accept", "reject", "skip"):
        getattr(review, action)(CLAIM, evidence)
    elif action == "note":
        review.note(CLAIM, evidence, f"n{which}")
    elif action == "tag":
        review.tag(CLAIM, evidence, ["t", str(which)])
    elif action == "reasons":
        review.give_reasons([(CLAIM, evidence)], ["off-topic"])
    elif action == "adjust":
        span = review.repository.evidence(evidence).span
        review.adjust(CLAIM, evidence, Span(span.start, span.end - 1 - which))
    elif action == "group":
        everything = [entry.evidence_id for entry in review.repository.evidence_entries()]
        review.decide([(CLAIM, one) for one in everything[:3]], Decision.REJECTED)
    elif action == "sight":
        review.set_blind(blind=bool(which))
    else:
        getattr(review, action)()
