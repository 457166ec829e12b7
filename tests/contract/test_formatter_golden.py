"""The shipped styles against the reference engine (citeproc-js with the official styles), R106.

Only spaces are normalised. Misses are listed by name; a listed case that starts to match, or an unlisted one
that stops matching, fails.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from cmtui.bibliography.service import Formatter
from support import golden

DATA = Path(__file__).parents[2] / ".." / "shared" / "data" / "csl"

#: Known differences and why each is kept.
MISSES = {
    # The official style leaves an undated-publisher "document" out of the bibliography; an empty reference
    # helps nobody, so ours prints what the metadata says.
    "golden_large": {"chi-nb:doc1:reference"},
    "golden": set(),
}


def cases(name: str) -> list:
    path = DATA / f"{name}.json"
    if not path.exists():
        return [pytest.param({}, id=f"{name}-absent", marks=pytest.mark.skip(reason=f"{path} is absent"))]
    return [pytest.param(case, id=case["id"]) for case in json.loads(path.read_text("utf-8"))["cases"]]


@pytest.fixture(scope="module")
def formatter() -> Formatter:
    return Formatter()


def spaces(text: str) -> str:
    return "\n".join(re.sub(r"\s+", " ", line).strip() for line in text.split("\n"))


def formatted(formatter: Formatter, case: dict, output: str = "plain") -> str:
    if case["form"] == "reference":
        made = formatter.format_items(case["items"], style=case["style"], output=output)
        return "\n".join(text for _, text in made.entries)
    clusters = [*(case.get("prior_cites") or []), case["cite_items"]]
    return formatter.format_items(
        case["items"], style=case["style"], form="inline", cites=clusters, output=output
    ).citations[-1]


@pytest.mark.parametrize("case", cases("golden"))
def test_golden_cases_match_the_reference_engine_R106(formatter: Formatter, case: dict) -> None:
    matches = spaces(formatted(formatter, case)) == spaces(case["expected_text"])
    assert matches is (case["id"] not in MISSES["golden"])


@pytest.mark.parametrize("case", cases("golden_large"))
def test_large_golden_cases_match_the_reference_engine_R106(formatter: Formatter, case: dict) -> None:
    if case["id"] in MISSES["golden_large"]:
        assert spaces(formatted(formatter, case)) != spaces(case["expected_text"])
    else:
        assert spaces(formatted(formatter, case)) == spaces(case["expected_text"])


#: Italics differ from the reference engine here: titles in kana and Han stand upright in three official
#: styles (and slanted in APA), which CSL 1.0.2 has no condition for.
ITALIC_MISSES = {f"{style}:cjk:reference" for style in ("mla", "chi-ad", "chi-nb", "ieee")}


@pytest.mark.parametrize("case", cases("golden_large"))
def test_italics_match_the_reference_engine_R106(formatter: Formatter, case: dict) -> None:
    if case["id"] in MISSES["golden_large"]:
        pytest.skip("a listed miss")
    expected = re.sub(r"</?(?:div|span)[^>]*>", "", case["expected_html"])
    same = _italics(formatted(formatter, case, "html")) == _italics(expected)
    assert same is (case["id"] not in ITALIC_MISSES)


def _italics(html: str) -> list[str]:
    joined = html.replace("</i><i>", "")
    return [spaces(run).strip(" .,") for run in re.findall(r"<i>(.*?)</i>", joined)]


def test_the_bounds_of_the_issue_hold_and_both_parts_of_the_split_R106(formatter: Formatter) -> None:
    """At least 287 of 295 match; in no style miss more than 2 of 41 references or 1 of 18 inline citations.

    Both parts of the split by SHA-256 of the id are given to ``python -m tests.benchmarks citations``; they
    may differ by 3 points. The split was made after tuning, see ``support.golden.tuning``.
    """
    known = golden.load()
    if not known:
        pytest.skip(f"{golden.GOLDEN} is absent")
    missed = [case for case in known if not golden.matches(formatter, case)]
    assert {case["id"] for case in missed} == MISSES["golden_large"]
    assert len(known) - len(missed) >= 287
    by_style = Counter((case["style"], case["form"]) for case in missed)
    assert all(count <= {"reference": 2, "inline": 1}[form] for (_, form), count in by_style.items())
    shares = []
    for part in (True, False):
        of_part = [case for case in known if golden.tuning(case) is part]
        shares.append(1 - sum(case in missed for case in of_part) / len(of_part))
    assert abs(shares[0] - shares[1]) <= 0.03
