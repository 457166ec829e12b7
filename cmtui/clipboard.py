"""Copying text out of a terminal, with an honest answer about whether it arrived.

A terminal program cannot know whether OSC 52 was taken: tmux drops it by default and some terminals ignore
it (design measurements, tui.md 2.1). So a chain is tried, from what can be read back to what cannot, and the
text is always kept in ``last-copy.txt`` as well. A copy is ``confirmed`` only after it was read back.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cmtui.model.bibliography import CopyForm

#: Seconds any one clipboard tool may take. wl-copy and xclip fork to serve the selection; a tool that stays
#: in the foreground is left running (it *is* the clipboard) and only its read-back decides.
TOOL_TIMEOUT = 2.0

#: Where the copied text is kept whatever happens.
LAST_COPY = "last-copy.txt"
#: What made it: form, style, style digest, engine with version, ids.
LAST_PROVENANCE = "last-copy.json"

RTF_TYPES = ("text/rtf", "application/rtf")
#: Types that a word processor pastes with their formatting.
RICH_TYPES = ("text/html", *RTF_TYPES)
#: Without it some programs read an HTML selection as Latin-1.
HTML_HEAD = '<meta http-equiv="content-type" content="text/html; charset=utf-8">'

#: How a copy may be asked for; ``command: ...`` names a program that reads the text on its standard input.
PREFERENCES = ("auto", "osc52", "tmux", "file")


@dataclass(frozen=True, slots=True)
class CopyResult:
    """What became of a copy.

    ``method`` is the tool, ``tmux``, ``osc52`` or ``file``. ``confirmed`` is True only when the text was
    read back and equal. ``path`` is ``last-copy.txt``, or None when it could not be written. ``message`` is
    one line for the person. ``mime`` is the type it was copied as: plain text unless a tool took rich text.
    """

    method: str
    confirmed: bool
    path: Path | None
    message: str
    mime: str = "text/plain"


@dataclass(frozen=True, slots=True)
class Tool:
    """One way to the clipboard: the command that takes the text, and the one that gives it back."""

    name: str
    copy: tuple[str, ...]
    paste: tuple[str, ...] = ()
    encoding: str = "utf-8"


def state_dir(environ: Mapping[str, str] | None = None) -> Path:
    """The folder for ``last-copy.txt`` and logs: ``CMTUI_STATE``, else the platform's state folder."""
    env = os.environ if environ is None else environ
    if env.get("CMTUI_STATE"):
        return Path(env["CMTUI_STATE"]).expanduser()
    if env.get("XDG_STATE_HOME"):
        return Path(env["XDG_STATE_HOME"]).expanduser() / "cmtui"
    from platformdirs import user_state_path

    return user_state_path("cmtui", appauthor=False)


def tools(environ: Mapping[str, str] | None = None) -> tuple[Tool, ...]:
    """The tools that may reach the person's clipboard here, best first, whether installed or not.

    Over SSH the remote machine's own tools are left out: its clipboard is not the person's.
    """
    env = os.environ if environ is None else environ
    found: list[Tool] = []
    if not (env.get("SSH_TTY") or env.get("SSH_CONNECTION")):
        found.append(Tool("pbcopy", ("pbcopy",), ("pbpaste",)))
        if env.get("WAYLAND_DISPLAY"):
            found.append(Tool("wl-copy", ("wl-copy",), ("wl-paste", "--no-newline")))
        if env.get("DISPLAY"):
            selection = ("-selection", "clipboard")
            found.append(Tool("xclip", ("xclip", *selection), ("xclip", "-o", *selection)))
            found.append(Tool("xsel", ("xsel", "-b", "-i"), ("xsel", "-b", "-o")))
        found.append(Tool("clip.exe", ("clip.exe",), encoding="utf-16"))
    if env.get("TMUX"):
        found.append(Tool("tmux", ("tmux", "load-buffer", "-w", "-"), ("tmux", "show-buffer")))
        # -w (send it on to the outer terminal) came with tmux 3.2.
        found.append(Tool("tmux", ("tmux", "load-buffer", "-"), ("tmux", "show-buffer")))
    return tuple(found)


