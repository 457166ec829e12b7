"""The JSON records of a store: strict in what they accept, deterministic in what they write.

Every record is a msgspec struct that refuses unknown keys and wrong types, so that a file this program did
not write is noticed instead of half understood.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec

from cmtui.model.identity import SourceArtifact, SourceKind
from cmtui.model.source import SourceRecord, source_name
from cmtui.store.layout import FORMAT_VERSION

_T = TypeVar("_T")


class StoreFormat(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``store.json``."""

    format: int
    digest: str


class Generation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``generation``: ``counter`` counts commits of documents, ``changes`` every change a reader must see."""

    counter: int = 0
    changes: int = 0
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


class SourceDocument(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One document of a source, in order of arrival."""

    document_id: str
    version_id: str
    ingested_at: str | None = None


class SourceFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``sources/<source_id>.json``.

    ``documents`` may name one whose snapshot was never written (see ``cmtui.store.documents``): it is not
    part of the source until the snapshot exists.
    """

    format: int = FORMAT_VERSION
    source_id: str
    kind: SourceKind
    reference: str
    aliases: tuple[str, ...] = ()
    documents: tuple[SourceDocument, ...] = ()
    moved_to: str | None = None
    page_offset: int | None = None
    tags: tuple[str, ...] = ()
    ingested_at: str | None = None

    @property
    def artifact(self) -> SourceArtifact:
        """Layer 1."""
        return SourceArtifact(self.kind, self.reference)

    @property
    def name(self) -> str:
        """The name of the source, as ``SourceRecord.name`` gives it."""
        return source_name(self.reference)

    def record(self, documents: tuple[SourceDocument, ...]) -> SourceRecord:
        """The record as the engine sees it, with those of its documents that exist."""
        return SourceRecord(
            artifact=self.artifact,
            aliases=self.aliases,
            versions=tuple(dict.fromkeys(d.version_id for d in documents)),
            documents=tuple(d.document_id for d in documents),
            page_offset=self.page_offset,
            tags=self.tags,
            ingested_at=self.ingested_at,
            moved_to=self.moved_to,
        )


def encode(record: object) -> bytes:
    """The bytes of a record: compact JSON in field order, ended by a newline."""
    return msgspec.json.encode(record) + b"\n"


def decode(raw: bytes, record: type[_T]) -> _T:
    """A record from its bytes. Raises ValueError that says what is wrong and where in the file."""
    try:
        return msgspec.json.decode(raw, type=record)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(str(error)) from error
