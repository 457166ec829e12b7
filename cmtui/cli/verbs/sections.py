"""``sections``: literature for the sections of a Markdown draft, the audit of runs, and the cache (D1)."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from cmtui.cli.arguments import Subparsers, verb
from cmtui.cli.session import Session
from cmtui.cli.verbs.discover import provider_row
from cmtui.model.sections import CandidateDecision, CitationCandidate, CitationResult, SectionAudit
from cmtui.output import DONE, FAILED, Answer, JsonObject

_DESCRIPTION = """\
Propose literature for each section of a draft: Semantic Scholar and Crossref are asked, Brave Search when
they give nothing that passes. What is accepted is topically relevant; whether it supports the text is for you
to judge. When nothing passes the answer is found: false, and nothing is invented. This verb uses the network.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb with its actions."""
    parser = verb(
        subparsers, "sections", run, "literature for the sections of a draft", description=_DESCRIPTION
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    one = actions.add_parser("run", help="search for every section of a Markdown draft", allow_abbrev=False)
    one.add_argument("draft", metavar="DRAFT.md", help="the draft; it is not stored")
    one.add_argument(
        "--gate", choices=("fail", "warn"), default="fail", help="too few citations: exit 1, or a warning"
    )
    one.add_argument("--brave", choices=("fallback", "parallel"), help="when Brave Search is asked")
    one.add_argument("--no-cache", action="store_true", help="ask anew")
    one.add_argument("--audit", action="store_true", help="print every candidate with its numbers")
    two = actions.add_parser("audit", help="every decision of the newest run on a draft", allow_abbrev=False)
    two.add_argument("document_id", metavar="DOCUMENT_ID", help="the draft's id or its beginning")
    three = actions.add_parser("cache", help="the answers that are kept", allow_abbrev=False)
    chosen = three.add_mutually_exclusive_group()
    chosen.add_argument("--purge-expired", action="store_true", help="remove those that are too old")
    chosen.add_argument("--clear", action="store_true", help="remove all of them")


def run(args: Namespace, session: Session) -> Answer:
    """Do the action."""
    if args.action == "audit":
        return Answer(audit_body(session.machine.section_audit(args.document_id), whole=True))
    options, settings = _options(args)
    if args.action == "cache":
        removed = None
        if args.clear or args.purge_expired:
            removed = session.machine.purge_citation_cache(everything=args.clear, options=options)
        state = session.machine.citation_cache(options=options)
        body: JsonObject = {"entries": state.entries, "expired": state.expired, "bytes": state.size}
        return Answer(body if removed is None else body | {"removed": removed})
    audit = session.open_or_create().run_sections(
        args.draft,
        options=options,
        settings=settings,
        use_cache=not args.no_cache,
        progress=session.progress,
    )
    session.progress.finish()
    body = audit_body(audit, whole=args.audit)
    if audit.gate != "ok":
        body["warnings"] = [
            f"The draft has {audit.total_found} citations; {options.min_count} are the least."
        ]
    return Answer(body, status=FAILED if audit.gate == "P0" else DONE)


def _options(args: Namespace) -> tuple[Any, Any]:
    """Settings file and environment as the configuration gives them, with what the command line says."""
    from cmtui.config import load
    from cmtui.engine.sectioning import options_of

    settings = load()
    given = settings.sections
    web = str(getattr(args, "brave", None) or getattr(settings.providers["brave"], "when", "fallback"))
    return (
        options_of(given, web=web, gate=getattr(args, "gate", "fail")),
        {name: _within(provider, given.provider_timeout) for name, provider in settings.providers.items()},
    )


def _within(provider: Any, seconds: float) -> Any:
    from dataclasses import replace

    return replace(provider, deadline=seconds)


def audit_body(audit: SectionAudit, *, whole: bool) -> JsonObject:
    """A run. ``whole`` adds every candidate with its numbers and each request."""
    return {
        "document_id": audit.document_id,
        "name": audit.name,
        "run_at": audit.run_at,
        "audit_id": audit.audit_id,
        "gate": audit.gate,
        "total_found": audit.total_found,
        "total_rejected": audit.total_rejected,
        "providers_queried": list(audit.providers_queried),
        "cache_hits": audit.cache_hits,
        "settings": dict(audit.settings),
        "sections": [result_body(result, whole=whole) for result in audit.sections],
        "note": "Topical relevance says that both are about the same, not that one supports the other.",
    }


def result_body(result: CitationResult, *, whole: bool) -> JsonObject:
    """One section, in both namings of its keys."""
    rejected = [dict(row) for row in result.rejected_candidates]
    body: JsonObject = {
        "section_title": result.section_title,
        "found": result.found,
        "citations": [
            candidate_body(one)
            | {
                "relevance_score": one.relevance_score,
                "final_score": one.final_score,
                "apa7": one.apa7,
                "used": one.used,
            }
            for one in result.citations
        ],
        "rejected_candidates": rejected,
        "rejected": rejected,
        "cache_hit": result.cache_hit,
        "query": result.query,
        "query_hash": result.query_hash,
        "providers": [provider_row(status) for status in result.providers],
        "warnings": list(result.warnings),
    }
    return body | {"audit": [decision_body(one) for one in result.audit]} if whole else body


def decision_body(one: CandidateDecision) -> JsonObject:
    """One candidate with every number that led to its acceptance or rejection."""
    return {
        "candidate": candidate_body(one.candidate),
        "accepted": one.accepted,
        "rejection_reason": one.rejection_reason,
        "relevance_score": one.relevance_score,
        "final_score": one.final_score,
        "basis": one.basis,
        "parts": dict(one.parts),
    }


def candidate_body(one: CitationCandidate) -> JsonObject:
    """A found work."""
    return {
        "title": one.title,
        "authors": [dict(name) for name in one.authors],
        "year": one.year,
        "doi": one.doi,
        "url": one.url,
        "abstract": one.abstract,
        "source": one.source,
        "sources": list(one.sources),
        "citation_count": one.citation_count,
        "type": one.type,
        "language": one.language,
        "container": one.container,
    }
