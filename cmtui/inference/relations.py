"""How one frame stands to another: entailment part by part, opposites, and other values (R90).

``entails(a, b)`` is None when the positive core of ``a`` makes the positive core of ``b`` true, else the
reason code of the first part that does not. Polarity is the caller's business: a negated frame turns the
arrow round.
"""

from __future__ import annotations

from dataclasses import replace

from cmtui.inference.cues import LEXICON
from cmtui.inference.frames import Frame, Segment
from cmtui.inference.phrases import DEMONSTRATIVES, NounPhrase
from cmtui.inference.tokens import lemma, number_value, stem
from cmtui.inference.verbs import is_gerund

_EXISTENTIAL = frozenset(("a", "some", ""))
_DEGREE = LEXICON.words["degree"]
_UNITS = {
    name: unit
    for unit, names in {
        "mg": "mg milligram milligrams",
        "g": "g gram grams",
        "kg": "kg kilogram kilograms",
        "t": "tonne tonnes ton tons",
        "mm": "mm millimetre millimetres millimeter millimeters",
        "cm": "cm centimetre centimetres centimeter centimeters",
        "m": "m metre metres meter meters",
        "km": "km kilometre kilometres kilometer kilometers",
        "mi": "mile miles",
        "ft": "foot feet",
        "ml": "ml millilitre millilitres milliliter milliliters",
        "l": "l litre litres liter liters",
        "s": "second seconds",
        "min": "minute minutes",
        "h": "hour hours",
        "d": "day days",
        "wk": "week weeks",
        "mo": "month months",
        "y": "year years",
        "%": "% percent",
        "dollar": "dollar dollars $",
        "euro": "euro euros €",
        "pound": "pound pounds £",
        "thousand": "thousand",
        "million": "million",
        "billion": "billion",
    }.items()
    for name in names.split()
}


def definite(frame: Frame, phrase: NounPhrase) -> bool:
    """Whether the phrase names one thing, or a kind in a general statement, so that it can be denied."""
    if phrase.number is not None and phrase.det not in ("the", *DEMONSTRATIVES):
        return False
    if phrase.det in ("the", "every", "each"):
        return True
    if phrase.det:
        return False
    if not phrase.plural or (phrase.capital and frame.singular):
        return True
    return not frame.episodic


def _date(phrase: NounPhrase) -> tuple[str, ...] | None:
    """Day, month and year as far as the phrase has them, when it is nothing but a date with a year."""
    parts = ((phrase.number,) if phrase.number else ()) + phrase.words
    if phrase.det or not parts or not (parts[-1].isdigit() and len(parts[-1]) == 4):
        return None
    return parts if all(p.startswith("@") or p.isdigit() for p in parts) else None


def _date_entails(a: NounPhrase, b: NounPhrase) -> bool:
    """Whether the date ``a`` lies in the date ``b``: "May 1893" in "1893"."""
    one, two = _date(a), _date(b)
    return one is not None and two is not None and one[-len(two) :] == two


def phrase_entails(a: NounPhrase, b: NounPhrase, *, episodic: bool, subject: bool) -> str | None:
    """Whether what is true of an ``a`` is true of a ``b`` (same or wider), else a reason code."""
    other = "other-subject" if subject else "other-object"
    if not subject and _date_entails(a, b):
        return None
    anything = b.det == "any"
    if a.det == "any" and not anything:
        return "quantifier"
    widening = anything or (episodic and b.det in _EXISTENTIAL and (a.det in _EXISTENTIAL or a.det == "the"))
    if a.number != b.number and not (b.number is None and (anything or (widening and b.plural))):
        return "number-unknown"
    if a.det != b.det and not anything:
        allowed = widening and (
            (b.det == "a" and a.det == "the" and not a.plural)
            or (b.det in ("some", "") and b.plural and a.det in ("", "some", "the"))
            or (b.det == "" and a.det == "some")
        )
        if not allowed:
            if a.words == b.words and {a.det, b.det} <= {"a", "the", ""}:
                return "indefinite-subject" if subject else other
            return "quantifier" if a.words == b.words else other
    if a.words == b.words:
        return None
    ai, bi = a.head_index, b.head_index
    if ai < 0 or bi < 0:
        return other
    if not widening or (a.det == "" and not a.plural and a.number is None and not anything):
        return other
    if a.head != b.head and b.head not in LEXICON.is_a.get(a.head, frozenset()):
        return other
    after_a, after_b = a.words[ai + 1 :], b.words[bi + 1 :]
    if after_a != after_b and (after_b or after_a[0] == "of"):
        return other
    left = list(a.words[:ai])
    if any(word in LEXICON.privative for word in left):
        return "extra-qualifier"
    for word in b.words[:bi]:
        if word not in left:
            return other
        while left[0] != word:
            if left.pop(0) not in LEXICON.intersective:
                return "extra-qualifier"
        left.pop(0)
    return None if all(word in LEXICON.intersective for word in left) else "extra-qualifier"


