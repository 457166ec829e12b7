"""A real terminal for end-to-end tests: tmux on its own socket, without anybody's configuration.

Nothing sleeps for a fixed time: ``wait_for`` polls what the screen shows until a deadline and fails with the
whole screen in its message.
"""

from __future__ import annotations

import itertools
import os
import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Self

AVAILABLE = shutil.which("tmux") is not None
#: How long a screen may take to appear on a loaded machine.
DEADLINE = 60.0
_POLL = 0.05


_NUMBERS = itertools.count(1)


class Terminal:
    """One tmux server with one session that runs one command.

    Use as a context manager; leaving it ends the server. ``environment`` is added to a small clean one.
    """

    def __init__(
        self,
        folder: Path,
        command: Sequence[str],
        *,
        size: tuple[int, int] = (100, 30),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        # A Unix socket path is limited to about 100 bytes, so the socket's folder is entered, not named.
        self._folder = folder
        # Each terminal has a socket of its own: a server that is still ending would refuse the next session.
        self._socket = f"tmux-{next(_NUMBERS)}.sock"
        self._command = list(command)
        self._columns, self._rows = size
        self._environment = dict(environment or {})

    def __enter__(self) -> Self:
        keep = ("PATH", "LANG", "LC_ALL", "TMPDIR")
        clean = {key: os.environ[key] for key in keep if key in os.environ}
        clean.setdefault("LANG", "C.UTF-8")
        clean |= {"HOME": str(self._folder), "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        assignments = [f"{key}={value}" for key, value in {**clean, **self._environment}.items()]
        # The inner env keeps TMUX, so that the program finds the tmux it runs in.
        line = shlex.join(["env", *[f"{k}={v}" for k, v in self._environment.items()], *self._command])
        self._tmux(
            "-f", "/dev/null", "new-session", "-d", "-x", str(self._columns), "-y", str(self._rows),
            f"{line}; printf '[ended with status %s]' $?; exec cat",
            environment=dict(item.split("=", 1) for item in assignments),
        )  # fmt: skip
        return self

    def __exit__(self, *_: object) -> None:
        self._tmux("kill-server", check=False)

    def _tmux(
        self, *arguments: str, check: bool = True, environment: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            ["tmux", "-S", self._socket, *arguments],
            cwd=self._folder,
            env=dict(environment) if environment is not None else None,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=DEADLINE,
            check=False,
        )
        if check and done.returncode:
            raise AssertionError(f"tmux {' '.join(arguments)}: {done.stderr.strip()}")
        return done

    def screen(self) -> str:
        """What the terminal shows, line by line, trailing blanks removed."""
        return self._tmux("capture-pane", "-p").stdout

    def buffer(self) -> str:
        """The newest tmux paste buffer, or the empty string when there is none."""
        done = self._tmux("show-buffer", check=False)
        return done.stdout if done.returncode == 0 else ""

    def keys(self, *keys: str) -> None:
        """Press keys by their tmux names (``Enter``, ``Tab``, ``a``...), one after the other."""
        for key in keys:
            self._tmux("send-keys", key)

    def type(self, text: str) -> None:
        """Type text literally."""
        self._tmux("send-keys", "-l", text)

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size."""
        self._tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def wait_for(self, pattern: str, *, deadline: float = DEADLINE) -> str:
        """The screen, once the regular expression ``pattern`` is found in it."""
        return self.wait_until(
            lambda screen: re.search(pattern, screen) is not None, f"/{pattern}/", deadline=deadline
        )

    def wait_until(self, condition: Callable[[str], bool], what: str, *, deadline: float = DEADLINE) -> str:
        """The screen, once ``condition`` holds for it. Raises AssertionError with the screen."""
        end = time.monotonic() + deadline
        while True:
            screen = self.screen()
            if condition(screen):
                return screen
            if time.monotonic() > end:
                raise AssertionError(f"no {what} within {deadline:g} s; the screen shows:\n{screen}")
            time.sleep(_POLL)

    def wait_for_buffer(self, pattern: str, *, deadline: float = DEADLINE) -> str:
        """The paste buffer, once ``pattern`` is found in it."""
        end = time.monotonic() + deadline
        while True:
            text = self.buffer()
            if re.search(pattern, text):
                return text
            if time.monotonic() > end:
                raise AssertionError(f"no /{pattern}/ in the buffer within {deadline:g} s, but {text!r}")
            time.sleep(_POLL)

    def wait_for_exit(self, *, deadline: float = DEADLINE) -> int:
        """The exit status of the command, once it has ended."""
        screen = self.wait_for(r"\[ended with status \d+\]", deadline=deadline)
        match = re.search(r"\[ended with status (\d+)\]", screen)
        assert match is not None
        return int(match.group(1))