def copy(
    text: str,
    *,
    what: str = "text",
    preference: str = "auto",
    osc52: Callable[[str], None] | None = None,
    environ: Mapping[str, str] | None = None,
    state: Path | None = None,
    provenance: Mapping[str, str] | None = None,
) -> CopyResult:
    """Copy ``text`` by the best way that works, and keep it in ``last-copy.txt``.

    ``what`` names the thing in the message ("APA citation"). ``preference`` is one of PREFERENCES or
    ``command: PROGRAM ARGS``. ``osc52`` writes the text to the terminal (the application's driver); without
    it the sequence goes to ``/dev/tty``. ``provenance`` (what made the text: engine, version, style digest)
    is kept beside it in ``last-copy.json``. Blocks for at most a few seconds: call it in a thread.
    """
    env = os.environ if environ is None else environ
    folder = state_dir(env) if state is None else state
    kept = _keep(text, folder)
    _keep_provenance(provenance, what, folder)
    if preference == "file":
        return CopyResult("file", confirmed=False, path=kept, message=_file_message(what, kept))
    tried = False
    for tool in _candidates(preference, env):
        sent = send(tool, text, env)
        tried = tried or sent
        if sent and tool.paste and read_back(tool, env) == text:
            return CopyResult(tool.name, confirmed=True, path=kept, message=f"Copied {what} ({tool.name}).")
        if sent and not tool.paste:
            return CopyResult(
                tool.name,
                confirmed=False,
                path=kept,
                message=f"Sent {what} to {tool.name}, which cannot be read back. {_kept(kept)}",
            )
    if preference in ("auto", "osc52"):
        with contextlib.suppress(OSError):
            (osc52 or write_osc52)(text)
            return CopyResult(
                "osc52",
                confirmed=False,
                path=kept,
                message=f"Sent {what} to the terminal, unconfirmed; if paste is empty: "
                f"cmtui doctor clipboard. {_kept(kept)}",
            )
    reason = "took the text but gave back another" if tried else "is not usable here"
    return CopyResult(
        "file",
        confirmed=False,
        path=kept,
        message=f"The clipboard ({preference}) {reason}. {_file_message(what, kept)}",
    )


def rich_tools(mime: str, environ: Mapping[str, str] | None = None) -> tuple[Tool, ...]:
    """The tools that may put text of this type on the person's clipboard, best first; none over SSH."""
    env = os.environ if environ is None else environ
    found: list[Tool] = []
    if env.get("SSH_TTY") or env.get("SSH_CONNECTION"):
        return ()
    if mime in RTF_TYPES:
        found.append(Tool("pbcopy", ("pbcopy", "-Prefer", "rtf"), ("pbpaste", "-Prefer", "rtf")))
    if env.get("WAYLAND_DISPLAY"):
        paste = ("wl-paste", "--no-newline", "--type", mime)
        found.append(Tool("wl-copy", ("wl-copy", "--type", mime), paste))
    if env.get("DISPLAY"):
        selection = ("-selection", "clipboard", "-t", mime)
        found.append(Tool("xclip", ("xclip", *selection), ("xclip", "-o", *selection)))
    return tuple(found)


def copy_form(
    form: CopyForm,
    *,
    preference: str = "auto",
    osc52: Callable[[str], None] | None = None,
    environ: Mapping[str, str] | None = None,
    state: Path | None = None,
) -> CopyResult:
    """Copy a form: rich text under its own type where a tool takes that, else as plain text, and say which.

    HTML and RTF go to ``wl-copy``, ``xclip`` or ``pbcopy`` with their type; these offer one type at a time,
    so a program that takes plain text only then finds nothing. Without such a tool (or when another way was
    asked for) the plain words are copied by ``copy``, and the rich text is in ``last-copy.html`` or ``.rtf``.
    Every other form is copied as the text it is. Blocks for at most a few seconds: call it in a thread.
    """
    env = os.environ if environ is None else environ
    folder = state_dir(env) if state is None else state
    options = {"preference": preference, "osc52": osc52, "environ": env, "state": folder}
    if form.mime not in RICH_TYPES:
        return copy(form.text, what=form.what, provenance=form.provenance, **options)  # type: ignore[arg-type]
    rich = _keep(form.text, folder, f"last-copy.{form.form}")
    text = HTML_HEAD + form.text if form.mime == "text/html" else form.text
    for tool in rich_tools(form.mime, env) if preference == "auto" else ():
        if send(tool, text, env) and _same(read_back(tool, env), text):
            kept = _keep(form.plain, folder)
            _keep_provenance(form.provenance, form.what, folder)
            return CopyResult(
                tool.name,
                confirmed=True,
                path=kept,
                message=f"Copied {form.what} ({tool.name}) for programs that take rich text.",
                mime=form.mime,
            )
    made = copy(form.plain, what="it as plain text", provenance=form.provenance, **options)  # type: ignore[arg-type]
    where = f"; it is in {rich}" if rich is not None else ""
    message = f"No tool here took {form.what}{where}. {made.message}"
    return CopyResult(made.method, confirmed=made.confirmed, path=made.path, message=message)


