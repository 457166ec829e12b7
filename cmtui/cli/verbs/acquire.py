"""``acquire``: capture sources from outside (R67, R68, R113, R117), and what was captured so far."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from cmtui.cli.arguments import KINDS, Subparsers, add_limit, verb
from cmtui.cli.session import Session
from cmtui.errors import (
    AcquisitionError,
    Cancelled,
    CaptureValidationError,
    CertificateRejected,
    CmtuiError,
    ExaProviderError,
    HighlightAlignmentError,
    ProviderTimeout,
    ProviderUnreachable,
)
from cmtui.output import Answer, JsonObject, UsageError

if TYPE_CHECKING:
    from cmtui.model.discovery import AcquisitionReceipt

_DESCRIPTION = """\
Search Exa (EXA_API_KEY; a search is billed and sent once) and capture the pages it names, or capture the page
at a URL, which needs no key. This verb uses the network. The page is fetched from its own host: only complete
bytes that pass every check are stored, and a highlight becomes evidence only when it stands in them exactly.
A capture that fails harms no other: it is listed with its error, and the exit status is 2.
"""


#: What a single failure is called on stderr.
_KINDS: tuple[type[CmtuiError], ...] = (
    CaptureValidationError,
    HighlightAlignmentError,
    ProviderUnreachable,
    ProviderTimeout,
    CertificateRejected,
    ExaProviderError,
    Cancelled,
)


def add_parser(subparsers: Subparsers) -> None:
    """Add the verbs."""
    parser = verb(subparsers, "acquire", run, "capture sources from the web", description=_DESCRIPTION)
    parser.add_argument("query", nargs="?", metavar="QUERY", help="what to look for")
    parser.add_argument("--url", metavar="URL", help="capture this page instead of searching")
    add_limit(parser, 5)
    parser.add_argument("--kind", choices=KINDS, help="what the pages are, whatever their addresses say")
    parser.add_argument(
        "--html",
        choices=("raw", "text"),
        help="web pages as their markup (raw, the default) or as the text that is read on them",
    )
    parser.add_argument("--timeout", type=float, metavar="S", help="seconds for each exchange (30)")
    parser.add_argument("--max-bytes", type=int, metavar="N", help="bytes of one document (4194304)")
    listing = verb(
        subparsers,
        "receipts",
        run_receipts,
        "what was captured, from where, and which evidence came of it",
        description="What was captured into this store, oldest first, with what the provider said of it. No "
        "network: evidence is verified anew against the stored text.",
    )
    listing.add_argument("document_id", nargs="?", metavar="DOCUMENT_ID", help="of this document alone")


def run(args: Namespace, session: Session) -> Answer:
    """Search or fetch, capture, and print one receipt for each candidate."""
    if (args.query is None) == (args.url is None):
        raise UsageError(
            "Give a query or --url URL, one of them.",
            "Usage: citation-machine acquire QUERY | --url URL (see --help)",
        )
    from cmtui.config import load

    machine = session.open_or_create()
    receipts = machine.acquire(
        args.query,
        url=args.url,
        limit=args.limit,
        kind=args.kind,
        html=args.html,
        timeout=args.timeout,
        max_bytes=args.max_bytes,
        settings=load().providers["exa"] if args.query is not None else None,
        progress=session.progress,
    )
    session.progress.finish()
    body: JsonObject = {
        "query": args.query,
        "receipts": [receipt_row(receipt) for receipt in receipts],
    }
    return Answer(body, rows=body["receipts"], failure=_failure(receipts))


def run_receipts(args: Namespace, session: Session) -> Answer:
    """Print the receipts of the store."""
    found = session.machine.receipts(args.document_id)
    body: JsonObject = {"receipts": [receipt_row(receipt) for receipt in found]}
    return Answer(body, rows=body["receipts"])


def receipt_row(receipt: AcquisitionReceipt) -> dict[str, Any]:
    """One receipt: the keys of the contract first."""
    evidence = receipt.evidence
    error = None
    if receipt.error is not None:
        error = {
            "type": receipt.error,
            "rule": receipt.rule,
            "message": receipt.message,
            "hint": receipt.hint,
        }
    return {
        "url": receipt.url,
        "document_id": receipt.document_id,
        "source_version": receipt.source_version,
        "evidence_id": receipt.evidence_id,
        "error": error,
        "source_id": receipt.source_id,
        "status": receipt.status,
        "text": None if evidence is None else evidence.text,
        "span": None if receipt.span is None else {"start": receipt.span.start, "end": receipt.span.end},
        "media_type": receipt.media_type,
        "length_declared": receipt.length_declared,
        "acquired_at": receipt.acquired_at,
        "receipt_id": receipt.receipt_id,
        "discovery": asdict(receipt.discovery),
    }


def _failure(receipts: tuple[AcquisitionReceipt, ...]) -> CmtuiError | None:
    failed = [receipt for receipt in receipts if receipt.error is not None]
    if not failed:
        return None
    first = failed[0]
    kind = next((kind for kind in _KINDS if kind.code == first.error), AcquisitionError)
    if len(receipts) == 1:
        return kind(str(first.message), first.hint or "")
    return kind(
        f"{len(failed)} of {len(receipts)} candidates failed; the first: {first.message}",
        first.hint or "Each stands under 'receipts' with what to do.",
    )
