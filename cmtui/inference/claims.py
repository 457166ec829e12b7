"""From what a person asks to the statement that inference checks (R84, R99)."""

from __future__ import annotations

import re
from dataclasses import dataclass

_KIND = r"(?:(?:a|an|any|some|the|more|direct|clear|strong)\s+)*"
_THING = (
    r"(?:evidence|passages?|sentences?|quotes?|quotations?|proof|support|statements?|texts?|sources?|places?)"
)
_SHOWING = r"(?:show|say|stat|prov|support|demonstrat|suggest|indicat|confirm)"
_PREFIX = re.compile(
    rf"""\s*(?:
        (?:(?:please\s+)?(?:find|show|give|get|locate|search\s+for|look\s+for|quote)\s+(?:me\s+)?
           | (?:is|are)\s+there\s+)
        {_KIND}{_THING}\s+
        (?:(?:for\s+the\s+(?:claim|statement|fact)|to\s+the\s+effect)\s+)?
        (?:(?:which|that)\s+(?={_SHOWING}))?
        (?:{_SHOWING}(?:e?s|ing)?\s+)?
        | {_KIND}{_THING}\s+(?:{_SHOWING}ing\s+)?
        )
        that\s+""",
    re.IGNORECASE | re.VERBOSE,
)
# Words that begin a question even where its mark was left out. Will, May and Can may be names.
_INVERTED = re.compile(r"(?:did|does|do|is|are|was|were|has|have)\s", re.IGNORECASE)
_ENCLOSED = {'"': '"', "“": "”", "'": "'", "‘": "’", "«": "»"}


@dataclass(frozen=True, slots=True)
class ClaimText:
    """A claim ready to be checked. ``problem`` is a reason code when there is nothing to check."""

    text: str
    problem: str | None = None


def parse_claim(request: str) -> ClaimText:
    """The statement inside ``request``: asking words, outer quotation marks and final marks removed.

    "Find evidence that Ulysses was sad" and "Is there evidence that Ulysses was sad?" give
    "Ulysses was sad" (R84, R99). A claim that asks is not made a statement: ``problem`` says so.
    """
    text = request.strip()
    match = _PREFIX.match(text)
    asked = text.endswith("?")
    if match and text[match.end() :].strip():
        text = text[match.end() :]
        asked = False
    text = text.rstrip(" \t\r\n.!?,;:")
    closing = _ENCLOSED.get(text[:1])
    if (
        closing
        and len(text) > 1
        and text.endswith(closing)
        and text.count(closing) == 1 + (closing == text[0])
    ):
        text = text[1:-1].rstrip(" .!")
    text = text.strip()
    if not any(character.isalnum() for character in text):
        return ClaimText(text, "empty-claim")
    if asked or _INVERTED.match(text):
        return ClaimText(text, "claim-question")
    return ClaimText(text)
