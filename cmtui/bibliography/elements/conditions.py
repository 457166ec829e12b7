"""Conditions and substitution."""
# ruff: noqa: D102  (methods are hooks of the processor, described by their classes)

from __future__ import annotations

from typing import Any

from citeproc import model
from citeproc.source import VariableError

from cmtui.bibliography.cite import Cite
from cmtui.bibliography.elements.common import NS
from cmtui.bibliography.elements.text import is_numeric
from cmtui.bibliography.normalise import DateValue

_TESTS = ("type", "variable", "is-numeric", "is-uncertain-date", "locator", "position", "disambiguate")


class If(model.If):  # type: ignore[misc]
    """A condition. All tests of an element are combined by its match attribute."""

    def render(self, item: Cite, context: Any = None, delimiter: str = "", **kwargs: Any) -> Any:
        tests, match = self._tests()
        results = (self._holds(test, value, item) for test, value in tests)
        holds = any(results) if match == "any" else not any(results) if match == "none" else all(results)
        if not holds:
            raise model.ConditionFailed
        return self.render_children(item, context=context, delimiter=delimiter, **kwargs)

    def _tests(self) -> tuple[list[tuple[str, str]], str]:
        kept: dict[str, Any] = self.__dict__
        if "tests" not in kept:
            tests = [(test, value) for test in _TESTS for value in self.get(test, "").split()]
            kept["tests"] = (tests, self.get("match", "all"))
        known: tuple[list[tuple[str, str]], str] = kept["tests"]
        return known

    @staticmethod
    def _holds(test: str, value: str, item: Cite) -> bool:
        if test == "type":
            return bool(item.reference.type == value)
        if test == "variable":
            if value == "locator":
                return item.locator is not None
            if value == "year-suffix":
                return bool(item.year_suffix)
            if value == "citation-number":
                return bool(item.number)
            return value in item.reference and value not in item.suppressed
        if test == "is-numeric":
            text = (
                item.locator.identifier if value == "locator" and item.locator else item.reference.get(value)
            )
            return text is not None and is_numeric(str(text))
        if test == "is-uncertain-date":
            date = item.reference.get(value)
            return isinstance(date, DateValue) and date.circa
        if test == "locator":
            return item.locator is not None and item.locator.label == value
        if test == "position":
            return item.mode == "citation" and value in item.positions
        return item.mode == "citation" and item.disambiguate is (value == "true")


class Else_If(If, model.Else_If):  # type: ignore[misc]  # noqa: N801
    """A further condition."""


class Substitute(model.Substitute):  # type: ignore[misc]
    """What stands in for missing names; what it prints is not printed again later."""

    def render(self, item: Cite, context: Any = None, **kwargs: Any) -> Any:
        outer = item.recording
        for child in self.iterchildren():
            item.recording = []
            try:
                if child.tag == NS + "names" and child.name is None:
                    text = child.render(item, names_context=self.getparent(), context=context, **kwargs)
                else:
                    text = child.render(item, context=context, **kwargs)
            except VariableError:
                text = None
            recorded, item.recording = item.recording, outer
            if text:
                item.suppressed.update(recorded)
                return text
        return None
