"""Dates of BibTeX, BibLaTeX and RIS as CSL dates, and back. Nothing is rounded or completed."""

# ruff: noqa: SIM905  (lists of names read better as words)
from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from cmtui.bibliography.normalise import DatePoint, date

CslDate = dict[str, Any]

_MONTH_NAMES = "january february march april may june july august september october november december".split()
_SEASONS = {"spring": 1, "summer": 2, "autumn": 3, "fall": 3, "winter": 4}
SEASON_NAMES = ("Spring", "Summer", "Autumn", "Winter")
_EDTF = re.compile(r"(-?\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?:T[\d:.Z+-]*)?([~?%]?)")


def edtf(text: str) -> CslDate | None:
    """A BibLaTeX date: one date or a range, open ends, seasons 21 to 24, ``~`` and ``?`` for circa.

    Years are astronomical there, so that 0000 is 1 BC, which CSL counts as -1. None for anything else.
    """
    ends = text.strip().split("/")
    if len(ends) > 2 or not ends[0]:
        return None
    points: list[list[int]] = []
    circa = False
    for index, end in enumerate(ends):
        if index == 1 and end.strip() in ("", ".."):
            points.append([0])
            continue
        match = _EDTF.fullmatch(end.strip())
        if match is None:
            return None
        year = int(match[1])
        parts = [year if year > 0 else year - 1, *(int(part) for part in match.group(2, 3) if part)]
        circa = circa or bool(match[4])
        points.append(parts)
    value: CslDate = {"date-parts": points}
    if len(points) == 1 and len(points[0]) == 2 and 21 <= points[0][1] <= 24:
        value = {"date-parts": [points[0][:1]], "season": points[0][1] - 20}
    return {**value, "circa": True} if circa else value


def write_edtf(value: Mapping[str, Any]) -> str:
    """The BibLaTeX date of a CSL date; empty when it is words or outside what can be written."""
    parsed = date(value)
    if parsed is None or parsed.begin is None:
        return ""
    begin = _point(parsed.begin)
    if not begin:
        return ""
    mark = "~" if parsed.circa else ""
    if parsed.end is None:
        return begin + mark
    if parsed.end.year == 0:
        return f"{begin}{mark}/"
    end = _point(parsed.end)
    return f"{begin}{mark}/{end}{mark}" if end else ""


def _point(point: DatePoint) -> str:
    year = point.year if point.year > 0 else point.year + 1
    if not -9998 <= year <= 9999:
        return ""
    text = f"-{-year:04}" if year < 0 else f"{year:04}"
    if point.month is not None:
        return f"{text}-{point.month:02}" + (f"-{point.day:02}" if point.day is not None else "")
    return f"{text}-{20 + point.season}" if point.season else text


def year_and_month(year: str, month: str, day: str) -> CslDate | None:
    """The date of BibTeX's separate fields; what is no date stays as words."""
    text = re.sub(r"[\[\]]", "", year).strip()
    circa = re.match(r"(?:c(?:irca|a)?\.?)\s*(?=\d)", text, re.IGNORECASE)
    if circa:
        text = text[circa.end() :]
    ends = re.fullmatch(r"(\d{3,4})\s*(?:[-/\u2013]+)\s*(\d{4})?", text)
    era = re.fullmatch(r"(\d{1,4})\s*(?:BCE?|B\.C\.(?:E\.)?)", text)
    if re.fullmatch(r"\d{1,4}", text) and int(text):
        value: CslDate = {"date-parts": [[int(text)]]}
    elif era and int(era[1]):
        value = {"date-parts": [[-int(era[1])]]}
    elif ends:
        value = {"date-parts": [[int(ends[1])], [int(ends[2] or 0)]]}
    elif (made := edtf(text)) is not None:
        value = made
    elif year.strip():
        return {"literal": " ".join(part for part in (day, month, year.strip()) if part)}
    else:
        return None
    if circa:
        value["circa"] = True
    if len(value["date-parts"]) == 1 and len(value["date-parts"][0]) == 1:
        _add_month(value, month, day)
    return value


def _add_month(value: CslDate, month: str, day: str) -> None:
    words = [word for word in re.split(r"[\s,./~\u00a0-]+", month.strip().lower()) if word]
    numbers = [month_number(word) for word in words]
    found = [number for number in numbers if number is not None]
    season = next((_SEASONS[word] for word in words if word in _SEASONS), None)
    if season is not None:
        value["season"] = season
    elif len(found) == 1 or (len(found) == 2 and not words[0].isdigit()):
        parts = [found[0]]
        days = [word for word in words if word.isdigit() and not month.strip().isdigit()]
        last = day.strip() or (days[0] if days else "")
        if last.isdigit() and 1 <= int(last) <= 31:
            parts.append(int(last))
        value["date-parts"][0] += parts


def month_number(word: str) -> int | None:
    """1 to 12 for a month's name, its first three letters or more, or its number."""
    if word.isdigit():
        return int(word) if 1 <= int(word) <= 12 else None
    if len(word) < 3:
        return None
    return next((i for i, name in enumerate(_MONTH_NAMES, 1) if name.startswith(word)), None)


def ris_date(text: str) -> CslDate | None:
    """RIS: ``YYYY/MM/DD/words`` with any part empty, or ISO, or words."""
    parts = [part.strip() for part in text.strip().split("/", 3)]
    if len(parts) == 1 and (made := edtf(text.strip())) is not None:
        return made
    year = parts[0]
    if not re.fullmatch(r"\d{1,4}", year) or not int(year):
        words = text.strip(" /")
        return {"literal": words} if words else None
    value: CslDate = {"date-parts": [[int(year)]]}
    for part in parts[1:3]:
        if not re.fullmatch(r"\d{1,2}", part) or not int(part):
            break
        value["date-parts"][0].append(int(part))
    words = parts[3].strip(" /") if len(parts) > 3 else ""
    if words.lower() in _SEASONS:
        value["season"] = _SEASONS[words.lower()]
    elif words.lower() in ("circa", "ca.", "c."):
        value["circa"] = True
    return value


def write_ris_date(value: Mapping[str, Any]) -> str:
    """The RIS date of a CSL date; empty when RIS has no way to write it (ranges, years before 1)."""
    parsed = date(value)
    if parsed is None:
        return ""
    if parsed.begin is None:
        return f"///{parsed.literal}"
    point = parsed.begin
    if point.year < 1:
        return ""
    month = f"{point.month:02}" if point.month is not None else ""
    day = f"{point.day:02}" if point.day is not None else ""
    words = SEASON_NAMES[point.season - 1] if point.season else "circa" if parsed.circa else ""
    return f"{point.year:04}/{month}/{day}/{words}"
