"""``citation-machine-evaluate live``: its options, and where its report goes (R147 to R150)."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cmtui.output import DONE, FAILED, Answer, dumps

if TYPE_CHECKING:
    from cmtui.evaluation.live import Backends

_DESCRIPTION = """\
Search three RFC topics through Exa, capture the pages whole, find and verify supporting quotations, and cite
them in APA and BibTeX. This uses the network, and each search is billed. EXA_API_KEY must be exported;
without it the run is skipped, and says so. Keep reports and model caches outside the repository.

Exit status: 0 passed or skipped, 1 a case did not pass, 2 an error.
"""


def add_live(subparsers: Any) -> None:
    """Add the verb."""
    parser = subparsers.add_parser(
        "live", help="validate against the real service, when a key is set", description=_DESCRIPTION
    )
    parser.add_argument("--store", metavar="DIR", help="where captures are kept (a temporary store)")
    parser.add_argument("--output", metavar="FILE", help="write the report there as well")
    parser.add_argument("--limit", type=int, default=3, metavar="N", help="pages of each topic (3)")
    parser.add_argument(
        "--html", choices=("raw", "text"), default="text", help="how captured web pages are read (text)"
    )
    add_model_options(parser)
    parser.add_argument("--pretty", action="store_true", help="indent the JSON")
    parser.add_argument("--verbose", action="store_true", help="show where an unexpected error came from")
    parser.set_defaults(run=run_live)


def add_model_options(parser: Any) -> None:
    """The options of learned backends (R150). Without ``--learned`` the deterministic local ones run."""
    group = parser.add_argument_group("learned backends")
    group.add_argument("--learned", action="store_true", help="use the models of the extra 'learned'")
    group.add_argument("--allow-download", action="store_true", help="permit models to be downloaded")
    group.add_argument("--model-cache", metavar="DIR", help="where models are cached")
    group.add_argument("--device", metavar="D", help="what they run on, such as cpu")
    group.add_argument("--embedding-batch-size", type=int, metavar="N", help="passages of one embedding call")
    group.add_argument("--nli-batch-size", type=int, metavar="N", help="pairs of one inference call")
    group.add_argument("--threshold", type=float, metavar="P", help="confidence that decides (0.85)")
    group.add_argument("--margin", type=float, metavar="P", help="lead over the second class (0.15)")
    group.add_argument("--max-span-proposals", type=int, metavar="N", help="intervals tried to shorten (128)")
    group.add_argument("--long-passages", choices=("abstain", "windows"), default="abstain", help="(abstain)")


def run_live(args: Namespace) -> Answer:
    """Skip, or run and report."""
    from cmtui.errors import InvalidRequest
    from cmtui.evaluation.live import skipped, validate

    if not 1 <= args.limit <= 100:
        raise InvalidRequest(f"The limit is 1 to 100, not {args.limit}.", "Try --limit 3.")
    report = skipped()
    if report is None:
        from cmtui.discovery.exa import ExaAcquisitionAdapter

        backends = _backends(args)
        adapter = ExaAcquisitionAdapter()
        if args.store is not None:
            report = validate(
                Path(args.store).expanduser(), adapter, backends=backends, limit=args.limit, html=args.html
            )
        else:
            import tempfile

            with tempfile.TemporaryDirectory(prefix="cmtui-live-") as folder:
                report = validate(
                    Path(folder) / "store", adapter, backends=backends, limit=args.limit, html=args.html
                )
    if args.output is not None:
        _write(Path(args.output).expanduser(), report)
    return Answer(report, status=FAILED if report["status"] == "failed" else DONE)


def _backends(args: Namespace) -> Backends:
    """The local backends, or the learned ones. Raises ExtraMissing."""
    from cmtui.evaluation.live import Backends

    if not args.learned:
        return Backends()
    from cmtui.errors import ExtraMissing

    raise ExtraMissing(
        "This version has no learned backends of its own.",
        "Leave --learned out; a model of your own is used from Python: cmtui.evaluation.live.validate.",
    )


def _write(path: Path, report: dict[str, Any]) -> None:
    from cmtui.errors import InvalidRequest

    try:
        path.write_bytes(dumps(report, pretty=True))
    except OSError as error:
        raise InvalidRequest(
            f"The report cannot be written to '{path}': {error.strerror}.", "Name a file in a folder."
        ) from error
