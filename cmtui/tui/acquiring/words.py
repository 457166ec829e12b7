"""What the acquire screen says: results of a capture, and texts that stand where nothing is yet."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from cmtui.model.discovery import AcquisitionReceipt, ImportedWork
from cmtui.tui.cells import shown
from cmtui.tui.labels import plural, short_id

NOTICE = " capture fetches the URL itself, checks type and size, then ingests and verifies"

EMPTY_DISCOVER = "Nothing was asked yet.\n\n/ to say what to look for; enter asks. p chooses the providers."
EMPTY_SECTION = (
    "No section was examined yet.\n\nf chooses a Markdown draft. Works are found, scored and audited for\n"
    "each of its sections; nothing is ever invented."
)
NOTHING_FOUND = "Nothing was found.\n\n/ to ask otherwise; the run log says how each provider did."
NOTHING_MET = "No citation met the thresholds; nothing was invented.\n\nr shows what was rejected, and why."


def clock() -> str:
    """The time of day, UTC, as the log has it."""
    return datetime.now(UTC).strftime("%H:%M:%S")


def captured_state(receipt: AcquisitionReceipt) -> tuple[str, str]:
    """What became of a capture, for the row: text and look."""
    if receipt.error == "cancelled":
        return "cancelled", "dim"
    if receipt.document_id is None:
        return f"✘ {receipt.rule or receipt.error}", "bad"
    words = {
        "added": "captured",
        "unchanged": "was there",
        "alias": "was there",
        "new_version": "new version",
    }
    return f"✔ {words.get(receipt.status or '', receipt.status or 'captured')}", "good"


def captured_line(receipt: AcquisitionReceipt) -> str:
    """What became of a capture, for the log."""
    where = shown(receipt.url or "")[:60]
    if receipt.document_id is None:
        return f"capture   ✘ {where}: {receipt.message} {receipt.hint}".rstrip()
    text = f"capture   ✔ {where} → {short_id(receipt.document_id)} ({receipt.status})"
    return f"{text}; {receipt.message}" if receipt.error else text


def captured_summary(receipts: Sequence[AcquisitionReceipt]) -> tuple[str, str]:
    """What became of all of them, for the status line: text and look."""
    stored = sum(1 for receipt in receipts if receipt.document_id is not None)
    failed = len(receipts) - stored
    if not failed:
        return f"✔ {plural(stored, 'page')} captured, ingested and verified", "good"
    first = next(receipt for receipt in receipts if receipt.document_id is None)
    told = (
        f"✘ {first.message} {first.hint}" if len(receipts) == 1 else f"✘ {failed} of {len(receipts)} failed"
    )
    return told, "bad"


def imported_line(title: str, imported: ImportedWork) -> str:
    """What importing a record stored."""
    origin = imported.origin.get("provider", "")
    if imported.source_id is not None:
        return (
            f"record    ✔ {shown(title)[:50]}: {plural(len(imported.stored), 'field')} stored, from {origin}"
        )
    return f"record    ✔ {shown(title)[:50]}: an entry of the bibliography, from {origin}"
