"""Identity sidecars: layers 1 to 3 of a document, bound to its snapshot by SHA-256 (R18 to R22, D15).

A missing or stale sidecar is rebuilt from the verified snapshot and the source's record, always to the same
bytes. A malformed one is refused and never rebuilt: this program does not write such files, so somebody
should look.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from cmtui.errors import SidecarMalformed
from cmtui.model.identity import (
    CanonicalContent,
    CanonicalizationProfile,
    Extractor,
    ProfileStep,
    SourceArtifact,
    SourceKind,
    SourceVersion,
)
from cmtui.model.source import CanonicalDocument
from cmtui.store import atomic
from cmtui.store.layout import Layout
from cmtui.store.records import decode, encode


class ArtifactLayer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Layer 1 with its id."""

    artifact_id: str
    kind: SourceKind
    reference: str


class VersionLayer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Layer 2 with its id."""

    version_id: str
    kind: SourceKind
    bytes_sha256: str
    size: int


class StepLayer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One step of the profile."""

    name: str
    count: int


class ExtractorLayer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The reader."""

    name: str
    version: str


class ProfileLayer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The profile of layer 3."""

    name: str
    version: str
    steps: tuple[StepLayer, ...]
    extractor: ExtractorLayer


class ContentLayer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Layer 3 with its id."""

    content_id: str
    version_id: str
    profile: ProfileLayer
    text_sha256: str
    characters: int


class IdentityFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``identity/<document_id>.json``."""

    format: Literal[1] = 1
    snapshot_sha256: str
    artifact: ArtifactLayer
    version: VersionLayer
    content: ContentLayer

    def is_consistent(self, document_id: str) -> bool:
        """Whether every id is the digest of its own layer, and the layers are those of this document."""
        artifact = SourceArtifact(self.artifact.kind, self.artifact.reference)
        version = SourceVersion(self.version.kind, self.version.bytes_sha256, self.version.size)
        profile = self.content.profile
        content = CanonicalContent(
            self.content.version_id,
            CanonicalizationProfile(
                profile.name,
                profile.version,
                tuple(ProfileStep(step.name, step.count) for step in profile.steps),
                Extractor(profile.extractor.name, profile.extractor.version),
            ),
            self.content.text_sha256,
            self.content.characters,
        )
        return (
            artifact.artifact_id == self.artifact.artifact_id
            and version.version_id == self.version.version_id == self.content.version_id
            and content.content_id == self.content.content_id == document_id
        )


def identity_file(
    document: CanonicalDocument, artifact: SourceArtifact, snapshot_sha256: str
) -> IdentityFile:
    """The sidecar of a document: the same arguments give the same bytes."""
    profile = document.profile
    return IdentityFile(
        snapshot_sha256=snapshot_sha256,
        artifact=ArtifactLayer(
            artifact_id=artifact.artifact_id, kind=artifact.kind, reference=artifact.reference
        ),
        version=VersionLayer(
            version_id=document.version.version_id,
            kind=document.version.kind,
            bytes_sha256=document.version.bytes_sha256,
            size=document.version.size,
        ),
        content=ContentLayer(
            content_id=document.document_id,
            version_id=document.version.version_id,
            profile=ProfileLayer(
                name=profile.name,
                version=profile.version,
                steps=tuple(StepLayer(name=step.name, count=step.count) for step in profile.steps),
                extractor=ExtractorLayer(name=profile.extractor.name, version=profile.extractor.version),
            ),
            text_sha256=document.text_sha256,
            characters=len(document.text),
        ),
    )


class IdentitySidecars:
    """The sidecars in ``identity/``."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def read(self, document_id: str) -> IdentityFile | None:
        """The sidecar, or None when it is missing. Raises SidecarMalformed."""
        path = self._layout.identity_of(document_id)
        try:
            raw = path.read_bytes()
        except FileNotFoundError:
            return None
        hint = "restore the file from a backup; if you trust the snapshot, move the sidecar away"
        try:
            sidecar = decode(raw, IdentityFile)
        except ValueError as error:
            raise SidecarMalformed(f"the identity sidecar {path} is malformed: {error}", hint) from error
        if not sidecar.is_consistent(document_id):
            raise SidecarMalformed(
                f"the identity sidecar {path} is malformed: an id is not the digest of its layer", hint
            )
        return sidecar

    def remove(self, document_id: str) -> None:
        """Remove a sidecar. The caller holds the lock and has written the document's tombstone."""
        path = self._layout.identity_of(document_id)
        path.unlink(missing_ok=True)
        atomic.sync_folder(path.parent)

    def write(self, sidecar: IdentityFile) -> None:
        """Write a sidecar."""
        atomic.write_whole(self._layout.identity_of(sidecar.content.content_id), encode(sidecar))
