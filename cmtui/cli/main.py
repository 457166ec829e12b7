"""``citation-machine``: the scripting interface over the engine (R4, R113 to R117).

``--version`` is answered before anything else is imported; the engine is imported only by a verb that runs.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cmtui.output import Answer, JsonArgumentParser

_DESCRIPTION = """\
Find, verify, review and cite exact evidence in your own sources. Every verb prints one JSON object.

The store is --store DIR, else the environment variable CMTUI_STORE, else the platform's data directory.
Exit status: 0 done, 1 a check ran and failed, 2 an error (JSON on stderr).
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb and return the exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if _asks_version(arguments):
        from cmtui._version import __version__

        print(f"citation-machine {__version__}")  # noqa: T201 - the one answer that is for people
        return 0

    from cmtui.cli.session import Session
    from cmtui.output import parse, run_program

    args = parse(build_parser(_verb_of(arguments)), arguments)
    if isinstance(args, int):
        return args

    def work() -> Answer:
        with Session(store=args.store, verbose=args.verbose) as session:
            answer: Answer = args.run(args, session)
            return answer

    return run_program(work, pretty=args.pretty, jsonl=args.jsonl, verbose=args.verbose)


def _asks_version(arguments: Sequence[str]) -> bool:
    """Whether ``--version`` stands before the verb."""
    words = iter(arguments)
    for word in words:
        if word == "--version":
            return True
        if word == "--store":
            next(words, None)
        elif not word.startswith("-"):
            return False
    return False


def _verb_of(arguments: list[str]) -> str | None:
    """The verb: the first word that is neither an option nor the value of one."""
    words = iter(arguments)
    for word in words:
        if word == "--store":
            next(words, None)
        elif not word.startswith("-"):
            return word
    return None


def build_parser(verb: str | None = None) -> JsonArgumentParser:
    """The parser of all verbs, or of the family that has ``verb``."""
    from cmtui.cli.arguments import add_global_options
    from cmtui.cli.verbs import families_for, family
    from cmtui.output import JsonArgumentParser

    parser = JsonArgumentParser(prog="citation-machine", description=_DESCRIPTION)
    add_global_options(parser, top=True)
    parser.add_argument("--version", action="store_true", help="print the version and leave")
    subparsers = parser.add_subparsers(title="verbs", metavar="VERB", required=True)
    for name in families_for(verb):
        family(name).add_parser(subparsers)
    return parser


if __name__ == "__main__":
    sys.exit(main())
