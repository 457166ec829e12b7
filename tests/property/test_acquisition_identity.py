"""R30, R148: identities depend on the captured bytes and on nothing that a provider says of them."""

from __future__ import annotations

import string
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cmtui import (
    CandidateHighlight,
    CapturedSource,
    CitationAcquisitionService,
    DiscoveryCandidate,
    DiscoveryMetadata,
    LocalCitationMachine,
)

CONTENT = b"The survey of the island took two summers.\n\nIts map was printed in 1871 and is exact.\n"
HIGHLIGHT = "printed in 1871"

names = st.text(min_size=1, max_size=30)
maybe = st.none() | names
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
metadata = st.builds(
    DiscoveryMetadata,
    provider=names,
    candidate_id=names,
    url=maybe,
    title=maybe,
    query=maybe,
    rank=st.none() | st.integers(1, 100),
    score=st.none() | st.floats(allow_nan=False, allow_infinity=False),
    discovered_at=maybe,
    result_metadata=st.dictionaries(st.text(max_size=8), json_values, max_size=4),
    response_metadata=st.dictionaries(st.text(max_size=8), json_values, max_size=4),
)
urls = st.none() | st.builds(
    "https://{}.example/{}".format,
    st.text(string.ascii_lowercase, min_size=1, max_size=8),
    st.text(string.ascii_letters, max_size=8),
)


class Adapter:
    def __init__(self, url: str | None) -> None:
        self.url = url

    def capture(self, candidate: DiscoveryCandidate) -> CapturedSource:
        return CapturedSource(CONTENT, "text", url=self.url, media_type="text/plain")


@given(said=metadata, url=urls)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_r148_identical_bytes_have_equal_identities_whatever_the_provider_says(
    tmp_path_factory: Any, said: DiscoveryMetadata, url: str | None
) -> None:
    machine = _machine(tmp_path_factory)
    lead = DiscoveryCandidate("text", said, CandidateHighlight(HIGHLIGHT))
    receipt = CitationAcquisitionService(machine).acquire(Adapter(url), lead)
    assert receipt.evidence is not None
    assert receipt.source_version == _EXPECTED["source_version"]
    assert receipt.document_id == _EXPECTED["document_id"]
    assert receipt.evidence_id == _EXPECTED["evidence_id"]
    assert len(machine.documents()) == 1
    assert machine.reconstruct(receipt.evidence) == HIGHLIGHT


#: What a plain ingest of these bytes gives, in another store.
_EXPECTED: dict[str, str] = {}
_MADE: list[LocalCitationMachine] = []


def _machine(tmp_path_factory: Any) -> LocalCitationMachine:
    """One store for all examples, its ids fixed by a plain ingest of the same bytes from a file."""
    if not _MADE:
        folder = tmp_path_factory.mktemp("identity")
        (folder / "plain.txt").write_bytes(CONTENT)
        other = LocalCitationMachine.open(folder / "by-file")
        document = other.document(other.ingest(folder / "plain.txt"))
        start = document.text.index(HIGHLIGHT)
        from cmtui.model.identity import sha256_text, span_id
        from cmtui.model.selectors import Span

        _EXPECTED.update(
            source_version=document.version.version_id,
            document_id=document.document_id,
            evidence_id=span_id(
                document.document_id, Span(start, start + len(HIGHLIGHT)), sha256_text(HIGHLIGHT)
            ),
        )
        _MADE.append(LocalCitationMachine.open(folder / "store"))
    return _MADE[0]
