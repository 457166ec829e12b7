"""The options of learned backends that the measurements share, and the backends that they name (R150).

Models are directories on this machine (``--embedding-model``, ``--nli-model``; ONNX), or else the seed's
pinned checkpoints through transformers, read from the cache alone unless ``--allow-download`` permits more
(R187).
"""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cmtui.ports import InferenceBackend, SemanticIndex


def add_model_options(parser: Any, *, switch: bool = True) -> None:
    """The options of learned backends (R150); ``switch`` adds ``--learned``, without which none runs."""
    group = parser.add_argument_group("learned backends")
    if switch:
        group.add_argument("--learned", action="store_true", help="use learned models as well")
    group.add_argument("--allow-download", action="store_true", help="permit models to be downloaded")
    group.add_argument("--embedding-model", metavar="DIR", help="an ONNX embedding model on this machine")
    group.add_argument("--nli-model", metavar="DIR", help="a three-way inference model on this machine")
    group.add_argument("--model-cache", metavar="DIR", help="where downloaded models are cached")
    group.add_argument("--device", metavar="D", help="what transformers run on, such as cpu")
    group.add_argument("--embedding-batch-size", type=int, metavar="N", help="passages of one embedding call")
    group.add_argument("--nli-batch-size", type=int, metavar="N", help="pairs of one inference call")
    group.add_argument("--threshold", type=float, metavar="P", help="confidence that decides (0.85)")
    group.add_argument("--margin", type=float, metavar="P", help="lead over the second class (0.15)")
    group.add_argument("--max-span-proposals", type=int, metavar="N", help="intervals tried to shorten (128)")
    group.add_argument("--long-passages", choices=("abstain", "windows"), default="abstain", help="(abstain)")


def index_of(args: Namespace) -> SemanticIndex:
    """The learned semantic index that the options name. Raises InvalidRequest, ModelDirectoryError."""
    from cmtui.engine.embedding import learned_index

    return learned_index(
        args.embedding_model,
        cache_directory=args.model_cache,
        device=args.device,
        batch_size=args.embedding_batch_size,
        local_files_only=not args.allow_download,
    )


def inference_of(args: Namespace) -> InferenceBackend:
    """The learned inference that the options name. Raises InvalidRequest, ModelDirectoryError."""
    options = {
        "confidence": args.threshold,
        "margin": args.margin,
        "batch_size": args.nli_batch_size,
        "max_span_proposals": args.max_span_proposals,
    }
    if args.nli_model is not None:
        from cmtui.engine.learned_inference import learned_inference

        return learned_inference(
            args.nli_model, long_passage_policy=args.long_passages, device=args.device, **options
        )
    from cmtui.inference.nli import TransformerNLIBackend, TransformerNLIConfig

    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    if args.device is not None:
        given["device"] = args.device
    return TransformerNLIBackend(
        TransformerNLIConfig(
            cache_directory=args.model_cache,
            local_files_only=not args.allow_download,
            long_passage_policy=args.long_passages,
            **given,
        )
    )


def named_models(args: Namespace) -> tuple[SemanticIndex | None, InferenceBackend | None]:
    """The models that are named by directory, and both pinned checkpoints when none is.

    Raises InvalidRequest, ModelDirectoryError.
    """
    named = args.embedding_model is not None or args.nli_model is not None
    index = None if named and args.embedding_model is None else index_of(args)
    inference = None if named and args.nli_model is None else inference_of(args)
    return index, inference
