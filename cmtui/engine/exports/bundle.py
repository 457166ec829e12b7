"""The evidence bundle: a zip that a colleague can verify with Python alone (settlements 5.15).

It holds the lossless review, the accepted quotes to read, the canonical texts they stand in, a manifest with
the digest of every file, and ``verify.py``. The same store gives the same bytes: no compression, no dates.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING

from cmtui.engine.exports import jsonl, markdown
from cmtui.engine.exports.rows import ExportRow
from cmtui.errors import CmtuiError
from cmtui.model.identity import sha256_bytes

if TYPE_CHECKING:
    from cmtui.engine.review import ReviewSession

#: The earliest date a zip can hold.
_DATE = (1980, 1, 1, 0, 0, 0)

_README = """\
# Evidence reviewed by {reviewer}

Run this with Python 3.8 or newer; it needs nothing else and sends nothing anywhere:

    python3 verify.py

It recomputes every digest and id, looks up every quote at its place in the texts, and follows the chain of
the reviewer's log. `python3 verify.py . --originals FOLDER` also looks for the original files. Read it before
you trust it: it is about 250 lines.

- `quotes.md`: the {accepted} accepted quotes with their citations, to read
- `review.jsonl`: everything, to be imported: `citation-machine review import review.jsonl`
- `texts/`: {texts}
- `manifest.json`: the SHA-256 of every file here

A position counts Unicode code points of the text in `texts/`, not pages or bytes. Relations such as SUPPORTS
are fallible derived assessments; verification proves text and provenance, not truth. `review.jsonl` holds the
paths that the sources had on the reviewer's machine, because the id of a source is made of them.
"""


def write(session: ReviewSession, accepted: Sequence[ExportRow], *, private: bool = False) -> bytes:
    """The zip. ``private`` leaves the canonical texts out: then only words and ids can be compared."""
    repository = session.repository
    parts: dict[str, bytes] = {"review.jsonl": jsonl.write(session)}
    documents = sorted({row.document_id for row in accepted if not row.removed})
    for document_id in () if private else documents:
        try:
            text = repository.document(document_id).text
        except CmtuiError:  # damaged since: the quote is still in the log, and verify.py says what is missing
            continue
        parts[f"texts/{document_id}.txt"] = text.encode("utf-8")
    held = sum(name.startswith("texts/") for name in parts)
    said = f"the {held} canonical texts they stand in" if held else "left out of this bundle"
    readme = _README.format(reviewer=markdown.escape(session.reviewer), accepted=len(accepted), texts=said)
    parts["quotes.md"] = markdown.write(accepted, session.reviewer)
    parts["README.md"] = readme.encode("utf-8")
    parts["verify.py"] = (files("cmtui.engine.exports") / "verify_bundle.py").read_bytes()
    manifest = {
        "format": "cmtui/bundle/1",
        "reviewer": session.reviewer,
        "texts": "left out" if private else "canonical",
        "files": {name: sha256_bytes(content) for name, content in sorted(parts.items())},
    }
    parts["manifest.json"] = json.dumps(manifest, ensure_ascii=False, indent=2).encode("utf-8") + b"\n"
    return _zipped(parts)


def _zipped(parts: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, content in sorted(parts.items()):
            info = zipfile.ZipInfo(name, _DATE)
            info.external_attr = 0o644 << 16
            info.create_system = 3
            archive.writestr(info, content)
    return out.getvalue()