def _same(back: str | None, text: str) -> bool:
    """Equal but for a line end that the tool added."""
    return back is not None and back.rstrip("\r\n") == text.rstrip("\r\n")


def write_osc52(text: str) -> None:
    """Write the OSC 52 clipboard sequence to the controlling terminal. Raises OSError without one."""
    with Path("/dev/tty").open("wb", buffering=0) as terminal:
        terminal.write(osc52_sequence(text))


def osc52_sequence(text: str) -> bytes:
    """The escape sequence that asks a terminal to set its clipboard."""
    return b"\x1b]52;c;" + base64.b64encode(text.encode("utf-8", "surrogatepass")) + b"\x07"


def diagnose(environ: Mapping[str, str] | None = None) -> list[str]:
    """What ``cmtui doctor clipboard`` prints: every way is tried, and what was confirmed is said."""
    from cmtui.clipboard_doctor import diagnose

    return diagnose(environ)


def _candidates(preference: str, env: Mapping[str, str]) -> tuple[Tool, ...]:
    if preference == "auto":
        return tools(env)
    if preference == "tmux":
        return tuple(tool for tool in tools(env) if tool.name == "tmux")
    if preference.startswith("command:"):
        words = shlex.split(preference.removeprefix("command:"))
        return (Tool(words[0], tuple(words)),) if words else ()
    return ()


def send(tool: Tool, text: str, env: Mapping[str, str]) -> bool:
    """Whether the tool took the text. Its output goes nowhere: a forked child would hold a pipe open."""
    program = shutil.which(tool.copy[0], path=env.get("PATH"))
    if program is None:
        return False
    try:
        process = subprocess.Popen(
            (program, *tool.copy[1:]),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=dict(env),
            start_new_session=True,
        )
    except OSError:
        return False
    try:
        process.communicate(text.encode(tool.encoding, "surrogatepass"), timeout=TOOL_TIMEOUT)
    except subprocess.TimeoutExpired:
        # It holds the selection in the foreground; stopping it would empty the clipboard.
        process.returncode = 0
        return True
    except OSError:
        process.kill()
        process.wait()
        return False
    return process.returncode == 0


def read_back(tool: Tool, env: Mapping[str, str]) -> str | None:
    """What the clipboard holds according to the tool; None when it cannot say."""
    program = shutil.which(tool.paste[0], path=env.get("PATH"))
    if program is None:
        return None
    try:
        done = subprocess.run(
            (program, *tool.paste[1:]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(env),
            timeout=TOOL_TIMEOUT,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode(tool.encoding, "replace")


def _keep_provenance(provenance: Mapping[str, str] | None, what: str, folder: Path) -> None:
    """What made the last copy; emptied when the text came from nowhere special, so that it never lies."""
    known = {"what": what, **(provenance or {})}
    _keep(json.dumps(known, ensure_ascii=False, indent=2, sort_keys=True) + "\n", folder, LAST_PROVENANCE)


def _keep(text: str, folder: Path, name: str = LAST_COPY) -> Path | None:
    """Write ``last-copy.txt`` readable by its owner alone; None when the folder cannot be written."""
    path = folder / name
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogatepass", newline="") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(text)
    except OSError:
        return None
    return path


def _kept(path: Path | None) -> str:
    return f"Also in {path}." if path is not None else ""


def _file_message(what: str, path: Path | None) -> str:
    return f"{what[:1].upper()}{what[1:]} is in {path}." if path else f"Nowhere to put {what}."
