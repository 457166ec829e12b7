"""How the console programs speak: one JSON object on stdout, JSON errors on stderr, honest exit statuses.

Shared by ``citation-machine`` and ``citation-machine-evaluate`` (R114, R116). Output is byte-deterministic:
keys stand in the order they were put in, text is UTF-8 and never escaped to ASCII, numbers that were measured
have six significant digits.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TextIO

from cmtui.errors import CmtuiError

#: Exit statuses (R116): done; a check that ran and failed; an operational or usage error; interrupted.
DONE, FAILED, ERROR, INTERRUPTED = 0, 1, 2, 130

#: A JSON object with its keys in the order in which they are printed.
JsonObject = dict[str, Any]


class UsageError(CmtuiError):
    """The command line cannot be understood."""

    code = "usage"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a verb answers.

    ``rows`` are the parts of ``body`` that ``--jsonl`` prints one a line (the body itself when None).
    ``status`` is DONE, or FAILED for a check that ran and failed. ``failure`` is an operational error that
    stands beside a useful body (one bad file of many): it is printed to stderr and the status is ERROR.
    ``plain`` replaces the JSON by text for people, for verbs that were asked for it.
    """

    body: JsonObject
    rows: Iterable[JsonObject] | None = None
    status: int = DONE
    failure: CmtuiError | None = None
    plain: str | None = None


class JsonArgumentParser(argparse.ArgumentParser):
    """An argument parser whose complaints are UsageErrors instead of text and an exit."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("allow_abbrev", False)
        kwargs.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(*args, **kwargs)

    def error(self, message: str) -> NoReturn:
        """Raise UsageError with the usage line of the verb as its hint."""
        usage = " ".join(self.format_usage().split()).removeprefix("usage: ")
        raise UsageError(f"{message[:1].upper()}{message[1:]}.", f"Usage: {usage} (see --help)")


def significant(value: float | None) -> float | None:
    """A score or confidence with six significant digits, as it is printed; ranking uses the full value."""
    if value is None:
        return None
    return float(f"{value:.6g}")


def error_object(error: BaseException, *, log: Path | None = None) -> JsonObject:
    """The JSON form of an error: its class name, its sentence and what to do next.

    ``log`` is the file that holds the traceback of an unexpected error.
    """
    if isinstance(error, CmtuiError):
        return {"type": type(error).__name__, "message": error.sentence, "hint": error.advice}
    detail = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    from cmtui.logfile import redact

    told = f"Report the last entry of '{log}', or run" if log is not None else "Run"
    return {
        "type": "InternalError",
        "message": redact(f"The program failed unexpectedly ({detail})."),
        "hint": f"{told} the same command with --verbose and report what it prints.",
    }


def dumps(value: Any, *, pretty: bool = False) -> bytes:
    """One line of UTF-8 JSON (indented when ``pretty``) with its line end.

    A lone surrogate, as in a file name that is not UTF-8, is written as its JSON escape.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2 if pretty else None)
    return text.encode("utf-8", "backslashreplace") + b"\n"


def write_answer(answer: Answer, *, pretty: bool, jsonl: bool) -> int:
    """Print an answer and return the exit status."""
    if answer.plain is not None:
        _write(sys.stdout, answer.plain.encode("utf-8", "backslashreplace"))
    elif jsonl:
        rows = [answer.body] if answer.rows is None else answer.rows
        _write(sys.stdout, b"".join(dumps(row) for row in rows))
    else:
        _write(sys.stdout, dumps(answer.body, pretty=pretty))
    if answer.failure is not None:
        write_error(answer.failure, pretty=pretty)
        return ERROR
    return answer.status


def write_error(error: BaseException, *, pretty: bool = False, log: Path | None = None) -> None:
    """Print the JSON form of an error to stderr."""
    _write(sys.stderr, dumps({"error": error_object(error, log=log)}, pretty=pretty))


def run_program(
    work: Callable[[], Answer], *, pretty: bool = False, jsonl: bool = False, verbose: bool = False
) -> int:
    """Run a verb, print its answer or its error, and return the exit status.

    Nothing but the answer reaches stdout: what a library prints meanwhile goes to stderr. A closed pipe and
    an interrupt end quietly. An unexpected error is logged with its traceback (``cmtui.logfile``), which the
    hint names; a ``verbose`` run logs its start and its expected errors too.
    """
    if verbose:
        from cmtui.clipboard import state_dir
        from cmtui.logfile import start

        start(state_dir(), verbose=True)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            answer = work()
        return write_answer(answer, pretty=pretty, jsonl=jsonl)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _silence_stdout()
        return INTERRUPTED
    except CmtuiError as error:
        return _failed(error, pretty=pretty, verbose=verbose)
    except Exception as error:  # noqa: BLE001 - the edge of the program: every failure becomes a JSON error
        return _failed(error, pretty=pretty, verbose=verbose)


def parse(parser: argparse.ArgumentParser, argv: Sequence[str]) -> argparse.Namespace | int:
    """The parsed arguments, or the exit status when help or a usage error was printed."""
    try:
        return parser.parse_args(argv)
    except UsageError as error:
        write_error(error, pretty="--pretty" in argv)
        return ERROR
    except SystemExit as leave:  # --help printed its text
        return leave.code if isinstance(leave.code, int) else DONE


def _failed(error: Exception, *, pretty: bool, verbose: bool) -> int:
    from cmtui.logfile import record, redact

    log = record(error) if verbose or not isinstance(error, CmtuiError) else None
    if verbose:
        _write(
            sys.stderr, redact("".join(traceback.format_exception(error))).encode("utf-8", "backslashreplace")
        )
    write_error(error, pretty=pretty, log=log)
    return ERROR


def _write(stream: TextIO, content: bytes) -> None:
    """Write bytes as they are, whatever encoding the locale gave the stream."""
    buffer = getattr(stream, "buffer", None)
    stream.flush()
    if buffer is None:
        stream.write(content.decode("utf-8"))
    else:
        buffer.write(content)
    stream.flush()


def _silence_stdout() -> None:
    """Let the interpreter flush at exit into nowhere instead of complaining about the closed pipe."""
    with contextlib.suppress(OSError, ValueError):
        devnull = os.open(os.devnull, os.O_WRONLY)
        os.dup2(devnull, sys.stdout.fileno())
        os.close(devnull)
