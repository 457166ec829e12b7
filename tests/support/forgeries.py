"""2,000 forged quotes in eight classes, made from real sentences with a fixed seed (R88, settlements.md 6).

Every forgery differs from every text it was made from, and stands nowhere in any of them; only the two
attribution classes (wrong source, wrong version) hold text that is exact, but elsewhere.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

SEED = 20261201
PER_CLASS = 250


class Forgery(StrEnum):
    """The ways in which a quotation goes wrong."""

    NEGATION = "negation"
    NUMBER = "number"
    SWAP = "swap"
    ORDER = "order"
    STITCHED = "stitched"
    WRONG_SOURCE = "wrong_source"
    WRONG_VERSION = "wrong_version"
    TWIN = "twin"


@dataclass(frozen=True, slots=True)
class ForgedQuote:
    """``text`` passes itself off as a quotation from ``source``; ``original`` is what it was made from.

    ``source`` is a name of the corpus. It is where the original stands, except for a wrong source.
    """

    kind: Forgery
    text: str
    original: str
    source: str


Sentences = Mapping[str, Sequence[str]]

_WORD = re.compile(r"\w+(?:[’'-]\w+)*")
_AUXILIARY = re.compile(
    r"\b(?:is|are|was|were|did|does|do|has|have|had|will|would|can|could|must|may)\b(?!\s+not)"
)
_NEGATION = re.compile(r"\b(?:not|never|no)\s")
_DIGITS = re.compile(r"\d+")
_NUMBERS = "one two three four five six seven eight nine ten eleven twelve thirteen thirty forty fifty sixty"
_NUMBER_WORDS = tuple(_NUMBERS.split())
_NUMBER_WORD = re.compile(rf"\b(?:{'|'.join(_NUMBER_WORDS)})\b", re.IGNORECASE)
_COMMON_WORDS = (
    "about above after again against all also although and another any because been before being below "
    "between both but could did does down each even every from had has have having here hers herself him "
    "his how into its itself more most must nor not now off once only other our out over own same she "
    "should some such than that the their them then there these they this those through too under until "
    "very was were what when where which while who whom why will with would you your"
)
_COMMON = frozenset(_COMMON_WORDS.split())
#: Letters with look-alikes of another script, and signs with another kind of themselves.
_TWINS = {
    "a": "\u0430", "e": "\u0435", "o": "\u043e", "p": "\u0440", "c": "\u0441", "i": "\u0456",
    "fi": "\ufb01", "fl": "\ufb02", "\ufb01": "fi", "\ufb02": "fl",
    "-": "\u2013", "’": "'", "'": "’", "“": '"', "”": '"', '"': "”",
    " ": "\u00a0", "...": "…", ".": "\u2024", ",": "\u201a",
}  # fmt: skip
_INVISIBLE = ("\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad")


def forged_quotes(
    current: Sentences,
    older: Sentences,
    texts: Mapping[str, str],
    *,
    stated: Collection[str] = (),
    seed: int = SEED,
    each: int = PER_CLASS,
) -> list[ForgedQuote]:
    """``each`` forgeries of every class, in class order.

    ``current`` are the sentences of each source, ``older`` those of an earlier version of some of them, and
    ``texts`` the current canonical texts. ``stated`` are statements that some source makes in other words: an
    edit that happens to give one of them ("The old king was sad", from the source that denies it) is no
    forgery. Raises ValueError when the sentences do not give enough.
    """
    made: list[ForgedQuote] = []
    everything = _plain("\0".join(texts.values()))
    true = {_plain(statement) for statement in stated}
    pool = [(name, s) for name in sorted(current) for s in current[name] if len(s) >= 16]
    words = sorted({w for _, s in pool for w in _WORD.findall(s) if _is_content(w)})
    makers: Mapping[Forgery, Callable[[random.Random, str], str | None]] = {
        Forgery.NEGATION: _negate,
        Forgery.NUMBER: _renumber,
        Forgery.SWAP: lambda r, s: swap_word(r, s, words),
        Forgery.ORDER: _reorder,
        Forgery.STITCHED: lambda r, s: _stitch(r, s, r.choice(pool)[1]),
        Forgery.TWIN: _twin,
    }
    for kind in Forgery:
        rng = random.Random(f"{seed}/{kind}")
        if kind is Forgery.WRONG_SOURCE:
            attempts = _wrong_sources(rng, pool, texts)
        elif kind is Forgery.WRONG_VERSION:
            attempts = _wrong_versions(rng, older)
        else:
            attempts = _edits(rng, kind, makers[kind], pool)
        found: dict[tuple[str, str], ForgedQuote] = {}
        for forged in attempts:
            plain = _plain(forged.text)
            if kind is not Forgery.WRONG_SOURCE and (plain in everything or plain in true):
                continue
            found.setdefault((forged.text, forged.source), forged)
            if len(found) == each:
                break
        if len(found) < each:
            raise ValueError(f"only {len(found)} of {each} forgeries of class {kind} can be made")
        made += found.values()
    return made


def older_version(text: str, *, seed: int = SEED) -> str:
    """An earlier version of a text: most of its sentences with another number, word or negation."""
    rng = random.Random(f"{seed}/older")
    words = sorted({w for w in _WORD.findall(text) if _is_content(w)})

    def edit(match: re.Match[str]) -> str:
        sentence = match.group()
        for change in (_renumber, _negate, lambda r, s: swap_word(r, s, words)):
            edited = change(rng, sentence)
            if edited is not None:
                return edited
        return sentence

    return re.sub(r"(?m)^[A-Z][^.?!\n|#`]{12,}[.]|(?<=\. )[A-Z][^.?!|#`]{12,}[.]", edit, text)


def _edits(
    rng: random.Random,
    kind: Forgery,
    make: Callable[[random.Random, str], str | None],
    pool: Sequence[tuple[str, str]],
) -> Iterator[ForgedQuote]:
    for _ in range(40):
        for name, sentence in rng.sample(pool, len(pool)):
            text = make(rng, sentence)
            if text is not None and text != sentence:
                yield ForgedQuote(kind, text, sentence, name)


def _wrong_sources(
    rng: random.Random, pool: Sequence[tuple[str, str]], texts: Mapping[str, str]
) -> Iterator[ForgedQuote]:
    plain = {name: _plain(text) for name, text in texts.items()}
    for _ in range(10):
        for name, sentence in rng.sample(pool, len(pool)):
            other = rng.choice([n for n in sorted(texts) if n != name])
            if _plain(sentence) not in plain[other]:
                yield ForgedQuote(Forgery.WRONG_SOURCE, sentence, sentence, other)


def _wrong_versions(rng: random.Random, older: Sentences) -> Iterator[ForgedQuote]:
    pool = [(name, s) for name in sorted(older) for s in older[name] if len(s) >= 16]
    for name, sentence in rng.sample(pool, len(pool)):
        yield ForgedQuote(Forgery.WRONG_VERSION, sentence, sentence, name)


def _plain(statement: str) -> str:
    """The words of a statement on one line, so that a line end does not hide that it stands in a text.

    Only blanks and line ends are made one, and letters only lower: a typographic twin stays another text.
    """
    return re.sub(r"[ \t\n\f]+", " ", statement).strip(" .").lower()


def _is_content(word: str) -> bool:
    return len(word) >= 4 and word.isalpha() and word.casefold() not in _COMMON


def _negate(rng: random.Random, sentence: str) -> str | None:
    """Drop one negation, or add one after an auxiliary verb."""
    negations = list(_NEGATION.finditer(sentence))
    if negations:
        m = rng.choice(negations)
        return sentence[: m.start()] + sentence[m.end() :]
    auxiliaries = list(_AUXILIARY.finditer(sentence))
    if not auxiliaries:
        return None
    m = rng.choice(auxiliaries)
    return sentence[: m.end()] + " not" + sentence[m.end() :]


def _renumber(rng: random.Random, sentence: str) -> str | None:
    """Change one digit of a number, or a number word."""
    places = [*_DIGITS.finditer(sentence), *_NUMBER_WORD.finditer(sentence)]
    if not places:
        return None
    m = rng.choice(places)
    old = m.group()
    if old.isdigit():
        at = rng.randrange(len(old))
        digit = rng.choice([d for d in "123456789" if d != old[at]])
        new = old[:at] + digit + old[at + 1 :]
    else:
        new = rng.choice([w for w in _NUMBER_WORDS if w != old.casefold()])
        new = new.capitalize() if old[0].isupper() else new
    return sentence[: m.start()] + new + sentence[m.end() :]


def swap_word(rng: random.Random, sentence: str, words: Sequence[str]) -> str | None:
    """Put another content word of the corpus in the place of one."""
    places = [m for m in _WORD.finditer(sentence) if _is_content(m.group())]
    if not places:
        return None
    m = rng.choice(places)
    upper = m.group()[0].isupper()
    others = [w for w in words if w[0].isupper() == upper and w.casefold() != m.group().casefold()]
    return sentence[: m.start()] + rng.choice(others) + sentence[m.end() :]


def _reorder(rng: random.Random, sentence: str) -> str | None:
    """Exchange two content words, or shuffle all words; punctuation stays in place."""
    places = list(_WORD.finditer(sentence))
    order = list(range(len(places)))
    if rng.random() < 0.5:
        content = [i for i in order if _is_content(places[i].group())]
        if len(content) < 2:
            return None
        first, second = rng.sample(content, 2)
        order[first], order[second] = order[second], order[first]
    else:
        rng.shuffle(order)
    out, at = [], 0
    for place, source in zip(places, order, strict=True):
        out += [sentence[at : place.start()], places[source].group()]
        at = place.end()
    return "".join(out) + sentence[at:]


def _stitch(rng: random.Random, first: str, second: str) -> str | None:
    """The beginning of one sentence and the end of another."""
    heads, tails = list(_WORD.finditer(first)), list(_WORD.finditer(second))
    if first == second or len(heads) < 4 or len(tails) < 4:
        return None
    head = heads[rng.randrange(len(heads) // 2, len(heads) - 1)].end()
    tail = tails[rng.randrange(1, len(tails) // 2 + 1)].start()
    joint = rng.choice((" ", " … "))
    return first[:head] + joint + second[tail:]


def _twin(rng: random.Random, sentence: str) -> str | None:
    """The same to the eye, other code points."""
    decomposed = unicodedata.normalize("NFD", sentence)
    if decomposed != sentence:
        return decomposed
    if rng.random() < 0.25:
        at = rng.randrange(1, len(sentence))
        return sentence[:at] + rng.choice(_INVISIBLE) + sentence[at:]
    twins = [t for t in sorted(_TWINS) if t in sentence[:-1]]
    twin = rng.choice(twins)
    places = [m.start() for m in re.finditer(re.escape(twin), sentence)]
    at = rng.choice(places)
    return sentence[:at] + _TWINS[twin] + sentence[at + len(twin) :]
