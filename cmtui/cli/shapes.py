"""From the model's values to the JSON objects of the command line contract.

Keys are fixed: more may be added, none renamed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cmtui.errors import IngestError
from cmtui.output import JsonObject, significant

if TYPE_CHECKING:
    from cmtui.model.bibliography import FormattedBibliography, FormattedCitation
    from cmtui.model.claim import (
        Claim,
        ClaimRun,
        EvidenceReport,
        EvidenceSpanIdentity,
        Finding,
        RunFinding,
    )
    from cmtui.model.identity import CanonicalizationProfile
    from cmtui.model.ingest import IngestFailure
    from cmtui.model.quote import QuoteCheck, QuoteLocation
    from cmtui.model.retrieval import SearchResponse, SearchResult
    from cmtui.model.selectors import Span
    from cmtui.model.source import (
        CanonicalDocument,
        DocumentSummary,
        IngestWarning,
        Locators,
        MetadataCandidate,
    )
    from cmtui.model.verification import EvidenceCheck
    from cmtui.store.listing import ListedDocument, ListedWarning


def span(value: Span) -> JsonObject:
    """A half-open range of code points of the canonical content."""
    return {"start": value.start, "end": value.end}


def locators(value: Locators) -> JsonObject:
    """Where a span stands; null where unknown, the section as a list from the outermost heading in."""
    cited = value.cited_page
    return {
        "page": value.page,
        "page_label": value.page_label,
        "print_page": value.print_page,
        "cited_page": None if cited is None else {"value": cited.value, "basis": cited.basis.value},
        "chapter": value.chapter,
        "section": list(value.section),
        "paragraph": value.paragraph,
        "line_start": value.line_start,
        "line_end": value.line_end,
    }


# -- documents ---------------------------------------------------------------------------------------


def document_row(
    row: DocumentSummary | ListedDocument, *, title: str | None, status: str | None
) -> JsonObject:
    """One document.

    ``title`` is from the explicit bibliography alone (R102). ``status`` says what ingest did, and is null
    where nothing was ingested.
    """
    return {
        "document_id": row.document_id,
        "source_id": row.source_id,
        "source_version": row.source_version,
        "kind": str(row.kind),
        "status": status,
        "title": title,
        "characters": row.characters,
        "pages": row.pages,
        "passages": row.passages,
        "warnings": [warning(w) for w in row.warnings],
        "name": row.name,
        "reference": row.reference,
        "language": row.language,
        "current": row.current,
    }


def warning(value: IngestWarning | ListedWarning) -> JsonObject:
    """Something a person should know about the text, with the physical pages it concerns."""
    return {"code": value.code, "message": value.message, "pages": list(value.pages)}


def ingest_failure(failure: IngestFailure) -> JsonObject:
    """One file that is no document, with the class name of its error."""
    return {
        "path": failure.path,
        "type": _ERROR_NAMES.get(failure.code, "IngestError"),
        "message": failure.message,
        "hint": failure.hint,
    }


def _names_by_code(base: type[IngestError]) -> dict[str, str]:
    names = {base.code: base.__name__}
    for child in base.__subclasses__():
        names.update(_names_by_code(child))
    return names


_ERROR_NAMES = _names_by_code(IngestError)


def profile(value: CanonicalizationProfile) -> JsonObject:
    """The transformation from bytes to canonical text, step by step (R16)."""
    return {
        "name": value.name,
        "version": value.version,
        "steps": [{"name": step.name, "count": step.count} for step in value.steps],
        "extractor": {"name": value.extractor.name, "version": value.extractor.version},
    }


def document_parts(document: CanonicalDocument) -> JsonObject:
    """What ``document`` prints beyond the row: text, profile, pages, sections and candidates."""
    tables = document.tables
    return {
        "text": document.text,
        "profile": profile(document.profile),
        "pages": [
            {"page": mark.number, "page_label": mark.label, "span": {"start": mark.start, "end": mark.end}}
            for mark in tables.pages
        ],
        "page_basis": None if tables.page_basis is None else tables.page_basis.value,
        "print_pages": [{"print_page": mark.label, "start": mark.offset} for mark in tables.print_pages],
        "chapters": [
            {
                "chapter": mark.title,
                "spine": mark.spine,
                "href": mark.href,
                "linear": mark.linear,
                "span": {"start": mark.start, "end": mark.end},
            }
            for mark in tables.chapters
        ],
        "sections": [
            {"section": list(mark.path), "span": {"start": mark.start, "end": mark.end}}
            for mark in tables.sections
        ],
        "candidates": [candidate(c) for c in document.candidates],
    }


def candidate(value: MetadataCandidate) -> JsonObject:
    """A metadata value found in the file, with where it was found."""
    return {"field": value.field, "value": value.value, "origin": value.origin}


# -- retrieval ---------------------------------------------------------------------------------------


def search_response(response: SearchResponse) -> JsonObject:
    """The answer to one query."""
    return {
        "query": response.query,
        "mode": response.mode.value,
        "results": [search_result(result) for result in response],
        "considered": response.considered,
    }


def search_result(result: SearchResult) -> JsonObject:
    """A ranked passage: what it is apart from how it was found (R8, R74)."""
    found = result.retrieval
    return {
        "rank": result.rank,
        "text": result.text,
        "score": significant(result.score),
        "document_id": result.document_id,
        "source_id": result.source_id,
        "passage_id": result.passage_id,
        "span": span(result.span),
        "locators": locators(result.locators),
        "source": dict(result.citation.source),
        "retrieval": {
            "mode": found.mode.value,
            "score": significant(found.score),
            "lexical_rank": found.lexical_rank,
            "lexical_score": significant(found.lexical_score),
            "semantic_rank": found.semantic_rank,
            "semantic_score": significant(found.semantic_score),
            "matches": [span(match) for match in found.matches],
        },
        "segment": dict(result.citation.segment),
    }


# -- evidence ----------------------------------------------------------------------------------------


def evidence_report(report: EvidenceReport, *, diagnostics: bool, context: bool, saved: bool) -> JsonObject:
    """Findings for a claim with the caveat that belongs to them (R84, R95, R96)."""

    def shaped(findings: Sequence[Finding]) -> list[JsonObject]:
        return [finding(f, context=context, saved=saved) for f in findings]

    body: JsonObject = {"claim": report.claim, "findings": shaped(report.findings)}
    if diagnostics:
        body["contradictions"] = shaped(report.contradictions)
        body["related"] = shaped(report.related)
        body["insufficient"] = shaped(report.insufficient)
    if report.members:
        body["members"] = [
            evidence_report(member, diagnostics=diagnostics, context=context, saved=saved)
            for member in report.members
        ]
    body["retrieval_query"] = report.retrieval_query
    body["candidates"] = report.candidates
    body["backend"] = report.backend
    body["caveat"] = report.caveat
    return body


def finding(value: Finding, *, context: bool, saved: bool) -> JsonObject:
    """One passage and its relation to the claim. Without ``saved`` no id is printed, as none was recorded.

    ``text`` is a list for an evidence set: its members are never printed as one quotation (R97).
    """
    shaped: JsonObject = {
        "relation": value.relation.value,
        "text": value.text if isinstance(value.text, str) else list(value.text),
        "evidence_ids": list(value.evidence_ids) if saved else [],
        "confidence": significant(value.confidence),
        "explanation": value.explanation,
        "document_id": value.document_id,
        "span": span(value.span),
        "locators": locators(value.locators),
        "source_id": value.source_id,
        "passage_id": value.passage_id,
        "reason": value.reason,
    }
    if context:
        shaped["context"] = value.context
        shaped["context_span"] = None if value.context_span is None else span(value.context_span)
    return shaped


def identity(value: EvidenceSpanIdentity) -> JsonObject:
    """The four layers, then what is attached for rendering and is not hashed (R10, R17)."""
    content = value.canonical_content
    return {
        "evidence_id": value.evidence_id,
        "document_id": value.document_id,
        "source_id": value.source_id,
        "layers": {
            "artifact": {
                "id": value.artifact.artifact_id,
                "kind": value.artifact.kind.value,
                "reference": value.artifact.reference,
            },
            "version": {
                "id": value.version.version_id,
                "kind": value.version.kind.value,
                "bytes_sha256": value.version.bytes_sha256,
                "size": value.version.size,
            },
            "content": {
                "id": content.content_id,
                "profile": profile(content.profile),
                "text_sha256": content.text_sha256,
                "characters": content.characters,
            },
            "span": {
                "id": value.evidence_id,
                "start": value.span.start,
                "end": value.span.end,
                "text_sha256": value.text_sha256,
            },
        },
        "text": value.text,
        "selector": {
            "exact": value.selector.exact,
            "prefix": value.selector.prefix,
            "suffix": value.selector.suffix,
        },
        "locators": locators(value.locators),
    }


def evidence_check(value: EvidenceCheck) -> JsonObject:
    """Re-verification of one evidence id, layer by layer."""
    return {
        "evidence_id": value.evidence_id,
        "status": "ok" if value.ok else "failed",
        "layers": {
            layer.layer.value: {"status": "ok" if layer.ok else "failed", "reason": layer.reason}
            for layer in value.layers
        },
    }


def quote_check(value: QuoteCheck) -> JsonObject:
    """The verdict on a quote with every place concerned."""
    return {
        "quote": value.quote,
        "verdict": value.verdict.value,
        "locations": [quote_location(location) for location in value.locations],
        "explanation": value.explanation,
    }


def quote_location(value: QuoteLocation) -> JsonObject:
    """One place; ``text`` is the canonical text there, ``difference`` how the quote departs from it.

    ``gaps`` are running heads, page numbers and footnotes that a quote over a page passes over.
    """
    return {
        "document_id": value.document_id,
        "source_id": value.source_id,
        "span": span(value.span),
        "text": value.text,
        "locators": locators(value.locators),
        "evidence_ids": list(value.evidence_ids),
        "difference": [
            {"op": part.op, "quote": part.quote, "source": part.source} for part in value.difference
        ],
        "gaps": [{"span": span(gap.span), "text": gap.text, "kind": gap.kind.value} for gap in value.gaps],
    }


# -- claims ------------------------------------------------------------------------------------------

#: The relations in the order in which runs list them (R100).
RELATIONS = ("SUPPORTS", "CONTRADICTS", "RELATED", "INSUFFICIENT")


def claim(value: Claim, *, unseen: int) -> JsonObject:
    """A claim, its runs in short, and how many current documents its newest run has not seen."""
    return {
        "claim_id": value.claim_id,
        "text": value.text,
        "retrieval_query": value.retrieval_query,
        "order": value.order,
        "archived": value.archived,
        "new_sources": unseen,
        "runs": [run(r) for r in value.runs],
    }


def run(value: ClaimRun) -> JsonObject:
    """What one evaluation saw, and how many findings of each relation it has."""
    found = [f.relation.value for f in value.findings]
    return {
        "run_id": value.run_id,
        "backend": value.backend,
        "mode": value.mode,
        "candidate_limit": value.candidate_limit,
        "documents": len(value.documents),
        "findings": {relation: found.count(relation) for relation in RELATIONS},
        "refused": sum(1 for f in value.findings if f.error is not None),
        "evaluated_at": value.evaluated_at,
    }


def evaluated_claim(value: Claim, *, unseen: int) -> JsonObject:
    """A claim with the findings of its newest run, and the caveat that belongs to them."""
    from cmtui.model.claim import CAVEAT

    findings = () if value.latest is None else value.latest.findings
    return {
        **claim(value, unseen=unseen),
        "findings": [run_finding(f) for f in findings],
        "caveat": CAVEAT,
    }


def run_finding(value: RunFinding) -> JsonObject:
    """A finding as a run stores it."""
    return {
        "relation": value.relation.value,
        "text": value.text,
        "evidence_id": value.evidence_id,
        "confidence": significant(value.confidence),
        "explanation": value.explanation,
        "document_id": value.document_id,
        "span": {"start": value.start, "end": value.end},
        "passage_id": value.passage_id,
        "reason": value.reason,
        "error": value.error,
    }


# -- citations ---------------------------------------------------------------------------------------


def formatted_citation(value: FormattedCitation) -> JsonObject:
    """A citation with what made it."""
    return {
        "style": value.style,
        "form": value.form,
        "text": value.text,
        "output": value.output,
        "engine": value.engine,
        "style_sha256": value.style_sha256,
        "locale": value.locale,
        "warnings": list(value.warnings),
    }


def formatted_bibliography(value: FormattedBibliography) -> JsonObject:
    """Items formatted together: ``entries`` in style order for references, else ``citations`` by cluster."""
    return {
        "style": value.style,
        "form": value.form,
        "engine": value.engine,
        "entries": [{"id": item_id, "text": text} for item_id, text in value.entries],
        "citations": list(value.citations),
        "style_sha256": value.style_sha256,
        "locale": value.locale,
        "warnings": list(value.warnings),
    }
