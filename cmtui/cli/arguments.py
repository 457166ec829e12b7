"""Arguments that several verbs share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from cmtui.cli.session import Session
from cmtui.errors import InvalidRequest
from cmtui.output import Answer, JsonArgumentParser

if TYPE_CHECKING:
    Subparsers: TypeAlias = argparse._SubParsersAction[JsonArgumentParser]
else:
    Subparsers = Any

#: What runs a verb: the parsed arguments and the session give the answer.
Run = Callable[[argparse.Namespace, Session], Answer]

KINDS = ("pdf", "epub", "markdown", "text")
FORMS = ("reference", "inline", "footnote")
ENGINES = ("citeproc-py", "pandoc")
OUTPUTS = ("plain", "markdown", "html", "rtf")


def add_global_options(parser: argparse.ArgumentParser, *, top: bool) -> None:
    """``--store`` and how to print, before the verb or after it (where they keep what came before)."""

    off: Any = False if top else argparse.SUPPRESS
    none: Any = None if top else argparse.SUPPRESS

    group = parser.add_argument_group("everywhere")
    group.add_argument("--store", metavar="DIR", default=none, help="the store directory")
    group.add_argument("--pretty", action="store_true", default=off, help="indent the JSON")
    group.add_argument("--jsonl", action="store_true", default=off, help="print rows, one JSON object a line")
    group.add_argument(
        "--verbose",
        action="store_true",
        default=off,
        help="narrate to stderr, show where an error came from, and log the run (cmtui.log)",
    )


def verb(
    subparsers: Subparsers, name: str, run: Run, summary: str, *, description: str = ""
) -> JsonArgumentParser:
    """A verb's parser, with the options that are accepted everywhere."""
    parser = subparsers.add_parser(name, help=summary, description=description or f"{summary}.")
    add_global_options(parser, top=False)
    parser.set_defaults(run=run)
    return parser


def family(subparsers: Subparsers, name: str, summary: str) -> Subparsers:
    """The parser of a verb that has verbs of its own."""
    parser = subparsers.add_parser(name, help=summary, description=f"{summary}.")
    return parser.add_subparsers(title="verbs", metavar="VERB", required=True)


def add_limit(parser: argparse.ArgumentParser, default: int) -> None:
    """``--limit N``."""
    parser.add_argument(
        "--limit", type=int, default=default, metavar="N", help=f"at most N results ({default})"
    )


def add_filters(parser: argparse.ArgumentParser) -> None:
    """Which passages are eligible (R115). Each may be given several times and then means any of them."""
    group = parser.add_argument_group("filters (each may be repeated)")
    group.add_argument("--source-id", action="append", default=[], metavar="ID", help="only this source")
    group.add_argument("--document-id", action="append", default=[], metavar="ID", help="only this document")
    group.add_argument(
        "--source-kind", action="append", default=[], choices=KINDS, help="only sources of this kind"
    )


def add_citation_style(parser: argparse.ArgumentParser, *, required: bool = False) -> None:
    """``--style``, ``--form`` and ``--output``."""
    parser.add_argument(
        "--style",
        default=None if required else "mla",
        required=required,
        metavar="STYLE",
        help="mla, apa, chicago, chicago-notes, ieee, bibtex, the path of a .csl file, or the id of an "
        "official style (extra 'styles'); what is not reviewed here says so" + ("" if required else " (mla)"),
    )
    parser.add_argument("--form", default="reference", choices=FORMS, help="(reference)")
    parser.add_argument("--output", default="plain", choices=OUTPUTS, help="markup of the text (plain)")
    add_citation_engine(parser)


def add_citation_engine(parser: argparse.ArgumentParser) -> None:
    """``--engine``."""
    parser.add_argument(
        "--engine",
        choices=ENGINES,
        help="citation engine; pandoc needs the extra 'pandoc' or a pandoc on the PATH "
        "(CMTUI_CITATION_ENGINE, else the setting citation_engine, else citeproc-py)",
    )


def check_limit(value: int, name: str = "limit") -> int:
    """The limit, when it is a whole number above 0. Raises InvalidRequest."""
    if value < 1:
        raise InvalidRequest(
            f"The {name} must be a whole number above 0, not {value}.", f"Try --{name.replace(' ', '-')} 5."
        )
    return value
