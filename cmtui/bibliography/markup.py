"""Private-use sentinels that carry formatting through the citation processor.

The processor joins strings and knows nothing of markup, so italics, quotation marks and verbatim parts (URLs)
travel as single private-use characters. They are removed from user data on entry, so that a title can never
forge formatting, and none survives ``segments.parse``.
"""

from __future__ import annotations

import re
import unicodedata

ITALIC = ("\ue100", "\ue101")
BOLD = ("\ue102", "\ue103")
SUPERSCRIPT = ("\ue104", "\ue105")
SUBSCRIPT = ("\ue106", "\ue107")
SMALL_CAPS = ("\ue108", "\ue109")
UNDERLINE = ("\ue10a", "\ue10b")
QUOTE = ("\ue10c", "\ue10d")
NO_CASE = ("\ue10e", "\ue10f")
VERBATIM = ("\ue110", "\ue111")

#: Flags by their opening sentinel, in the order in which nested tags are written.
FLAGS = {
    ITALIC[0]: "italic",
    BOLD[0]: "bold",
    SUPERSCRIPT[0]: "superscript",
    SUBSCRIPT[0]: "subscript",
    SMALL_CAPS[0]: "small-caps",
    UNDERLINE[0]: "underline",
}
CLOSING = {
    closing: opening for opening, closing in (ITALIC, BOLD, SUPERSCRIPT, SUBSCRIPT, SMALL_CAPS, UNDERLINE)
}
#: Every sentinel but those of quotation marks and verbatim parts.
FORMATTING = "".join(FLAGS) + "".join(CLOSING) + "".join(NO_CASE)

#: Letters that no Unicode decomposition takes apart, for keys without accents.
LETTERS: dict[int, str] = {
    ord(letter): plain
    for letter, plain in zip("øđłæœßðþı", ("o", "d", "l", "ae", "oe", "ss", "d", "th", "i"), strict=True)
}

_FOREIGN = re.compile("[\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd]")
_CONTROL = re.compile(
    r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u200b\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]"
)
_BLANKS = re.compile(r"\s+")
_TAG = re.compile(
    r"<(?P<open>i|b|sup|sub|sc)>|</(?P<close>i|b|sup|sub|sc|span)>"
    r"|<span\s+(?P<attribute>class=\"nocase\"|style=\"font-variant:\s*small-caps;?\")\s*>",
    re.IGNORECASE,
)
_TAGS = {"i": ITALIC, "b": BOLD, "sup": SUPERSCRIPT, "sub": SUBSCRIPT, "sc": SMALL_CAPS}


def clean(text: str) -> str:
    """One line of user data: NFC, no private-use or control characters, single blanks."""
    text = unicodedata.normalize("NFC", _FOREIGN.sub("", text))
    text = "".join(character for character in text if not "\ud800" <= character <= "\udfff")
    return _BLANKS.sub(" ", _CONTROL.sub("", text)).strip()


def enrich(text: str) -> str:
    """Turn the tags that CSL-JSON allows in text fields into sentinels; unbalanced ones stay as they are."""
    matches = list(_TAG.finditer(text))
    if not matches:
        return text
    stack: list[tuple[str, int, tuple[str, str]]] = []
    replacement: dict[int, str] = {}
    for index, match in enumerate(matches):
        if (name := match["open"]) is not None:
            stack.append((name.lower(), index, _TAGS[name.lower()]))
        elif (attribute := match["attribute"]) is not None:
            pair = NO_CASE if attribute.lower().startswith("class") else SMALL_CAPS
            stack.append(("span", index, pair))
        elif stack and stack[-1][0] == match["close"].lower():
            _, opened, pair = stack.pop()
            replacement[opened], replacement[index] = pair
    parts: list[str] = []
    position = 0
    for index, match in enumerate(matches):
        parts.append(text[position : match.start()])
        parts.append(replacement.get(index, match.group()))
        position = match.end()
    parts.append(text[position:])
    return "".join(parts)


def verbatim(text: str) -> str:
    """Mark a URL or identifier, whose punctuation and case are never touched."""
    return f"{VERBATIM[0]}{text}{VERBATIM[1]}" if text else text


def strip(text: str) -> str:
    """The text without any sentinel, for sort keys and comparisons."""
    return _FOREIGN.sub("", text)
