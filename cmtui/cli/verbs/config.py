"""``config`` and ``keys``: what is set and where it came from, and what every key does."""

from __future__ import annotations

from argparse import Namespace

from cmtui.cli.arguments import Subparsers, family, verb
from cmtui.cli.session import Session
from cmtui.output import Answer, JsonObject

_KEYS = """\
Print what every key of the application does, with the keymap of the settings: text for people, with the id of
each action, which is its name in config.yaml. With --json one object.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the verbs."""
    verbs = family(subparsers, "config", "the settings: where each value comes from, and their schema")
    verb(
        verbs,
        "show",
        run_show,
        "every setting with its value and its origin; of a secret only whether it is set",
    )
    verb(verbs, "path", run_path, "where the settings file is looked for")
    verb(verbs, "schema", run_schema, "the JSON schema of the settings file, for editors")
    parser = verb(subparsers, "keys", run_keys, "what every key of the application does", description=_KEYS)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")


def run_show(_args: Namespace, _session: Session) -> Answer:
    """Every setting. Needs no store."""
    from cmtui.config import load
    from cmtui.config.showing import shown

    body = shown(load())
    return Answer(body, rows=body["settings"])


def run_path(_args: Namespace, _session: Session) -> Answer:
    """The path of the settings file, and whether it is there."""
    from cmtui.config import config_path

    path = config_path()
    return Answer({"file": str(path), "exists": path.is_file()})


def run_schema(_args: Namespace, _session: Session) -> Answer:
    """The schema itself is the answer."""
    from cmtui.config.showing import schema

    return Answer(schema())


def run_keys(args: Namespace, _session: Session) -> Answer:
    """The keymap in force."""
    from cmtui.config import load
    from cmtui.keymap import keymap_lines, resolve

    keymap = resolve(load().keymap)
    rows: list[JsonObject] = [
        {
            "id": action.id,
            "keys": [*action.keys],
            "shown": action.shown,
            "description": action.description,
            "remapped": action.id in keymap.changed,
        }
        for action in keymap.table
    ]
    clashes = [clash.sentence for clash in keymap.clashes]
    body: JsonObject = {"keymap": keymap.name, "actions": rows, "clashes": clashes}
    if args.json or args.jsonl:
        return Answer(body, rows=rows)
    lines = [*keymap_lines(keymap), *([""] if clashes else []), *(f"! {clash}" for clash in clashes)]
    return Answer(body, plain="\n".join(lines) + "\n")
