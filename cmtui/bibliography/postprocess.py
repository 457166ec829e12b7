"""Typography after rendering: quotation marks, and punctuation where parts of a citation meet."""

from __future__ import annotations

import re

from cmtui.bibliography.markup import FORMATTING, QUOTE, VERBATIM

_M = f"[{FORMATTING}]*"
_ON, _OFF = QUOTE
_VERBATIM_PART = re.compile(f"{VERBATIM[0]}([^{VERBATIM[1]}]*){VERBATIM[1]}")
#: Stand-ins for verbatim parts, in a part of the private-use area that no sentinel uses.
_STAND_IN = 0xF000

_INTO_QUOTE = re.compile(f"(?P<before>.?)(?P<close>(?:{_M}{_OFF})+{_M})(?P<mark>[.,])", re.DOTALL)
_ELLIPSIS = re.compile(rf"(\.\.\.|…)({_M}{_OFF}?{_M})\.(?!\.)")
_SAME = re.compile(rf"(?<!\.)([.,;:])({_M})\1(?!\1)")
_AFTER_STOP = re.compile(rf"([?!])({_M}{_OFF}?{_M})\.(?!\.)")
_WEAK_STRONG = re.compile(rf"[,;]({_M})([.?!])(?=\s|$|[)\]{_OFF}])")
_WEAK_WEAK = re.compile(rf"([;:])({_M}),(?=\s|$)")
_BLANK_BEFORE = re.compile(rf"\s+({_M})([.,])(?=\s|$|[{_OFF})])")
_BLANKS = re.compile(r"(\s)\s+")
_BLANK_IN_MARKUP = re.compile(rf" ({_M}) ")


def _flatten_quotes(text: str) -> str:
    """Turn pairs of typographic quotation marks of user data into sentinels; apostrophes stay."""
    stack: list[tuple[str, int]] = []
    characters = list(text)
    for index, character in enumerate(characters):
        if character == "“":
            stack.append(("”", index))
        elif character == "‘":
            stack.append(("’", index))
        elif character in "”’" and any(mark == character for mark, _ in stack):
            if character == "’" and index + 1 < len(text) and text[index + 1].isalnum():
                continue  # an apostrophe inside a word, not the end of a quotation
            while stack[-1][0] != character:
                stack.pop()
            _, opened = stack.pop()
            characters[opened], characters[index] = _ON, _OFF
    return "".join(characters)


def _into_quote(match: re.Match[str]) -> str:
    before, close, mark = match["before"], match["close"], match["mark"]
    # A full stop is not doubled after other ends of sentences; a comma stays after them (CMOS 18, 6.134).
    if before == mark or (mark == "." and before and before in "?!…"):
        return before + close
    return before + mark + close


def _print_quotes(text: str, marks: tuple[str, str, str, str]) -> str:
    depth = 0
    output: list[str] = []
    for character in text:
        if character == _ON:
            output.append(marks[0] if depth % 2 == 0 else marks[2])
            depth += 1
        elif character == _OFF:
            depth = max(0, depth - 1)
            output.append(marks[1] if depth % 2 == 0 else marks[3])
        else:
            output.append(character)
    return "".join(output)


def tidy(
    text: str, *, punctuation_in_quote: bool, marks: tuple[str, str, str, str] = ("“", "”", "‘", "’")
) -> str:
    """The rendered text with its seams repaired. URLs and identifiers are not touched.

    ``marks`` are the outer and inner quotation marks of the locale.
    """
    parts: list[str] = []

    def hide(match: re.Match[str]) -> str:
        parts.append(match.group(1))
        return chr(_STAND_IN + len(parts) - 1)

    text = _VERBATIM_PART.sub(hide, text)
    text = _BLANKS.sub(r"\1", text)
    text = _BLANK_IN_MARKUP.sub(r" \1", text)
    text = _flatten_quotes(text)
    if punctuation_in_quote:
        text = _INTO_QUOTE.sub(_into_quote, text)
    for _ in range(2):  # a repair can make a new seam, once
        text = _BLANK_BEFORE.sub(r"\1\2", text)
        text = _ELLIPSIS.sub(r"\1\2", text)
        text = _SAME.sub(r"\1\2", text)
        text = _AFTER_STOP.sub(r"\1\2", text)
        text = _WEAK_STRONG.sub(r"\1\2", text)
        text = _WEAK_WEAK.sub(r"\1\2", text)
    text = _print_quotes(text, marks).strip()
    return "".join(
        parts[ord(character) - _STAND_IN]
        if _STAND_IN <= ord(character) < _STAND_IN + len(parts)
        else character
        for character in text
    )
