"""The Voyage: a self-written tale as an EPUB 3 with a navigation document, a page list and page breaks."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

TITLE = "The Voyage"
AUTHOR = "Jane Writer"

#: ``# Title`` starts a chapter, a blank line ends a paragraph, ``{7}`` is where printed page 7 begins.
MANUSCRIPT = Path(__file__).with_name("manuscripts") / "the-voyage.txt"

_CONTAINER = """<?xml version="1.0" encoding="UTF-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
  <rootfiles><rootfile full-path="EPUB/package.opf" media-type="application/oebps-package+xml"/></rootfiles>
</container>
"""

_PAGE = """<?xml version="1.0" encoding="UTF-8"?>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" lang="en" xml:lang="en">
<head><title>{title}</title></head>
<body>
{body}
</body>
</html>
"""


def _chapters() -> list[tuple[str, list[str]]]:
    chapters: list[tuple[str, list[str]]] = []
    for block in MANUSCRIPT.read_text("utf-8").strip().split("\n\n"):
        if block.startswith("# "):
            chapters.append((block[2:], []))
        else:
            chapters[-1][1].append(" ".join(block.split()))
    return chapters


def voyage_epub() -> bytes:
    """The EPUB's bytes: stored, not compressed, with one fixed time stamp."""
    chapters = _chapters()
    files: list[tuple[str, str]] = [("META-INF/container.xml", _CONTAINER)]
    pages: list[tuple[str, str]] = []
    for number, (title, paragraphs) in enumerate(chapters, 1):
        href = f"chapter-{number}.xhtml"
        body = [f'<section epub:type="chapter">\n<h1>{escape(title)}</h1>']
        for paragraph in paragraphs:
            text = paragraph
            if text.startswith("{"):
                label, text = text[1:].split("}", 1)
                pages.append((label, f"{href}#page-{label}"))
                text = (
                    f'<span epub:type="pagebreak" role="doc-pagebreak" id="page-{label}" '
                    f'aria-label="{label}" title="{label}"></span>{text}'
                )
            body.append(f"<p>{text}</p>")
        body.append("</section>")
        files.append((f"EPUB/{href}", _PAGE.format(title=escape(title), body="\n".join(body))))
    files.append(("EPUB/nav.xhtml", _navigation([title for title, _ in chapters], pages)))
    files.append(("EPUB/package.opf", _package(len(chapters))))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, content in [("mimetype", "application/epub+zip"), *files]:
            info = zipfile.ZipInfo(name, date_time=(2024, 1, 1, 0, 0, 0))
            info.create_system = 3
            info.external_attr = 0o644 << 16
            archive.writestr(info, content.encode("utf-8"))
    return out.getvalue()


def _navigation(titles: list[str], pages: list[tuple[str, str]]) -> str:
    contents = "\n".join(
        f'<li><a href="chapter-{number}.xhtml">{escape(title)}</a></li>'
        for number, title in enumerate(titles, 1)
    )
    page_list = "\n".join(f'<li><a href="{href}">{label}</a></li>' for label, href in pages)
    body = (
        f'<nav epub:type="toc" id="toc"><h1>Contents</h1>\n<ol>\n{contents}\n</ol></nav>\n'
        f'<nav epub:type="page-list" hidden="hidden"><h1>Pages</h1>\n<ol>\n{page_list}\n</ol></nav>'
    )
    return _PAGE.format(title="Contents", body=body)


def _package(count: int) -> str:
    chapters = range(1, count + 1)
    manifest = "\n".join(
        f'    <item id="c{n}" href="chapter-{n}.xhtml" media-type="application/xhtml+xml"/>' for n in chapters
    )
    spine = "\n".join(f'    <itemref idref="c{n}"/>' for n in chapters)
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang="en">
  <metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
    <dc:identifier id="id">urn:uuid:6a1f0c4e-5b7d-4c51-9d0e-2f3a7c1b8e90</dc:identifier>
    <dc:title>{escape(TITLE)}</dc:title>
    <dc:creator>{escape(AUTHOR)}</dc:creator>
    <dc:publisher>Example Press</dc:publisher>
    <dc:date>2024</dc:date>
    <dc:language>en</dc:language>
    <dc:rights>CC0 1.0</dc:rights>
    <meta property="dcterms:modified">2024-01-01T00:00:00Z</meta>
  </metadata>
  <manifest>
    <item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
{manifest}
  </manifest>
  <spine>
{spine}
  </spine>
</package>
"""
