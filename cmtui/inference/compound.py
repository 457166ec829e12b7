"""Claims that state several things at once, taken apart where that is certain.

"Penelope was sad and the crew slept" becomes two members, each checked by itself. A claim stays whole unless
every part is a complete statement of its own, there is one way only to take it apart, and nothing in it may
reach over more than one part: no condition, report, hedge, comparison, pronoun or shared time. Names ("Smith
and Jones wrote it") and pairs ("between A and B") are never taken apart.
"""

from __future__ import annotations

import re

from cmtui.inference.claims import parse_claim
from cmtui.inference.rules import compile_claim
from cmtui.inference.tokens import fold

#: Members of one claim; with more the claim is left whole.
MAX_MEMBERS = 6

_JOINT = re.compile(r"\s*;\s+(?:and\s+|but\s+)?|\s*,\s+(?:and|but)\s+|\s+(?:and|but)\s+", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+(?:[’'][^\W\d_]+)?")
_OPENING = re.compile(r"[\"“”«»():\[\]—–?]|‘")

#: Words that may reach over both parts, or tie one to the other.
_REACHING_WORDS = """
    if unless whether when whenever while whereas because since although though until till before after as so
    that which who whom whose where than or nor either neither both between among amid together respectively
    each other another same different similarly likewise too also only not-only instead then thus therefore
    hence consequently meanwhile otherwise perhaps maybe probably possibly presumably allegedly apparently
    reportedly supposedly likely unlikely may might could would should must can shall will
    say says said saying tell tells told claim claims claimed report reports reported think thinks thought
    believe believes believed know knows knew known suggest suggests suggested show shows showed shown find
    finds found see sees saw seen watch watches watched hear hears heard feel feels felt make makes made let
    lets help helps helped hope hopes hoped fear fears feared deny denies denied doubt doubts doubted
    he she it they him her them his hers its their theirs himself herself itself themselves one ones
    this these those such former latter there here
    """
_REACHING = frozenset(_REACHING_WORDS.split())
#: A part that begins with one of these may share its time or place with the others.
_LEADING_WORDS = "in on at during by from within throughout under over despite according of for with near"
_LEADING = frozenset(_LEADING_WORDS.split())


def split_claim(request: str) -> tuple[str, ...]:
    """The statements that ``request`` makes, two or more; empty when it is one or this is not certain."""
    parsed = parse_claim(request)
    text = parsed.text
    joints = sum(1 for _ in _JOINT.finditer(text))
    if parsed.problem is not None or _OPENING.search(text) or not 0 < joints < 2 * MAX_MEMBERS:
        return ()
    words = [fold(word) for word in _WORD.findall(text)]
    if not words or words[0] in _LEADING or any(word in _REACHING for word in words):
        return ()
    if _is_statement(text):
        return ()  # "Smith and Jones wrote it" is one statement about two people
    ways = _ways(text)
    if len(ways) != 1 or len(ways[0]) > MAX_MEMBERS:
        return ()
    return tuple(_as_claim(part) for part in ways[0])


def _ways(text: str) -> list[tuple[str, ...]]:
    """Every way to read ``text`` as statements in a row."""
    found: list[tuple[str, ...]] = []
    if _is_statement(text):
        found.append((text,))
    for joint in _JOINT.finditer(text):
        left, right = text[: joint.start()].strip(), text[joint.end() :].strip()
        if not _is_statement(left):
            continue
        found += [(left, *rest) for rest in _ways(right) if ";" in joint.group() or _apart(left, rest[0])]
    return found


def _is_statement(text: str) -> bool:
    """Whether ``text`` is one complete statement that the rules read to its end."""
    compiled = compile_claim(text)
    return compiled.problem is None and not isinstance(compiled.frame, str)


def _apart(left: str, right: str) -> bool:
    """False when a time or place at the end of ``right`` may belong to ``left`` as well."""
    ends = compile_claim(right).frame
    begins = compile_claim(left).frame
    if isinstance(ends, str) or isinstance(begins, str):
        return False
    return not any(s.prep for s in ends.segments) or any(s.prep for s in begins.segments)


def _as_claim(part: str) -> str:
    """A part as a sentence of its own: a capital at its beginning."""
    return part[:1].upper() + part[1:]
