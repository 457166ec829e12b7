"""The clipboard chain: real programs where they exist, scripts in a PATH of its own where they do not."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from cmtui import clipboard

TEXT = "Ærø, Jürgen. “The Voyage” — 漢字. 2024.\n"


def script(folder: Path, name: str, body: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


@pytest.fixture
def bin_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("cat", "sh", "sleep"):
        found = shutil.which(name)
        assert found
        (folder / name).symlink_to(found)
    return folder


def environment(bin_dir: Path, tmp_path: Path, **more: str) -> dict[str, str]:
    return {"PATH": str(bin_dir), "CMTUI_STATE": str(tmp_path / "state"), **more}


def test_a_tool_that_gives_the_text_back_is_confirmed(bin_dir: Path, tmp_path: Path) -> None:
    board = tmp_path / "board"
    script(bin_dir, "wl-copy", f"cat > {board}")
    script(bin_dir, "wl-paste", f"cat {board}")
    env = environment(bin_dir, tmp_path, WAYLAND_DISPLAY="wayland-0")
    result = clipboard.copy(TEXT, what="APA citation", environ=env)
    assert (result.method, result.confirmed) == ("wl-copy", True)
    assert result.message == "Copied APA citation (wl-copy)."
    assert board.read_text() == TEXT


def test_last_copy_is_always_kept_and_private(bin_dir: Path, tmp_path: Path) -> None:
    sent: list[str] = []
    result = clipboard.copy(TEXT, environ=environment(bin_dir, tmp_path), osc52=sent.append)
    assert sent == [TEXT]
    assert (result.method, result.confirmed) == ("osc52", False)
    assert result.path is not None
    assert result.path.read_text(encoding="utf-8") == TEXT
    assert stat.S_IMODE(result.path.stat().st_mode) == 0o600
    assert "unconfirmed" in result.message
    assert str(result.path) in result.message


def test_a_tool_that_lies_is_not_believed(bin_dir: Path, tmp_path: Path) -> None:
    script(bin_dir, "xclip", 'case "$1" in -o) echo something else;; *) cat > /dev/null;; esac')
    sent: list[str] = []
    env = environment(bin_dir, tmp_path, DISPLAY=":0")
    result = clipboard.copy(TEXT, environ=env, osc52=sent.append)
    assert (result.method, result.confirmed, sent) == ("osc52", False, [TEXT])


def test_over_ssh_the_remote_tools_are_skipped(bin_dir: Path, tmp_path: Path) -> None:
    env = {"SSH_TTY": "/dev/pts/1", "DISPLAY": ":0", "WAYLAND_DISPLAY": "w", "TMUX": "/tmp/t,1,0"}
    assert [tool.name for tool in clipboard.tools(env)] == ["tmux", "tmux"]
    script(bin_dir, "pbcopy", "exit 0")
    sent: list[str] = []
    ssh = environment(bin_dir, tmp_path, SSH_CONNECTION="1 2 3 4")
    assert clipboard.copy(TEXT, environ=ssh, osc52=sent.append).method == "osc52"


def test_a_tool_that_stays_in_the_foreground_is_not_waited_for(
    bin_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clipboard, "TOOL_TIMEOUT", 0.3)
    board = tmp_path / "board"
    script(bin_dir, "wl-copy", f"cat > {board}; exec sleep 3")
    script(bin_dir, "wl-paste", f"cat {board}")
    env = environment(bin_dir, tmp_path, WAYLAND_DISPLAY="wayland-0")
    assert clipboard.copy(TEXT, environ=env).confirmed


def test_file_preference_and_unwritable_state(bin_dir: Path, tmp_path: Path) -> None:
    env = environment(bin_dir, tmp_path)
    assert clipboard.copy(TEXT, preference="file", environ=env).method == "file"
    blocked = tmp_path / "file"
    blocked.write_text("")
    result = clipboard.copy(TEXT, preference="file", environ=env, state=blocked / "state")
    assert result.path is None
    assert "Nowhere" in result.message


def test_own_command_is_used(bin_dir: Path, tmp_path: Path) -> None:
    board = tmp_path / "board"
    script(bin_dir, "mycopy", f'cat > "$1"; : {board}')
    result = clipboard.copy(
        TEXT, preference=f"command: mycopy {board}", environ=environment(bin_dir, tmp_path)
    )
    assert (result.method, result.confirmed) == ("mycopy", False)
    assert board.read_text() == TEXT


def test_osc52_sequence_is_utf8_base64() -> None:
    assert clipboard.osc52_sequence("é") == b"\x1b]52;c;w6k=\x07"


def test_diagnosis_names_every_way(bin_dir: Path, tmp_path: Path) -> None:
    text = "\n".join(clipboard.diagnose(environment(bin_dir, tmp_path, DISPLAY=":0")))
    for word in ("xclip", "osc52", "last-copy.txt", "local"):
        assert word in text


@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
def test_real_tmux_takes_the_text_and_gives_it_back(tmp_path: Path) -> None:
    socket = tmp_path / "t"
    base = ["tmux", "-S", str(socket), "-f", "/dev/null"]
    clean = {k: v for k, v in os.environ.items() if k not in ("TMUX", "DISPLAY", "WAYLAND_DISPLAY")}
    subprocess.run([*base, "new-session", "-d", "sleep 60"], check=True, env=clean)
    try:
        env = {**clean, "TMUX": f"{socket},1,0", "CMTUI_STATE": str(tmp_path / "state")}
        for text in (TEXT, "x" * 200_000 + "é"):
            result = clipboard.copy(text, environ=env)
            assert (result.method, result.confirmed) == ("tmux", True)
            shown = subprocess.run([*base, "show-buffer"], check=True, capture_output=True)
            assert shown.stdout.decode() == text
    finally:
        subprocess.run([*base, "kill-server"], check=False, env=clean)
