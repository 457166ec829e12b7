"""Formatted text as segments, and the ways to write them: plain, Markdown, HTML and RTF."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cmtui.bibliography.markup import CLOSING, FLAGS, strip
from cmtui.errors import InvalidRequest


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of text with the same formatting. ``flags``: italic, bold, superscript, subscript, small-caps,
    underline."""

    text: str
    flags: frozenset[str] = frozenset()


def parse(text: str) -> tuple[Segment, ...]:
    """Split text with sentinels into segments. Italic inside italic is upright again."""
    depth = dict.fromkeys(FLAGS, 0)
    segments: list[Segment] = []
    run: list[str] = []

    def flags() -> frozenset[str]:
        return frozenset(
            name for mark, name in FLAGS.items() if (depth[mark] % 2 if name == "italic" else depth[mark] > 0)
        )

    def close_run() -> None:
        written = strip("".join(run))
        run.clear()
        if written:
            current = flags()
            if segments and segments[-1].flags == current:
                written = segments.pop().text + written
            segments.append(Segment(written, current))

    for character in text:
        if character in FLAGS:
            close_run()
            depth[character] += 1
        elif character in CLOSING:
            close_run()
            depth[CLOSING[character]] = max(0, depth[CLOSING[character]] - 1)
        else:
            run.append(character)
    close_run()
    return tuple(segments)


def plain(segments: Sequence[Segment]) -> str:
    """The text alone."""
    return "".join(segment.text for segment in segments)


_MARKDOWN_SPECIAL = re.compile(r"([\\`*_\[\]<>])")
_MARKDOWN_LINE_START = re.compile(r"^(\s*)([#+-]|\d+[.)])(?=\s)")
_MARKDOWN = {"italic": ("*", "*"), "bold": ("**", "**"), "superscript": ("^", "^"), "subscript": ("~", "~")}


def markdown(segments: Sequence[Segment]) -> str:
    """Markdown with ``*italic*``; characters of the text that Markdown would read are escaped."""
    output: list[str] = []
    for segment in segments:
        text = _MARKDOWN_SPECIAL.sub(r"\\\1", segment.text)
        if not output:
            text = _MARKDOWN_LINE_START.sub(lambda m: m[1] + m[2][:-1] + "\\" + m[2][-1], text)
        # Emphasis must touch a word, so blanks at its ends stay outside.
        body = text.strip()
        if body:
            head, tail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
            for flag, (opening, closing) in _MARKDOWN.items():
                if flag in segment.flags:
                    body = f"{opening}{body}{closing}"
            text = head + body + tail
        output.append(text)
    return "".join(output)


_HTML = {
    "italic": ("<i>", "</i>"),
    "bold": ("<b>", "</b>"),
    "superscript": ("<sup>", "</sup>"),
    "subscript": ("<sub>", "</sub>"),
    "small-caps": ('<span style="font-variant:small-caps;">', "</span>"),
    "underline": ("<u>", "</u>"),
}


def to_html(segments: Sequence[Segment]) -> str:
    """An HTML fragment; the text is escaped."""
    output: list[str] = []
    for segment in segments:
        text = html.escape(segment.text, quote=False)
        for flag, (opening, closing) in _HTML.items():
            if flag in segment.flags:
                text = f"{opening}{text}{closing}"
        output.append(text)
    return "".join(output)


_RTF = {
    "italic": "\\i",
    "bold": "\\b",
    "superscript": "\\super",
    "subscript": "\\sub",
    "small-caps": "\\scaps",
    "underline": "\\ul",
}


_RTF_BREAKS = {"\n": "\\line ", "\t": "\\tab ", "\r": "", "\f": "\\page "}


def _rtf_character(character: str) -> str:
    if character in "\\{}":
        return "\\" + character
    if character in _RTF_BREAKS:
        return _RTF_BREAKS[character]
    if 32 <= ord(character) < 127:
        return character
    units = character.encode("utf-16-le")
    # RTF writes UTF-16 code units as signed 16-bit numbers, each with a stand-in for old readers.
    return "".join(
        f"\\u{int.from_bytes(units[i : i + 2], 'little', signed=True)}?" for i in range(0, len(units), 2)
    )


def rtf(segments: Sequence[Segment]) -> str:
    """A complete one-paragraph RTF document."""
    return f"{_RTF_HEAD}{_rtf_body(segments)}\\par}}"


_RTF_HEAD = "{\\rtf1\\ansi\\deff0{\\fonttbl{\\f0 Times New Roman;}}\\f0\\fs24 "


def _rtf_body(segments: Sequence[Segment]) -> str:
    output: list[str] = []
    for segment in segments:
        text = "".join(map(_rtf_character, segment.text))
        codes = "".join(code for flag, code in _RTF.items() if flag in segment.flags)
        output.append(f"{{{codes} {text}}}" if codes else text)
    return "".join(output)


_WRITERS: dict[str, Callable[[Sequence[Segment]], str]] = {
    "plain": plain,
    "markdown": markdown,
    "html": to_html,
    "rtf": rtf,
}
OUTPUTS = tuple(_WRITERS)


def write(segments: Sequence[Segment], output: str) -> str:
    """The segments in an output format: plain, markdown, html or rtf. Raises InvalidRequest."""
    writer = _WRITERS.get(output)
    if writer is None:
        raise InvalidRequest(f"There is no output '{output}'.", f"Outputs: {', '.join(OUTPUTS)}.")
    return writer(segments)


def document(entries: Sequence[Sequence[Segment]], output: str) -> str:
    """Several paragraphs as one text or document: lines, Markdown paragraphs, an HTML fragment of ``p``
    elements in a ``div``, or one RTF document with hanging indents. Raises InvalidRequest."""
    if output == "html":
        paragraphs = "\n".join(f"<p>{to_html(entry)}</p>" for entry in entries)
        return f'<div class="csl-bib-body">\n{paragraphs}\n</div>'
    if output == "rtf":
        hanging = "\\pard\\li720\\fi-720 "
        body = "".join(f"{hanging}{_rtf_body(entry)}\\par\n" for entry in entries)
        return f"{_RTF_HEAD}{body}}}"
    written = [write(entry, output) for entry in entries]
    return ("\n\n" if output == "markdown" else "\n").join(written)
