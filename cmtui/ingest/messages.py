"""The wire between the parent and a reading worker: length-prefixed MessagePack frames, bounded both ways.

A frame is a big-endian 32-bit length and that many bytes. A length above the bound ends the conversation
before anything is allocated for it.
"""

from __future__ import annotations

import struct

import msgspec

from cmtui.errors import IngestError
from cmtui.ingest.limits import MIB, ReadLimits
from cmtui.ingest.profiles import Reading
from cmtui.model.identity import SourceKind
from cmtui.model.ingest import ReadDocument

HEADER = struct.Struct(">I")

#: A request carries the file (at most 200 MiB by default); an answer 20 M characters and its tables.
REQUEST_BYTES = 1024 * MIB
REPLY_BYTES = 256 * MIB


#: What a worker exits with when it has no memory left even to say so (EX_OSERR of sysexits.h).
OUT_OF_MEMORY = 71


class ReadRequest(msgspec.Struct, frozen=True):
    """One file to read."""

    content: bytes
    kind: SourceKind
    name: str
    encoding: str | None
    password: str | None
    limits: ReadLimits
    reading: Reading = Reading.CANON

    def __repr__(self) -> str:
        return f"ReadRequest({self.name!r}, {self.kind})"  # never the password


class PageDone(msgspec.Struct, frozen=True, tag="progress"):
    """``done`` of ``total`` pages or chapters are read."""

    done: int
    total: int


class ReadResult(msgspec.Struct, frozen=True, tag="result"):
    """The file was read. ``peak_kib`` is the worker's peak resident size so far."""

    document: ReadDocument
    peak_kib: int


class ReadFailure(msgspec.Struct, frozen=True, tag="failure"):
    """The file could not be read: the error's class name, sentence and hint."""

    error: str
    message: str
    hint: str


Reply = PageDone | ReadResult | ReadFailure

encode = msgspec.msgpack.Encoder().encode
decode_request = msgspec.msgpack.Decoder(ReadRequest).decode
decode_reply = msgspec.msgpack.Decoder(Reply).decode


def frame(message: msgspec.Struct) -> bytes:
    """A message with its length in front. Raises ValueError when it does not fit 32 bits."""
    body = encode(message)
    if len(body) > 0xFFFF_FFFF:
        raise ValueError("message too large")
    return HEADER.pack(len(body)) + body


def failure_of(error: IngestError) -> ReadFailure:
    """An error as a message, cut to what a sentence needs."""
    return ReadFailure(type(error).__name__, error.message[:2000], error.hint[:2000])


def error_of(failure: ReadFailure) -> IngestError:
    """The error a failure names: the same class when it is one of ours, else IngestError."""
    for kind in _ingest_errors():
        if kind.__name__ == failure.error:
            return kind(failure.message[:2000], failure.hint[:2000])
    return IngestError(failure.message[:2000], failure.hint[:2000])


def _ingest_errors() -> list[type[IngestError]]:
    """IngestError and all its subclasses."""
    found: list[type[IngestError]] = [IngestError]
    for kind in found:
        found.extend(kind.__subclasses__())
    return found