def _same_time(a: Frame, b: Frame) -> bool:
    if a.tense == b.tense and a.aspect == b.aspect:
        return True
    # "has opened" and "had opened" tell of what "opened" tells; the other way round is not certain.
    return (
        a.aspect == "perf" and b.aspect == "simple" and b.tense == "past" and a.tense in ("past", "present")
    )


def _complement(frame: Frame) -> str | None:
    """The one word a copula ascribes ("sad"), folded; None for anything longer."""
    if frame.kind != "copula" or not frame.segments:
        return None
    first = frame.segments[0]
    plain = not first.prep and not first.phrase.det and first.phrase.number is None
    return first.phrase.words[0] if plain and len(first.phrase.words) == 1 else None


def _concept_entails(a: Frame, b: Frame) -> bool:
    """Whether a's verb or adjective entails the state that b ascribes, with nothing else said by b."""
    state = _complement(b)
    if state is None or len(b.segments) != 1 or a.kind == "passive":
        return False
    if a.tense != b.tense:
        return False
    for concept in LEXICON.concepts:
        if state not in concept.states:
            continue
        if a.kind == "copula":
            if _complement(a) in concept.adjectives and a.aspect == b.aspect:
                return True
        elif a.aspect in ("simple", "prog") and any(lemma(v) == a.verb for v in concept.verbs):
            # "cried a warning" or "wept with joy" is another matter than "wept".
            return all(_place_or_time(s) for s in a.segments)
    return False


def _place_or_time(segment: Segment) -> bool:
    if segment.prep not in LEXICON.place_time_prepositions or not segment.phrase.words:
        return False
    phrase = segment.phrase
    last = phrase.words[-1]
    return (
        phrase.head in LEXICON.places_and_times
        or last.startswith("@")
        or number_value(last) is not None
        or phrase.capital
    )


def _droppable(frame: Frame, segment: Segment) -> bool:
    """Whether a claim may leave this segment out and stay true."""
    if segment.joined:
        # "sad and tired" is sad; "black and white" is not black, and nothing is "between Ulm".
        mixed = not LEXICON.words["colours"].isdisjoint(segment.phrase.words)
        return segment.prep not in ("between", "among") and not (frame.kind == "copula" and mixed)
    if segment.phrase.det in ("any", "no"):
        return False
    if not segment.prep:
        return frame.aspect == "prog" and any(lemma(v) == frame.verb for v in LEXICON.optional_object)
    if not frame.episodic or frame.kind == "copula":
        return frame.episodic and _place_or_time(segment)
    if _place_or_time(segment):
        return True
    words = segment.phrase.words
    plain = segment.prep in LEXICON.place_time_prepositions or segment.prep in ("with", "for")
    action = segment.prep == "to" and bool(words) and not segment.phrase.det
    return frame.aspect == "prog" and plain and bool(words) and not action and not is_gerund(words[0])


