"""``cmtui doctor clipboard``: tries every way of copying and says what was confirmed.

A way is confirmed when a text that was sent came back equal. What was on the clipboard is put back; where it
cannot be read (a picture, or a tool that only writes) nothing is sent, so that the check loses nothing.
"""

from __future__ import annotations

import base64
import contextlib
import os
import re
import select
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from cmtui import clipboard
from cmtui.clipboard import LAST_COPY, TOOL_TIMEOUT, Tool

#: What is sent. Not ASCII alone, because that is where clipboards go wrong.
MARKER = "Citation Machine: clipboard check “é 漢”"

#: Seconds a terminal has to answer.
ANSWER_SECONDS = 0.4

#: Asks a terminal for its clipboard, which gives back text, another type's name, or nothing.
Ask = Callable[[str | None], str | None]

#: How each tool says that the clipboard holds something that is no text.
_TYPES = {
    "xclip": ("xclip", "-o", "-selection", "clipboard", "-t", "TARGETS"),
    "wl-copy": ("wl-paste", "--list-types"),
}


@dataclass(frozen=True, slots=True)
class Tried:
    """One way and what became of it. ``confirmed`` only when the text came back equal."""

    name: str
    said: str
    confirmed: bool = False


def diagnose(environ: Mapping[str, str] | None = None, *, ask: Ask | None = None) -> list[str]:
    """The situation, each way in order with what was confirmed, what a copy will use, and what to do.

    ``ask`` speaks OSC 52 with the terminal: None asks for the clipboard, a text sets it. Without one the
    controlling terminal is used, when there is one.
    """
    env = os.environ if environ is None else environ
    ssh = bool(env.get("SSH_TTY") or env.get("SSH_CONNECTION"))
    tried = [try_tool(tool, env) for tool in _once(clipboard.tools(env))]
    tried.append(try_terminal(ask or ask_terminal))
    lines = [
        f"session        {'SSH (this machine has not your clipboard)' if ssh else 'local'}",
        f"inside tmux    {'yes' if env.get('TMUX') else 'no'}",
        *(f"{one.name:<14} {'✔ confirmed: ' if one.confirmed else '  '}{one.said}" for one in tried),
        f"always         {clipboard.state_dir(env) / LAST_COPY}",
    ]
    good = [one.name for one in tried if one.confirmed]
    if good:
        lines.append(f"a copy uses    {good[0]}, and says so")
    else:
        lines.append(
            "a copy uses    the terminal (osc52), unconfirmed; the text is in the file above as well"
        )
    if env.get("TMUX"):
        lines.append("hint           tmux passes copies on when 'set -g set-clipboard on' (or external)")
    if not good:
        lines.append("hint           install xclip (X11) or wl-clipboard (Wayland), or work inside tmux")
    return lines


def _once(tools: tuple[Tool, ...]) -> list[Tool]:
    """Each name once: the second form of tmux is for old versions alone."""
    return list({tool.name: tool for tool in reversed(tools)}.values())[::-1]


def try_tool(tool: Tool, env: Mapping[str, str]) -> Tried:
    """Send a text by a tool, read it back, and put back what was there."""
    command = " ".join(tool.copy)
    where = shutil.which(tool.copy[0], path=env.get("PATH"))
    if where is None:
        return Tried(tool.name, f"not installed  ({command})")
    if not tool.paste or shutil.which(tool.paste[0], path=env.get("PATH")) is None:
        return Tried(tool.name, f"found: {where}; it cannot be read back, so it was not tried")
    before = clipboard.read_back(tool, env)
    if tool.name != "tmux" and not before and _may_hold_other(tool, env):
        said = "the clipboard holds no text now; copy a word, then run this again"
        return Tried(tool.name, f"found: {where}; not tried: {said}")
    sent = clipboard.send(tool, MARKER, env)
    back = clipboard.read_back(tool, env) if sent else None
    _restore(tool, before, env)
    if back == MARKER:
        return Tried(tool.name, f"the text came back equal  ({command})", confirmed=True)
    what = "took the text and gave back another" if sent and back is not None else "did not take the text"
    return Tried(tool.name, f"found: {where}, but it {what}  ({command})")


def _restore(tool: Tool, before: str | None, env: Mapping[str, str]) -> None:
    if tool.name == "tmux":
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            subprocess.run(
                ("tmux", "delete-buffer"),
                env=dict(env),
                timeout=TOOL_TIMEOUT,
                check=False,
                capture_output=True,
            )
    elif before:
        clipboard.send(tool, before, env)


def _may_hold_other(tool: Tool, env: Mapping[str, str]) -> bool:
    """Whether the clipboard may hold something that is no text, which sending would destroy."""
    command = _TYPES.get(tool.name)
    if command is None:
        return True
    try:
        done = subprocess.run(
            command,
            env=dict(env),
            timeout=TOOL_TIMEOUT,
            check=False,
            capture_output=True,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError):
        return True
    return done.returncode == 0 and bool(done.stdout.strip())


def try_terminal(ask: Ask) -> Tried:
    """OSC 52: most terminals set the clipboard and say nothing. One that answers can be confirmed."""
    before = ask(None)
    if before is None:
        said = "last resort; this terminal does not answer, so nothing can tell whether it takes copies"
        return Tried("osc52", said)
    back = ask(MARKER)
    ask(before)
    if back == MARKER:
        return Tried("osc52", "the terminal gave the text back equal", confirmed=True)
    return Tried("osc52", "last resort; the terminal answers, but did not take the text")


def ask_terminal(text: str | None) -> str | None:
    """Set the clipboard of the controlling terminal (unless ``text`` is None) and ask what it holds.

    None when there is no terminal or it does not answer within ANSWER_SECONDS.
    """
    import termios
    import tty

    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    except OSError:
        return None
    try:
        before = termios.tcgetattr(terminal)
        try:
            tty.setcbreak(terminal, termios.TCSAFLUSH)
            if text is not None:
                os.write(terminal, clipboard.osc52_sequence(text))
            os.write(terminal, b"\x1b]52;c;?\x07")
            return decode_answer(_answer(terminal))
        finally:
            termios.tcsetattr(terminal, termios.TCSAFLUSH, before)
    except (OSError, termios.error):
        return None
    finally:
        os.close(terminal)


def _answer(terminal: int) -> bytes:
    found = b""
    end = time.monotonic() + ANSWER_SECONDS
    while not found.endswith((b"\x07", b"\x1b\\")):
        left = end - time.monotonic()
        if left <= 0 or not select.select([terminal], [], [], left)[0]:
            break
        found += os.read(terminal, 65536)
    return found


def decode_answer(answer: bytes) -> str | None:
    """The text of an OSC 52 answer; None when it is none."""
    match = re.search(rb"\x1b\]52;[^;]*;([A-Za-z0-9+/=]*)(?:\x07|\x1b\\)", answer)
    if match is None:
        return None
    try:
        return base64.b64decode(match.group(1), validate=True).decode("utf-8")
    except ValueError:
        return None
