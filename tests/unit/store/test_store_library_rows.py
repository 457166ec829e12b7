"""Rows that follow changes one by one are those of a library made anew."""

from __future__ import annotations

import random

import pytest

from cmtui.store.library import Library, row_of
from cmtui.store.records import SourceDocument, SourceFile
from support.documents import make_document


@pytest.mark.parametrize("seed", range(20))
def test_rows_after_any_changes_are_those_of_a_new_library(seed: int) -> None:
    """Sources that gain and lose documents, that are renamed in effect, and that name one document twice."""
    pick = random.Random(seed)
    made = [make_document(f"Text {number}.\n") for number in range(8)]
    rows = [row_of(document) for document, _, _ in made]
    library = Library()
    for step in range(60):
        match pick.randrange(4):
            case 0:
                library.put_row(pick.choice(rows))
            case 1:
                library.remove_row(pick.choice(rows).document_id)
            case _:
                name = pick.randrange(5)
                named = pick.sample(rows, pick.randrange(4))
                library.put_source(
                    SourceFile(
                        source_id=f"{name:064}",
                        kind=rows[0].kind,
                        reference=f"file:///{pick.choice('ab')}/{name}.txt",
                        documents=tuple(
                            SourceDocument(
                                document_id=row.document_id,
                                version_id=row.version_id,
                                ingested_at=f"2026-01-{1 + pick.randrange(28):02}T00:00:00Z",
                            )
                            for row in named
                        ),
                    )
                )
        if step % pick.randint(1, 3) == 0:
            fresh = Library(library.rows.values(), library.sources.values())
            assert library.summaries() == fresh.summaries()
