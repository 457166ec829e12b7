"""``embed``, and the options that search with what it made."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from cmtui.cli.arguments import Subparsers, verb
from cmtui.cli.session import Session
from cmtui.output import Answer, UsageError

if TYPE_CHECKING:
    from cmtui.engine import LocalCitationMachine
    from cmtui.ports import SemanticIndex

_EMBED = """\
Embed every passage with a model of your own, a directory with model.onnx, tokenizer.json (or vocab.txt) and
cmtui-model.json. What is embedded already is not embedded again: stop it with Ctrl-C and run it again to go
on. Nothing is downloaded. --describe NAME writes cmtui-model.json with the SHA-256 of the files instead.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb."""
    parser = verb(
        subparsers, "embed", run_embed, "embed the library with a model of your own", description=_EMBED
    )
    parser.add_argument(
        "--model", metavar="DIR", help="the model directory (setting learned.embedding_model)"
    )
    group = parser.add_argument_group("describing a model directory")
    group.add_argument("--describe", metavar="NAME", help="write its cmtui-model.json under this name")
    group.add_argument("--pooling", choices=("cls", "mean"), default="mean", help="as its authors say (mean)")
    group.add_argument("--query-instruction", default="", metavar="TEXT", help="what stands before a query")
    group.add_argument("--max-tokens", type=int, default=512, metavar="N", help="its token limit (512)")
    group.add_argument("--revision", default="", metavar="REV", help="the revision it was taken from")


def add_index(parser: ArgumentParser) -> None:
    """``--index`` and the model of a learned one."""
    parser.add_argument(
        "--index",
        choices=("local", "learned"),
        default="local",
        help="meaning by rules or by a model (local)",
    )
    parser.add_argument(
        "--embedding-model", metavar="DIR", help="its model directory (setting learned.embedding_model)"
    )


def index_of(args: Namespace, machine: LocalCitationMachine) -> SemanticIndex | None:
    """The index asked for; None is the engine's own. Raises InvalidRequest, ModelDirectoryError."""
    if args.index == "local":
        if args.embedding_model is not None:
            raise UsageError("--embedding-model belongs to --index learned.", "Add --index learned.")
        return None
    return machine.learned_index(_directory(args.embedding_model))


def run_embed(args: Namespace, session: Session) -> Answer:
    """Embed what has no embedding yet, or describe a model directory."""
    directory = _directory(args.model)
    if args.describe is not None:
        from cmtui.engine.embedding import describe_model

        return Answer(
            describe_model(
                directory,
                name=args.describe,
                revision=args.revision,
                pooling=args.pooling,
                query_instruction=args.query_instruction,
                max_tokens=args.max_tokens,
            )
        )
    report = session.machine.embed(directory, progress=session.progress)
    return Answer({"model": report.model, "passages": report.passages, "embedded": report.embedded})


def _directory(given: str | None) -> str | None:
    if given is not None:
        return given
    from cmtui.config import load

    return load().learned.embedding_model
