"""``cmtui serve`` for real: HTTP, the socket, and headless Chromium where there is one (make test-web)."""

from __future__ import annotations

import asyncio
import base64
import json
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cmtui.engine import LocalCitationMachine
from cmtui.tui.demo import prepare

aiohttp = pytest.importorskip("aiohttp", reason="extra 'web' is not installed (make test-web)")
pytest.importorskip("textual_serve", reason="extra 'web' is not installed (make test-web)")

pytestmark = pytest.mark.e2e

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DEADLINE = 60


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A running server over the sample corpus."""
    folder = tmp_path_factory.mktemp("served")
    with LocalCitationMachine.open(folder / "store") as machine:
        prepare(machine)
    port = free_port()
    command = [sys.executable, "-m", "cmtui.tui.main", "serve", str(folder / "store"), "--port", str(port)]
    with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
        server = subprocess.Popen(command, stdout=out, stderr=err)
        asyncio.run(_answers(port, server))
        yield f"http://127.0.0.1:{port}"
        server.send_signal(signal.SIGINT)
        assert server.wait(30) == 0
    assert "There is no login" in (folder / "err").read_text("utf-8")


async def _answers(port: int, server: subprocess.Popen[bytes]) -> None:
    async with asyncio.timeout(DEADLINE):
        while server.poll() is None:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.1)
                continue
            writer.close()
            await writer.wait_closed()
            return
    raise AssertionError("the server ended")


async def test_the_page_is_its_own_and_answers_no_other_name(url: str) -> None:
    async with aiohttp.ClientSession() as session:
        async with session.get(url) as page:
            assert page.status == 200
            assert "Citation Machine" in await page.text()
            assert "default-src 'self'" in page.headers["Content-Security-Policy"]
        async with session.get(url, headers={"Host": "evil.example"}) as page:
            assert page.status == 403
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await session.ws_connect(f"{url}/ws", headers={"Origin": "http://evil.example"})


async def test_a_session_over_the_socket_shows_the_library_and_obeys_keys(url: str) -> None:
    async with aiohttp.ClientSession() as session, session.ws_connect(f"{url}/ws?width=100&height=30") as ws:
        await _until(ws, b"Sources 7")
        await ws.send_json(["stdin", "2"])
        await _until(ws, b"Query")
        await ws.send_json(["resize", {"width": 60, "height": 20}])
        await ws.send_json(["stdin", "q"])
        async with asyncio.timeout(DEADLINE):
            async for _ in ws:
                pass


async def _until(ws, wanted: bytes) -> None:
    seen = b""
    async with asyncio.timeout(DEADLINE):
        async for message in ws:
            seen += message.data if isinstance(message.data, bytes) else message.data.encode()
            if wanted in seen:
                return
    raise AssertionError(f"no {wanted!r} in {seen[-2000:]!r}")


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
async def test_headless_chromium_shows_it_takes_keys_and_asks_no_other_host(url: str, tmp_path: Path) -> None:
    port = free_port()
    browser = subprocess.Popen(
        [
            str(CHROMIUM), "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
            "--disable-background-networking", f"--user-data-dir={tmp_path / 'profile'}",
            f"--remote-debugging-port={port}", "--window-size=1100,700", "about:blank",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        async with aiohttp.ClientSession() as session:
            page = await _page(session, port)
            async with session.ws_connect(page, max_msg_size=0) as tools:
                await _drive(tools, url, tmp_path)
    finally:
        browser.terminate()
        browser.wait(30)


async def _page(session, port: int) -> str:
    async with asyncio.timeout(DEADLINE):
        while True:
            try:
                async with session.get(f"http://127.0.0.1:{port}/json") as answer:
                    pages = [each for each in await answer.json() if each["type"] == "page"]
                if pages:
                    return pages[0]["webSocketDebuggerUrl"]
            except aiohttp.ClientError:
                pass
            await asyncio.sleep(0.1)


async def _drive(tools, url: str, tmp_path: Path) -> None:
    """Open the page, wait for the painted library, press a key, and look at what was asked of whom."""
    asked: list[str] = []
    painted, number = b"", 0

    async def call(method: str, **params: object) -> int:
        nonlocal number
        number += 1
        await tools.send_json({"id": number, "method": method, "params": params})
        return number

    async def until(condition) -> dict:
        nonlocal painted
        async with asyncio.timeout(DEADLINE):
            async for message in tools:
                event = json.loads(message.data)
                params = event.get("params", {})
                if event.get("method") == "Network.requestWillBeSent":
                    asked.append(params["request"]["url"])
                if event.get("method") == "Network.webSocketFrameReceived":
                    response = params["response"]
                    data = response["payloadData"]
                    painted += base64.b64decode(data) if response["opcode"] == 2 else data.encode()
                if condition(event):
                    return event
        raise AssertionError(painted[-2000:])

    await call("Network.enable")
    await call("Page.enable")
    await call("Page.navigate", url=url)
    await until(lambda _: b"Sources 7" in painted)
    painted = b""
    for kind in ("mousePressed", "mouseReleased"):
        await call("Input.dispatchMouseEvent", type=kind, x=500, y=300, button="left", clickCount=1)
    key = {"key": "6", "code": "Digit6", "text": "6", "windowsVirtualKeyCode": 54}
    for kind in ("keyDown", "keyUp"):
        await call("Input.dispatchKeyEvent", type=kind, **key)
    await until(lambda _: b"chain" in painted)
    shot = await call("Page.captureScreenshot", format="png")
    answer = await until(lambda event: event.get("id") == shot)
    picture = base64.b64decode(answer["result"]["data"])
    (tmp_path / "browser.png").write_bytes(picture)
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 10_000  # an empty page is a tenth of that
    assert [each for each in asked if each.startswith(url)]
    reached = [each for each in asked if not each.startswith((url, "data:", "blob:", "about:"))]
    assert all("fonts.googleapis.com" in each for each in reached), reached  # blocked by the page's policy
