"""Where everything lies in a store directory. Paths only: nothing here reads or writes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote

from cmtui.errors import InvalidRequest

#: Version of the directory layout and of every file format in it.
FORMAT_VERSION = 1
DIGEST_ALGORITHM = "sha256"
#: Raised when the tables of the catalogue or the meaning of their columns change; older files are made anew.
CATALOGUE_SCHEMA = 2
#: Temporary files end so; readers ignore them, and the next holder of the lock removes them.
TEMPORARY_SUFFIX = ".tmp"

_ID_FILE = re.compile(r"[0-9a-f]{64}\.jsonl?")
#: File systems limit a name to 255 bytes; a log also has ``.jsonl.torn`` and a lock beside it.
_MAX_REVIEWER_NAME = 220


@dataclass(frozen=True, slots=True)
class Layout:
    """The paths of one store."""

    root: Path

    @property
    def format_file(self) -> Path:
        """Format version and digest algorithm; its presence makes a directory a store."""
        return self.root / "store.json"

    @property
    def generation(self) -> Path:
        """Counters of the last commit."""
        return self.root / "generation"

    @property
    def concepts(self) -> Path:
        """Concepts that a person adds to the lexicon of semantic search; mostly there is none."""
        return self.root / "concepts.txt"

    @property
    def lock(self) -> Path:
        """The lock of commits; the note on its holder is ``lock.info``."""
        return self.root / "lock"

    @property
    def snapshots(self) -> Path:
        """Canonical documents."""
        return self.root / "snapshots"

    @property
    def identity(self) -> Path:
        """Identity sidecars, layers 1 to 3."""
        return self.root / "identity"

    @property
    def sources(self) -> Path:
        """Source records."""
        return self.root / "sources"

    @property
    def bibliography(self) -> Path:
        """Bibliography sidecars."""
        return self.root / "bibliography"

    @property
    def evidence(self) -> Path:
        """Evidence logs, one per document."""
        return self.root / "evidence"

    @property
    def claims(self) -> Path:
        """Claims with their runs."""
        return self.root / "claims"

    @property
    def events(self) -> Path:
        """Review logs, one per reviewer."""
        return self.root / "events"

    @property
    def blobs(self) -> Path:
        """Exact source bytes by digest."""
        return self.root / "blobs" / DIGEST_ALGORITHM

    @property
    def receipts(self) -> Path:
        """Receipts of acquisition."""
        return self.root / "receipts"

    @property
    def references(self) -> Path:
        """Bibliography entries of works without a source."""
        return self.root / "references"

    @property
    def removed(self) -> Path:
        """Tombstones of removed documents."""
        return self.root / "removed"

    @property
    def derived(self) -> Path:
        """Derived data: delete it and nothing is lost."""
        return self.root / "derived"

    @property
    def catalogue(self) -> Path:
        """The SQLite catalogue of documents."""
        return self.derived / "catalogue.sqlite"

    @property
    def derived_lock(self) -> Path:
        """The lock of derived data. It lies outside the folder, which may be deleted at any time."""
        return self.root / "derived.lock"

    def blob(self, digest: str) -> Path:
        """The bytes with this digest."""
        return self.blobs / digest[:2] / digest

    def snapshot(self, document_id: str) -> Path:
        """The snapshot of a document."""
        return self.snapshots / f"{document_id}.json"

    def identity_of(self, document_id: str) -> Path:
        """The identity sidecar of a document."""
        return self.identity / f"{document_id}.json"

    def source(self, source_id: str) -> Path:
        """The record of a source."""
        return self.sources / f"{source_id}.json"

    def bibliography_of(self, source_id: str) -> Path:
        """The bibliography sidecar of a source."""
        return self.bibliography / f"{source_id}.json"

    def claim(self, claim_id: str) -> Path:
        """The file of a claim."""
        return self.claims / f"{claim_id}.json"

    def evidence_log(self, document_id: str) -> Path:
        """The evidence log of a document."""
        return self.evidence / f"{document_id}.jsonl"

    def tombstone(self, document_id: str) -> Path:
        """The tombstone of a removed document."""
        return self.removed / f"{document_id}.json"

    def receipt(self, receipt_id: str) -> Path:
        """A receipt of acquisition."""
        return self.receipts / f"{receipt_id}.json"

    @property
    def audits(self) -> Path:
        """Audits of section runs."""
        return self.root / "audits"

    def audit(self, audit_id: str) -> Path:
        """An audit of a section run."""
        return self.audits / f"{audit_id}.json"

    def reference(self, reference_id: str) -> Path:
        """A bibliography entry of a work without a source."""
        return self.references / f"{reference_id}.json"

    def event_log(self, reviewer: str) -> Path:
        """The review log of a reviewer."""
        return self.events / f"{reviewer_file_name(reviewer)}.jsonl"

    def folders(self) -> tuple[Path, ...]:
        """Every folder of a store, parents first."""
        return (
            self.root,
            self.root / "blobs",
            self.blobs,
            self.snapshots,
            self.identity,
            self.sources,
            self.bibliography,
            self.evidence,
            self.claims,
            self.events,
            self.receipts,
            self.references,
            self.audits,
            self.removed,
            self.derived,
        )


def id_of_file(name: str) -> str | None:
    """The id a file is named for, or None for anything else (temporary files, locks, strangers)."""
    return name[:64] if _ID_FILE.fullmatch(name) else None


def reviewer_file_name(reviewer: str) -> str:
    """A safe file name that no other reviewer's name shares.

    Percent-encoded like a URL; capitals and dots too, so that file systems that ignore case keep "Ann" and
    "ann" apart and no name is hidden or means a folder. Raises InvalidRequest.
    """
    if not reviewer.strip():
        raise InvalidRequest("a reviewer needs a name", "set reviewer in the configuration or --reviewer")
    try:
        encoded = quote(reviewer, safe="")
    except UnicodeEncodeError:
        raise InvalidRequest(f"not a reviewer name: {reviewer!r}", "use letters of any script") from None
    # The digits after a percent sign are matched first, so that they are never encoded again.
    encoded = re.sub(
        r"%..|[A-Z.~]", lambda m: m.group() if len(m.group()) == 3 else f"%{ord(m.group()):02X}", encoded
    )
    if len(encoded) > _MAX_REVIEWER_NAME:
        raise InvalidRequest(f"the reviewer name is too long: {reviewer[:40]!r}...", "use a shorter name")
    return encoded


def reviewer_of_file(stem: str) -> str | None:
    """The reviewer a log is named for, or None when the name is not one this program writes."""
    reviewer = unquote(stem, errors="replace")
    try:
        return reviewer if reviewer_file_name(reviewer) == stem else None
    except InvalidRequest:
        return None
