"""What all elements share: formatting sentinels, terms with form fallback, letter case, quotation marks."""
# ruff: noqa: D102  (methods are hooks of the processor, described by their classes)

from __future__ import annotations

from typing import Any

from citeproc import model

from cmtui.bibliography import casing
from cmtui.bibliography.cite import Cite
from cmtui.bibliography.markup import BOLD, ITALIC, QUOTE, SMALL_CAPS, SUBSCRIPT, SUPERSCRIPT, UNDERLINE

NS = "{http://purl.org/net/xbiblio/csl}"
EN_DASH = "–"
_FORM_FALLBACK = {"verb-short": "verb", "symbol": "short", "verb": "long", "short": "long"}


class SentinelFormatter:
    """Formatting as private-use sentinels (citeproc-py takes any object with these names)."""

    @staticmethod
    def preformat(text: str) -> str:
        """Text goes through as it is; each output escapes for itself."""
        return str(text)

    @staticmethod
    def _wrapped(pair: tuple[str, str], text: Any) -> str:
        return f"{pair[0]}{text}{pair[1]}"

    def Italic(self, text: Any) -> str:  # noqa: N802
        return self._wrapped(ITALIC, text)

    Oblique = Italic

    def Bold(self, text: Any) -> str:  # noqa: N802
        return self._wrapped(BOLD, text)

    def Light(self, text: Any) -> str:  # noqa: N802
        return str(text)

    def Underline(self, text: Any) -> str:  # noqa: N802
        return self._wrapped(UNDERLINE, text)

    def Superscript(self, text: Any) -> str:  # noqa: N802
        return self._wrapped(SUPERSCRIPT, text)

    def Subscript(self, text: Any) -> str:  # noqa: N802
        return self._wrapped(SUBSCRIPT, text)

    def SmallCaps(self, text: Any) -> str:  # noqa: N802
        return self._wrapped(SMALL_CAPS, text)


_FORMATTER = SentinelFormatter()
_FORMATTING = ("font-style", "font-variant", "font-weight", "text-decoration", "vertical-align")


class Common:
    """Terms with form fallback and a cache, letter case, quotation marks."""

    def get_formatter(self) -> SentinelFormatter:
        return _FORMATTER

    def get_root(self: Any) -> Any:
        # Asked for some hundred times per reference; an element never changes its tree.
        kept: dict[str, Any] = self.__dict__
        if "root" not in kept:
            kept["root"] = self.getroottree().getroot()
        return kept["root"]

    def format(self: Any, string: Any) -> str:
        # Most elements have no formatting; the library asks for all five kinds each time.
        kept: dict[str, Any] = self.__dict__
        if "formatted" not in kept:
            kept["formatted"] = any(name in self.attrib for name in _FORMATTING)
        if not kept["formatted"]:
            return str(string)
        return str(super().format(string))  # type: ignore[misc]

    def cached(self: Any, kind: str) -> dict[Any, Any]:
        root = self.get_root()
        if isinstance(root, model.Locale):
            root = root.style
        caches: dict[str, dict[Any, Any]] = root.caches
        return caches.setdefault(kind, {})

    def term_text(self: Any, name: str, form: str | None, *, plural: bool) -> str:
        cache = self.cached("terms")
        key = (name, form, plural)
        if key not in cache:
            root = self.get_root()
            style = root.style if isinstance(root, model.Locale) else root
            wanted: str | None = form or "long"
            text = ""
            while wanted is not None:
                term = style.get_term(name, None if wanted == "long" else wanted)
                if term is not None:
                    text = str(term.multiple if plural else term.single)
                    break
                wanted = _FORM_FALLBACK.get(wanted)
            cache[key] = text
        return str(cache[key])

    def get_single_term(self: Any, name: str, form: str | None = None, **_: Any) -> str:
        return str(self.term_text(name, form, plural=False))

    def get_plural_term(self: Any, name: str, form: str | None = None, **_: Any) -> str:
        return str(self.term_text(name, form, plural=True))

    def case(self: Any, text: Any, language: str | None = None) -> str:
        wanted = self.get("text-case")
        if wanted is None:
            return str(text)
        return casing.apply(str(text), wanted, english=language in (None, "en"))

    def quote(self: Any, string: Any) -> Any:
        if self.get("quotes", "false") == "true" and string:
            return f"{QUOTE[0]}{string}{QUOTE[1]}"
        return string

    def shown(self, item: Cite, variable: str) -> bool:
        """Note that a variable is printed; False when a substitute has printed it already."""
        if variable in item.suppressed:
            return False
        if item.recording is not None:
            item.recording.append(variable)
        return True


def ordinal(number: int, context: Any) -> str:
    """The number with its ordinal ending, from the locale's terms."""
    last_two = number % 100
    for name in (f"ordinal-{last_two:02}", f"ordinal-{number % 10:02}", "ordinal"):
        if (
            name != "ordinal"
            and 10 <= last_two <= 19
            and name == f"ordinal-{number % 10:02}"
            and last_two >= 10
        ):
            continue
        suffix = context.get_single_term(name)
        if suffix:
            return f"{number}{suffix}"
    return str(number)
