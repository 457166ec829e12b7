"""Rich text on the clipboard by type where a tool takes it, plain text with an honest message elsewhere."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from cmtui import clipboard
from cmtui.model.bibliography import CopyForm

HTML = CopyForm(
    "html",
    "Roe, J. (2020). <i>Tides</i>. “é”",
    "text/html",
    "Roe, J. (2020). Tides. “é”",
    "APA reference, HTML",
    {"engine": "citeproc-py 0.11.1", "style": "apa", "style_sha256": "ab" * 32, "form": "html"},
)


def script(folder: Path, name: str, body: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


@pytest.fixture
def bin_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("cat", "sh"):
        found = shutil.which(name)
        assert found
        (folder / name).symlink_to(found)
    return folder


def environment(bin_dir: Path, tmp_path: Path, **more: str) -> dict[str, str]:
    return {"PATH": str(bin_dir), "CMTUI_STATE": str(tmp_path / "state"), **more}


def by_type(folder: Path, board: Path) -> None:
    """wl-copy and wl-paste that keep each type apart, as Wayland does."""
    script(
        folder,
        "wl-copy",
        f'if [ "$1" = --type ]; then echo "$2" > {board}.type; else echo text/plain > {board}.type; fi; '
        f"cat > {board}",
    )
    script(folder, "wl-paste", f"cat {board}")


def test_html_is_copied_under_its_own_type_and_read_back(bin_dir: Path, tmp_path: Path) -> None:
    board = tmp_path / "board"
    by_type(bin_dir, board)
    env = environment(bin_dir, tmp_path, WAYLAND_DISPLAY="w0")
    result = clipboard.copy_form(HTML, environ=env)
    assert (result.method, result.confirmed, result.mime) == ("wl-copy", True, "text/html")
    assert Path(f"{board}.type").read_text().strip() == "text/html"
    assert board.read_text(encoding="utf-8") == clipboard.HTML_HEAD + HTML.text
    assert "rich text" in result.message


def test_rtf_goes_to_xclip_with_its_type(bin_dir: Path, tmp_path: Path) -> None:
    board = tmp_path / "board"
    script(
        bin_dir,
        "xclip",
        f'case "$*" in *"-o"*) cat {board};; *"-t text/rtf"*) cat > {board};; *) exit 1;; esac',
    )
    rtf = CopyForm("rtf", "{\\rtf1 x\\par}", "text/rtf", "x", "MLA reference, RTF")
    result = clipboard.copy_form(rtf, environ=environment(bin_dir, tmp_path, DISPLAY=":0"))
    assert (result.method, result.confirmed, result.mime) == ("xclip", True, "text/rtf")
    assert board.read_text() == rtf.text


def test_without_a_tool_plain_text_is_copied_and_the_message_says_so(bin_dir: Path, tmp_path: Path) -> None:
    sent: list[str] = []
    result = clipboard.copy_form(HTML, environ=environment(bin_dir, tmp_path), osc52=sent.append)
    assert sent == [HTML.plain]
    assert (result.method, result.confirmed, result.mime) == ("osc52", False, "text/plain")
    assert "No tool here took APA reference, HTML" in result.message
    assert (tmp_path / "state" / "last-copy.html").read_text(encoding="utf-8") == HTML.text
    assert (tmp_path / "state" / "last-copy.txt").read_text(encoding="utf-8") == HTML.plain


def test_over_ssh_no_remote_tool_takes_rich_text(bin_dir: Path, tmp_path: Path) -> None:
    by_type(bin_dir, tmp_path / "board")
    env = environment(bin_dir, tmp_path, WAYLAND_DISPLAY="w0", SSH_TTY="/dev/pts/0")
    assert clipboard.rich_tools("text/html", env) == ()
    result = clipboard.copy_form(HTML, environ=env, osc52=lambda _: None)
    assert result.mime == "text/plain"
    assert not (tmp_path / "board").exists()


def test_a_tool_that_gives_back_something_else_is_not_believed(bin_dir: Path, tmp_path: Path) -> None:
    script(bin_dir, "wl-copy", "cat > /dev/null")
    script(bin_dir, "wl-paste", "echo other")
    sent: list[str] = []
    env = environment(bin_dir, tmp_path, WAYLAND_DISPLAY="w0")
    result = clipboard.copy_form(HTML, environ=env, osc52=sent.append)
    assert (result.confirmed, sent) == (False, [HTML.plain])


def test_the_last_copy_keeps_what_made_it(bin_dir: Path, tmp_path: Path) -> None:
    env = environment(bin_dir, tmp_path)
    clipboard.copy_form(HTML, environ=env, osc52=lambda _: None)
    path = tmp_path / "state" / clipboard.LAST_PROVENANCE
    kept = json.loads(path.read_text(encoding="utf-8"))
    assert (kept["engine"], kept["style"], kept["style_sha256"]) == ("citeproc-py 0.11.1", "apa", "ab" * 32)
    assert path.stat().st_mode & 0o777 == 0o600
    clipboard.copy("something else", what="id", environ=env, osc52=lambda _: None)
    assert json.loads(path.read_text(encoding="utf-8")) == {"what": "id"}


def test_a_record_is_copied_as_the_text_it_is(bin_dir: Path, tmp_path: Path) -> None:
    record = CopyForm(
        "ris", "TY  - BOOK\r\nER  - \r\n", "application/x-research-info-systems", "", "RIS record"
    )
    sent: list[str] = []
    clipboard.copy_form(record, environ=environment(bin_dir, tmp_path), osc52=sent.append)
    assert sent == [record.text]
