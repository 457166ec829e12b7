"""``pairs`` and ``scifact``: measurements over labelled sets of others, read where they lie."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from cmtui.output import Answer

if TYPE_CHECKING:
    from cmtui.ports import InferenceBackend

#: Printed with the figures: what they are and are not.
CAVEAT = (
    "The local rules are made to abstain: they are sound for simple declarative facts and near chance for "
    "scientific claims. Thresholds are uncalibrated; measure on your own domain."
)

_SCIFACT = """\
Measure retrieval (nDCG@10, MRR, recall) over the abstracts of SciFact as in BEIR, and evidence for its
claims in the open setting: abstracts come from retrieval, none is given. --data is a folder with
scifact_corpus.jsonl, scifact_beir_queries.jsonl, scifact_beir_test_qrels.tsv and scifact_claims_dev_a.jsonl.
The whole of it takes minutes on two cores.
"""


def add_pairs(subparsers: Any) -> None:
    """Add the verb."""
    from cmtui.evaluation.pairs import SPLITS

    parser = subparsers.add_parser(
        "pairs",
        help="score inference on claim and premise pairs",
        description="Score inference on rows {claim, premise, label, id} with the labels SUPPORT, CONTRADICT "
        "and NEUTRAL. To abstain counts as NEUTRAL. Classes with fewer than 30 decisions are not judged.",
    )
    parser.add_argument("file", metavar="FILE.jsonl")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N pairs")
    parser.add_argument(
        "--split",
        choices=SPLITS,
        default="all",
        help="70 %% of ids by SHA-256 to tune on, or the rest, to be run once (all)",
    )
    _inference(parser)


def add_scifact(subparsers: Any) -> None:
    """Add the verb."""
    from cmtui.evaluation.ranking import MODES

    parser = subparsers.add_parser(
        "scifact", help="measure retrieval and evidence on SciFact", description=_SCIFACT
    )
    parser.add_argument("--data", metavar="DIR", required=True, help="the folder with the labelled set")
    parser.add_argument("--claims", metavar="FILE", help="other claims than scifact_claims_dev_a.jsonl")
    parser.add_argument(
        "--mode", choices=MODES, action="append", help="a retrieval mode, repeatable (the local three)"
    )
    parser.add_argument(
        "--limit", type=int, metavar="N", help="the first N queries and N claims over 10 N abstracts"
    )
    _inference(parser)


def _inference(parser: Any) -> None:
    from cmtui.evaluation.models import add_model_options

    parser.add_argument(
        "--inference", choices=("local", "learned"), default="local", help="rules or a model (local)"
    )
    add_model_options(parser, switch=False)
    parser.add_argument("--output", metavar="FILE", help="write the report there as well")
    parser.add_argument("--pretty", action="store_true", help="indent the JSON")
    parser.add_argument("--verbose", action="store_true", help="show where an unexpected error came from")
    parser.set_defaults(run=run_pairs if parser.prog.endswith("pairs") else run_scifact)


def run_pairs(args: Namespace) -> Answer:
    """Score the pairs of a file."""
    from pathlib import Path

    from cmtui.errors import InvalidRequest
    from cmtui.evaluation.narration import narrator
    from cmtui.evaluation.pairs import predict, read_pairs, score

    _check(args)
    backend = _backend(args)
    pairs = read_pairs(Path(args.file).expanduser(), limit=args.limit, split=args.split)
    outcomes = list(predict(backend, pairs, progress=narrator()))
    if not outcomes:
        raise InvalidRequest(f"'{args.file}' holds no pairs.", "One {claim, premise, label} a line.")
    return _answer(args, {**score(outcomes), "split": args.split, "backend": backend.name, "caveat": CAVEAT})


def run_scifact(args: Namespace) -> Answer:
    """Measure on SciFact."""
    from pathlib import Path

    from cmtui.evaluation.narration import narrator
    from cmtui.evaluation.ranking import Ranker
    from cmtui.evaluation.scifact import read_scifact, retrieval_figures
    from cmtui.evaluation.scifact_evidence import evidence_figures
    from cmtui.retrieval.semantic import LocalEmbeddingMatcher

    _check(args)
    modes = list(dict.fromkeys(args.mode or ("lexical", "semantic", "hybrid")))
    backend = _backend(args)
    index = None
    if any(mode.endswith("learned") for mode in modes):
        from cmtui.evaluation.models import index_of

        index = index_of(args)
    claims = None if args.claims is None else Path(args.claims).expanduser()
    data = read_scifact(Path(args.data).expanduser(), claims)
    if args.limit is not None:
        data = data.subset(10 * args.limit, args.limit, args.limit)
    ranker = Ranker(data.library(), index)
    tell = narrator()
    retrieval = retrieval_figures(data, ranker, modes, progress=tell)
    bring = next((mode for mode in reversed(modes) if mode.startswith("hybrid")), modes[0])
    evidence = evidence_figures(data, ranker, LocalEmbeddingMatcher(), backend, mode=bring, progress=tell)
    return _answer(
        args,
        {
            "retrieval": retrieval,
            "evidence": evidence,
            "abstracts": len(data.abstracts),
            "backend": backend.name,
            "caveat": CAVEAT,
        },
    )


def _answer(args: Namespace, body: dict[str, Any]) -> Answer:
    if args.output is not None:
        from cmtui.evaluation.reports import write_report

        write_report(args.output, body)
    return Answer(body)


def _backend(args: Namespace) -> InferenceBackend:
    if args.inference == "learned":
        from cmtui.evaluation.models import inference_of

        return inference_of(args)
    from cmtui.inference import LocalInferenceBackend

    return LocalInferenceBackend()


def _check(args: Namespace) -> None:
    from cmtui.errors import InvalidRequest
    from cmtui.evaluation.reports import check_report_path

    if args.limit is not None and args.limit < 1:
        raise InvalidRequest(
            f"The limit must be a whole number above 0, not {args.limit}.", "Try --limit 100."
        )
    check_report_path(args.output)