def segments_entail(a: Frame, b: Frame) -> str | None:
    """Whether every segment of ``b`` is matched in order by one of ``a`` and the others may be dropped."""
    at = 0
    for wanted in b.segments:
        reason = "other-object"
        while at < len(a.segments):
            offered = a.segments[at]
            at += 1
            joined = offered.joined == wanted.joined or a.kind == "copula"
            dated = {offered.prep, wanted.prep} == {"in", "on"} and _date_entails(
                offered.phrase, wanted.phrase
            )
            if joined and (offered.prep == wanted.prep or dated):
                problem = phrase_entails(offered.phrase, wanted.phrase, episodic=a.episodic, subject=False)
                if problem is None:
                    reason = ""
                    break
                reason = problem
            if not _droppable(a, offered):
                return reason if offered.prep == wanted.prep else "extra-qualifier"
        if reason:
            return "missing-words" if at >= len(a.segments) and reason == "other-object" else reason
    rest = a.segments[at:]
    if any(not _droppable(a, segment) for segment in rest):
        return "comparison" if any(s.prep in ("than", "as") for s in rest) else "extra-qualifier"
    return None


def _verb_entails(a: Frame, b: Frame) -> bool:
    if a.kind != b.kind:
        return False
    if a.verb == b.verb:
        return True
    return any(
        lemma(base) == a.verb and any(lemma(v) == b.verb for v in wider)
        for base, wider in LEXICON.verb_entails.items()
    )


def entails(a: Frame, b: Frame) -> str | None:
    """Whether the core of ``a``, polarity aside, makes the core of ``b`` true; else a reason code."""
    if a.subject.pronoun and not (
        a.subject == b.subject and a.subject.det in DEMONSTRATIVES and a.subject.words
    ):
        return "unbound-pronoun"
    if b.subject.pronoun and b.subject.det not in DEMONSTRATIVES:
        return "unbound-pronoun"
    problem = phrase_entails(a.subject, b.subject, episodic=a.episodic, subject=True)
    if problem is not None:
        return problem
    if not b.adverbs <= a.adverbs:
        return "missing-words"
    if any(LEXICON.cues.get(adverb) for adverb in a.adverbs - b.adverbs):
        return "extra-qualifier"
    if a.tense != b.tense and a.tense.startswith("modal:"):
        return "planned" if a.tense in ("modal:will", "modal:shall") else "hedged"
    if _concept_entails(a, b):
        return None
    if not _verb_entails(a, b):
        return LEXICON.cues.get(a.word, "other-predicate")
    if not _same_time(a, b):
        return "tense"
    problem = segments_entail(a, b)
    if problem is not None and a.kind == "copula":
        if any(s.prep in ("than", "as") for s in (*a.segments, *b.segments)):
            return "comparison"
        if problem == "other-object" and not b.segments[0].prep:
            return "other-predicate"
    return problem


def opposite(a: Frame, b: Frame) -> tuple[str, str] | None:
    """The pair of opposite words when the two frames differ in nothing else; subject must be definite."""
    if not definite(a, a.subject) or a.kind != b.kind or not _same_time(a, b):
        return None
    if a.subject.pronoun or phrase_entails(a.subject, b.subject, episodic=a.episodic, subject=True):
        return None
    if a.adverbs != b.adverbs:
        return None
    if a.kind == "copula":
        one, two = _complement(a), _complement(b)
        if one is None or two is None or (one, two) not in LEXICON.adjective_opposites:
            return None
        tail_a, tail_b = replace(a, segments=a.segments[1:]), replace(b, segments=b.segments[1:])
        return (one, two) if segments_entail(tail_b, tail_a) is None or not tail_a.segments else None
    for one, two in sorted(LEXICON.verb_opposites):
        if lemma(one) == a.verb and lemma(two) == b.verb:
            return (a.word, b.word) if a.segments == b.segments else None
    return None


#: Units that exclude each other at the same number. Currencies do not: a price may be stated in both.
_KINDS = {
    unit: kind
    for kind, units in {
        "mass": "mg g kg t",
        "length": "mm cm m km mi ft",
        "volume": "ml l",
        "duration": "s min h d wk mo y",
        "multiple": "thousand million billion",
    }.items()
    for unit in units.split()
}


# -- other numbers, units and dates ---------------------------------------------------------------------


