"""Loading CSL styles into citeproc-py and rendering references and citations with them.

Imports lxml and citeproc: import it inside functions only. A ``Processor`` keeps state in its style tree and
must stay in one thread; ``service.Formatter`` keeps one per thread.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

import citeproc
from citeproc import model
from citeproc.source import VariableError
from lxml import etree

from cmtui.bibliography import postprocess
from cmtui.bibliography.cite import Cite
from cmtui.bibliography.elements import conditions, dates, text
from cmtui.bibliography.elements import names as naming
from cmtui.bibliography.elements.common import SentinelFormatter
from cmtui.bibliography.markup import LETTERS, strip
from cmtui.bibliography.normalise import DateValue
from cmtui.errors import UnknownStyle, UnsupportedForm

NAMESPACE = "http://purl.org/net/xbiblio/csl"
_NS = f"{{{NAMESPACE}}}"
_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
#: A style larger than this is not a style (the largest official one has 245 kB).
_MAX_BYTES = 4_000_000


_REPLACED: tuple[type[Any], ...] = (
    text.Text, text.Number, text.Label, text.Group, text.Layout, text.Style,
    conditions.If, conditions.Else_If, conditions.Substitute,
    naming.Names, naming.Name, naming.Name_Part, naming.Et_Al, dates.Date,
)  # fmt: skip


def _element_classes() -> dict[str, type[Any]]:
    classes = {
        cls.__name__.replace("_", "-").lower(): cls for cls in model.CitationStylesElement.__subclasses__()
    }
    for cls in _REPLACED:
        classes[cls.__name__.replace("_", "-").lower()] = cls
    return classes


def _parser() -> etree.XMLParser:
    lookup = etree.ElementNamespaceClassLookup()
    namespace: Any = lookup.get_namespace(NAMESPACE)
    namespace[None] = model.CitationStylesElement
    namespace.update(_element_classes())
    parser = etree.XMLParser(
        remove_comments=True,
        remove_pis=True,
        remove_blank_text=True,
        no_network=True,
        resolve_entities=False,
        load_dtd=False,
    )
    parser.set_element_class_lookup(lookup)
    return parser


@cache
def _locale_bytes(language: str) -> bytes | None:
    path = Path(citeproc.LOCALES_PATH) / f"locales-{language}.xml"
    return (
        path.read_bytes()
        if re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z]{2})?", language) and path.is_file()
        else None
    )


_WITHOUT_RENDERING = ("info", "terms", "style-options", "single", "multiple")


def check(root: Any, name: str) -> None:
    """Refuse a style that cannot work: unknown elements, macros that are not there or call themselves,
    sections without a layout. Raises UnknownStyle with the line and the reason."""

    def refuse(element: Any, reason: str) -> None:
        raise UnknownStyle(
            f"'{name}', line {element.sourceline}: {reason}.",
            "Check it with the CSL validator (validator.citationstyles.org), or use a shipped style.",
        )

    known = {*_element_classes(), *_WITHOUT_RENDERING}
    calls: dict[str, set[str]] = {}
    for macro in root.iter(_NS + "macro"):
        calls[macro.get("name", "")] = {e.get("macro") for e in macro.iter(_NS + "text") if e.get("macro")}
    for element in root.iter(f"{_NS}*"):
        local = etree.QName(element).localname
        if local not in known and not any(True for _ in element.iterancestors(_NS + "info")):
            refuse(element, f"CSL has no element <{local}>")
        called = element.get("macro")
        if called is not None and called not in calls:
            refuse(element, f"there is no macro '{called}'")
        if local in ("citation", "bibliography") and element.find(_NS + "layout") is None:
            refuse(element, f"<{local}> has no <layout>")
    for macro in root.iter(_NS + "macro"):
        start = macro.get("name", "")
        reached: set[str] = set()
        waiting = set(calls[start])
        while waiting:
            one = waiting.pop()
            if one == start:
                refuse(macro, f"the macro '{start}' calls itself")
            if one not in reached:
                reached.add(one)
                waiting |= calls.get(one, set())


class Processor:
    """One CSL style, ready to render. Not for use by two threads."""

    def __init__(self, content: bytes, *, name: str, locale: str | None = None) -> None:
        if len(content) > _MAX_BYTES:
            raise UnknownStyle(f"'{name}' is too large to be a citation style.", "Give a .csl file.")
        try:
            self._root: Any = etree.fromstring(content, _parser())
        except etree.XMLSyntaxError as error:
            reason = (error.msg or "not XML").partition(", line ")[0]
            raise UnknownStyle(
                f"'{name}', line {error.lineno or 1}: not well-formed XML: {reason}.",
                "Give a CSL 1.0 style file (.csl).",
            ) from error
        if self._root.tag != _NS + "style":
            found = etree.QName(self._root)
            place = f"'{name}', line {self._root.sourceline}"
            raise UnknownStyle(
                f"{place}: this is not a citation style; its root is <{found.localname}> of the namespace "
                f"'{found.namespace or ''}'.",
                f'A style starts with <style xmlns="{NAMESPACE}" …>.',
            )
        if self._root.tag != _NS + "style" or self._root.find(_NS + "citation") is None:
            parent = self._root.find(f"{_NS}info/{_NS}link[@rel='independent-parent']")
            hint = "Give an independent CSL style file (.csl)."
            if parent is not None:
                hint = f"It depends on another style; give that one: {parent.get('href')}"
            raise UnknownStyle(f"'{name}' is not a complete citation style.", hint)
        check(self._root, name)
        self.name = name
        self.language = locale or self._root.get("default-locale") or "en-US"
        self._prepare()

    def _prepare(self) -> None:
        root = self._root
        # citeproc-py's own loader validates (slow and noisy) and finds locales with its own element classes.
        self._kept = [root]
        locales = []
        short = self.language.split("-")[0]
        for wanted in (self.language, short, None):
            for element in root.findall(_NS + "locale"):
                if element.get(_LANG) == wanted and element not in locales:
                    locales.append(element)
        primary = citeproc.PRIMARY_DIALECTS.get(short, "en-US")
        for language in dict.fromkeys((self.language, primary, "en-US")):
            content = _locale_bytes(language)
            if content is not None:
                locales.append(etree.fromstring(content, _parser()))
        root.locales = locales
        root.formatter = SentinelFormatter()
        root.caches = {}
        root.language = self.language
        for locale in locales:
            locale.style = root
        for names in root.iter(_NS + "names"):
            if names.find(_NS + "name") is None and names.getparent().tag != _NS + "substitute":
                names.insert(0, etree.SubElement(names, _NS + "name"))
        # lxml forgets the Python side of an element that nobody holds, and what it has cached with it.
        self._kept += [element for part in (root, *locales[:1]) for element in part.iter()] + locales

    @property
    def note_style(self) -> bool:
        """Whether citations are notes."""
        return bool(self._root.get("class") == "note")

    @cached_property
    def disambiguates(self) -> bool:
        """Whether the style has any means to tell apart works whose citations read the same."""
        section = self._root.find(_NS + "citation")
        return any(name.startswith("disambiguate-") for name in section.attrib) or any(
            "disambiguate" in element.attrib for element in self._root.iter(_NS + "if", _NS + "else-if")
        )

    @cached_property
    def numbered(self) -> bool:
        """Whether the style cites by number."""
        return any(
            element.get("variable") == "citation-number"
            for element in self._root.iter(_NS + "text", _NS + "number")
        )

    @property
    def has_bibliography(self) -> bool:
        """Whether the style has references at all."""
        return self._root.find(_NS + "bibliography") is not None

    def citation_option(self, name: str) -> str | None:
        """An attribute of cs:citation."""
        value = self._root.find(_NS + "citation").get(name)
        return None if value is None else str(value)

    @cached_property
    def _typography(self) -> tuple[bool, tuple[str, str, str, str]]:
        root = self._root
        inside = str(root.get_locale_option("punctuation-in-quote")).lower() == "true"
        term = root.get_single_term
        names = ("open-quote", "close-quote", "open-inner-quote", "close-inner-quote")
        marks = tuple(str(term(name)) or default for name, default in zip(names, "“”‘’", strict=True))
        return inside, (marks[0], marks[1], marks[2], marks[3])

    def tidy(self, text: str) -> str:
        """Repair the seams of rendered text for this style's locale."""
        inside, marks = self._typography
        return postprocess.tidy(text, punctuation_in_quote=inside, marks=marks)

    # -- references ----------------------------------------------------------------------------------

    def references(self, cites: Sequence[Cite]) -> list[tuple[Cite, str]]:
        """The bibliography in style order: cite and text with sentinels. Raises UnsupportedForm."""
        if not self.has_bibliography:
            raise UnsupportedForm(f"The style '{self.name}' has no reference list.", "Use --form inline.")
        section = self._root.find(_NS + "bibliography")
        substitute = section.get("subsequent-author-substitute")
        output: list[tuple[Cite, str]] = []
        previous: str | None = None
        for cite in self.in_order(cites):
            cite.substitute_names = ""
            text = self._reference(section, cite)
            names = cite.first_names
            if substitute is not None and names and names == previous:
                cite.substitute_names = substitute
                text = self._reference(section, cite)
                cite.substitute_names = ""
            previous = names
            output.append((cite, self.tidy(text)))
        return output

    def _reference(self, section: Any, cite: Cite) -> str:
        layout = section.find(_NS + "layout")
        cite.begin("bibliography")
        children = list(layout)
        if section.get("second-field-align") and len(children) > 1:
            # The first field has a column of its own; in running text one blank divides it from the rest.
            first = self._children(children[:1], cite)
            rest = self._children(children[1:], cite)
            body = f"{first.rstrip()} {rest.lstrip()}" if first and rest else first + rest
        else:
            body = self._children(children, cite)
        return str(layout.format(layout.wrap(body))) if body else ""

    @staticmethod
    def _children(children: Sequence[Any], cite: Cite) -> str:
        output: list[str] = []
        for child in children:
            try:
                text = child.render(cite)
            except VariableError:
                continue
            if text is not None:
                output.append(str(text))
        return "".join(output)

    def in_order(self, cites: Sequence[Cite], section: str = "bibliography") -> list[Cite]:
        """The cites sorted as the style asks; in the given order when it does not."""
        element = self._root.find(_NS + section)
        sort = element.find(_NS + "sort") if element is not None else None
        ordered = list(cites)
        if sort is None:
            return ordered
        for key in reversed(sort.findall(_NS + "key")):
            descending = key.get("sort") == "descending"
            keyed = [(self._sort_key(key, cite), cite) for cite in ordered]
            # Items without the key come last in both directions.
            present = [pair for pair in keyed if pair[0]]
            present.sort(key=lambda pair: pair[0], reverse=descending)
            if descending:  # a stable sort in reverse keeps equal items in their order
                present = [pair for _, group in groupby(present, key=lambda pair: pair[0]) for pair in group]
            ordered = [cite for _, cite in present] + [cite for value, cite in keyed if not value]
        return ordered

    def _sort_key(self, key: Any, cite: Cite) -> tuple[Any, ...]:
        cite.begin("sort")
        variable = key.get("variable")
        if variable is not None:
            if variable == "citation-number":
                return (f"{cite.number:09}",)
            value = cite.reference.get(variable)
            if isinstance(value, DateValue):
                return (value.sort_key(),)
            if isinstance(value, list):
                value = " ".join(f"{p.family or p.literal} {p.given}" for p in value)
            return collation(str(value)) if value else ()
        options = {"name-as-sort-order": "all"}
        options.update(
            {
                name.replace("names", "et-al"): key.get(name)
                for name in ("names-min", "names-use-first", "names-use-last")
                if key.get(name)
            }
        )
        try:
            text = key.get_macro(key.get("macro")).render(cite, context=key, sort_options=options)
        except VariableError:
            text = None
        return collation(str(text)) if text else ()

    # -- citations -----------------------------------------------------------------------------------

    def cluster(self, cites: Sequence[Cite]) -> str:
        """One citation of several items, with sentinels, in the given order unless the style sorts."""
        section = self._root.find(_NS + "citation")
        layout = section.find(_NS + "layout")
        ordered = self.in_order(cites, "citation") if len(cites) > 1 else list(cites)
        delimiter = layout.get("delimiter", "")
        collapse = section.get("collapse") in ("year", "year-suffix", "year-suffix-ranged")
        group_delimiter = section.get("cite-group-delimiter", ", ")
        parts: list[str] = []
        previous: str | None = None
        for cite in ordered:
            text = self._cite(layout, cite)
            names = cite.first_names
            same = collapse and names and names == previous and not cite.prefix and not cite.suppress_names
            if same:
                cite.suppress_names = True
                text = self._cite(layout, cite)
                cite.suppress_names = False
            previous = names if not cite.suffix else None
            text = f"{cite.prefix}{text}{cite.suffix}"
            if parts:
                text = (group_delimiter if same else delimiter) + text
            parts.append(text)
        body = "".join(parts)
        # An author left out by request can be all there is: then nothing is printed, brackets included.
        return self.tidy(str(layout.format(layout.wrap(body)))) if body else ""

    def _cite(self, layout: Any, cite: Cite) -> str:
        cite.begin("citation")
        return self._children(list(layout), cite)

    def bare(self, cite: Cite) -> str:
        """The citation of one item alone and without locator, to see whether it is unambiguous."""
        locator, cite.locator = cite.locator, None
        try:
            return self._cite(self._root.find(f"{_NS}citation/{_NS}layout"), cite)
        finally:
            cite.locator = locator


def collation(text: str) -> tuple[str, ...]:
    """A sort key without marks, accents, case and leading punctuation; then the text, so order is total.

    Letter-by-letter differences of accented letters decide only between texts that are equal without them.
    """
    folded = unicodedata.normalize("NFKD", strip(text).casefold())
    base = "".join(c for c in folded if not unicodedata.combining(c))
    base = base.translate(LETTERS)
    base = re.sub(r"[^\w\s,;]", "", base).strip()
    return (base, folded) if base else (folded,)
