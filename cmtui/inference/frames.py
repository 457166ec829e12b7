"""A clause read as subject, verb group and segments; anything the reader is not sure of is refused.

This is no parser of English. It reads simple clauses and returns a reason code for all others, which is what
makes the rules precise (R90, R91).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from cmtui.inference.cues import LEXICON
from cmtui.inference.phrases import (
    BE,
    CLAUSE_STARTERS,
    DETERMINERS,
    DO,
    HAVE,
    MODALS,
    UNIT_MARKS,
    Item,
    NounPhrase,
    items_of,
    noun_phrase,
)
from cmtui.inference.tokens import Token, lemma, stem
from cmtui.inference.verbs import (
    BASE_STEMS,
    find_verb,
    is_adverb,
    is_gerund,
    is_participle,
    is_past,
    is_verbal,
)

_NOT = frozenset({"not", "never", "n't"})
_INTENSIFIERS = LEXICON.words["intensifiers"]
_RESTRICTING = LEXICON.words["restricting"]
#: Listed adjectives stay adjectives behind "to be", also where they look like participles ("was closed").
_ADJECTIVES = frozenset(word for pair in LEXICON.adjective_opposites for word in pair).union(
    *(concept.adjectives | concept.states for concept in LEXICON.concepts)
)


@dataclass(frozen=True, slots=True)
class Segment:
    """An object or complement (``prep`` empty) or a prepositional phrase. ``joined`` after an "and"."""

    prep: str
    phrase: NounPhrase
    joined: bool = False


@dataclass(frozen=True, slots=True)
class Frame:
    """A simple clause. ``end`` is the index of the first token behind it."""

    subject: NounPhrase
    verb: str
    word: str
    kind: str
    tense: str
    aspect: str
    negative: bool
    adverbs: frozenset[str]
    segments: tuple[Segment, ...]
    singular: bool
    end: int

    @property
    def episodic(self) -> bool:
        """Whether it tells of an occasion (in progress, or past) rather than a rule."""
        return self.aspect == "prog" or self.tense == "past"


def _is_breaker(items: Sequence[Item], at: int) -> bool:
    item = items[at]
    if not item.token.is_word:
        return item.norm not in UNIT_MARKS
    if item.norm == "than":
        return False
    if item.norm in ("before", "after", "since", "until"):
        # With a plain noun these are prepositions; with a verb further on they open a clause.
        return any(is_verbal(items, k) for k in range(at + 1, len(items)))
    if item.norm in CLAUSE_STARTERS:
        return True
    return item.norm == "and" and any(
        is_verbal(items, k) or is_gerund(items[k].norm) for k in range(at + 1, min(len(items), at + 12))
    )


def _segments(items: Sequence[Item], at: int) -> tuple[list[Segment], set[str], bool, int] | str:
    """Segments, adverbs, whether a "no" negates, and the index behind; or a reason code."""
    segments: list[Segment] = []
    adverbs: set[str] = set()
    negated = False
    words: list[Item] = []
    prep, joined = "", False

    def close() -> None:
        if words or prep:
            segments.append(Segment(prep, noun_phrase(words), joined))

    while at < len(items) and not _is_breaker(items, at):
        item = items[at]
        code = LEXICON.cues.get(item.norm)
        following = items[at + 1].norm if at + 1 < len(items) else ""
        if item.norm in LEXICON.auxiliaries:
            return "unknown-structure"
        if item.norm == "no" and not words and not negated:
            negated = True
            words.append(item)
        elif code == "negated":
            return "negation-scope"
        elif item.norm in _RESTRICTING:
            return "extra-qualifier"
        elif code in ("hedged", "fiction", "conditional", "retracted") and item.norm not in (
            "story",
            "lying",
        ):
            return code
        elif item.norm in LEXICON.prepositions and item.norm != "of":
            close()
            prep, words, joined = item.norm, [], False
        elif item.norm == "and":
            if not words:
                return "unknown-structure"
            close()
            words, joined = [], True
        elif is_adverb(item.norm) and (not words or following in ("", ".", ",") or not following.isalpha()):
            adverbs.add(item.norm)
        else:
            words.append(item)
        at += 1
    close()
    return segments, adverbs, negated, at


def _existential(items: list[Item], verb: int) -> list[Item] | str:
    """ "There is no man playing" read as "no man is playing"; a reason code where that is not possible."""
    at = verb + 1
    while at < len(items) and items[at].token.is_word:
        norm, before = items[at].norm, items[at - 1].norm
        opens = is_gerund(norm) or (is_participle(norm) and before not in DETERMINERS)
        if at > verb + 1 and (opens or (norm in LEXICON.prepositions and norm != "of")):
            break
        if norm in CLAUSE_STARTERS or norm in LEXICON.auxiliaries:
            return "unknown-structure"
        at += 1
    if at == len(items) or not items[at].token.is_word:
        return "unknown-structure"
    return [*items[verb + 1 : at], items[verb], *items[at:]]


def parse_frame(tokens: Sequence[Token]) -> Frame | str:
    """The frame of the clause that begins with the first token, or the reason it cannot be read."""
    items = items_of(tokens)
    while items and (items[0].norm in LEXICON.openers or items[0].norm == ","):
        items.pop(0)
    verb = find_verb(items)
    if verb is None:
        return "fragment"
    if items[0].norm == "there" and verb == 1:
        turned = _existential(items, verb)
        if isinstance(turned, str):
            return turned
        items = turned
        verb = find_verb(items)
        if verb is None:
            return "unknown-structure"
    adverbs: set[str] = set()
    never = False
    subject_items = list(items[:verb])
    while subject_items and (is_adverb(subject_items[-1].norm) or subject_items[-1].norm == "never"):
        adverb = subject_items.pop().norm
        code = LEXICON.cues.get(adverb)
        if adverb == "never":
            never = True
        elif code is not None:
            return "negation-scope" if code == "negated" else code
        else:
            adverbs.add(adverb)
    for at, item in enumerate(subject_items):
        if not item.token.is_word and item.norm not in UNIT_MARKS:
            return "unknown-structure"
        if (at and item.norm in CLAUSE_STARTERS) or item.norm == "or":
            return "unknown-structure"
        code = LEXICON.cues.get(item.norm)
        if code in ("conditional", "hedged", "fiction") or (
            code == "negated" and (at or item.norm not in ("no", "nobody", "no-one"))
        ):
            return "negation-scope" if code == "negated" else str(code)
    if len(subject_items) >= 2 and [i.norm for i in subject_items] == ["no", "one"]:
        subject = NounPhrase("no", None, ("person",))
    else:
        subject = noun_phrase(subject_items)
    if not subject.words and not subject.pronoun:
        return "unknown-structure"
    return _predicate(items, verb, subject, adverbs, negative=never)


def _predicate(
    items: list[Item], verb: int, subject: NounPhrase, adverbs: set[str], *, negative: bool
) -> Frame | str:
    at = verb
    auxiliaries: list[str] = []
    while at < len(items):
        norm = items[at].norm
        if norm in LEXICON.auxiliaries:
            auxiliaries.append(norm)
        elif norm in _NOT:
            if negative:
                return "negation-scope"
            negative = True
        elif is_adverb(norm) and auxiliaries and LEXICON.cues.get(norm) is None:
            adverbs.add(norm)
        else:
            break
        at += 1
    word = items[at].norm if at < len(items) else ""
    if word and LEXICON.cues.get(word) == "hedged":
        return "hedged"
    if word and LEXICON.cues.get(word) in ("negated", "quantifier") and word != "no":
        return "negation-scope" if LEXICON.cues[word] == "negated" else "quantifier"
    kind, aspect, name = "active", "simple", word
    first = auxiliaries[0] if auxiliaries else ""
    tense = "past" if first in ("was", "were", "had", "did") else "present"
    if first in MODALS:
        tense = f"modal:{first}"
    if not auxiliaries:
        tense = (
            "past"
            if is_past(word)
            and not (
                subject.plural
                and stem(word) in BASE_STEMS
                and word in LEXICON.base_verbs
                and not word.endswith("ed")
            )
            else "present"
        )
        at += 1
    elif auxiliaries[-1] in BE:
        aspect = "prog" if "being" in auxiliaries else "perf" if "been" in auxiliaries else "simple"
        if word.endswith("ing") and stem(word) in BASE_STEMS:
            aspect, at = "prog", at + 1
        elif is_participle(word) and word not in _ADJECTIVES:
            kind, at = "passive", at + 1
        else:
            kind, name = "copula", "be"
    elif auxiliaries[-1] in HAVE:
        if is_participle(word):
            aspect, at = "perf", at + 1
        else:
            name = "have"
    elif auxiliaries[-1] in DO and not (word and stem(word) in BASE_STEMS):
        name = "do"
    else:
        at += 1
    rest = _segments(items, at)
    if isinstance(rest, str):
        return rest
    segments, more, no, end = rest
    adverbs |= more
    if kind == "copula":
        if not segments:
            return "unknown-structure"
        adverbs -= _INTENSIFIERS if not negative else set()
    if subject.det == "no":
        no_subject = True
        subject = replace(subject, det="any")
    else:
        no_subject = False
    if no:
        segments = [
            Segment(s.prep, replace(s.phrase, det="any"), s.joined) if s.phrase.det == "no" else s
            for s in segments
        ]
    if negative + no + no_subject > 1:
        return "negation-scope"
    singular = first in ("is", "was", "has", "does") or (not first and not subject.plural)
    return Frame(
        subject,
        lemma(name),
        name,
        kind,
        tense,
        aspect,
        bool(negative or no or no_subject),
        frozenset(adverbs),
        tuple(segments),
        singular,
        items[end].index if end < len(items) else (max(i.index for i in items) + 1),
    )
