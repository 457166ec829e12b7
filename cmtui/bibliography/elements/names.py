"""Names: order, initials, particles, "et al.", and what tells namesakes apart."""
# ruff: noqa: D102  (methods are hooks of the processor, described by their classes)

from __future__ import annotations

import re
from typing import Any

from citeproc import model
from citeproc.source import VariableError

from cmtui.bibliography import casing
from cmtui.bibliography.cite import Cite
from cmtui.bibliography.elements.common import NS, Common
from cmtui.bibliography.normalise import Person

#: Written names kept per element of a style.
_PEOPLE_LIMIT = 8192


class Names(Common, model.Names):  # type: ignore[misc]
    """Names of one or more roles. The first one of a citation can be left out or replaced."""

    def render(self, item: Cite, *args: Any, **kwargs: Any) -> Any:
        first = not item.names_rendered and self.getparent().tag != NS + "substitute"
        if not first:
            return self.markup(self.process(item, *args, **kwargs))
        item.names_rendered = True
        if item.suppress_names:
            return None
        text = self.process(item, *args, **kwargs)
        if text and item.substitute_names:
            item.first_names = text
            text = item.substitute_names
        else:
            item.first_names = text
        return self.markup(text)

    def process(self, item: Cite, names_context: Any = None, context: Any = None, **kwargs: Any) -> Any:
        names = names_context if names_context is not None else self
        roles = [role for role in self.get("variable").split() if role in item.reference]
        roles = [role for role in roles if self.shown(item, role)]
        merged = ""
        if (
            set(roles) == {"editor", "translator"}
            and item.reference.get("editor") == item.reference.get("translator")
            and self.get_single_term("editortranslator")
        ):
            roles, merged = ["editor"], "editortranslator"
        output: list[Any] = []
        for role in roles:
            text = names.name.render(item, role, context=context, **kwargs)
            label = names.label
            if label is not None and text and not isinstance(text, int):
                several = len(item.reference.get(role)) > 1
                written = label.render(item, merged or role, several, **kwargs)
                if written is not None:
                    before = list(names).index(label) < list(names).index(names.name)
                    text = written + text if before else str(text) + str(written)
            if text:
                output.append(text)
        if output and all(isinstance(count, int) for count in output):
            return str(sum(output))
        if output:
            return self.join(output, self._names_delimiter(item))
        substitute = self.substitute()
        text = substitute.render(item, context=context, **kwargs) if substitute is not None else None
        if not text:
            raise VariableError
        return text

    def _names_delimiter(self, item: Cite) -> str:
        own = self.get("delimiter")
        if own is not None:
            return str(own)
        root = self.get_root()
        section = root.find(NS + item.mode)
        inherited = section.get("names-delimiter") if section is not None else None
        return str(inherited or root.get("names-delimiter", ", "))


