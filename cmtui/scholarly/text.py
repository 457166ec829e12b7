"""Titles and abstracts as people wrote them, out of JATS, HTML, MathML and entities (providers.md 3)."""

from __future__ import annotations

import html
import re
import unicodedata

#: Inline tags that CSL-JSON allows in text fields, and what other vocabularies call them.
_RICH = {
    "i": "i",
    "em": "i",
    "italic": "i",
    "b": "b",
    "strong": "b",
    "bold": "b",
    "sub": "sub",
    "inf": "sub",
    "sup": "sup",
    "scp": "sc",
    "sc": "sc",
}
_INLINE = (
    "u|tt|span|font|a|ext-link|xref|inline-formula|underline|monospace|named-content|styled-content|roman"
)
_BLOCK = (
    "p|div|br|title|subtitle|sec|section|list|list-item|li|ul|ol|label|h[1-6]|disp-formula|break|abstract"
)
_TAG = re.compile(
    rf"<(?P<close>/?)\s*(?:jats:)?(?P<name>{'|'.join(_RICH)}|{_INLINE}|{_BLOCK}|tex-math)(?=[\s/>])[^<>]*>"
    r"|<(?P<math>/?mml:[a-z]+)(?=[\s/>])[^<>]*>|<!--.*?-->",
    re.IGNORECASE | re.DOTALL,
)
_BLOCKS = re.compile(rf"(?:{_BLOCK})", re.IGNORECASE)
_TEX = re.compile(r"<(?:jats:)?tex-math\b[^>]*>.*?</(?:jats:)?tex-math>", re.IGNORECASE | re.DOTALL)
_MATH = re.compile(r"<mml:math\b", re.IGNORECASE)
_BROKEN_POSSESSIVE = re.compile(r"&Apos;S\b")
_BROKEN_ENTITY = re.compile(r"&(Amp|Apos|Quot|Lt|Gt);")
_BLANKS = re.compile(r"\s+")
_INVISIBLE = re.compile("[\u200b\u2060\ufeff\u00ad\x00-\x08\x0e-\x1f\x7f]")
_HEADING = re.compile(
    r"^\s*<(?:jats:)?title>\s*(?:abstract|summary|resumen|resumo|résumé|zusammenfassung)\s*[:.]?\s*"
    r"</(?:jats:)?title>",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^(?:Abstract|ABSTRACT|Summary|SUMMARY|Resumen|Resumo)\s*[:.\u2014\u2013-]+\s+")


def plain(text: str) -> str:
    """One line without markup: block tags become a blank, inline tags nothing, so ``[Ru(bpy)<sub>3</sub>]``
    is ``[Ru(bpy)3]``. Entities are read at most twice; a ``<`` that opens no known tag stays."""
    return _clean(text, rich=False)


def rich(text: str) -> str:
    """As ``plain``, but italic, bold, subscript, superscript and small capitals stay as CSL-JSON tags."""
    return _clean(text, rich=True)


def abstract(text: str) -> str:
    """An abstract as plain text, without the heading that is glued to a third of them."""
    return _LABEL.sub("", plain(_HEADING.sub(" ", text)))


def _clean(text: str, *, rich: bool) -> str:
    if _MATH.search(text):
        text = _TEX.sub("", text)
    for _ in range(2):
        text = _strip_tags(text, rich=rich)
        text = _BROKEN_POSSESSIVE.sub("'s", text)
        text = html.unescape(_BROKEN_ENTITY.sub(lambda match: f"&{match[1].lower()};", text))
    text = _strip_tags(text, rich=rich)
    text = _INVISIBLE.sub("", unicodedata.normalize("NFC", text))
    return _BLANKS.sub(" ", text).strip()


def _strip_tags(text: str, *, rich: bool) -> str:
    def replacement(match: re.Match[str]) -> str:
        name = (match["name"] or "").lower()
        if name in _RICH:
            return f"<{match['close']}{_RICH[name]}>" if rich else ""
        return " " if name and _BLOCKS.fullmatch(name) else ""

    return _TAG.sub(replacement, text)


def fold(text: str) -> str:
    """A key for comparing titles and names: no accents, case, punctuation or markup."""
    decomposed = unicodedata.normalize("NFKD", plain(text)).casefold()
    letters = "".join(c if c.isalnum() else " " for c in decomposed if not unicodedata.combining(c))
    return " ".join(letters.split())
