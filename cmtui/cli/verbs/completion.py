"""``completion``: the words of the command line, for a shell.

The one verb whose output is for a shell: it prints the script itself, not JSON.
"""

from __future__ import annotations

import argparse
from argparse import Namespace
from collections.abc import Iterator
from typing import Any

from cmtui.cli.arguments import Subparsers, verb
from cmtui.cli.session import Session
from cmtui.output import Answer

SHELLS = ("bash", "zsh", "fish")

_DESCRIPTION = """\
Print the completion script of a shell: the script itself, not JSON, because a shell reads it.

  bash  citation-machine completion bash > ~/.local/share/bash-completion/completions/citation-machine
  zsh   citation-machine completion zsh > DIR/_citation-machine   (DIR is a folder of $fpath)
  fish  citation-machine completion fish > ~/.config/fish/completions/citation-machine.fish
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the verb."""
    parser = verb(
        subparsers,
        "completion",
        run_completion,
        "print the completion script of a shell (the script, not JSON)",
        description=_DESCRIPTION,
    )
    parser.add_argument("shell", choices=SHELLS, help="the shell that will read it")


def run_completion(args: Namespace, _session: Session) -> Answer:
    """The script as plain text, whatever form of JSON was asked for. It needs no store and makes none."""
    text = script(args.shell)
    return Answer({"shell": args.shell, "script": text}, plain=text)


def script(shell: str) -> str:
    """The completion script of ``bash``, ``zsh`` or ``fish``, made from the parser of all verbs."""
    import shtab

    from cmtui.cli.main import build_parser

    parser = build_parser()
    paths = {"FILE": shtab.FILE, "PATH": shtab.FILE, "DIR": shtab.DIRECTORY}
    for action in _actions(parser):
        if action.metavar in paths:
            named: Any = action
            named.complete = paths[action.metavar]
    text: str = shtab.complete(parser, shell=shell)
    return text if text.endswith("\n") else f"{text}\n"


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Every argument of a parser and of the verbs below it; argparse has no public way to list them."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for below in dict.fromkeys(action.choices.values()):
                yield from _actions(below)
