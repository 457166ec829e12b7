"""The four layers of durable identity (R9 to R17): full SHA-256, independent of query, rank, time and path.

Ids are the lower-case hex SHA-256 of the RFC 8785 form of an object that names its own type. Payloads hold
ASCII keys, strings and integers only, so ``json.dumps`` with sorted keys and no blanks *is* that form
(``tests/unit/model/test_identity.py`` proves it with the rfc8785 package).

Layers 1 to 3 are made by ingest. Layer 4, the evidence identity, is made by ``cmtui.verification`` alone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from cmtui.model.selectors import Span


class SourceKind(StrEnum):
    """The four kinds of source (R2)."""

    PDF = "pdf"
    EPUB = "epub"
    MARKDOWN = "markdown"
    TEXT = "text"


def sha256_bytes(content: bytes) -> str:
    """Lower-case hex SHA-256 of bytes."""
    return hashlib.sha256(content).hexdigest()


def sha256_text(text: str) -> str:
    """Lower-case hex SHA-256 of the UTF-8 form of a text."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def canonical_json(payload: Mapping[str, object]) -> bytes:
    """The RFC 8785 form of a payload of ASCII keys, strings, integers, lists and objects of these."""
    return json.dumps(payload, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8")


def identity_digest(payload: Mapping[str, object]) -> str:
    """SHA-256 of the RFC 8785 form of ``payload``, which names its own ``type``."""
    return hashlib.sha256(canonical_json(payload)).hexdigest()


@dataclass(frozen=True, slots=True)
class SourceArtifact:
    """Layer 1: the logical source, a resolved reference and a kind (R11)."""

    kind: SourceKind
    reference: str

    @property
    def artifact_id(self) -> str:
        """The id of layer 1; it is the ``source_id`` of the store."""
        return identity_digest(
            {"type": "cmtui/artifact/1", "kind": str(self.kind), "reference": self.reference}
        )


@dataclass(frozen=True, slots=True)
class SourceVersion:
    """Layer 2: the exact ingested bytes (R12). ``size`` in bytes is for display and is not hashed."""

    kind: SourceKind
    bytes_sha256: str
    size: int

    @property
    def version_id(self) -> str:
        """The id of layer 2."""
        return identity_digest(
            {"type": "cmtui/version/1", "kind": str(self.kind), "bytes_sha256": self.bytes_sha256}
        )


@dataclass(frozen=True, slots=True)
class ProfileStep:
    """One step of a canonicalization profile. ``count`` says how often it applied and is not hashed."""

    name: str
    count: int = 0


@dataclass(frozen=True, slots=True)
class Extractor:
    """The reader that turned bytes into text, such as ``pypdf`` ``7.1.1``."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class CanonicalizationProfile:
    """A named, versioned, ordered transformation from bytes to canonical text (R13, R16)."""

    name: str
    version: str
    steps: tuple[ProfileStep, ...]
    extractor: Extractor

    @property
    def label(self) -> str:
        """Name and version as people read them: ``cmtui-canon/1``."""
        return f"{self.name}/{self.version}"


@dataclass(frozen=True, slots=True)
class CanonicalContent:
    """Layer 3: canonical text bound to its profile (R13). ``characters`` is for display and not hashed."""

    version_id: str
    profile: CanonicalizationProfile
    text_sha256: str
    characters: int

    @property
    def content_id(self) -> str:
        """The id of layer 3; it is the ``document_id`` of the store."""
        profile = self.profile
        return identity_digest(
            {
                "type": "cmtui/content/1",
                "version": self.version_id,
                "profile": {"name": profile.name, "version": profile.version},
                "steps": [step.name for step in profile.steps],
                "extractor": {"name": profile.extractor.name, "version": profile.extractor.version},
                "text_sha256": self.text_sha256,
            }
        )


def span_id(content_id: str, span: Span, text_sha256: str) -> str:
    """The id of layer 4. Only ``cmtui.verification`` may turn it into an identity (R14, R87)."""
    return identity_digest(
        {
            "type": "cmtui/span/1",
            "content": content_id,
            "start": span.start,
            "end": span.end,
            "text_sha256": text_sha256,
        }
    )
