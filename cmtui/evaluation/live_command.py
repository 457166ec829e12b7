"""``citation-machine-evaluate live``: its options, and where its report goes (R147 to R150)."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cmtui.output import DONE, FAILED, Answer

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
    from cmtui.evaluation.models import add_model_options

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


def run_live(args: Namespace) -> Answer:
    """Skip, or run and report."""
    from cmtui.errors import InvalidRequest
    from cmtui.evaluation.live import skipped, validate
    from cmtui.evaluation.reports import check_report_path, write_report

    if not 1 <= args.limit <= 100:
        raise InvalidRequest(f"The limit is 1 to 100, not {args.limit}.", "Try --limit 3.")
    check_report_path(args.output)
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
        write_report(args.output, report)
    return Answer(report, status=FAILED if report["status"] == "failed" else DONE)


def _backends(args: Namespace) -> Backends:
    """The local backends, or the learned ones. Raises ExtraMissing."""
    from cmtui.evaluation.live import Backends

    if not args.learned:
        return Backends()
    from cmtui.evaluation.models import named_models

    return Backends(*named_models(args))