def _mask_words(words: tuple[str, ...], after_number: bool, found: list[str]) -> tuple[str, ...]:
    masked = []
    for word in words:
        value = number_value(word)
        if value is not None or word.startswith("@"):
            found.append(value or word)
            masked.append("#")
            after_number = value is not None
        elif after_number and word in _UNITS:
            found.append("unit:" + _UNITS[word])
            masked.append("#unit")
            after_number = False
        else:
            masked.append(word)
            after_number = False
    return tuple(masked)


def _mask(frame: Frame) -> tuple[Frame, list[str], list[int]]:
    """The frame with values masked, the values, and the segment each stands in (-1 for the subject)."""
    values: list[str] = []
    places: list[int] = []

    def phrase(value: NounPhrase, place: int) -> NounPhrase:
        found: list[str] = []
        number = value.number
        if number is not None:
            found.append(number)
            number = "#"
        words = _mask_words(value.words, number is not None, found)
        values.extend(found)
        places.extend([place] * len(found))
        return replace(value, number=number, words=words)

    subject = phrase(frame.subject, -1)
    segments = tuple(
        replace(segment, phrase=phrase(segment.phrase, at)) for at, segment in enumerate(frame.segments)
    )
    return replace(frame, subject=subject, segments=segments), values, places


def other_value(a: Frame, b: Frame) -> tuple[str, str, str] | str | None:
    """``(code, value of a, value of b)`` when the frames differ in exactly one exclusive value.

    A reason code when values differ without excluding each other, None when something else differs.
    """
    masked_a, values_a, places = _mask(a)
    masked_b, values_b, _ = _mask(b)
    if len(values_a) != len(values_b) or not values_b or entails(masked_a, masked_b) is not None:
        return None
    different = [i for i, (x, y) in enumerate(zip(values_a, values_b, strict=True)) if x != y]
    if len(different) != 1 or places[different[0]] < 0 or not definite(a, a.subject):
        return "number-unknown"
    at = different[0]
    segment = a.segments[places[at]]
    words = set(segment.phrase.words) | {segment.phrase.det, segment.prep} | a.adverbs
    if words & (_DEGREE - {"at"}) or masked_a.segments != masked_b.segments:
        return "number-unknown"
    one, two = values_a[at].removeprefix("unit:"), values_b[at].removeprefix("unit:")
    if values_a[at].startswith("unit:") and _KINDS.get(one, one) != _KINDS.get(two, two):
        return "number-unknown"
    dated = segment.prep in ("in", "on", "since", "until", "from", "by", "at") and (
        one.startswith("@")
        or (one.isdigit() and (len(one) == 4 or any(w == "#" for w in segment.phrase.words)))
    )
    if segment.prep and dated and not values_a[at].startswith("unit:"):
        once = any(lemma(v) == a.verb for v in LEXICON.once_only)
        return ("other-date", one.lstrip("@"), two.lstrip("@")) if once else "number-unknown"
    if segment.prep and segment.prep not in ("by", "to", "at", "of", "for"):
        return "number-unknown"
    return "other-number", one, two


def related_stems() -> dict[str, frozenset[str]]:
    """For each word stem of the lexicon, the stems of words that entail it or oppose it."""
    table: dict[str, set[str]] = {}

    def link(key: str, word: str) -> None:
        table.setdefault(lemma(key), set()).add(lemma(word))

    for concept in LEXICON.concepts:
        for state in concept.states:
            for word in concept.verbs | concept.adjectives:
                link(state, word)
    for base, wider in (*LEXICON.verb_entails.items(), *LEXICON.is_a.items()):
        for word in wider:
            link(word, base)
    for one, two in (*LEXICON.adjective_opposites, *LEXICON.verb_opposites):
        link(two, one)
    return {key: frozenset(value) for key, value in table.items()}


#: See :func:`related_stems`.
RELATED_STEMS = related_stems()

__all__ = [
    "RELATED_STEMS",
    "definite",
    "entails",
    "opposite",
    "other_value",
    "phrase_entails",
    "segments_entail",
    "stem",
]
