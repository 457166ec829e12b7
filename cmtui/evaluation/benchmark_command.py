"""``citation-machine-evaluate benchmark``: its options and its exit status (R140 to R146, R150, R188)."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from cmtui.output import DONE, FAILED, Answer, UsageError

if TYPE_CHECKING:
    from cmtui.evaluation.benchmark import Models

_DESCRIPTION = """\
Measure retrieval and evidence on the frozen fixture of 60 passages, 24 queries and 93 pairs. Without
--learned nothing is loaded or downloaded, and equal programs print equal bytes. With --learned the models of
--embedding-model and --nli-model run as well; when neither is named, the pinned checkpoints run through
transformers, out of the cache alone unless --allow-download is given. Keep reports and model caches outside
the repository.

Exit status: 0 measured, 1 --require-gain was not met, 2 an error.
"""


def add_benchmark(subparsers: Any) -> None:
    """Add the verb."""
    from cmtui.evaluation.models import add_model_options

    parser = subparsers.add_parser(
        "benchmark", help="measure the seven modes on the frozen fixture", description=_DESCRIPTION
    )
    parser.add_argument(
        "--require-gain",
        action="store_true",
        help="fail unless learned retrieval gains 0.10 Recall@3 over lexical with no loss of MRR; "
        "this does not certify general semantic reliability",
    )
    parser.add_argument("--output", metavar="FILE", help="write the report there as well")
    add_model_options(parser)
    parser.add_argument("--pretty", action="store_true", help="indent the JSON")
    parser.add_argument("--verbose", action="store_true", help="show where an unexpected error came from")
    parser.set_defaults(run=run)


def run(args: Namespace) -> Answer:
    """Measure and report."""
    from cmtui.evaluation.benchmark import run_benchmark
    from cmtui.evaluation.fixture import load_fixture
    from cmtui.evaluation.narration import narrator
    from cmtui.evaluation.reports import check_report_path, write_report

    if args.require_gain and not args.learned:
        raise UsageError("--require-gain compares learned retrieval.", "Add --learned and name its models.")
    check_report_path(args.output)
    fixture = load_fixture()
    models = _models(args) if args.learned else None
    if args.require_gain and (models is None or models.index is None):
        raise UsageError("--require-gain needs an embedding model.", "Name it with --embedding-model DIR.")
    report = run_benchmark(fixture, models, progress=narrator())
    report["gate"] = {"required": args.require_gain, **report["gate"]}
    if args.output is not None:
        write_report(args.output, report)
    failed = args.require_gain and not report["gate"]["passed"]
    return Answer(report, status=FAILED if failed else DONE)


def _models(args: Namespace) -> Models:
    """The models that are named, or both pinned checkpoints; each is loaded before anything is measured."""
    from cmtui.evaluation.benchmark import Models
    from cmtui.evaluation.models import named_models

    index, inference = named_models(args)
    description: dict[str, str] = {}
    if index is not None:
        from cmtui.model.retrieval import PassageProjection

        index.rank("a", [PassageProjection("probe#0", "A sentence.")])
        description["embedding"] = str(getattr(index, "name", type(index).__name__))
    if inference is not None:
        from cmtui.model.retrieval import PassageProjection

        inference.assess("A sentence is here", [PassageProjection("probe#0", "A sentence is here.")])
        description["inference"] = inference.name
    return Models(index, inference, description)
