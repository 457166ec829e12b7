"""A clause read as subject, verb group and segments; anything the reader is not sure of is refused.

This is no parser of English. It reads simple clauses and returns a reason code for all others, which is what
makes the rules precise (R90, R91).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from cmtui.inference.cues import LEXICON
from cmtui.inference.tokens import Token, lemma, number_value, stem

BE = frozenset(["is", "are", "was", "were", "am", "be", "been", "being"])
HAVE = frozenset(["has", "have", "had", "having"])
DO = frozenset(["do", "does", "did"])
MODALS = frozenset(["will", "would", "can", "could", "may", "might", "must", "shall", "should"])
ARTICLES = frozenset(["a", "an", "the"])
POSSESSIVES = frozenset(["my", "your", "his", "her", "its", "our", "their"])
DEMONSTRATIVES = frozenset(["this", "that", "these", "those"])
QUANTIFIERS = LEXICON.words["quantifiers"]
DETERMINERS = ARTICLES | POSSESSIVES | DEMONSTRATIVES | QUANTIFIERS
PRONOUNS = LEXICON.words["pronouns"]
_INDEFINITE_PERSONS = {"someone": "a", "somebody": "a", "nobody": "no", "no-one": "no"}
_CLAUSE_STARTERS = LEXICON.words["clause-starters"]
_NOT = frozenset({"not", "never", "n't"})
_NOT_ADVERBS = LEXICON.words["ly-not-adverbs"]
_PLAIN_ADVERBS = LEXICON.words["adverbs"]
_INTENSIFIERS = LEXICON.words["intensifiers"]
_RESTRICTING = LEXICON.words["restricting"]
_UNIT_MARKS = frozenset(["%", "$", "€", "£", "°"])
#: Listed adjectives stay adjectives behind "to be", also where they look like participles ("was closed").
_ADJECTIVES = frozenset(word for pair in LEXICON.adjective_opposites for word in pair).union(
    *(concept.adjectives | concept.states for concept in LEXICON.concepts)
)
_BASE_STEMS = frozenset(stem(word) for word in LEXICON.base_verbs) | frozenset(
    stem(base) for base in LEXICON.irregular.values()
)
_NOT_GERUNDS = LEXICON.words["ing-not-verbs"]
_ED_WORDS = LEXICON.words["ed-not-verbs"]


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """A determiner, a number and the words after them, folded."""

    det: str
    number: str | None
    words: tuple[str, ...]
    capital: bool = False

    @property
    def head_index(self) -> int:
        """Where the head stands in ``words``: before the first preposition."""
        for index, word in enumerate(self.words):
            if index and word in LEXICON.prepositions:
                return index - 1
        return len(self.words) - 1

    @property
    def head(self) -> str:
        """The head noun, folded; empty for an empty phrase."""
        return self.words[self.head_index] if self.words else ""

    @property
    def plural(self) -> bool:
        """Whether the head looks plural."""
        head = self.head
        return (
            "and" in self.words
            or head in LEXICON.irregular_plurals
            or (head.endswith("s") and not head.endswith(("ss", "us", "is")))
        )

    @property
    def pronoun(self) -> bool:
        """Whether the phrase is a bare pronoun, or leans on one (``his ship``)."""
        bare = not self.words and self.det in DEMONSTRATIVES
        return bare or self.det in POSSESSIVES or (len(self.words) == 1 and self.words[0] in PRONOUNS)

    def __str__(self) -> str:
        words = (self.words[0].title(), *self.words[1:]) if self.capital and self.words else self.words
        return " ".join(part.lstrip("@") for part in (self.det, self.number or "", *words) if part)


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


@dataclass(frozen=True, slots=True)
class _Item:
    norm: str
    token: Token
    index: int


def _items(tokens: Sequence[Token]) -> list[_Item]:
    found: list[_Item] = []
    for index, token in enumerate(tokens):
        plain = token.norm.replace("’", "'")
        base = LEXICON.contractions.get(plain)
        if base is not None:
            found += [_Item(base, token, index), _Item("not", token, index)]
        elif token.capital and token.norm in LEXICON.months and (index or token.norm not in {"may", "march"}):
            found.append(_Item("@" + token.norm, token, index))
        else:
            found.append(_Item(token.norm, token, index))
    return found


def is_adverb(word: str) -> bool:
    """Whether ``word`` is surely an adverb."""
    return word in _PLAIN_ADVERBS or (word.endswith("ly") and len(word) > 4 and word not in _NOT_ADVERBS)


def is_participle(word: str) -> bool:
    """Whether ``word`` may be a past participle of a verb the lexicon knows."""
    if word in LEXICON.irregular:
        return word not in LEXICON.auxiliaries
    # An unlisted word in -ed is far more often a verb than not.
    return word.endswith("ed") and word not in _ED_WORDS and len(word) > 4 and word.isalpha()


def is_gerund(word: str) -> bool:
    """Whether ``word`` may be the -ing form of a verb."""
    return word.endswith("ing") and len(word) > 4 and word not in _NOT_GERUNDS


def _is_past(word: str) -> bool:
    return is_participle(word) and word not in {"gone", "done", "seen", "been"}


def _is_finite(items: Sequence[_Item], at: int) -> bool:
    """Whether a main verb without auxiliary stands at ``at``; agreement decides the present tense."""
    word = items[at].norm
    before = items[at - 1].norm
    if before in ("that", "which", "who") and not is_gerund(word) and stem(word) in _BASE_STEMS:
        return True
    if before in DETERMINERS or before in LEXICON.prepositions or before in ("and", "or"):
        return False
    if all(is_adverb(item.norm) or item.norm in DETERMINERS for item in items[:at]):
        return False
    if _is_past(word):
        return True
    if stem(word) not in _BASE_STEMS or is_gerund(word) or word in LEXICON.prepositions:
        return False
    subject = noun_phrase([item for item in items[:at] if not is_adverb(item.norm)])
    third = word.endswith("s") and not word.endswith("ss")
    plural = subject.plural or subject.words[-1:] in (("they",), ("we",), ("you",), ("i",))
    # A name in -s ("Ulysses weeps") looks plural; with a present verb in -s it is one.
    return (third and (not plural or (len(subject.words) == 1 and subject.capital))) or (not third and plural)


def find_verb(items: Sequence[_Item]) -> int | None:
    """The index of the first finite verb, or None."""
    for at, item in enumerate(items):
        if not at or not item.token.is_word:
            continue
        before = items[at - 1].norm
        if item.norm in LEXICON.auxiliaries and item.norm not in ("be", "been", "being"):
            if before not in ARTICLES or item.norm not in MODALS:
                return at
        elif _is_finite(items, at):
            return _main_verb(items, at)
    return None


def _main_verb(items: Sequence[_Item], at: int) -> int:
    """The finite verb when the one at ``at`` may only modify ("the bridge opened in 1893 fell")."""
    for later in range(at + 1, len(items)):
        norm = items[later].norm
        if not items[later].token.is_word or norm in _CLAUSE_STARTERS or norm in ("and", "to"):
            break
        if norm in LEXICON.auxiliaries and norm not in ("be", "been", "being"):
            return later
        if _is_past(norm) and _is_finite(items, later):
            return _main_verb(items, later)
    return at


def has_finite_verb(tokens: Sequence[Token]) -> bool:
    """Whether the words hold a finite verb, so that they can assert something at all."""
    return find_verb(_items(tokens)) is not None


def begins_with_verb(tokens: Sequence[Token]) -> bool:
    """Whether a predicate or a clause with a pronoun for its subject begins here, adverbs aside."""
    items = _items(tokens)
    while items and is_adverb(items[0].norm):
        items.pop(0)
    if not items:
        return False
    first = items[0].norm
    third = first.endswith("s") and not first.endswith("ss") and stem(first) in _BASE_STEMS
    gerund = is_gerund(first) and stem(first) in _BASE_STEMS
    if first in LEXICON.auxiliaries or _is_past(first) or third or gerund:
        return True
    verb = find_verb(items)
    return verb is not None and (first in PRONOUNS or (verb <= 4 and items[verb].norm in LEXICON.auxiliaries))


def may_assert(tokens: Sequence[Token]) -> bool:
    """Whether the words could be a statement: :func:`has_finite_verb`, or an unlisted verb in -s or -ed.

    An unlisted verb is believed only in a sentence that ends with a stop: headings and labels do not.
    """
    if has_finite_verb(tokens):
        return True
    return tokens[-1].norm in {".", "!"} and has_unlisted_verb(tokens)


def has_unlisted_verb(tokens: Sequence[Token]) -> bool:
    """Whether a word stands and ends like a finite verb that the lexicon does not know."""
    words = [t for t in tokens if t.is_word]
    for before, word, after in zip(words, words[1:], words[2:], strict=False):
        norm = word.norm
        if word.capital or after.norm == "of" or not norm.isalpha():
            continue
        if before.norm in DETERMINERS or before.norm in LEXICON.prepositions or before.norm == "and":
            continue
        if norm.endswith("ed") and norm not in _ED_WORDS:
            return True
        third = norm.endswith("s") and not norm.endswith(("ss", "us", "is", "ous"))
        if third and not before.norm.endswith("s"):
            return True
        plural = before.norm.endswith("s") and not before.norm.endswith(("ss", "us", "is"))
        if (
            plural
            and (after.norm in DETERMINERS or after.norm in LEXICON.prepositions)
            and not is_adverb(norm)
        ):
            return True
    return False


def noun_phrase(items: Sequence[_Item]) -> NounPhrase:
    """The phrase the items make."""
    det, number, at = "", None, 0
    if items and items[0].norm in DETERMINERS and len(items) > 1:
        det, at = items[0].norm, 1
    if det == "an":
        det = "a"
    if at == 0 and len(items) == 1 and items[0].norm in _INDEFINITE_PERSONS:
        return NounPhrase(_INDEFINITE_PERSONS[items[0].norm], None, ("person",))
    if at < len(items) - 1 and (value := number_value(items[at].norm)) is not None:
        number, at = value, at + 1
        if number == "1" and not det and items[at - 1].norm == "one":
            det, number = "a", None
    words = tuple(item.norm for item in items[at:])
    return NounPhrase(det, number, words, at < len(items) and items[at].token.capital)


def _is_breaker(items: Sequence[_Item], at: int) -> bool:
    item = items[at]
    if not item.token.is_word:
        return item.norm not in _UNIT_MARKS
    if item.norm == "than":
        return False
    if item.norm in ("before", "after", "since", "until"):
        # With a plain noun these are prepositions; with a verb further on they open a clause.
        return any(_verbal(items, k) for k in range(at + 1, len(items)))
    if item.norm in _CLAUSE_STARTERS:
        return True
    return item.norm == "and" and any(
        _verbal(items, k) or is_gerund(items[k].norm) for k in range(at + 1, min(len(items), at + 12))
    )


def _verbal(items: Sequence[_Item], at: int) -> bool:
    word = items[at].norm
    if word in LEXICON.auxiliaries:
        return True
    before = items[at - 1].norm
    return _is_past(word) and before not in DETERMINERS and before not in LEXICON.prepositions


def _segments(items: Sequence[_Item], at: int) -> tuple[list[Segment], set[str], bool, int] | str:
    """Segments, adverbs, whether a "no" negates, and the index behind; or a reason code."""
    segments: list[Segment] = []
    adverbs: set[str] = set()
    negated = False
    words: list[_Item] = []
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


def _existential(items: list[_Item], verb: int) -> list[_Item] | str:
    """ "There is no man playing" read as "no man is playing"; a reason code where that is not possible."""
    at = verb + 1
    while at < len(items) and items[at].token.is_word:
        norm, before = items[at].norm, items[at - 1].norm
        opens = is_gerund(norm) or (is_participle(norm) and before not in DETERMINERS)
        if at > verb + 1 and (opens or (norm in LEXICON.prepositions and norm != "of")):
            break
        if norm in _CLAUSE_STARTERS or norm in LEXICON.auxiliaries:
            return "unknown-structure"
        at += 1
    if at == len(items) or not items[at].token.is_word:
        return "unknown-structure"
    return [*items[verb + 1 : at], items[verb], *items[at:]]


def parse_frame(tokens: Sequence[Token]) -> Frame | str:
    """The frame of the clause that begins with the first token, or the reason it cannot be read."""
    items = _items(tokens)
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
        if not item.token.is_word and item.norm not in _UNIT_MARKS:
            return "unknown-structure"
        if (at and item.norm in _CLAUSE_STARTERS) or item.norm == "or":
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
    items: list[_Item], verb: int, subject: NounPhrase, adverbs: set[str], *, negative: bool
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
            if _is_past(word)
            and not (
                subject.plural
                and stem(word) in _BASE_STEMS
                and word in LEXICON.base_verbs
                and not word.endswith("ed")
            )
            else "present"
        )
        at += 1
    elif auxiliaries[-1] in BE:
        aspect = "prog" if "being" in auxiliaries else "perf" if "been" in auxiliaries else "simple"
        if word.endswith("ing") and stem(word) in _BASE_STEMS:
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
    elif auxiliaries[-1] in DO and not (word and stem(word) in _BASE_STEMS):
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
