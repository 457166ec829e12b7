"""``citation-machine-evaluate``: figures over labelled data, as JSON."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import Namespace

    from cmtui.output import Answer, JsonArgumentParser
    from cmtui.ports import InferenceBackend

#: Printed with the figures: what they are and are not.
CAVEAT = (
    "The local rules are made to abstain: they are sound for simple declarative facts and near chance for "
    "scientific claims. Thresholds are uncalibrated; measure on your own domain."
)


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
    pairs = subparsers.add_parser(
        "pairs",
        help="score inference on claim and premise pairs",
        description="Score inference on rows {claim, premise, label} with the labels SUPPORT, CONTRADICT and "
        "NEUTRAL. To abstain counts as NEUTRAL.",
    )
    pairs.add_argument("file", metavar="FILE.jsonl")
    pairs.add_argument("--inference", choices=("local",), default="local", help="the backend (local)")
    pairs.add_argument("--limit", type=int, metavar="N", help="only the first N pairs")
    pairs.add_argument("--pretty", action="store_true", help="indent the JSON")
    pairs.add_argument("--verbose", action="store_true", help="show where an unexpected error came from")
    pairs.set_defaults(run=run_pairs)
    from cmtui.evaluation.benchmark_command import add_benchmark
    from cmtui.evaluation.live_command import add_live

    add_benchmark(subparsers)
    add_live(subparsers)
    return parser


def run_pairs(args: Namespace) -> Answer:
    """Score the pairs of a file."""
    from pathlib import Path

    from cmtui.errors import InvalidRequest
    from cmtui.evaluation.pairs import predict, read_pairs, score
    from cmtui.output import Answer

    if args.limit is not None and args.limit < 1:
        raise InvalidRequest(
            f"The limit must be a whole number above 0, not {args.limit}.", "Try --limit 100."
        )
    backend = _backend()
    outcomes = list(predict(backend, read_pairs(Path(args.file).expanduser(), limit=args.limit)))
    if not outcomes:
        raise InvalidRequest(f"'{args.file}' holds no pairs.", "One {claim, premise, label} a line.")
    return Answer({**score(outcomes), "backend": backend.name, "caveat": CAVEAT})


def _backend() -> InferenceBackend:
    from cmtui.inference import LocalInferenceBackend

    return LocalInferenceBackend()


if __name__ == "__main__":
    sys.exit(main())
