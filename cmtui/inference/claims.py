"""From what a person asks to the statement that inference checks (R84, R99)."""

from __future__ import annotations

import re
from dataclasses import dataclass

_KIND = r"(?:(?:a|an|any|some|the|more|direct|clear|strong|which|what)\s+)*"
_THING = (
    r"(?:evidence|passages?|sentences?|quotes?|quotations?|proof|support|statements?|texts?|sources?|places?)"
)
_SHOWING = r"(?:show|say|stat|prov|support|demonstrat|suggest|indicat|confirm)"
#: What can speak in a text without being a party to it: its name adds nothing to the claim.
_VOICE = (
    r"(?:it|anyone|anybody|anything|(?:the|this|that|my|our|these|those|any|one\s+of\s+the)\s+"
    r"(?:\w+\s+)?(?:texts?|sources?|documents?|books?|papers?|articles?|stud(?:y|ies)|authors?|reports?|"
    r"passages?|chapters?|files?|library|corpus|literature|novel|letters?))"
)
_SAYS = r"(?:say|state|claim|mention|show|assert|report|confirm|suggest|indicate|demonstrate|prove|write)"
_PLACE = r"(?:text|sources?|documents?|library|book|paper)"
_WHERE = rf"(?:\s+(?:anywhere|somewhere|in\s+(?:the|this|my|these|any)\s+{_PLACE}))?"
_TRUE = r"(?:true|correct|a\s+fact|the\s+case|stated|said|claimed|known)"
_PREFIX = re.compile(
    rf"""\s*(?:
        (?:(?:(?:please|can\s+you|could\s+you|help\s+me)\s+)*
           (?:find|show|give|get|locate|search\s+for|look\s+for|quote|cite)\s+(?:me\s+)?
           | (?:is|are)\s+there\s+
           | (?:i\s+am|i’m|i'm|we\s+are)\s+looking\s+for\s+
           | (?:i|we)\s+(?:need|want)\s+)
        {_KIND}{_THING}{_WHERE}\s+
        (?:(?:for\s+the\s+(?:claim|statement|fact)|to\s+the\s+effect)\s+)?
        (?:(?:which|that)\s+(?={_SHOWING}))?
        (?:{_SHOWING}(?:e?s|ing)?\s+)?
        that\s+
        | {_KIND}{_THING}\s+(?:is\s+there{_WHERE}\s+)?
          (?:for\s+the\s+(?:claim|statement|fact)\s+)?(?:{_SHOWING}(?:e?s|ing)?\s+)?that\s+
        | (?:do|does|did)\s+{_VOICE}{_WHERE}\s+(?:{_SAYS}{_WHERE}\s+(?:that|whether)|say|state|claim)\s+
        | is\s+it\s+(?:\w+ly\s+)?{_TRUE}{_WHERE}\s+that\s+
        | where{_WHERE}\s+(?:do|does|did)\s+{_VOICE}\s+(?:{_SAYS}\s+that|say|state|claim)\s+
        | where{_WHERE}\s+is\s+it\s+(?:said|stated|claimed|written|shown|mentioned)\s+that\s+
        | (?:please\s+)?(?:show|tell)\s+me\s+where\s+(?:it|{_VOICE})\s+{_SAYS}s?\s+(?:that\s+)?
        | (?:please\s+)?(?:check|verify|confirm|prove|show|establish)\s+(?:me\s+)?(?:that|whether|if)\s+
        )""",
    re.IGNORECASE | re.VERBOSE,
)
# "Where does Melville say that whales are fish": who says it is a part of the claim.
_ATTRIBUTED = re.compile(
    rf"\s*where{_WHERE}\s+(?P<aux>do|does|did)\s+(?P<who>(?:[^\W\d_][\w.’'-]*\s+){{1,4}}?)"
    rf"(?P<verb>{_SAYS})\s+that\s+",
    re.IGNORECASE,
)
_PAST = {"say": "said", "write": "wrote", "show": "showed", "prove": "proved"}
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
    "Ulysses was sad" (R84, R99), as do "Does the text say that ...", "Is it true that ..." and "Where does it
    say that ...". A named speaker stays: "Where does Melville say that whales are fish?" gives "Melville says
    that whales are fish". A claim that asks is not made a statement: ``problem`` says so.
    """
    text = request.strip()
    match = _PREFIX.match(text)
    asked = text.endswith("?")
    if match and text[match.end() :].strip():
        text = text[match.end() :]
        asked = False
    elif attributed := _ATTRIBUTED.match(text):
        text = f"{_speaker(attributed)} that {text[attributed.end() :]}"
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


def _speaker(attributed: re.Match[str]) -> str:
    """ "Melville says", with the tense of the question."""
    who, verb, aux = attributed["who"].strip(), attributed["verb"].lower(), attributed["aux"].lower()
    if aux == "did":
        return f"{who} {_PAST.get(verb, verb.removesuffix('e') + 'ed')}"
    return f"{who} {verb}s" if aux == "does" else f"{who} {verb}"
