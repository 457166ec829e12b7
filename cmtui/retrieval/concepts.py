"""The concept lexicon: which words speak of the same thing, in a file that people can read and extend."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cmtui.errors import ConfigError
from cmtui.retrieval.tokens import Token, stem

#: Concepts of a person's own, in the store directory, in the same format: new ones, and words for known ones.
STORE_CONCEPTS = "concepts.txt"
#: The bundled lexicon; it lies in the package.
CONCEPTS_FILE = Path(__file__).with_name("concepts.txt")


@dataclass(frozen=True, slots=True, eq=False)
class ConceptLexicon:
    """Concepts by name, and where each word leads: by its stem, or by its exact form.

    ``digest`` tells two lexicons apart: the SHA-256 of all concepts and words.
    """

    words: Mapping[str, tuple[str, ...]]
    by_stem: Mapping[str, tuple[str, ...]]
    by_form: Mapping[str, tuple[str, ...]]
    digest: str = ""

    def of(self, token: Token) -> tuple[str, ...]:
        """The concepts a token speaks of, in order of name; mostly none."""
        return self.of_word(token.text, token.stem)

    def of_word(self, text: str, word_stem: str) -> tuple[str, ...]:
        """The concepts of a folded word and its stem."""
        forms = self.by_form.get(text)
        stems = self.by_stem.get(word_stem, ())
        return stems if forms is None else tuple(sorted({*forms, *stems}))


@cache
def concept_lexicon() -> ConceptLexicon:
    """The bundled lexicon, read once."""
    return read_concepts(CONCEPTS_FILE.read_text(encoding="utf-8"))


def store_lexicon(root: Path | None) -> ConceptLexicon:
    """The bundled lexicon with what ``concepts.txt`` in the store directory adds. A concept of a known name
    gains words. Raises ConfigError for a file that cannot be read, with the number of the line."""
    if root is None:
        return concept_lexicon()
    path = root / STORE_CONCEPTS
    try:
        own = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return concept_lexicon()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"The concepts of this store, '{path}', cannot be read: {error}.",
            "Make it readable UTF-8 text, or move it away.",
        ) from error
    try:
        added = read_concepts(own).words
    except ValueError as error:
        raise ConfigError(
            f"'{path}', {error}.", "Write one 'concept: word word ...' a line, '=word' for an exact form."
        ) from error
    words = {**concept_lexicon().words}
    for name, members in added.items():
        words[name] = tuple(dict.fromkeys((*words.get(name, ()), *members)))
    return _lexicon(words)


def read_concepts(text: str) -> ConceptLexicon:
    """Read ``concept: word word ...`` lines; ``#`` begins a comment, ``=word`` is an exact form.

    Raises ValueError with the number of a line that is nothing of this, or names a concept twice.
    """
    words: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        content = line.partition("#")[0].strip()
        if not content:
            continue
        name, colon, listed = content.partition(":")
        name = name.strip()
        members = tuple(listed.lower().split())
        if not colon or not members or not name.replace("_", "").isalnum():
            raise ValueError(f"line {number}: expected 'concept: word word ...', found {content!r}")
        if any(not member.removeprefix("=").isalpha() for member in members):
            raise ValueError(f"line {number}: a word is letters alone, or '=' and letters")
        if name in words:
            raise ValueError(f"line {number}: the concept '{name}' is defined twice")
        words[name] = members
    return _lexicon(words)


def _lexicon(words: Mapping[str, tuple[str, ...]]) -> ConceptLexicon:
    by_stem: dict[str, set[str]] = {}
    by_form: dict[str, set[str]] = {}
    for name, members in words.items():
        for word in members:
            if word.startswith("="):
                by_form.setdefault(word[1:], set()).add(name)
            else:
                by_stem.setdefault(stem(word), set()).add(name)
    digest = hashlib.sha256(repr(sorted(words.items())).encode("utf-8")).hexdigest()
    return ConceptLexicon(words, _sorted(by_stem), _sorted(by_form), digest)


def _sorted(places: Mapping[str, set[str]]) -> dict[str, tuple[str, ...]]:
    return {word: tuple(sorted(names)) for word, names in places.items()}
