"""``citation-machine-evaluate``: figures over labelled data, as JSON."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cmtui.output import JsonArgumentParser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one measurement and return the exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == ["--version"]:
        from cmtui._version import __version__

        print(f"citation-machine-evaluate {__version__}")  # noqa: T201 - the one answer that is for people
        return 0

    from cmtui.output import parse, run_program

    args = parse(build_parser(), arguments)
    if isinstance(args, int):
        return args
    return run_program(lambda: args.run(args), pretty=args.pretty, verbose=args.verbose)


def build_parser() -> JsonArgumentParser:
    """The parser of all measurements."""
    from cmtui.output import JsonArgumentParser

    parser = JsonArgumentParser(
        prog="citation-machine-evaluate",
        description="Measure the engine over labelled data. Every verb prints one JSON object.",
    )
    parser.add_argument("--version", action="store_true", help="print the version and leave")
    subparsers = parser.add_subparsers(title="verbs", metavar="VERB", required=True)
    from cmtui.evaluation.external_command import add_pairs, add_scifact

    add_pairs(subparsers)
    from cmtui.evaluation.benchmark_command import add_benchmark
    from cmtui.evaluation.live_command import add_live

    add_benchmark(subparsers)
    add_scifact(subparsers)
    add_live(subparsers)
    return parser


if __name__ == "__main__":
    sys.exit(main())
