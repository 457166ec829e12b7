"""``review``: the whole review flow without the screen (R183).

Every verb prints JSON; with ``--plain`` (or ``--pretty``) it prints plain text in the order in which it is
read aloud, which is the way through a review with a screen reader.
"""

from __future__ import annotations

import argparse
from argparse import Namespace
from collections.abc import Callable

from cmtui.cli.arguments import Run, Subparsers, family, verb
from cmtui.cli.session import Session
from cmtui.output import Answer

RELATIONS = ("SUPPORTS", "CONTRADICTS", "RELATED", "INSUFFICIENT")
DECISIONS = ("undecided", "accepted", "rejected", "skipped")
FORMATS = ("jsonl", "csv", "markdown", "annotations", "bibtex", "ris", "csl-json", "bundle")
#: What ``next`` offers unless told otherwise, and how much of the source around it.
DECIDABLE, CONTEXT = ("SUPPORTS", "CONTRADICTS"), 400


def add_parser(subparsers: Subparsers) -> None:
    """Add the verbs."""
    verbs = family(subparsers, "review", "decide on findings: accept, reject, skip, note, tag, undo")
    _add_reading(verbs)
    _add_deciding(verbs)
    _add_comparing(verbs)
    _add_files(verbs)


def _add_reading(verbs: Subparsers) -> None:
    listing = _verb(verbs, "list", _late("reading", "run_list"), "list the findings of every claim")
    _which(listing, ())
    listing.add_argument("--decision", action="append", choices=DECISIONS, help="only these (all)")

    following = _verb(
        verbs, "next", _late("reading", "run_next"), "show the next undecided finding in its source"
    )
    _which(following, DECIDABLE)
    following.add_argument(
        "--context", type=int, default=CONTEXT, metavar="N", help=f"characters around it ({CONTEXT})"
    )
    _verb(verbs, "summary", _late("reading", "run_summary"), "count decisions by relation, for each claim")


def _add_deciding(verbs: Subparsers) -> None:
    accept = _decision(verbs, "accept", "accept findings; their evidence is verified again first", many=True)
    reject = _decision(verbs, "reject", "reject findings", many=True)
    for parser in (accept, reject):
        parser.add_argument("--reason", action="append", default=[], metavar="R", help="may be repeated")
        parser.add_argument("--note", metavar="TEXT")
    _decision(verbs, "skip", "leave findings for later", many=True)

    note = _decision(verbs, "note", "write a note on a finding ('' removes it)")
    note.add_argument("text", metavar="TEXT")
    tag = _decision(verbs, "tag", "set the tags of a finding (none removes them)")
    tag.add_argument("tags", nargs="*", metavar="TAG")
    relation = _decision(verbs, "relation", "state your own relation beside the engine's")
    relation.add_argument(
        "relation", choices=(*RELATIONS, "engine"), help="'engine' takes yours back", metavar="RELATION"
    )
    adjust = _decision(verbs, "adjust", "change the span of a finding; the new one is verified")
    adjust.add_argument("--quote", metavar="TEXT", help="the exact words, which stand in the same passage")
    adjust.add_argument("--start", type=int, metavar="N", help="code points of the canonical text")
    adjust.add_argument("--end", type=int, metavar="N", help="one past the last of them")
    for unit in ("words", "sentences"):
        for side in ("before", "after"):
            adjust.add_argument(
                f"--{unit}-{side}",
                type=int,
                default=0,
                metavar="N",
                help=f"{unit} more {side} it (negative: fewer)",
            )

    _verb(verbs, "undo", _late("deciding", "run_undo"), "undo your newest action, over all claims")
    _verb(verbs, "redo", _late("deciding", "run_redo"), "redo what was undone last")


