"""Citation Machine: exact, verified evidence from your own sources.

Names are loaded on first use (PEP 562), so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module

from cmtui._version import __version__

# The name that type checkers know, without the cost of importing typing at every start.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from cmtui.bibliography.service import Formatter
    from cmtui.discovery.acquisition import CitationAcquisitionService
    from cmtui.engine.ingestion import CitationIngestionService
    from cmtui.engine.machine import CitationMachine, LocalCitationMachine
    from cmtui.errors import CmtuiError
    from cmtui.inference import LearnedNLIBackend, LocalInferenceBackend
    from cmtui.inference.nli import OnnxNLIBackend, TransformerNLIBackend, TransformerNLIConfig
    from cmtui.model.bibliography import BibliographicAuthor, BibliographicDate, BibliographicMetadata
    from cmtui.model.claim import (
        Assessment,
        EvidenceReport,
        EvidenceSet,
        EvidenceSpanIdentity,
        Finding,
        Proposal,
        Relation,
    )
    from cmtui.model.discovery import (
        AcquisitionReceipt,
        CandidateHighlight,
        CapturedSource,
        DiscoveryCandidate,
        DiscoveryMetadata,
    )
    from cmtui.model.quote import QuoteCheck, Verdict
    from cmtui.model.retrieval import Filters, PassageProjection, ScoredPassage, SearchResponse, SearchResult
    from cmtui.model.sections import AcceptedCitation, CitationCandidate, CitationResult
    from cmtui.model.selectors import Span
    from cmtui.ports import InferenceBackend, SemanticIndex, SemanticMatcher
    from cmtui.retrieval.learned.config import LearnedSemanticConfig
    from cmtui.retrieval.learned.index import LearnedSemanticIndex
    from cmtui.retrieval.search import CitationLexicalSearch, SemanticCitationSearch
    from cmtui.retrieval.semantic import (
        InMemorySemanticIndex,
        LocalEmbeddingMatcher,
        SentenceTransformerMatcher,
    )
    from cmtui.sections.pipeline import CitationPipeline
    from cmtui.store.memory import InMemoryKnowledgeRepository

_WHERE = {
    "AcceptedCitation": "cmtui.model.sections",
    "AcquisitionReceipt": "cmtui.model.discovery",
    "Assessment": "cmtui.model.claim",
    "BibliographicAuthor": "cmtui.model.bibliography",
    "BibliographicDate": "cmtui.model.bibliography",
    "BibliographicMetadata": "cmtui.model.bibliography",
    "CandidateHighlight": "cmtui.model.discovery",
    "CapturedSource": "cmtui.model.discovery",
    "CitationAcquisitionService": "cmtui.discovery.acquisition",
    "CitationCandidate": "cmtui.model.sections",
    "CitationIngestionService": "cmtui.engine.ingestion",
    "CitationLexicalSearch": "cmtui.retrieval.search",
    "CitationMachine": "cmtui.engine.machine",
    "CitationPipeline": "cmtui.sections.pipeline",
    "CitationResult": "cmtui.model.sections",
    "CmtuiError": "cmtui.errors",
    "DiscoveryCandidate": "cmtui.model.discovery",
    "DiscoveryMetadata": "cmtui.model.discovery",
    "EvidenceReport": "cmtui.model.claim",
    "EvidenceSet": "cmtui.model.claim",
    "EvidenceSpanIdentity": "cmtui.model.claim",
    "Filters": "cmtui.model.retrieval",
    "Finding": "cmtui.model.claim",
    "Formatter": "cmtui.bibliography.service",
    "InMemoryKnowledgeRepository": "cmtui.store.memory",
    "InMemorySemanticIndex": "cmtui.retrieval.semantic",
    "InferenceBackend": "cmtui.ports",
    "LearnedNLIBackend": "cmtui.inference",
    "LearnedSemanticConfig": "cmtui.retrieval.learned.config",
    "LearnedSemanticIndex": "cmtui.retrieval.learned.index",
    "LocalCitationMachine": "cmtui.engine.machine",
    "LocalEmbeddingMatcher": "cmtui.retrieval.semantic",
    "LocalInferenceBackend": "cmtui.inference",
    "OnnxNLIBackend": "cmtui.inference.nli",
    "PassageProjection": "cmtui.model.retrieval",
    "Proposal": "cmtui.model.claim",
    "QuoteCheck": "cmtui.model.quote",
    "Relation": "cmtui.model.claim",
    "ScoredPassage": "cmtui.model.retrieval",
    "SearchResponse": "cmtui.model.retrieval",
    "SearchResult": "cmtui.model.retrieval",
    "SemanticCitationSearch": "cmtui.retrieval.search",
    "SemanticIndex": "cmtui.ports",
    "SemanticMatcher": "cmtui.ports",
    "SentenceTransformerMatcher": "cmtui.retrieval.semantic",
    "Span": "cmtui.model.selectors",
    "TransformerNLIBackend": "cmtui.inference.nli",
    "TransformerNLIConfig": "cmtui.inference.nli",
    "Verdict": "cmtui.model.quote",
}

__all__ = [
    "AcceptedCitation",
    "AcquisitionReceipt",
    "Assessment",
    "BibliographicAuthor",
    "BibliographicDate",
    "BibliographicMetadata",
    "CandidateHighlight",
    "CapturedSource",
    "CitationAcquisitionService",
    "CitationCandidate",
    "CitationIngestionService",
    "CitationLexicalSearch",
    "CitationMachine",
    "CitationPipeline",
    "CitationResult",
    "CmtuiError",
    "DiscoveryCandidate",
    "DiscoveryMetadata",
    "EvidenceReport",
    "EvidenceSet",
    "EvidenceSpanIdentity",
    "Filters",
    "Finding",
    "Formatter",
    "InMemoryKnowledgeRepository",
    "InMemorySemanticIndex",
    "InferenceBackend",
    "LearnedNLIBackend",
    "LearnedSemanticConfig",
    "LearnedSemanticIndex",
    "LocalCitationMachine",
    "LocalEmbeddingMatcher",
    "LocalInferenceBackend",
    "OnnxNLIBackend",
    "PassageProjection",
    "Proposal",
    "QuoteCheck",
    "Relation",
    "ScoredPassage",
    "SearchResponse",
    "SearchResult",
    "SemanticCitationSearch",
    "SemanticIndex",
    "SemanticMatcher",
    "SentenceTransformerMatcher",
    "Span",
    "TransformerNLIBackend",
    "TransformerNLIConfig",
    "Verdict",
    "__version__",
]


def __getattr__(name: str) -> object:
    module = _WHERE.get(name)
    if module is None:
        raise AttributeError(f"module 'cmtui' has no attribute {name!r}")
    value: object = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
