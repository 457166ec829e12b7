"""Bounds on what a file may cost. Every reader, the worker and the final check use the same numbers.

Source: design/ingest.md 7.2.
"""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """Limits of one read: bytes, counts, code points and seconds, as the names say."""

    file_bytes: int = 200 * MIB
    text_file_bytes: int = 32 * MIB
    pages: int = 5_000
    characters: int = 20_000_000
    page_characters: int = 1_000_000
    epub_entries: int = 10_000
    epub_entry_bytes: int = 32 * MIB
    epub_total_bytes: int = 512 * MIB
    epub_ratio: int = 200
    epub_ratio_from_bytes: int = MIB
    front_matter_bytes: int = 64 * 1024
    outline_entries: int = 10_000
    outline_depth: int = 32
    page_seconds: float = 20.0
    open_seconds: float = 60.0
    document_seconds: float = 600.0
    cpu_seconds: int = 300
    memory_bytes: int = 2 * 1024 * MIB
    #: Pages (from 1) on which an earlier try ran out of time; they are left out with a warning.
    left_out_pages: tuple[int, ...] = ()


LIMITS = ReadLimits()
