"""What surrounds a clause: whether the rest of its sentence and passage leaves the clause asserted (R91)."""

from __future__ import annotations

from collections.abc import Sequence

from cmtui.inference import phrases, verbs
from cmtui.inference.cues import LEXICON
from cmtui.inference.tokens import Token, number_value, tokenize
from cmtui.model.selectors import Span

_OPEN_QUOTES = frozenset('“„«"‘')
_COORDINATORS = frozenset(["and", "but", "so", "yet"])
_TAIL_OPENERS = _COORDINATORS | LEXICON.subordinators | frozenset(["which", "who", "where", "whose"])
_OCCASIONS = frozenset(("since", "after", "before", "while", "as", "during"))
_TERMINAL = frozenset(".!…")
_WH = frozenset(["who", "what", "which", "whom", "whose", "why", "how", "where", "when"])


def first_cue(tokens: Sequence[Token]) -> tuple[str, str] | None:
    """The reason code and the word of the first cue among the tokens."""
    for at, token in enumerate(tokens):
        plain = token.norm.replace("’", "'")
        if plain in LEXICON.contractions or plain.endswith("n't"):
            return "negation-scope", token.text
        if token.norm in LEXICON.words["fiction-nouns"] and _tells_a_story(tokens, at):
            return "fiction", token.text
        code = LEXICON.cues.get(token.norm)
        if code is not None and code != "question":
            return ("negation-scope" if code == "negated" else code), token.text
    return None


def _tells_a_story(tokens: Sequence[Token], at: int) -> bool:
    """Whether the noun stands as in "in the story,", not as in "in the novel mechanism"."""
    led = any(t.norm in ("in", "from", "of", "within") for t in tokens[max(0, at - 3) : at])
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    return led and (after is None or not after.is_word or after.norm in LEXICON.prepositions)


def strip_terminal(tokens: Sequence[Token]) -> Sequence[Token]:
    """The tokens without final marks and without citation marks such as ``[12]``."""
    end = len(tokens)
    while end:
        token = tokens[end - 1]
        if token.norm in _TERMINAL:
            end -= 1
            continue
        start = _reference_mark(tokens[:end])
        if start is None:
            break
        end = start
    return tokens[:end]


def _reference_mark(tokens: Sequence[Token]) -> int | None:
    if not tokens or tokens[-1].norm != "]":
        return None
    for at in range(len(tokens) - 2, max(-1, len(tokens) - 14), -1):
        token = tokens[at]
        if token.norm == "[":
            return at if at < len(tokens) - 2 else None
        if token.number is None and token.norm not in {",", "-", "–", ";"}:
            return None
    return None


def is_question(tokens: Sequence[Token]) -> bool:
    """Whether the sentence asks: by its mark, or by auxiliary before subject."""
    for token in reversed(tokens):
        if token.norm == "?":
            return True
        if token.is_word:
            break
    words = [t for t in tokens if t.is_word]
    if len(words) < 2:
        return False
    first = words[0].norm
    if first in phrases.BE | phrases.DO | frozenset(("has", "have", "had")):
        # "Had Ulysses wept" is a condition, and equally no statement.
        return True
    return first in _WH and words[1].norm in LEXICON.auxiliaries and first not in ("which", "where", "when")


def _is_place_or_time(tokens: Sequence[Token]) -> bool:
    """Whether the tokens are a prepositional phrase of place or time and nothing else."""
    if not tokens or tokens[0].norm not in LEXICON.place_time_prepositions:
        return False
    words = tokens[1:]
    if not words or len(words) > 5 or any(not t.is_word for t in words):
        return False
    if any(t.norm in LEXICON.prepositions and t.norm != "of" for t in words):
        return False
    last = words[-1]
    # A capital says "name of a place"; an abbreviation or a letter is more often a thing that qualifies.
    named = last.capital and len(last.text) > 2 and not last.text.isupper()
    return last.norm in LEXICON.places_and_times or named or number_value(last.norm) is not None


def left_problem(tokens: Sequence[Token], *, strict: bool) -> tuple[str, str] | None:
    """Why what stands before a clause takes its assertion away; None when it does not.

    ``strict`` is for what denies or holds in general: there a place, a time or an occasion is a restriction.
    """
    rest = list(tokens)
    while rest and (rest[0].norm in LEXICON.openers or rest[0].norm == ","):
        rest.pop(0)
    if not rest:
        return None
    if any(token.norm in _OPEN_QUOTES for token in rest):
        return "reported-speech", "quotation mark"
    cue = first_cue(rest)
    if cue is not None:
        return cue
    last = rest[-1]
    if last.norm == ":":
        label = [t.norm for t in rest[:-1] if t.is_word]
        harmless = bool(label) and all(word in LEXICON.distress_labels or word == "and" for word in label)
        return None if harmless else ("fragment-context", " ".join(t.text for t in rest))
    if last.norm == "that":
        return "reported-speech", last.text
    if last.norm not in (",", ";") and last.norm not in _COORDINATORS:
        return "unknown-structure", last.text
    body = rest[:-1]
    while body and (body[-1].norm == "," or body[-1].norm in _COORDINATORS):
        body.pop()
    if not body:
        return None
    occasion = body[0].norm in _OCCASIONS or _is_place_or_time(body)
    if (verbs.has_finite_verb(body) or occasion) and not (strict and occasion):
        return None
    return "extra-qualifier", " ".join(t.text for t in body)