class Name(Common, model.Name):  # type: ignore[misc]
    """How the names of one role are written and joined."""

    def _option(self, item: Cite, name: str, sort_options: Any, default: str = "") -> str:
        if sort_options and name in sort_options:
            return str(sort_options[name])
        options: dict[tuple[str, str], str | None] = self.__dict__.setdefault("options", {})
        key = (item.mode, name)
        if key not in options:
            options[key] = self._inherited(item.mode, name)
        value = options[key]
        return default if value is None else value

    def _inherited(self, mode: str, name: str) -> str | None:
        value = self.get(name)
        if value is None:
            inherited = f"name-{name}" if name in ("form", "delimiter") else name
            root = self.get_root()
            section = root.find(NS + mode)
            value = section.get(inherited) if section is not None else None
            if value is None:
                value = root.get(inherited)
        return None if value is None else str(value)

    def process(
        self, item: Cite, variable: str, context: Any = None, sort_options: Any = None, **kwargs: Any
    ) -> Any:
        del context, kwargs
        people: list[Person] = item.reference.get(variable, [])

        def option(name: str, default: str = "") -> str:
            return self._option(item, name, sort_options, default)

        minimum, shown = int(option("et-al-min", "0")), int(option("et-al-use-first", "1"))
        if item.mode == "citation" and "subsequent" in item.positions:
            minimum = int(option("et-al-subsequent-min", str(minimum)))
            shown = int(option("et-al-subsequent-use-first", str(shown)))
        truncated = bool(minimum) and len(people) >= minimum and len(people) > shown
        if truncated and item.mode == "citation" and item.names_shown:
            shown = max(shown, item.names_shown)
            truncated = len(people) > shown
        use_last = truncated and option("et-al-use-last") == "true" and len(people) - shown >= 2
        if option("form", "long") == "count":
            return shown if truncated else len(people)
        kept = people[:shown] if truncated else list(people)
        written = [self._person(item, name, i, option) for i, name in enumerate(kept)]
        delimiter = option("delimiter", ", ")
        inverted = option("name-as-sort-order") == "all" or (
            option("name-as-sort-order") == "first" and len(written) == 1
        )
        if truncated and use_last:
            last = self._person(item, people[-1], len(people) - 1, option)
            return delimiter.join(written) + f"{delimiter}… {last}"
        if truncated:
            et_al = self._et_al()
            separate = self._separate(
                option("delimiter-precedes-et-al", "contextual"), len(written), inverted
            )
            return delimiter.join(written) + (delimiter if separate else " ") + et_al
        conjunction = {"text": self.get_single_term("and"), "symbol": "&"}.get(option("and"), "")
        if conjunction and len(written) > 1:
            after_inverted = option("name-as-sort-order") == "all" or (
                option("name-as-sort-order") == "first" and len(written) == 2
            )
            separate = self._separate(
                option("delimiter-precedes-last", "contextual"), len(written) - 1, after_inverted
            )
            return (
                delimiter.join(written[:-1])
                + (delimiter if separate else " ")
                + f"{conjunction} {written[-1]}"
            )
        return delimiter.join(written)

    @staticmethod
    def _separate(rule: str, before: int, inverted: bool) -> bool:
        if rule == "after-inverted-name":
            return inverted
        return rule == "always" or (rule == "contextual" and before >= 2)

    def _et_al(self) -> str:
        element = self.getparent().find(NS + "et-al")
        if element is not None:
            return str(element.render())
        return str(self.get_single_term("et-al"))

    def _person(self, item: Cite, name: Person, index: int, option: Any) -> str:
        # The same few people are written again and again while a bibliography is made unambiguous.
        people: dict[Any, str] = self.__dict__.setdefault("people", {})
        key = (name, item.mode, index == 0, item.given_level.get(index, 0), option("name-as-sort-order"))
        if key not in people:
            if len(people) >= _PEOPLE_LIMIT:
                people.clear()
            people[key] = self._written(item, name, index, option)
        return people[key]

    def _written(self, item: Cite, name: Person, index: int, option: Any) -> str:
        if name.literal:
            return str(self._part("family", name.literal))
        form = option("form", "long")
        given = name.given
        expanded = item.mode == "citation" and form == "short" and item.given_level.get(index, 0)
        if expanded:
            form = "long"
        mark = self._option(item, "initialize-with", None, "\0")
        if expanded == 1 or (mark != "\0" and not expanded):
            given = initials(
                given,
                ". " if mark == "\0" else mark,
                initialize=bool(expanded) or option("initialize", "true") == "true",
                hyphen=self.get_root().get("initialize-with-hyphen", "true") == "true",
            )
        family = name.family
        if form == "short":
            return str(self._part("family", _joined(name.non_dropping, family)))
        order = option("name-as-sort-order")
        separator: str = option("sort-separator", ", ")
        if not expanded and (order == "all" or (order == "first" and index == 0)):
            demote = self.get_root().get("demote-non-dropping-particle", "display-and-sort")
            if demote == "display-and-sort" or (demote == "sort-only" and item.mode == "sort"):
                given = " ".join(x for x in (given, name.dropping, name.non_dropping) if x)
            else:
                family = _joined(name.non_dropping, family)
                given = " ".join(x for x in (given, name.dropping) if x)
            parts = (self._part("family", family), self._part("given", given), name.suffix)
            return separator.join(str(part) for part in parts if part)
        family = _joined(name.non_dropping, family)
        given = " ".join(x for x in (given, name.dropping) if x)
        suffix = name.suffix if name.suffix and not expanded else ""
        return " ".join(
            str(x) for x in (self._part("given", given), self._part("family", family), suffix) if x
        )

    def _part(self, kind: str, text: str) -> str:
        for part in self.findall(NS + "name-part"):
            if part.get("name") == kind and text:
                text = str(part.wrap(part.format(casing.apply(text, part.get("text-case")))))
        return text


def _joined(particle: str, family: str) -> str:
    if particle and particle[-1] in "'’-":
        return particle + family
    return f"{particle} {family}" if particle else family


def initials(given: str, mark: str, *, initialize: bool, hyphen: bool) -> str:
    """Given names as initials, or with only existing initials normalised when ``initialize`` is false."""
    output: list[str] = []
    for word in re.sub(r"(?<=\.)(?=[^\s.-])", " ", given).split():
        pieces = [piece for piece in re.split(r"[-‐‑]", word) if piece]
        if not pieces:
            continue
        if not pieces[0][0].isalpha() or pieces[0][0].islower():
            output.append(f" {word} ")  # a particle, or no letter at all
        elif not initialize:
            single = len(word.rstrip(".")) == 1
            output.append(word.rstrip(".") + mark if single else f" {word} ")
        else:
            bare = mark.rstrip()
            if hyphen and len(pieces) > 1:
                output.append("-".join(piece[0].upper() + bare for piece in pieces) + mark[len(bare) :])
            else:
                output.append("".join(piece[0].upper() + mark for piece in pieces))
    return " ".join("".join(output).split())


class Name_Part(Common, model.Name_Part):  # type: ignore[misc]  # noqa: N801
    """Formatting of family or given names."""


class Et_Al(Common, model.Et_Al):  # type: ignore[misc]  # noqa: N801
    """How "et al." is written."""