def _add_comparing(verbs: Subparsers) -> None:
    diff = _verb(
        verbs, "diff", _late("comparing", "run_diff"), "compare two reviewers: agreement, kappa, conflicts"
    )
    conflicts = _verb(
        verbs, "conflicts", _late("comparing", "run_conflicts"), "list what two reviewers differ in"
    )
    outcome = _verb(
        verbs, "outcome", _late("comparing", "run_outcome"), "list what two reviewers and you settled on"
    )
    for parser in (diff, conflicts, outcome):
        parser.add_argument("first", metavar="REVIEWER")
        parser.add_argument("second", metavar="REVIEWER")
    conflicts.add_argument("--all", action="store_true", help="those that are settled too")

    settle = _verb(verbs, "adjudicate", _late("comparing", "run_adjudicate"), "settle a conflict")
    settle.add_argument("evidence_id", metavar="EVIDENCE_ID", help="an evidence id or its beginning")
    settle.add_argument("--claim", metavar="CLAIM_ID", help="needed when they differ on it under several")
    settle.add_argument("--between", nargs=2, required=True, metavar="REVIEWER", help="who differ")
    settle.add_argument("--accept", action="store_true", help="it is verified again first")
    settle.add_argument("--reject", action="store_true")
    settle.add_argument("--note", default="", metavar="TEXT")

    _verb(verbs, "blind", _late("comparing", "run_blind"), "hide what others decide (it is so at first)")
    _verb(verbs, "unblind", _late("comparing", "run_unblind"), "show what others decided; the log keeps when")


def _add_files(verbs: Subparsers) -> None:
    export = _verb(
        verbs,
        "export",
        _late("files", "run_export"),
        "export your decisions, notes and tags",
        "Export your decisions, notes and tags, and nobody else's. jsonl is everything and can be imported; "
        "bundle is a zip that a colleague verifies with Python alone; csv, markdown and annotations (W3C) "
        "are for other programs; bibtex, ris and csl-json hold the accepted sources.",
    )
    export.add_argument("--format", choices=FORMATS, help="without it the rows are printed as JSON")
    export.add_argument("--to", dest="out", metavar="FILE", help="write a file instead of printing")
    export.add_argument("--replace", action="store_true", help="overwrite the file when it is there")
    export.add_argument(
        "--decision", action="append", choices=DECISIONS, help="only these (accepted and rejected)"
    )
    export.add_argument("--style", default="mla", metavar="STYLE", help="of citations in it (mla)")
    export.add_argument("--private", action="store_true", help="leave the texts out of a bundle")

    importing = _verb(
        verbs,
        "import",
        _late("files", "run_import"),
        "restore an exported review into this store",
        "Restore an exported review (jsonl or bundle) into a store that has the same documents. What is "
        "known already is not repeated; what does not verify here is refused and named, with exit status 1.",
    )
    importing.add_argument("file", metavar="FILE")


def _late(module: str, name: str) -> Run:
    """The function that runs a verb, loaded when it runs."""

    def run(args: Namespace, session: Session) -> Answer:
        from importlib import import_module

        function: Callable[[Namespace, Session], Answer] = getattr(
            import_module(f"cmtui.cli.reviewing.{module}"), name
        )
        return function(args, session)

    return run


def _verb(
    verbs: Subparsers, name: str, run: Run, summary: str, description: str = ""
) -> argparse.ArgumentParser:
    parser = verb(verbs, name, run, summary, description=description)
    parser.add_argument(
        "--reviewer", metavar="NAME", help="who reviews (CMTUI_REVIEWER, the settings, the login name)"
    )
    parser.add_argument(
        "--plain",
        action="store_true",
        help="plain text in reading order instead of JSON, as --pretty does for these verbs",
    )
    return parser


def _decision(verbs: Subparsers, name: str, summary: str, *, many: bool = False) -> argparse.ArgumentParser:
    parser = _verb(verbs, name, _late("deciding", f"run_{name}"), summary)
    more = "; several are decided and undone as one" if many else ""
    parser.add_argument(
        "evidence_id",
        metavar="EVIDENCE_ID",
        nargs="+" if many else None,
        help=f"an evidence id or its beginning{more}",
    )
    parser.add_argument(
        "--claim", metavar="CLAIM_ID", help="needed when the evidence stands under several claims"
    )
    return parser


def _which(parser: argparse.ArgumentParser, relations: tuple[str, ...]) -> None:
    parser.add_argument("--claim", metavar="CLAIM_ID", help="only this claim")
    parser.add_argument(
        "--relation",
        action="append",
        choices=RELATIONS,
        help=f"only these ({' and '.join(relations) or 'all'})",
    )
    parser.add_argument(
        "--filter",
        metavar="TERMS",
        help="such as 'rel:con conf:>.8 is:undecided tag:primary source:voyage'; --filter=-tag:x for not",
    )
