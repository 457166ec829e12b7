"""The reference cases of citeproc-js, how an engine is compared with them, and their split by hash."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from cmtui.bibliography.formatting import BaseFormatter

GOLDEN = Path(__file__).parents[2] / ".." / "shared" / "data" / "csl" / "golden_large.json"
#: Of 2**32 hash prefixes, how many are the tuning part.
TUNING = 0.7


def load() -> list[dict[str, Any]]:
    """The 295 cases; empty when the data are absent."""
    return json.loads(GOLDEN.read_text("utf-8"))["cases"] if GOLDEN.exists() else []


def tuning(case: dict[str, Any]) -> bool:
    """Whether a case is in the 70 % part, by the first 32 bits of the SHA-256 of its id.

    The split was made after the shipped styles had been written with all cases in sight, so the two figures
    say that no part is worse off, and not how the styles do on cases that nobody has seen.
    """
    digest = hashlib.sha256(case["id"].encode("utf-8")).digest()
    return int.from_bytes(digest[:4], "big") < TUNING * 2**32


def formatted(engine: BaseFormatter, case: dict[str, Any], *, official: bool = False) -> str:
    """What the engine prints for a case, with this project's style or the official one."""
    style = f"official:{case['style']}" if official else case["style"]
    if case["form"] == "reference":
        return engine.format_items(case["items"], style=style).text
    clusters = [*(case.get("prior_cites") or []), case["cite_items"]]
    return engine.format_items(case["items"], style=style, form="inline", cites=clusters).citations[-1]


def matches(engine: BaseFormatter, case: dict[str, Any], *, official: bool = False) -> bool:
    """Exact agreement after the normalisation of spaces."""
    return spaces(formatted(engine, case, official=official)) == spaces(case["expected_text"])


def spaces(text: str) -> str:
    """Single blanks, line by line."""
    return "\n".join(re.sub(r"\s+", " ", line).strip() for line in text.split("\n"))
