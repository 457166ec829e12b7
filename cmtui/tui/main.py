"""The ``cmtui`` program: arguments, the store, and then the application.

Nothing heavy is imported before it is needed: ``--version`` and ``--help`` answer without Textual.
"""

from __future__ import annotations

import sys

from cmtui._version import __version__

TYPE_CHECKING = False  # typing costs a third of a bare Python start
if TYPE_CHECKING:
    from pathlib import Path

    from cmtui.config import Settings

USAGE = """\
usage: cmtui [STORE]
       cmtui demo [STORE]
       cmtui serve [STORE] [--host HOST] [--port PORT]
       cmtui doctor clipboard
       cmtui help keys
       cmtui --version | --help

Opens Citation Machine in this terminal. STORE is a directory; without it the
store of the settings is used (CMTUI_STORE, or 'store:' in config.yaml).

  demo               open the sample corpus on a prepared claim
  serve              show it in a browser on this machine (extra 'web'; no login)
  doctor clipboard   say which ways of copying work here
  help keys          what every key does, as text

Everything it does is also a command: citation-machine --help"""


def main(argv: list[str] | None = None) -> int:
    """Run the program and return its exit status: 0, or 2 when it was called wrongly or cannot start."""
    arguments = sys.argv[1:] if argv is None else argv
    if arguments[:1] in (["--version"], ["-V"]):
        print(f"cmtui {__version__}")  # noqa: T201 - the answer itself
        return 0
    if arguments[:1] == ["help"] and len(arguments) > 1:
        return _help(arguments[1:])
    if arguments[:1] in (["--help"], ["-h"], ["help"]):
        print(USAGE)  # noqa: T201 - the answer itself
        return 0
    if arguments[:1] == ["serve"]:
        return _serve(arguments[1:])
    if arguments[:1] == ["doctor"]:
        return _doctor(arguments[1:])
    from pathlib import Path

    demo = arguments[:1] == ["demo"]
    rest = arguments[1:] if demo else arguments
    wrong = [argument for argument in rest if argument.startswith("-")]
    if wrong:
        return _fail(f"There is no option '{wrong[0]}'.", "See cmtui --help.")
    if len(rest) > 1:
        return _fail(f"One store at a time; '{rest[1]}' is too much.", "See cmtui --help.")
    return _open(Path(rest[0]).expanduser() if rest else None, demo=demo)


def _help(arguments: list[str]) -> int:
    if arguments != ["keys"]:
        return _fail("cmtui help knows one subject: keys.", "Run cmtui help keys, or cmtui --help.")
    from cmtui import config
    from cmtui.errors import CmtuiError
    from cmtui.keymap import keymap_lines, resolve

    try:
        print("\n".join(keymap_lines(resolve(config.load().keymap))))  # noqa: T201 - the answer itself
    except CmtuiError as error:
        return _fail(error.sentence, error.advice)
    return 0


def _serve(arguments: list[str]) -> int:
    from cmtui.errors import CmtuiError
    from cmtui.tui import serving

    try:
        wanted = serving.parse(arguments)
    except CmtuiError as error:
        return _fail(error.sentence, error.advice)
    if not serving.installed():
        return _fail("The extra 'web' is not installed.", "Install it: pip install 'cmtui[web]'")
    print(f"{wanted.url}\n{serving.WARNING}", file=sys.stderr)  # noqa: T201 - narration
    if not wanted.loopback:
        text = f"WARNING: {wanted.host} is not this machine alone; everybody on that network can connect."
        print(text, file=sys.stderr)  # noqa: T201 - narration
    try:
        return serving.run(wanted)
    except OSError as error:
        return _fail(f"{wanted.url} cannot be served: {error.strerror or error}.", "Try --port 8123.")


def _doctor(arguments: list[str]) -> int:
    if arguments != ["clipboard"]:
        return _fail("cmtui doctor knows one subject: clipboard.", "Run cmtui doctor clipboard.")
    from cmtui.clipboard import diagnose

    print("\n".join(diagnose()))  # noqa: T201 - the answer itself
    return 0


def _open(store: Path | None, *, demo: bool) -> int:
    import os

    from cmtui.tui.terminal import refuses

    if "TEXTUAL_DRIVER" in os.environ:
        return _guarded(store, demo=demo)  # started by `cmtui serve`: the terminal is a browser
    if refuses(os.environ):
        return _fail(
            f"This terminal (TERM={os.environ.get('TERM', '')}) cannot show a full screen.",
            "Use citation-machine, which does everything in plain text.",
        )
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return _fail("cmtui needs a terminal.", "In scripts and pipes use citation-machine.")
    if not sys.stderr.isatty():
        return _fail(
            "cmtui draws its screens on standard error, which goes elsewhere.",
            "Start it without '2>'; what fails unexpectedly is in cmtui.log.",
        )
    return _guarded(store, demo=demo)


def _guarded(store: Path | None, *, demo: bool) -> int:
    from cmtui.errors import CmtuiError

    try:
        return _run(store, demo=demo)
    except CmtuiError as error:
        return _fail(error.sentence, error.advice)


def _run(store: Path | None, *, demo: bool) -> int:
    from cmtui import config

    settings = config.load()
    path: Path | None = store or (settings.demo_store if demo else settings.store)
    reason: str | None = None
    status = 0
    while path is not None:
        status, path, reason = _run_store(path, settings, demo=demo, read_only=reason)
        demo = False
    return status


def _run_store(
    path: Path, settings: Settings, *, demo: bool, read_only: str | None
) -> tuple[int, Path | None, str | None]:
    """Run over one store; the exit status, and the store to open next with the reason to only read it."""
    from cmtui import config
    from cmtui.engine import LocalCitationMachine

    with LocalCitationMachine.open(path, read_only=read_only) as machine:
        if settings.citation_engine != config.CITATION_ENGINES[0]:
            machine.choose_citation_engine(settings.citation_engine)  # an error now, never another engine
        claim = None
        if demo:
            from cmtui.tui.demo import prepare

            if not machine.documents():
                print(f"Preparing the sample corpus in {path} …", file=sys.stderr)  # noqa: T201 - narration
            claim = prepare(machine)
        from cmtui.tui.app import CmtuiApp
        from cmtui.tui.stores import remember

        remember(machine.path)
        app = CmtuiApp(machine, settings, mode="review" if claim else "library", claim=claim)
        app.run()
        return app.return_code or 0, app.next_store, app.next_read_only


def _fail(message: str, hint: str) -> int:
    print(f"cmtui: {message} {hint}".rstrip(), file=sys.stderr)  # noqa: T201 - narration
    return 2


if __name__ == "__main__":
    sys.exit(main())
