"""Pictures of the real application for the README: ``make screens`` writes docs/screens/*.svg.

The same store, day and person every time, so that a picture changes only when the screen does.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
from pathlib import Path

from cmtui.engine import LocalCitationMachine
from cmtui.tui.app import CmtuiApp
from support.album import Noon, prepare_album, source_masks
from tui.harness import press, settings, settle, type_line

SIZE = (100, 30)

#: Fonts that the picture would fetch from elsewhere; a page with it asks nobody (and a reader has others).
_FONT_FACE = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


async def _take(folder: Path, scratch: Path) -> list[Path]:
    taken: list[Path] = []
    store = prepare_album(scratch)
    with LocalCitationMachine.open(store, clock=Noon()) as machine:
        masks = source_masks(machine)
        app = CmtuiApp(machine, settings(scratch, reviewer="ada", theme="cmtui"))
        async with app.run_test(size=SIZE) as pilot:
            await settle(pilot)

            async def shoot(name: str, *keys: str, line: str = "") -> None:
                await press(pilot, *keys)
                if line:
                    await type_line(pilot, line)
                app.clear_notifications()
                await settle(pilot)
                path = folder / f"{name}.svg"
                path.write_text(_picture(app, name, masks), encoding="utf-8")
                taken.append(path)

            await shoot("library")
            await shoot("search", "2", "slash", line="king wept")
            await shoot("review", "3")
            await shoot("source", "o")
            await press(pilot, "escape")
            await shoot("cite", "4")
            await shoot("acquire", "5")
            await shoot("audit", "6")
            await shoot("help", "3", "question_mark")
    return taken


def _picture(app: CmtuiApp, name: str, masks: dict[str, str]) -> str:
    text = app.export_screenshot(title=f"Citation Machine: {name}")
    for shown, mask in masks.items():
        text = text.replace(shown, mask).replace(shown.replace(" ", "&#160;"), mask.replace(" ", "&#160;"))
    text = _FONT_FACE.sub("", text)
    # The names of styles are made of the content; one that is always the same keeps differences small.
    found = re.search(r"terminal-\d+", text)
    return text.replace(found[0], f"screen-{name}") if found else text


def main() -> None:
    """Write every picture into the folder that is named."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    os.environ.pop("NO_COLOR", None)
    os.environ["COLORTERM"] = "truecolor"
    CmtuiApp.today = staticmethod(lambda: "2026-03-14")  # type: ignore[method-assign]
    CmtuiApp.store_path = property(lambda _: "/home/ada/thesis")  # type: ignore[assignment, method-assign]
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["CMTUI_STATE"] = str(Path(scratch) / "state")
        for path in asyncio.run(_take(folder, Path(scratch))):
            print(path)


if __name__ == "__main__":
    main()
