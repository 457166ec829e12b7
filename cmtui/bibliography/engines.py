"""The citation engines by name. One is chosen by a setting and never switched silently."""

from __future__ import annotations

import difflib
from functools import lru_cache

from cmtui.bibliography.formatting import BaseFormatter
from cmtui.errors import InvalidRequest

ENGINES = ("citeproc-py", "pandoc")


def formatter(engine: str = "citeproc-py", *, locale: str | None = None) -> BaseFormatter:
    """The engine of that name, shared by this process. ``locale`` overrules the language of styles.

    Raises InvalidRequest for an unknown name, and EngineMissing when the engine is not installed: another
    never takes its place.
    """
    if engine not in ENGINES:
        near = difflib.get_close_matches(engine, ENGINES, n=1, cutoff=0.4)
        raise InvalidRequest(
            f"There is no citation engine '{engine}'.",
            f"Did you mean '{near[0]}'?" if near else f"Engines: {', '.join(ENGINES)}.",
        )
    made = _made(engine, locale)
    _ = made.engine  # says so now when it is not installed
    return made


@lru_cache(maxsize=8)
def _made(engine: str, locale: str | None) -> BaseFormatter:
    if engine == "pandoc":
        from cmtui.bibliography.pandoc import PandocFormatter

        return PandocFormatter(locale=locale)
    if locale is None:
        from cmtui.bibliography.service import default_formatter

        return default_formatter()
    from cmtui.bibliography.service import Formatter

    return Formatter(locale=locale)