def right_problem(tokens: Sequence[Token], *, strict: bool) -> tuple[str, str] | None:
    """Why what stands behind a clause takes its assertion away; None when it does not.

    ``strict`` as in :func:`left_problem`.
    """
    rest = strip_terminal(tokens)
    if not rest:
        return None
    if any(token.norm == "?" for token in rest):
        return "question", "?"
    cue = first_cue(rest)
    if cue is not None:
        return cue
    if any(token.norm in _OPEN_QUOTES for token in rest):
        return "reported-speech", "quotation mark"
    if any(token.norm == "or" for token in rest):
        return "unknown-structure", "or"
    first = rest[0]
    if first.norm in _COORDINATORS:
        # "wept and was comforted" ends the clause at "wept"; "saw men and women" does not end at "men".
        return None if verbs.begins_with_verb(rest[1:]) else ("unknown-structure", first.text)
    if strict and first.norm not in {",", ";", "—", "–", "("}:
        # "did not close because it was cold" may deny the reason, "does not close in winter" the season.
        return "extra-qualifier", first.text
    if first.norm in {",", ";", "—", "–", "("} or first.norm in _TAIL_OPENERS:
        return None
    end = next(
        (i for i, t in enumerate(rest) if t.norm in {",", ";"} or (i and t.norm in _TAIL_OPENERS)), len(rest)
    )
    phrase: list[Token] = []
    for token in rest[:end]:
        if phrase and token.norm in LEXICON.place_time_prepositions:
            if not _is_place_or_time(phrase):
                return "extra-qualifier", " ".join(t.text for t in phrase)
            phrase = []
        phrase.append(token)
    return None if _is_place_or_time(phrase) else ("extra-qualifier", " ".join(t.text for t in phrase))


def open_quote_at(text: str, offsets: Sequence[int]) -> list[bool]:
    """For each offset (ascending), whether it lies inside double quotation marks of ``text``."""
    if not any(mark in text for mark in '"“”«»'):
        return [False] * len(offsets)
    marks = [(i, c) for i, c in enumerate(text) if c in '"“”«»']
    inside = marks[0][1] in "”»"  # the passage begins inside a quotation
    answers, at = [], 0
    for offset in offsets:
        while at < len(marks) and marks[at][0] < offset:
            mark = marks[at][1]
            inside = not inside if mark == '"' else mark in "“«"
            at += 1
        answers.append(inside)
    return answers


_TAKES_BACK = LEXICON.words["takes-back"]


def takes_back(sentence: str) -> str | None:
    """The word with which a following sentence takes the one before it back ("This is false."), or None."""
    tokens = [t for t in tokenize(sentence) if t.is_word]
    if not tokens or len(tokens) > 12:
        return None
    first = tokens[0].norm
    short = len(tokens) <= 3
    if not (first in ("this", "that", "it", "so", "but", "or", "which", "the") or short):
        return None
    if first == "the" and (len(tokens) < 2 or tokens[1].norm not in LEXICON.words["claim-nouns"]):
        return None
    for token in tokens:
        if token.norm in _TAKES_BACK or token.norm.replace("’", "'").endswith("n't"):
            return token.text
    return None


def is_distress_label(text: str) -> bool:
    """Whether a line is only a recognised distress-topic label (R91)."""
    words = [t.norm for t in tokenize(text) if t.is_word]
    return bool(words) and len(words) <= 4 and all(w in LEXICON.distress_labels or w == "and" for w in words)


def is_fragment(tokens: Sequence[Token]) -> bool:
    """Whether the words assert nothing: no finite verb, or set in capitals like a heading, without a stop."""
    if not verbs.may_assert(tokens):
        return True
    if not tokens or not tokens[-1].is_word:
        return False
    words = [t for t in tokens if t.is_word and t.text.isalpha()]
    small = LEXICON.prepositions | LEXICON.words["function-words"] | phrases.DETERMINERS | phrases.BE
    return len(words) > 1 and all(t.capital or t.norm in small for t in words)


def looks_like_reference(tokens: Sequence[Token]) -> bool:
    """Whether a sentence is a bibliography entry: a year in parentheses, initials, pages, a DOI."""
    norms = [t.norm for t in tokens]
    signs = 2 * any(norm == "doi" or "doi.org" in norm for norm in norms)
    for at, token in enumerate(tokens):
        if (
            token.number
            and len(token.norm) == 4
            and 0 < at < len(tokens) - 1
            and norms[at - 1] == "("
            and norms[at + 1] == ")"
        ):
            signs += 1
        if (
            token.capital
            and len(token.text) == 1
            and at + 1 < len(tokens)
            and norms[at + 1] == "."
            and at
            and norms[at - 1] in {",", "."}
        ):
            signs += 1
    if any(n in {"pp", "vol", "eds", "ed", "isbn", "et"} for n in norms):
        signs += 1
    return signs >= 2


def trimmed(text: str, span: Span) -> Span:
    """``span`` without white space at its ends."""
    start, end = span.start, span.end
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end)
