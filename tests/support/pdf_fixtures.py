"""A small PDF writer for tests: pages of lines, labels, outline, Info, XMP, ToUnicode, damage on demand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class PdfBuilder:
    """Objects by number; ``render`` writes them with a right cross-reference table."""

    objects: list[bytes] = field(default_factory=list)

    def add(self, body: str | bytes) -> int:
        self.objects.append(body.encode("latin-1") if isinstance(body, str) else body)
        return len(self.objects)

    def reserve(self) -> int:
        return self.add(b"")

    def put(self, number: int, body: str | bytes) -> None:
        self.objects[number - 1] = body.encode("latin-1") if isinstance(body, str) else body

    def stream(self, data: bytes, entries: str = "") -> int:
        head = f"<< /Length {len(data)} {entries} >>\nstream\n".encode("latin-1")
        return self.add(head + data + b"\nendstream")

    def render(self, root: int, info: int | None = None) -> bytes:
        out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
        offsets = []
        for number, body in enumerate(self.objects, start=1):
            offsets.append(len(out))
            out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
        start = len(out)
        out += f"xref\n0 {len(self.objects) + 1}\n0000000000 65535 f \n".encode()
        for offset in offsets:
            out += f"{offset:010d} 00000 n \n".encode()
        extra = f" /Info {info} 0 R" if info else ""
        out += f"trailer\n<< /Size {len(self.objects) + 1} /Root {root} 0 R{extra} >>\n".encode()
        out += f"startxref\n{start}\n%%EOF\n".encode()
        return bytes(out)


def literal(text: str) -> str:
    """A PDF string literal in Latin-1."""
    return "(" + text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)") + ")"


def make_pdf(
    pages: Sequence[str],
    *,
    labels: str | None = None,
    outline: Sequence[tuple[int, str, int]] = (),
    info: dict[str, str] | None = None,
    xmp: str | None = None,
    language: str | None = None,
    broken: Sequence[int] = (),
    to_unicode: bytes | None = None,
) -> bytes:
    """A PDF with one page per text (lines by LF).

    ``labels`` is the /Nums array of /PageLabels. ``outline`` has (level from 1, title, 1-based page).
    ``broken`` pages (1-based) have a content stream that cannot be unpacked. ``to_unicode`` is a CMap.
    """
    pdf = PdfBuilder()
    catalog = pdf.reserve()
    tree = pdf.reserve()
    mapping = f" /ToUnicode {pdf.stream(to_unicode)} 0 R" if to_unicode else ""
    font = pdf.add(
        f"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding{mapping} >>"
    )
    kids: list[int] = []
    for number, text in enumerate(pages, start=1):
        content = (
            pdf.stream(b"\x00garbage", "/Filter /Unknown") if number in broken else pdf.stream(_content(text))
        )
        kids.append(
            pdf.add(
                f"<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 612 792] /Contents {content} 0 R "
                f"/Resources << /Font << /F1 {font} 0 R >> >> >>"
            )
        )
    references = " ".join(f"{kid} 0 R" for kid in kids)
    pdf.put(tree, f"<< /Type /Pages /Kids [{references}] /Count {len(kids)} >>")
    extras = [f"/Type /Catalog /Pages {tree} 0 R"]
    if labels is not None:
        extras.append(f"/PageLabels << /Nums [{labels}] >>")
    if language:
        extras.append(f"/Lang {literal(language)}")
    if outline:
        extras.append(f"/Outlines {_outline(pdf, outline, kids)} 0 R")
    if xmp is not None:
        extras.append(f"/Metadata {pdf.stream(xmp.encode('utf-8'), '/Type /Metadata /Subtype /XML')} 0 R")
    pdf.put(catalog, "<< " + " ".join(extras) + " >>")
    about = None
    if info:
        about = pdf.add("<< " + " ".join(f"/{key} {literal(value)}" for key, value in info.items()) + " >>")
    return pdf.render(catalog, about)


def _content(text: str) -> bytes:
    commands = ["BT /F1 12 Tf 14 TL 72 720 Td"]
    for number, line in enumerate(text.split("\n")):
        if number:
            commands.append("T*")
        if text:  # an empty line is drawn as a blank, as word processors do
            commands.append(f"{literal(line or ' ')} Tj")
    commands.append("ET")
    return "\n".join(commands).encode("cp1252")


def _outline(pdf: PdfBuilder, entries: Sequence[tuple[int, str, int]], kids: Sequence[int]) -> int:
    root = pdf.reserve()
    numbers = [pdf.reserve() for _ in entries]
    parents: list[int] = []
    stack: list[tuple[int, int]] = [(0, root)]
    for (level, _, _), number in zip(entries, numbers, strict=True):
        while stack[-1][0] >= level:
            stack.pop()
        parents.append(stack[-1][1])
        stack.append((level, number))
    for at, ((_, title, page), number) in enumerate(zip(entries, numbers, strict=True)):
        siblings = [n for n, parent in zip(numbers, parents, strict=True) if parent == parents[at]]
        place = siblings.index(number)
        children = [n for n, parent in zip(numbers, parents, strict=True) if parent == number]
        body = f"/Title {literal(title)} /Parent {parents[at]} 0 R /Dest [{kids[page - 1]} 0 R /Fit]"
        if place:
            body += f" /Prev {siblings[place - 1]} 0 R"
        if place + 1 < len(siblings):
            body += f" /Next {siblings[place + 1]} 0 R"
        if children:
            body += f" /First {children[0]} 0 R /Last {children[-1]} 0 R /Count {len(children)}"
        pdf.put(number, f"<< {body} >>")
    top = [n for n, parent in zip(numbers, parents, strict=True) if parent == root]
    pdf.put(root, f"<< /Type /Outlines /First {top[0]} 0 R /Last {top[-1]} 0 R /Count {len(top)} >>")
    return root


def to_unicode_map(pairs: dict[str, str]) -> bytes:
    """A ToUnicode CMap from one-byte characters to UTF-16BE hexadecimal strings."""
    rows = "\n".join(f"<{ord(char):02x}> <{target}>" for char, target in pairs.items())
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /T def /CMapType 2 def\n"
        "1 begincodespacerange <00> <ff> endcodespacerange\n"
        f"{len(pairs)} beginbfchar\n{rows}\nendbfchar\nendcmap end end"
    ).encode("ascii")


def xmp_packet(*, title: str = "", creators: Sequence[str] = (), doi: str = "") -> str:
    """An XMP packet with Dublin Core and PRISM fields."""
    parts = []
    if title:
        parts.append(f'<dc:title><rdf:Alt><rdf:li xml:lang="x-default">{title}</rdf:li></rdf:Alt></dc:title>')
    if creators:
        items = "".join(f"<rdf:li>{creator}</rdf:li>" for creator in creators)
        parts.append(f"<dc:creator><rdf:Seq>{items}</rdf:Seq></dc:creator>")
    if doi:
        parts.append(f"<prism:doi>{doi}</prism:doi>")
    return (
        '<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">'
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
        '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        'xmlns:prism="http://prismstandard.org/namespaces/basic/2.0/">'
        + "".join(parts)
        + '</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>'
    )
