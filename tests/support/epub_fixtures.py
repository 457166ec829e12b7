"""Small EPUBs for tests, written entry by entry so that each can be odd in one way."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence

CONTAINER = (
    '<?xml version="1.0"?><container version="1.0" '
    'xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OPS/p.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)


def page(body: str, *, head: str = "<title>t</title>", doctype: str = "") -> str:
    """An XHTML document around ``body``."""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>{doctype}<html xmlns="http://www.w3.org/1999/xhtml" '
        f'xmlns:epub="http://www.idpf.org/2007/ops"><head>{head}</head><body>{body}</body></html>'
    )


def make_epub(
    chapters: Mapping[str, str | bytes],
    *,
    spine: Sequence[str] | None = None,
    nav: str | None = None,
    nav_in_spine: bool = False,
    ncx: str | None = None,
    metadata: str = "<dc:title>Test Book</dc:title><dc:language>en</dc:language>",
    not_linear: Sequence[str] = (),
    manifest_extra: str = "",
    extra: Mapping[str, bytes] | None = None,
    mimetype: bool = True,
    leave_out: Sequence[str] = (),
) -> bytes:
    """An EPUB whose ``chapters`` map file names (under OPS/) to XHTML; the spine is in their order.

    ``nav`` and ``ncx`` are bodies of these documents. ``leave_out`` names entries that are not written.
    """
    items = [f'<item id="{name}" href="{name}" media-type="application/xhtml+xml"/>' for name in chapters]
    order = list(spine if spine is not None else chapters)
    toc = ""
    files: dict[str, bytes] = {}
    if nav is not None:
        items.append('<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>')
        files["OPS/nav.xhtml"] = page(nav).encode()
        if nav_in_spine:
            order.insert(0, "nav")
    if ncx is not None:
        items.append('<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>')
        files["OPS/toc.ncx"] = f'<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/">{ncx}</ncx>'.encode()
        toc = ' toc="ncx"'
    references = "".join(
        f'<itemref idref="{name}"{" linear=" + chr(34) + "no" + chr(34) if name in not_linear else ""}/>'
        for name in order
    )
    files["OPS/p.opf"] = (
        '<?xml version="1.0" encoding="UTF-8"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0" '
        'unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/" '
        f'xmlns:opf="http://www.idpf.org/2007/opf">{metadata}</metadata><manifest>{"".join(items)}'
        f"{manifest_extra}</manifest><spine{toc}>{references}</spine></package>"
    ).encode()
    files["META-INF/container.xml"] = CONTAINER.encode()
    for name, text in chapters.items():
        files[f"OPS/{name}"] = text if isinstance(text, bytes) else text.encode()
    files.update(extra or {})
    return make_zip(
        {name: data for name, data in files.items() if name.removeprefix("OPS/") not in leave_out},
        mimetype=mimetype,
    )


def make_zip(files: Mapping[str, bytes], *, mimetype: bool = True) -> bytes:
    """A zip archive, with the EPUB mimetype entry first unless told otherwise."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        if mimetype:
            archive.writestr(zipfile.ZipInfo("mimetype", (2024, 1, 1, 0, 0, 0)), b"application/epub+zip")
        for name, data in files.items():
            info = zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
    return out.getvalue()


def encryption(uri: str, algorithm: str) -> bytes:
    """META-INF/encryption.xml for one resource."""
    return (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
        '<EncryptedData xmlns="http://www.w3.org/2001/04/xmlenc#">'
        f'<EncryptionMethod Algorithm="{algorithm}"/><CipherData><CipherReference URI="{uri}"/></CipherData>'
        "</EncryptedData></encryption>"
    ).encode()
