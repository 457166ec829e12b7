"""``cmtui doctor clipboard``: each way is tried, what was there is put back, and nothing is claimed."""

from __future__ import annotations

import base64
import shutil
from pathlib import Path

import pytest

from cmtui.clipboard_doctor import MARKER, decode_answer, diagnose, try_terminal


def script(folder: Path, name: str, body: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


@pytest.fixture
def bin_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("cat", "sh", "rm", "tee", "test"):
        (folder / name).symlink_to(shutil.which(name) or f"/bin/{name}")
    return folder


def said(bin_dir: Path, tmp_path: Path, **more: str) -> str:
    env = {"PATH": str(bin_dir), "CMTUI_STATE": str(tmp_path / "state"), **more}
    return "\n".join(diagnose(env, ask=lambda _: None))


def board(bin_dir: Path, tmp_path: Path, content: str | None, types: str = "exit 1") -> Path:
    """A Wayland clipboard that is a file; what it was given is kept in a log."""
    held = tmp_path / "board"
    if content is not None:
        held.write_text(content, encoding="utf-8")
    script(bin_dir, "wl-copy", f"tee -a {tmp_path}/log > {held}")
    script(bin_dir, "wl-paste", f'case "$1" in --list-types) {types};; *) cat {held};; esac')
    return held


def test_a_way_that_gives_the_text_back_is_confirmed_and_used(bin_dir: Path, tmp_path: Path) -> None:
    held = board(bin_dir, tmp_path, "mine")
    text = said(bin_dir, tmp_path, WAYLAND_DISPLAY="wayland-0")
    assert "wl-copy        ✔ confirmed: the text came back equal" in text
    assert "a copy uses    wl-copy, and says so" in text
    assert "hint" not in text
    assert held.read_text(encoding="utf-8") == "mine"
    assert MARKER in (tmp_path / "log").read_text(encoding="utf-8")


def test_an_empty_clipboard_is_tried_and_a_picture_is_left_alone(bin_dir: Path, tmp_path: Path) -> None:
    board(bin_dir, tmp_path, None)
    assert "confirmed" in said(bin_dir, tmp_path, WAYLAND_DISPLAY="w").splitlines()[3]
    (tmp_path / "board").unlink()
    (tmp_path / "log").unlink()
    board(bin_dir, tmp_path, None, types="echo image/png; exit 0")
    text = said(bin_dir, tmp_path, WAYLAND_DISPLAY="w")
    assert "holds no text now" in text
    assert "unconfirmed" in text
    assert not (tmp_path / "log").exists()


def test_a_tool_that_lies_or_fails_is_not_confirmed(bin_dir: Path, tmp_path: Path) -> None:
    script(bin_dir, "wl-copy", "cat > /dev/null")
    script(bin_dir, "wl-paste", 'case "$1" in --list-types) exit 1;; *) echo old;; esac')
    assert "took the text and gave back another" in said(bin_dir, tmp_path, WAYLAND_DISPLAY="w")
    script(bin_dir, "wl-copy", "exit 1")
    assert "did not take the text" in said(bin_dir, tmp_path, WAYLAND_DISPLAY="w")


def test_what_is_not_there_or_cannot_be_read_is_said(bin_dir: Path, tmp_path: Path) -> None:
    script(bin_dir, "clip.exe", f"cat > {tmp_path}/clip")
    text = said(bin_dir, tmp_path, DISPLAY=":0")
    assert "xclip            not installed" in text
    assert "cannot be read back, so it was not tried" in text
    assert not (tmp_path / "clip").exists()
    assert "hint           install xclip" in text
    assert "SSH" in said(bin_dir, tmp_path, SSH_TTY="/dev/pts/1")


def test_a_terminal_is_confirmed_only_when_it_answers() -> None:
    held = ["mine"]

    def answering(text: str | None) -> str | None:
        if text is not None:
            held.append(text)
        return held[-1]

    assert try_terminal(answering).confirmed
    assert held[-1] == "mine"
    assert not try_terminal(lambda _: None).confirmed
    stubborn = try_terminal(lambda _: "mine")
    assert (stubborn.confirmed, "did not take" in stubborn.said) == (False, True)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (b"\x1b]52;c;" + base64.b64encode("é 漢".encode()) + b"\x07", "é 漢"),
        (b"noise\x1b]52;c;" + base64.b64encode(b"x") + b"\x1b\\", "x"),
        (b"\x1b]52;c;\x07", ""),
        (b"\x1b]52;c;?\x07", None),
        (b"\x1b]52;c;/w==\x07", None),
        (b"", None),
    ],
)
def test_answers_of_terminals(answer: bytes, text: str | None) -> None:
    assert decode_answer(answer) == text
