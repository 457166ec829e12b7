"""Bytes of a text file to characters: byte order mark, else strict UTF-8, else a stated encoding.

An encoding is never guessed: two encodings that both decode give different words, and a quote from the wrong
one would verify against text that nobody wrote.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from cmtui.errors import EmptyFile, EncodingUnknown, NotText, ResourceLimit
from cmtui.ingest.limits import LIMITS, MIB, ReadLimits
from cmtui.ingest.structure import called

# UTF-32-LE starts with the UTF-16-LE mark, so the longer marks come first.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True)
class Decoded:
    """Characters without the byte order mark, the codec that gave them, and whether a mark was removed."""

    text: str
    codec: str
    bom: bool


def decode_text(
    content: bytes, *, encoding: str | None = None, name: str = "", limits: ReadLimits = LIMITS
) -> Decoded:
    """Decode a text or Markdown file.

    Raises EmptyFile, ResourceLimit, EncodingUnknown (naming the byte offset), NotText (naming the offset).
    """
    file = called(name)
    if not content:
        raise EmptyFile(f"{file} is empty (0 bytes).", "Check that the download or copy finished.")
    if len(content) > limits.text_file_bytes:
        raise ResourceLimit(
            f"{file} has {len(content):,} bytes; text files may have {limits.text_file_bytes // MIB} MiB.",
            "Split it into smaller files.",
        )
    decoded = _decode(content, encoding, file)
    if len(decoded.text) > limits.characters:
        raise ResourceLimit(
            f"{file} has {len(decoded.text):,} characters; {limits.characters:,} are allowed.",
            "Split it into smaller files.",
        )
    nul = decoded.text.find("\0")
    if nul >= 0:
        raise NotText(
            f"{file} holds a NUL character at offset {nul:,}, so it is not text.",
            "If it is UTF-16 without a byte order mark, say so with --encoding utf-16-le.",
        )
    return decoded


def _decode(content: bytes, encoding: str | None, file: str) -> Decoded:
    for mark, codec in _MARKS:
        # A stated encoding wins over a mark of another family: its bytes may be ordinary letters there.
        if content.startswith(mark) and (encoding is None or _same_family(encoding, codec, file)):
            return Decoded(_strict(content[len(mark) :], codec, file, len(mark)), codec, bom=True)
    codec = "utf-8" if encoding is None else _codec(encoding, file)
    return Decoded(_strict(content, codec, file, 0), codec, bom=False)


def _codec(encoding: str, file: str) -> str:
    try:
        info = codecs.lookup(encoding)
        if not info._is_text_encoding:
            raise LookupError(encoding)
    except (LookupError, ValueError) as error:
        raise EncodingUnknown(
            f"{encoding!r}, the encoding stated for {file}, is not one Python knows.",
            "Use a name such as utf-8, windows-1252, iso-8859-1, utf-16-le or shift_jis.",
        ) from error
    return info.name


def _same_family(encoding: str, codec: str, file: str) -> bool:
    return _codec(encoding, file).removesuffix("-sig").startswith(codec[:6])


def _strict(content: bytes, codec: str, file: str, skipped: int) -> str:
    try:
        return content.decode(codec)
    except UnicodeDecodeError as error:
        at = error.start + skipped
        raise EncodingUnknown(
            f"{file} is not valid {codec.upper()}: byte 0x{content[error.start]:02x} at offset {at:,}.",
            "State its encoding, for example --encoding windows-1252.",
        ) from error
    except UnicodeError as error:
        raise EncodingUnknown(
            f"{file} is not valid {codec.upper()}.", "State another encoding with --encoding."
        ) from error
