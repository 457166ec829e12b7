"""Learned retrieval by name of a directory, and the job that embeds a library (R121, R122, D4).

Nothing here is ever done unasked: a person names a model, and its embeddings are made by ``embed``, which can
be stopped at any passage and goes on where it was. They lie under the store's derived data.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cmtui.engine.core import AnyFilters, MachineCore
from cmtui.errors import EnumerationUnsupported, InvalidRequest
from cmtui.model.progress import CancelledCallback, ProgressCallback, never_cancelled, no_progress
from cmtui.ports import CitationCandidatePort

if TYPE_CHECKING:
    from cmtui.retrieval.learned.index import LearnedSemanticIndex


@dataclass(frozen=True, slots=True)
class EmbeddingReport:
    """What an embedding job did: ``embedded`` texts of ``passages`` eligible passages; the rest were kept."""

    model: str
    passages: int
    embedded: int


def learned_index(
    directory: str | Path | None = None,
    *,
    folder: Path | None = None,
    max_unasked: int | None = None,
    **options: Any,
) -> LearnedSemanticIndex:
    """The index over an ONNX model directory, or over the seed's pinned checkpoint where none is named.

    ``options`` are fields of ``LearnedSemanticConfig``; those that are None are left out. ``folder`` keeps
    the embeddings; None keeps them in memory. ``max_unasked`` None lets a search embed whatever is missing.
    Raises ModelDirectoryError for files that are not those of the manifest, InvalidRequest for options out of
    range; a missing extra is told on first use.
    """
    from cmtui.retrieval.learned.config import LearnedSemanticConfig
    from cmtui.retrieval.learned.index import LearnedSemanticIndex

    given = {name: value for name, value in options.items() if value is not None}
    config = LearnedSemanticConfig(model_directory=directory, **given)
    return LearnedSemanticIndex(config, folder=folder, max_unasked=max_unasked)


def describe_model(directory: str | Path | None, **described: Any) -> dict[str, Any]:
    """Write ``cmtui-model.json`` into a model directory and return it. Raises ModelDirectoryError."""
    from cmtui.retrieval.learned.manifest import describe_model_directory

    return describe_model_directory(_named(directory), **described).as_json()


def _named(directory: str | Path | None) -> Path:
    if directory is None or not str(directory).strip():
        raise InvalidRequest(
            "Learned retrieval needs a model, and none is named.",
            "Name its directory, or set learned.embedding_model in the settings.",
        )
    return Path(directory).expanduser()


class EmbeddingOperations(MachineCore):
    """Embedding a library with a model of the person's own."""

    def learned_index(self, directory: str | Path | None) -> LearnedSemanticIndex:
        """The index of a model over this store, for ``index=`` of the searches and of find_evidence.

        A search embeds a few new passages by itself and refuses more: see ``embed``. Raises InvalidRequest
        when no model is named, ModelDirectoryError.
        """
        from cmtui.retrieval.learned.index import EMBEDDINGS_FOLDER, MAX_UNASKED

        derived = self.repository.derived
        return learned_index(
            _named(directory),
            folder=None if derived is None else derived / EMBEDDINGS_FOLDER,
            max_unasked=MAX_UNASKED,
        )

    def embed(
        self,
        directory: str | Path | None,
        *,
        filters: AnyFilters = None,
        progress: ProgressCallback = no_progress,
        cancelled: CancelledCallback = never_cancelled,
    ) -> EmbeddingReport:
        """Embed every eligible passage that has no embedding of this model yet. Safe to run beside searches.

        Raises InvalidRequest, ModelDirectoryError, ExtraMissing, Cancelled (what is done is kept).
        """
        port = self.search_port
        if not isinstance(port, CitationCandidatePort):
            raise EnumerationUnsupported(
                f"The search port {type(port).__name__} cannot enumerate its passages.",
                "Embedding needs candidates(); use CitationLexicalSearch.",
            )
        index = self.learned_index(directory)
        candidates = port.candidates(filters=filters)
        made = index.prepare(candidates, progress=progress, cancelled=cancelled)
        return EmbeddingReport(index.name, len(candidates), made)
