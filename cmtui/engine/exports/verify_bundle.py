#!/usr/bin/env python3
"""Checks a Citation Machine evidence bundle. Needs Python 3.8 or newer and nothing else.

    python3 verify.py                     the bundle that this file lies in
    python3 verify.py BUNDLE              a folder, or the .zip as it was sent
    python3 verify.py BUNDLE --originals FOLDER
                                          also look for the original files by their SHA-256

Everything is recomputed: the digest of every file, the ids of every document and quote, the text at every
position, the chain of the reviewer's log, and what the log says was decided. Exit status 0: all of it holds.
1: something does not, and it is named.

It proves that the quotes are exactly in the texts and that nothing in the bundle was changed apart from the
rest. It cannot prove who made the bundle: compare the digest in the last line with the sender's. And it does
not prove that a quote means what somebody says it means.
"""

from __future__ import annotations

import hashlib
import json
import sys
import zipfile
from pathlib import Path
from typing import Any, Dict  # noqa: UP035 - Python 3.8

Object = Dict[str, Any]  # noqa: UP006


def digest(payload: Object) -> str:
    """SHA-256 of an object written with sorted keys and no blanks (RFC 8785 for these)."""
    return hashlib.sha256(canonical(payload)).hexdigest()


def canonical(payload: Object) -> bytes:
    """An object in the one form that is hashed."""
    return json.dumps(payload, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8")


def sha256(text: str) -> str:
    """SHA-256 of the UTF-8 form of a text."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


class Bundle:
    """The files of a bundle, in a folder or in a zip."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.zip = zipfile.ZipFile(path) if path.is_file() else None

    def names(self) -> list[str]:
        """Names of all files."""
        if self.zip is not None:
            return sorted(name for name in self.zip.namelist() if not name.endswith("/"))
        files = (each for each in self.path.rglob("*") if each.is_file() and "__pycache__" not in each.parts)
        return sorted(each.relative_to(self.path).as_posix() for each in files)

    def read(self, name: str) -> bytes:
        """The bytes of a file."""
        return self.zip.read(name) if self.zip is not None else (self.path / name).read_bytes()


class Checker:
    """Collects what was checked and what failed."""

    def __init__(self) -> None:
        self.passed = 0
        self.failures: list[str] = []

    def check(self, ok: bool, what: str) -> bool:
        """Count one check."""
        if ok:
            self.passed += 1
        else:
            self.failures.append(what)
        return ok


def check_files(bundle: Bundle, checker: Checker) -> Object:
    """Every file has the digest of the manifest, and there is no other file. Returns the manifest."""
    manifest = json.loads(bundle.read("manifest.json"))
    listed = manifest["files"]
    present = set(bundle.names()) - {"manifest.json"}
    for name in sorted(present - set(listed)):
        checker.check(False, f"{name} is not in the manifest")  # noqa: FBT003
    for name, expected in sorted(listed.items()):
        if checker.check(name in present, f"{name} is missing"):
            found = hashlib.sha256(bundle.read(name)).hexdigest()
            checker.check(found == expected, f"{name} was changed: its SHA-256 is {found}")
    return dict(manifest)


def check_document(line: Object, bundle: Bundle, checker: Checker) -> str | None:
    """The ids of layers 1 to 3; the canonical text when it is here."""
    name, document_id = line.get("name", "?"), line["document_id"]
    if not line["here"]:
        return None
    kind = line["kind"]
    version = digest({"type": "cmtui/version/1", "kind": kind, "bytes_sha256": line["bytes_sha256"]})
    source = digest({"type": "cmtui/artifact/1", "kind": line["source_kind"], "reference": line["reference"]})
    content = digest(
        {
            "type": "cmtui/content/1",
            "version": version,
            "profile": line["profile"],
            "steps": line["steps"],
            "extractor": line["extractor"],
            "text_sha256": line["text_sha256"],
        }
    )
    checker.check(version == line["version_id"], f"{name}: the version id is not that of the bytes")
    checker.check(source == line["source_id"], f"{name}: the source id is not that of the reference")
    checker.check(content == document_id, f"{name}: the document id is not that of its text and profile")
    where = f"texts/{document_id}.txt"
    if where not in bundle.names():
        return None
    text = bundle.read(where).decode("utf-8")
    checker.check(sha256(text) == line["text_sha256"], f"{name}: the text does not hash to its digest")
    checker.check(len(text) == line["characters"], f"{name}: the text has another length")
    return text


def check_evidence(line: Object, text: str | None, checker: Checker) -> None:
    """The id of layer 4, and the words at their place."""
    start, end, exact, short = line["start"], line["end"], line["exact"], line["evidence_id"][:12]
    made = digest(
        {
            "type": "cmtui/span/1",
            "content": line["document_id"],
            "start": start,
            "end": end,
            "text_sha256": line["text_sha256"],
        }
    )
    checker.check(made == line["evidence_id"], f"quote {short}: the id is not that of its place and words")
    checker.check(
        sha256(exact) == line["text_sha256"], f"quote {short}: the words do not hash to their digest"
    )
    if text is not None:
        checker.check(
            text[start:end] == exact, f"quote {short}: these words do not stand at [{start}, {end})"
        )
        before = text[max(0, start - len(line["prefix"])) : start]
        checker.check(before == line["prefix"], f"quote {short}: other words stand before it")
        after = text[end : end + len(line["suffix"])]
        checker.check(after == line["suffix"], f"quote {short}: other words stand after it")


def check_events(events: list[Object], header: Object, checker: Checker) -> None:
    """The chain of the log: each event names the digest of the line before it and hashes to its own id."""
    before = ""
    for number, event in enumerate(events, 1):
        content = {key: value for key, value in event.items() if key not in ("event_id", "type")}
        made = digest({**content, "event": event["type"], "type": "cmtui/event/1"})
        checker.check(made == event["event_id"], f"event {number} does not hash to its id")
        checker.check(event["prev"] == before, f"event {number} does not follow the one before it")
        checker.check(event["actor"] == header["reviewer"], f"event {number} is another person's")
        before = hashlib.sha256(canonical(event)).hexdigest()
    last = events[-1]["event_id"] if events else None
    checker.check(last == header["last_event"], "the log does not end with the event that the header names")
    checker.check(len(events) == header["events"], "the log has another number of events")


def decisions(events: list[Object]) -> dict[str, str]:
    """What stands decided after the log: undone actions do not count."""
    live: list[str] = []
    undone: list[str] = []
    for event in events:
        kind = event["type"]
        if kind in ("undo", "redo"):
            source, target = (live, undone) if kind == "undo" else (undone, live)
            if event["undoes"] in source:
                source.remove(event["undoes"])
                target.append(event["undoes"])
        elif not kind.startswith("review.") and event["group"] not in live[-1:]:
            live.append(event["group"])
            undone.clear()
    names = {"finding.accepted": "accepted", "finding.rejected": "rejected", "finding.skipped": "skipped"}
    found: dict[str, str] = {}
    for event in events:
        if event["group"] in live and event["type"] in names:
            found[event["object"]] = names[event["type"]]
    return found


def check_findings(
    lines: list[Object],
    events: list[Object],
    evidence: dict[str, Object],
    checker: Checker,
) -> list[Object]:
    """The findings say what the log says, of quotes that are here. Returns the accepted ones."""
    decided = decisions(events)
    accepted = []
    shown = set()
    for line in lines:
        key, short = f"{line['claim_id']}/{line['evidence_id']}", line["evidence_id"][:12]
        shown.add(key)
        checker.check(
            decided.get(key, "undecided") == line["decision"], f"finding {short}: the log says otherwise"
        )
        quote = evidence.get(line["evidence_id"])
        if checker.check(quote is not None, f"finding {short}: its quote is not in the bundle"):
            assert quote is not None
            same = (line["text"], line["document_id"]) == (quote["exact"], quote["document_id"])
            checker.check(same, f"finding {short}: its words are not those of the quote")
        if line["decision"] == "accepted":
            accepted.append(line)
    left_out = [key for key, what in decided.items() if what == "accepted" and key not in shown]
    moved = {event["payload"].get("reanchors") for event in events if event["type"] == "finding.accepted"}
    for key in left_out:
        checker.check(key.rpartition("/")[2] in moved, f"accepted finding {key[-64:][:12]} is left out")
    return accepted


def find_originals(documents: list[Object], folder: Path) -> list[tuple[str, Path | None]]:
    """Which original files are in a folder, by the SHA-256 of their bytes."""
    held: dict[str, Path] = {}
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        held.setdefault(hashlib.sha256(path.read_bytes()).hexdigest(), path)
    return [(line["name"], held.get(line["bytes_sha256"])) for line in documents if line["here"]]


def verify(path: Path, originals: Path | None, say: Any) -> int:
    """Check the bundle at ``path`` and say what was found. Returns the exit status."""
    bundle, checker = Bundle(path), Checker()
    manifest = check_files(bundle, checker)
    lines = [json.loads(line) for line in bundle.read("review.jsonl").decode("utf-8").splitlines() if line]
    kinds: dict[str, list[Object]] = {}
    for line in lines:
        kinds.setdefault(line["type"], []).append(line)
    header = kinds["review"][0]
    documents = kinds.get("document", [])
    texts = {line["document_id"]: check_document(line, bundle, checker) for line in documents}
    for line in kinds.get("evidence", []):
        check_evidence(line, texts.get(line["document_id"]), checker)
    evidence = {line["evidence_id"]: line for line in kinds.get("evidence", [])}
    events = [line["event"] for line in kinds.get("event", [])]
    check_events(events, header, checker)
    accepted = check_findings(kinds.get("finding", []), events, evidence, checker)
    without = 0
    for line in accepted:
        in_text = texts.get(line["document_id"]) is not None
        without += not in_text
        words = " ".join(line["text"].split())
        shown = words if len(words) <= 60 else words[:59] + "…"
        say(f"{'ok ' if in_text else 'id '} {line['evidence_id'][:12]}  “{shown}”")
    for name, found in find_originals(documents, originals) if originals is not None else []:
        say(f"{'ok ' if found else '-- '} original {name}: {found or 'not in that folder'}")
    say("")
    say(f"reviewer      {header['reviewer']}")
    say(f"accepted      {len(accepted)} quotes")
    if without:
        say(
            f"              of {without} marked 'id' the text is not in this bundle: only words and ids agree"
        )
    say(f"checks        {checker.passed} passed, {len(checker.failures)} failed")
    for failure in checker.failures:
        say(f"FAILED        {failure}")
    del manifest
    say(f"this bundle   {hashlib.sha256(bundle.read('manifest.json')).hexdigest()}")
    return 1 if checker.failures else 0


def main(arguments: list[str]) -> int:
    """Read the arguments, check, and print."""
    originals = None
    if "--originals" in arguments:
        at = arguments.index("--originals")
        originals = Path(arguments[at + 1]) if at + 1 < len(arguments) else Path()
        del arguments[at : at + 2]
    path = Path(arguments[0]) if arguments else Path(__file__).resolve().parent

    def say(text: str) -> None:
        # A quote must not steer the terminal of whoever checks it.
        shown = "".join(sign if sign.isprintable() else "\ufffd" for sign in text)
        sys.stdout.buffer.write(f"{shown}\n".encode("utf-8", "replace"))

    try:
        return verify(path, originals, say)
    except (OSError, KeyError, TypeError, ValueError, AttributeError, zipfile.BadZipFile) as error:
        say(f"FAILED        this is no whole bundle: {type(error).__name__}: {error}")
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
