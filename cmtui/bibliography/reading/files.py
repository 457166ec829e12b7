"""The files that an entry names: Zotero, JabRef, Mendeley and plain paths in ``file``, and RIS links."""

from __future__ import annotations

import re
from urllib.parse import unquote

from cmtui.model.importing import Attachment

#: What a backslash escapes in ``file``; before anything else it is a separator of a Windows path.
_ESCAPABLE = "\\:;,{}_%&#$~^"


def bibtex_attachments(value: str) -> tuple[Attachment, ...]:
    """The attachments of a ``file`` field, in order.

    Entries are parted by semicolons (Calibre: commas), each ``title:path:type``, ``:path:type`` or a path.
    Separators inside are escaped by a backslash (``D\\:\\\\Papers``), which other programs leave out; a
    Windows drive and a scheme are put together again.
    """
    value = value.replace("$\\backslash$", "\\")
    value = re.sub(r"\{\\?([_%&#~$])\}|\{\\textasciitilde\}", lambda match: match[1] or "~", value)
    attachments: list[Attachment] = []
    for piece in _split(value, ";"):
        for part in re.split(r",\s*(?=:)", piece) if piece.lstrip().startswith(":") else (piece,):
            attachment = _attachment([_unescaped(x) for x in _split(part, ":")])
            if attachment.path:
                attachments.append(attachment)
    return tuple(dict.fromkeys(attachments))


def _split(text: str, separator: str) -> list[str]:
    parts: list[str] = []
    start = position = 0
    while position < len(text):
        if text[position] == "\\" and text[position + 1 : position + 2] in _ESCAPABLE:
            position += 2
            continue
        if text[position] == separator:
            parts.append(text[start:position])
            start = position + 1
        position += 1
    parts.append(text[start:])
    return parts


def _unescaped(text: str) -> str:
    output: list[str] = []
    position = 0
    while position < len(text):
        if text[position] == "\\" and text[position + 1 : position + 2] in tuple(_ESCAPABLE):
            position += 1
        output.append(text[position])
        position += 1
    return "".join(output).strip()


def _attachment(parts: list[str]) -> Attachment:
    joined: list[str] = []
    for part in parts:
        drive = joined and re.fullmatch(r"[A-Za-z]", joined[-1]) and part.startswith(("\\", "/"))
        scheme = joined and re.fullmatch(r"file|https?|internal-pdf", joined[-1]) and part.startswith("//")
        if drive or scheme:
            joined[-1] = f"{joined[-1]}:{part}"
        else:
            joined.append(part)
    if len(joined) == 1:
        return Attachment(file_path(joined[0]))
    if len(joined) == 2:
        title, path = joined
        if re.search(r"[/\\.]", path) and not re.fullmatch(r"[a-z]+/[a-z0-9.+-]+", path):
            return Attachment(file_path(path), title)
        return Attachment(file_path(title), "", path)
    return Attachment(file_path(":".join(joined[1:-1])), joined[0], joined[-1])


def file_path(text: str) -> str:
    """A path; ``file:`` addresses are turned into one."""
    text = text.strip()
    if not text.lower().startswith("file:"):
        return text
    path = unquote(re.sub(r"^file:(?://(?:localhost)?)?", "", text, flags=re.IGNORECASE))
    return path[1:] if re.match(r"/[A-Za-z]:[/\\]", path) else path
