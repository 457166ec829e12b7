"""Builds the two binary files of the sample corpus, byte for byte the same on every machine.

Run ``python tests/support/make_corpus.py`` after changing the prose in ``make_corpus_epub.py`` or
``make_corpus_pdf.py``; ``tests/unit/test_sample_corpus.py`` fails while the committed files differ.
Nothing is compressed, because two zlib builds may pack the same bytes differently.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "sample_corpus"


def built() -> dict[str, bytes]:
    """The content of every generated file by its name in ``sample_corpus``."""
    from support.make_corpus_epub import voyage_epub
    from support.make_corpus_pdf import survey_pdf

    return {"the-voyage.epub": voyage_epub(), "ardle-light-survey.pdf": survey_pdf()}


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "tests"))
    for name, content in built().items():
        (CORPUS / name).write_bytes(content)
        print(f"{name}  {len(content)} bytes")
