"""Dates and ranges of dates."""
# ruff: noqa: D102  (methods are hooks of the processor, described by their classes)

from __future__ import annotations

from typing import Any

from citeproc import model
from citeproc.source import VariableError

from cmtui.bibliography import casing
from cmtui.bibliography.cite import Cite
from cmtui.bibliography.elements.common import EN_DASH, NS, Common, ordinal
from cmtui.bibliography.normalise import DatePoint, DateValue


class Date(Common, model.Date):  # type: ignore[misc]
    """A date variable, or the form a locale has for dates."""

    def process(self, item: Cite, variable: str | None = None, context: Any = None, **kwargs: Any) -> Any:
        del context, kwargs
        variable = variable or str(self.get("variable"))
        value = item.reference.get(variable)
        if value is None or not self.shown(item, variable):
            raise VariableError
        if item.mode == "sort":
            return value.sort_key()
        layout, delimiter = self._layout()
        if value.begin is None:
            if all(name != "year" for name, _, _ in layout):
                raise VariableError  # words for a date stand where the year does, and only there
            text = value.literal
        else:
            text = self._dates(value, layout, delimiter)
        return self.wrap(self.format(text)) if text else None

    def _layout(self) -> tuple[list[tuple[str, dict[str, str], Any]], str]:
        """The parts in order as (name, attributes, element), and the delimiter."""
        own = {part.get("name"): part for part in self.findall(NS + "date-part")}
        form = self.get("form")
        if form is None:
            parts = [(name, dict(part.attrib), part) for name, part in own.items()]
            return parts, self.get("delimiter", "")
        wanted = self.get("date-parts", "year-month-day").split("-")
        localized = self.get_date(form)
        parts = []
        for part in localized.findall(NS + "date-part"):
            name = part.get("name")
            if name in wanted:
                attributes = dict(part.attrib)
                attributes.update(dict(own[name].attrib) if name in own else {})
                parts.append((name, attributes, part))
        return parts, localized.get("delimiter", self.get("delimiter", ""))

    def _dates(self, value: DateValue, layout: list[tuple[str, dict[str, str], Any]], delimiter: str) -> str:
        begin, end = value.begin, value.end
        assert begin is not None
        if end is None or end == begin:
            return self._run(begin, layout, delimiter)
        if end.year == 0:
            return self._run(begin, layout, delimiter) + EN_DASH
        names = [name for name, _, _ in layout]
        differing = [name for name in ("year", "month", "day") if name in names]
        for name in list(differing):
            if getattr(begin, name) == getattr(end, name) and begin.season == end.season:
                differing.remove(name)
            else:
                break
        if not differing:
            return self._run(begin, layout, delimiter)
        positions = [i for i, name in enumerate(names) if name in differing]
        low, high = positions[0], positions[-1] + 1
        head = self._run(begin, layout[:low], delimiter, keep_end=True)
        first = self._run(begin, layout[low:high], delimiter)
        second = self._run(end, layout[low:high], delimiter, keep_end=high < len(layout))
        tail = self._run(end, layout[high:], delimiter)
        head = head + delimiter if head else head
        tail = delimiter + tail if tail else tail
        return f"{head}{first}{EN_DASH}{second}{tail}"

    def _run(
        self,
        point: DatePoint,
        layout: list[tuple[str, dict[str, str], Any]],
        delimiter: str,
        *,
        keep_end: bool = False,
    ) -> str:
        written: list[str] = []
        for name, attributes, element in layout:
            text = self._part(point, name, attributes)
            if text:
                if attributes.get("strip-periods") == "true":
                    text = text.replace(".", "")
                text = casing.apply(text, attributes.get("text-case"))
                text = str(element.format(text))
                written.append(attributes.get("prefix", "") + text + attributes.get("suffix", ""))
        text = delimiter.join(written)
        # A suffix that only separates parts ("May " before a missing day) has nothing to separate at the end.
        return text if keep_end else text.strip(" ,")

    def _part(self, point: DatePoint, name: str, attributes: dict[str, str]) -> str:
        form = attributes.get("form", "")
        if name == "year":
            text = str(abs(point.year))
            if form == "short":
                return text[-2:]
            if point.year < 0:
                return text + " " + self.get_single_term("bc").strip()
            return text if point.year >= 100 else text + " " + self.get_single_term("ad").strip()
        if name == "month":
            if point.month is None:
                if point.season is None:
                    return ""
                return str(self.get_single_term(f"season-{point.season:02}"))
            if form == "numeric":
                return str(point.month)
            if form == "numeric-leading-zeros":
                return f"{point.month:02}"
            return str(self.get_single_term(f"month-{point.month:02}", "short" if form == "short" else None))
        if point.day is None or point.month is None:
            return ""
        if form == "numeric-leading-zeros":
            return f"{point.day:02}"
        return ordinal(point.day, self) if form == "ordinal" else str(point.day)
