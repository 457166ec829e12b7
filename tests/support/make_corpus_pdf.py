"""The Ardle Light survey: a self-written report as a PDF with roman front matter, written object by object.

Times-Roman without embedding, WinAnsi plus the glyphs ``fi`` and ``fl``, lines broken by the font's real
widths.
"""

from __future__ import annotations

from pathlib import Path

TITLE = "Ardle Light: Survey of the Tower and the Lamp"
AUTHOR = "Lights Commission, Survey Office"

#: ``[iii]`` starts a page with its label, ``#`` a heading with an outline entry, ``##`` one without. ``|`` is
#: where a word may be broken; a hyphen is printed there only where a line ends.
MANUSCRIPT = Path(__file__).with_name("manuscripts") / "ardle-light-survey.txt"

#: Advance widths of Times-Roman in 1/1000 em (Adobe Core 14 AFM); anything else counts as 500.
_CHARACTERS = " !\"#$%&'()*+,-./:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ADVANCES = (
    "250 333 408 500 500 833 778 180 333 333 500 564 250 333 250 278 278 278 564 564 564 444 921 "
    "722 667 667 722 611 556 722 722 333 389 722 611 889 722 722 556 722 667 556 611 722 722 944 722 722 611 "
    "444 500 444 500 444 333 500 500 278 278 500 278 778 500 500 500 500 333 389 278 500 500 722 500 500 444"
)
_WIDTHS = dict(zip(_CHARACTERS, map(float, _ADVANCES.split()), strict=True))
_BYTES = {"\ufb01": b"\x81", "\ufb02": b"\x8d", "“": b"\x93", "”": b"\x94", "’": b"\x92"}
_MEASURE = 370.0  # points
_SIZE = 11.0
_LEADING = 15.0


def _pages() -> list[tuple[str, list[str]]]:
    pages: list[tuple[str, list[str]]] = []
    for block in MANUSCRIPT.read_text("utf-8").strip().split("\n\n"):
        if block.startswith("["):
            pages.append((block.strip("[]"), []))
        else:
            pages[-1][1].append(" ".join(block.split()))
    return pages


def survey_pdf() -> bytes:
    """The PDF's bytes."""
    manuscript = _pages()
    objects: list[bytes] = []

    def add(body: str | bytes) -> int:
        objects.append(body.encode("latin-1") if isinstance(body, str) else body)
        return len(objects)

    catalog = add("")
    tree = add("")
    info = add(
        f"<< /Title ({TITLE}) /Author ({AUTHOR}) /CreationDate (D:19980901090000Z) "
        "/Producer (sample corpus of Citation Machine) >>"
    )
    encoding = "<< /Type /Encoding /BaseEncoding /WinAnsiEncoding /Differences [129 /fi 141 /fl] >>"
    regular = add(f"<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman /Encoding {encoding} >>")
    bold = add(f"<< /Type /Font /Subtype /Type1 /BaseFont /Times-Bold /Encoding {encoding} >>")
    pages: list[int] = []
    entries: list[tuple[str, int]] = []
    for _, blocks in manuscript:
        content = _content(blocks)
        stream = add(b"<< /Length %d >>\nstream\n" % len(content) + content + b"\nendstream")
        page = add(
            f"<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 480 680] /Contents {stream} 0 R "
            f"/Resources << /Font << /F1 {regular} 0 R /F2 {bold} 0 R >> >> >>"
        )
        pages.append(page)
        entries += [(block[2:], page) for block in blocks if block.startswith("# ")]
    outline = len(objects) + 1
    first, last = outline + 1, outline + len(entries)
    add(f"<< /Type /Outlines /First {first} 0 R /Last {last} 0 R /Count {len(entries)} >>")
    for number, (title, page) in enumerate(entries, first):
        before = f" /Prev {number - 1} 0 R" if number > first else ""
        after = f" /Next {number + 1} 0 R" if number < last else ""
        add(f"<< /Title ({title}) /Parent {outline} 0 R{before}{after} /Dest [{page} 0 R /XYZ 0 680 null] >>")
    kids = " ".join(f"{page} 0 R" for page in pages)
    objects[tree - 1] = f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode("latin-1")
    roman = next(i for i, (label, _) in enumerate(manuscript) if label == "1")
    labels = f"<< /Nums [0 << /S /r >> {roman} << /S /D >>] >>"
    objects[catalog - 1] = (
        f"<< /Type /Catalog /Pages {tree} 0 R /Outlines {outline} 0 R /PageLabels {labels} /Lang (en) >>"
    ).encode("latin-1")
    return _file(objects, catalog, info)


def _file(objects: list[bytes], catalog: int, info: int) -> bytes:
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer\n<< /Size %d /Root %d 0 R /Info %d 0 R >>\n" % (len(objects) + 1, catalog, info)
    return bytes(out + b"startxref\n%d\n%%%%EOF\n" % start)


def _content(blocks: list[str]) -> bytes:
    out = [b"BT"]
    top = 610.0
    for block in blocks:
        heading = block.startswith("#")
        font, size = (b"F2", 13.0 if block.startswith("##") else 15.0) if heading else (b"F1", _SIZE)
        lines = [block.lstrip("# ")] if heading else _lines(block)
        out.append(b"/%s %g Tf" % (font, size))
        for line in lines:
            out.append(b"1 0 0 1 55 %g Tm (%s) Tj" % (top, _literal(line)))
            top -= _LEADING
        top -= 12 if heading else 8
    out.append(b"ET")
    return b"\n".join(out)


def _width(text: str) -> float:
    return sum(_WIDTHS.get(c, 500.0) for c in text if c != "|") * _SIZE / 1000


def _lines(text: str) -> list[str]:
    """Greedy lines no wider than the measure, broken at blanks and at the marked places."""
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        candidate = f"{line} {word}" if line else word
        if _width(candidate) <= _MEASURE:
            line = candidate
            continue
        parts = word.split("|")
        for cut in range(len(parts) - 1, 0, -1):
            head = "".join(parts[:cut])
            if _width(f"{line} {head}-") <= _MEASURE:
                lines.append(f"{line} {head}-")
                line = "|".join(parts[cut:])
                break
        else:
            lines.append(line)
            line = word
    lines.append(line)
    return [line.replace("|", "") for line in lines]


def _literal(text: str) -> bytes:
    encoded = b"".join(_BYTES.get(c) or c.encode("latin-1") for c in text)
    return encoded.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
