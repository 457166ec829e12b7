"""The four layers of identity (R9 to R17, R23)."""

from __future__ import annotations

import dataclasses

import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from cmtui.model.identity import (
    CanonicalContent,
    CanonicalizationProfile,
    Extractor,
    ProfileStep,
    SourceArtifact,
    SourceKind,
    SourceVersion,
    canonical_json,
    sha256_text,
    span_id,
)
from cmtui.model.selectors import Span

TEXT = "Ulysses wept beside the harbour."
PROFILE = CanonicalizationProfile(
    "cmtui-canon", "1", (ProfileStep("decode"), ProfileStep("newlines", 3)), Extractor("cmtui-text", "1")
)
ARTIFACT = SourceArtifact(SourceKind.TEXT, "file:///library/voyage.txt")
VERSION = SourceVersion(SourceKind.TEXT, sha256_text(TEXT), len(TEXT))
CONTENT = CanonicalContent(VERSION.version_id, PROFILE, sha256_text(TEXT), len(TEXT))

json_values = st.recursive(
    st.text() | st.integers(-(2**53) + 1, 2**53 - 1),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("abcxyz_", max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.text("abcdefgh_", min_size=1, max_size=8), json_values, max_size=6))
def test_canonical_json_is_rfc_8785_for_the_payloads_used(payload: dict[str, object]) -> None:
    assert canonical_json(payload) == rfc8785.dumps(payload)


def test_golden_ids_of_the_four_layers_never_change() -> None:
    """R10, R23: these ids are permanent, on every machine and after every upgrade."""
    assert ARTIFACT.artifact_id == "5e1163b40f3d7466fc9d94739d3bd19a4de4ab328e74686389cdef895582a4d1"
    assert VERSION.version_id == "f48677cdb70fa11fe2415bc1ba252d72d0e2a78a7675ea4cbb4319f6967311c9"
    assert CONTENT.content_id == "ef14da82e617d41cc99ca6c73c936c3cc47bc214d4bbbb853e802b42ca12332a"
    assert (
        span_id(CONTENT.content_id, Span(0, 12), sha256_text("Ulysses wept"))
        == "1af9aebad10be22f4763b10ea9658035f8403cce73d8fa6bfe77760f7914f6e6"
    )


def test_the_path_is_not_in_the_version_content_or_span() -> None:
    """R9: a moved, renamed or shared file keeps every evidence id."""
    moved = SourceArtifact(SourceKind.TEXT, "file:///elsewhere/renamed.txt")
    assert moved.artifact_id != ARTIFACT.artifact_id
    assert "reference" not in {field.name for field in dataclasses.fields(VERSION)}
    assert "reference" not in {field.name for field in dataclasses.fields(CONTENT)}


def test_step_counts_are_recorded_but_not_hashed() -> None:
    """R13: the profile is its named, ordered steps; how often one applied follows from the bytes."""
    counted = dataclasses.replace(PROFILE, steps=(ProfileStep("decode", 9), ProfileStep("newlines", 0)))
    assert dataclasses.replace(CONTENT, profile=counted).content_id == CONTENT.content_id


def test_another_profile_version_step_order_or_extractor_is_another_content() -> None:
    """R24: a profile change gives a new layer 3."""
    others = [
        dataclasses.replace(PROFILE, version="2"),
        dataclasses.replace(PROFILE, steps=PROFILE.steps[::-1]),
        dataclasses.replace(PROFILE, extractor=Extractor("cmtui-text", "2")),
        dataclasses.replace(PROFILE, name="other"),
    ]
    ids = {dataclasses.replace(CONTENT, profile=profile).content_id for profile in [PROFILE, *others]}
    assert len(ids) == 5


def test_kind_is_part_of_artifact_and_version() -> None:
    """R11, R12: the same bytes read as Markdown are another version."""
    assert SourceVersion(SourceKind.MARKDOWN, VERSION.bytes_sha256, 1).version_id != VERSION.version_id
    assert SourceArtifact(SourceKind.MARKDOWN, ARTIFACT.reference).artifact_id != ARTIFACT.artifact_id


def test_ids_are_full_length_lower_case_hex() -> None:
    """R10: never truncated."""
    for value in (ARTIFACT.artifact_id, VERSION.version_id, CONTENT.content_id):
        assert len(value) == 64
        assert set(value) <= set("0123456789abcdef")
