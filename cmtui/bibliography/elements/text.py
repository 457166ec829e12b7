"""Text, numbers, labels and groups."""
# ruff: noqa: D102  (methods are hooks of the processor, described by their classes)

from __future__ import annotations

import re
from typing import Any

from citeproc import model
from citeproc.source import VariableError

from cmtui.bibliography.cite import Cite
from cmtui.bibliography.elements.common import EN_DASH, Common, ordinal

_NUMBERS = re.compile(r"^[A-Za-z]*\d+[A-Za-z]*(?:\s*[,&–-]\s*[A-Za-z]*\d+[A-Za-z]*)*$")
_SEVERAL = re.compile(r"\w\s*(?:[,&–-]|\band\b)\s*\w")


def is_numeric(text: str) -> bool:
    """Whether a text is a number or a list or range of numbers, with letters at their ends (2nd, A12)."""
    return _NUMBERS.match(text) is not None


class Numbers(Common):
    """Page ranges are abbreviated only where both ends have the same number of digits."""

    def _format_last_page(self: Any, first: str, last: str) -> str:
        # A shortened end may be completed or shortened further only when both ends have the same width.
        if not (first.isdigit() and last.isdigit() and len(first) == len(last)):
            return last
        return str(super()._format_last_page(first, last))  # type: ignore[misc]


class Text(Numbers, model.Text):  # type: ignore[misc]
    """A variable, macro, term or value."""

    def calls_variable(self) -> bool:
        if "macro" not in self.attrib:
            return bool(super().calls_variable())
        cache = self.cached("macro-variables")
        name = self.get("macro")
        if name not in cache:
            cache[name] = bool(super().calls_variable())
        return bool(cache[name])

    def get_macro(self, name: str) -> Any:
        cache = self.cached("macros")
        if name not in cache:
            cache[name] = super().get_macro(name)
        return cache[name]

    def process(self, item: Cite, context: Any = None, **kwargs: Any) -> tuple[Any, str | None]:
        language = str(item.reference.get("language") or self.get_root().language)[:2]
        if "variable" in self.attrib:
            text = self._variable(item, context)
        elif "macro" in self.attrib:
            text = self.get_macro(self.get("macro")).render(
                item, context=context, sort_options=kwargs.get("sort_options")
            )
        elif "term" in self.attrib:
            text = self._term(item)
        else:
            text = str(self.get("value", ""))
        return text, language

    def _variable(self, item: Cite, context: Any) -> Any:  # noqa: ARG002
        variable = self.get("variable")
        if self.get("form") == "short" and f"{variable}-short" in item.reference:
            variable = f"{variable}-short"
        if variable == "citation-number":
            return str(item.number) if item.number else None
        if variable == "locator":
            if item.locator is None:
                raise VariableError
            if item.locator.label == "page":
                return str(self._process(item.locator.identifier, "page"))
            return item.locator.identifier.replace("-", EN_DASH)
        if variable == "first-reference-note-number":
            raise VariableError
        if variable == "year-suffix":
            if not item.year_suffix:
                raise VariableError
            return item.year_suffix
        source = "page" if variable == "page-first" else variable
        if source not in item.reference or not self.shown(item, source):
            raise VariableError
        value = item.reference.get(source)
        if variable.startswith("page"):
            return str(self._process(value, variable))
        return value


class Number(Numbers, model.Number):  # type: ignore[misc]
    """A number variable; texts that are no numbers are printed as they are."""

    def process(self, item: Cite, context: Any = None, **kwargs: Any) -> Any:  # noqa: ARG002
        variable = self.get("variable")
        if variable == "locator":
            if item.locator is None:
                raise VariableError
            return self._process(item.locator.identifier, item.locator.label)
        source = "page" if variable == "page-first" else variable
        if source not in item.reference or not self.shown(item, source):
            raise VariableError
        value = str(item.reference.get(source))
        # "3" is a number and "1st and 2nd revised" a text: only numbers are taken apart.
        return self._process(value, variable) if is_numeric(value) else value

    def format_number(self, number: str) -> str:
        form = self.get("form", "numeric")
        if not number.isdecimal():
            return str(number)
        value = int(number)
        if form == "long-ordinal" and 1 <= value <= 10:
            return str(self.get_single_term(f"long-ordinal-{value:02}")) or ordinal(value, self)
        if form in ("ordinal", "long-ordinal"):
            return ordinal(value, self)
        if form == "roman" and value < 4000:
            return str(model.romanize(value)).lower()
        return str(number)


class Label(Common, model.Label):  # type: ignore[misc]
    """A term that names a variable or the kind of a locator."""

    def process(
        self,
        item: Cite,
        variable: str | None = None,
        plural: bool | None = None,
        context: Any = None,
        **kwargs: Any,
    ) -> str | None:
        del context, kwargs
        variable = variable or str(self.get("variable"))
        if variable == "locator":
            if item.locator is None:
                raise VariableError
            term, value = item.locator.label, item.locator.identifier
        else:
            if plural is None and variable not in item.reference:
                raise VariableError
            term, value = variable, str(item.reference.get(variable, ""))
        if plural is None:
            several = bool(_SEVERAL.search(value))
            if variable.startswith("number-of"):
                several = value.isdigit() and int(value) > 1
            plural = several
        option = self.get("plural", "contextual")
        plural = option == "always" or (option == "contextual" and plural)
        form = self.get("form", "long")
        text = self.term_text(term, form, plural=plural)
        return text or None


class Group(Common, model.Group):  # type: ignore[misc]
    """A group, printed when one of its variables is."""

    def process(self, item: Cite, context: Any = None, **kwargs: Any) -> Any:
        kept: dict[str, Any] = self.__dict__
        if "children" not in kept:
            kept["children"] = [
                (child, isinstance(child, model.Choose), bool(child.calls_variable())) for child in self
            ]
            kept["calls"] = any(calls for _, _, calls in kept["children"])
        output: list[Any] = []
        rendered = False
        delimiter = self.get("delimiter", "")
        for child, chooses, calls in kept["children"]:
            try:
                if chooses:
                    text = child.render(item, context=context, delimiter=delimiter, **kwargs)
                else:
                    text = child.render(item, context=context, **kwargs)
            except VariableError:
                continue
            if text is not None:
                output.append(text)
                rendered = rendered or calls
        if not output or (kept["calls"] and not rendered):
            raise VariableError
        return self.join(output)


class Layout(Common, model.Layout):  # type: ignore[misc]
    """The frame of a citation or reference."""


class Style(Common, model.Style):  # type: ignore[misc]
    """The root."""
