"""Which word is the verb: closed classes, agreement and endings, without a tagger."""

from __future__ import annotations

from collections.abc import Sequence

from cmtui.inference.cues import LEXICON
from cmtui.inference.phrases import (
    ARTICLES,
    CLAUSE_STARTERS,
    DETERMINERS,
    MODALS,
    PRONOUNS,
    Item,
    items_of,
    noun_phrase,
)
from cmtui.inference.tokens import Token, stem

_NOT_ADVERBS = LEXICON.words["ly-not-adverbs"]
_PLAIN_ADVERBS = LEXICON.words["adverbs"]
BASE_STEMS = frozenset(stem(word) for word in LEXICON.base_verbs) | frozenset(
    stem(base) for base in LEXICON.irregular.values()
)
_NOT_GERUNDS = LEXICON.words["ing-not-verbs"]
_ED_WORDS = LEXICON.words["ed-not-verbs"]


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


def is_past(word: str) -> bool:
    """Whether ``word`` may be a past tense."""
    return is_participle(word) and word not in {"gone", "done", "seen", "been"}


def _is_finite(items: Sequence[Item], at: int) -> bool:
    """Whether a main verb without auxiliary stands at ``at``; agreement decides the present tense."""
    word = items[at].norm
    before = items[at - 1].norm
    if before in ("that", "which", "who") and not is_gerund(word) and stem(word) in BASE_STEMS:
        return True
    if before in DETERMINERS or before in LEXICON.prepositions or before in ("and", "or"):
        return False
    if all(is_adverb(item.norm) or item.norm in DETERMINERS for item in items[:at]):
        return False
    if is_past(word):
        return True
    if stem(word) not in BASE_STEMS or is_gerund(word) or word in LEXICON.prepositions:
        return False
    subject = noun_phrase([item for item in items[:at] if not is_adverb(item.norm)])
    third = word.endswith("s") and not word.endswith("ss")
    plural = subject.plural or subject.words[-1:] in (("they",), ("we",), ("you",), ("i",))
    # A name in -s ("Ulysses weeps") looks plural; with a present verb in -s it is one.
    return (third and (not plural or (len(subject.words) == 1 and subject.capital))) or (not third and plural)


def find_verb(items: Sequence[Item]) -> int | None:
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


def _main_verb(items: Sequence[Item], at: int) -> int:
    """The finite verb when the one at ``at`` may only modify ("the bridge opened in 1893 fell")."""
    for later in range(at + 1, len(items)):
        norm = items[later].norm
        if not items[later].token.is_word or norm in CLAUSE_STARTERS or norm in ("and", "to"):
            break
        if norm in LEXICON.auxiliaries and norm not in ("be", "been", "being"):
            return later
        if is_past(norm) and _is_finite(items, later):
            return _main_verb(items, later)
    return at


def has_finite_verb(tokens: Sequence[Token]) -> bool:
    """Whether the words hold a finite verb, so that they can assert something at all."""
    return find_verb(items_of(tokens)) is not None


def begins_with_verb(tokens: Sequence[Token]) -> bool:
    """Whether a predicate or a clause with a pronoun for its subject begins here, adverbs aside."""
    items = items_of(tokens)
    while items and is_adverb(items[0].norm):
        items.pop(0)
    if not items:
        return False
    first = items[0].norm
    third = first.endswith("s") and not first.endswith("ss") and stem(first) in BASE_STEMS
    gerund = is_gerund(first) and stem(first) in BASE_STEMS
    if first in LEXICON.auxiliaries or is_past(first) or third or gerund:
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


def is_verbal(items: Sequence[Item], at: int) -> bool:
    """Whether the word at ``at`` may begin another predicate."""
    word = items[at].norm
    if word in LEXICON.auxiliaries:
        return True
    before = items[at - 1].norm
    return is_past(word) and before not in DETERMINERS and before not in LEXICON.prepositions
