"""The same 2,000 forgeries stated as claims: no source supports one (R88, R90).

Each takes the whole path: retrieval, inference, verification. A file of its own, so that it runs beside the
quote checks of ``test_forgeries.py``.
"""

from __future__ import annotations

import pytest

from support.forged_library import Library, forged_library
from support.forgeries import Forgery


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return forged_library(tmp_path_factory.mktemp("corpus"))


@pytest.mark.parametrize("kind", Forgery)
def test_no_forged_claim_is_supported(library: Library, kind: Forgery) -> None:
    """Not one of 250 in each class finds a supporting passage where it says it stands (R88, R90)."""
    for forged in library.of(kind):
        filters = None
        if kind is Forgery.WRONG_SOURCE:
            filters = {"document_id": library.current[forged.source].document_id}
        report = library.machine.find_evidence(forged.text, filters=filters, limit=1, save=False)
        assert [(f.text, f.explanation) for f in report.findings] == [], forged
