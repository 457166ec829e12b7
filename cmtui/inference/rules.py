"""One sentence against one claim: the two routes to a decision, and the reason when there is none (R90, R91).

Identity route: the claim is, token by token, an asserted sentence or a complete main clause of it.
Simple-fact route: both are read as frames and compared part by part. Everything else abstains.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cmtui.inference import clauses, relations
from cmtui.inference.claims import parse_claim
from cmtui.inference.cues import LEXICON
from cmtui.inference.frames import Frame, parse_frame
from cmtui.inference.phrases import DETERMINERS, PRONOUNS
from cmtui.inference.tokens import Token, lemma, skeleton, tokenize
from cmtui.inference.verbs import has_finite_verb, has_unlisted_verb
from cmtui.model.claim import Relation

#: Confidence per route. Uncalibrated, like every confidence here (R96): an order, not a probability.
CONFIDENCE = {
    "same-sentence": 0.99,
    "same-clause": 0.95,
    "same-fact": 0.90,
    "negated": 0.90,
    "other-number": 0.88,
    "other-date": 0.88,
    "entailed": 0.86,
    "antonym": 0.86,
}

_FUNCTION_WORDS = (
    DETERMINERS | PRONOUNS | LEXICON.auxiliaries | LEXICON.prepositions | LEXICON.words["function-words"]
) - LEXICON.months
#: Share of the claim's content words that a passage must share to be called related (and to be read).
RELATED_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one sentence says. ``start`` and ``end`` are offsets of the words to quote."""

    relation: Relation
    reason: str
    explanation: str
    start: int
    end: int
    share: float = 0.0


@dataclass(frozen=True, slots=True)
class CompiledClaim:
    """A claim read once for all passages. ``content`` are the lemmas its passages must share."""

    text: str
    problem: str | None
    tokens: tuple[Token, ...]
    norms: tuple[str, ...]
    content: tuple[str, ...]
    accepted: tuple[frozenset[str], ...]
    frame: Frame | str

    def share(self, lemmas: frozenset[str] | set[str]) -> float:
        """The share of content words that are among ``lemmas``, themselves or by a listed relation."""
        if not self.content:
            return 0.0
        met = sum(1 for one in self.accepted if not one.isdisjoint(lemmas))
        return met / len(self.content)


def compile_claim(request: str) -> CompiledClaim:
    """The claim inside ``request``, read once."""
    parsed = parse_claim(request)
    tokens = tuple(tokenize(parsed.text))
    content = tuple(
        dict.fromkeys(lemma(t.norm) for t in tokens if t.is_word and t.norm not in _FUNCTION_WORDS)
    )
    problem = parsed.problem
    if problem is None and not (has_finite_verb(tokens) or has_unlisted_verb(tokens)):
        problem = "claim-fragment"
    frame: Frame | str = "unknown-structure"
    if problem is None:
        frame = parse_frame(tokens)
        if isinstance(frame, Frame) and frame.end < len(tokens):
            frame = "unknown-structure"  # a claim is read whole or not at all
    return CompiledClaim(
        parsed.text,
        problem,
        tokens,
        tuple(t.norm for t in tokens),
        content,
        tuple(frozenset({stem}) | relations.RELATED_STEMS.get(stem, frozenset()) for stem in content),
        frame,
    )


def lemmas_of(tokens: Sequence[Token]) -> set[str]:
    """The lemmas of the words."""
    return {lemma(token.norm) for token in tokens if token.is_word}


def assess_sentence(claim: CompiledClaim, tokens: Sequence[Token], *, quoted: bool) -> Verdict | None:
    """What a sentence says of the claim; None when it shares too little to speak of.

    ``quoted`` says that the sentence begins inside quotation marks, so that somebody else asserts it.
    """
    share = claim.share(lemmas_of(tokens))
    if share < RELATED_SHARE or not tokens:
        return None
    start, end = tokens[0].start, tokens[-1].end

    def related(reason: str, explanation: str) -> Verdict:
        return Verdict(Relation.RELATED, reason, explanation, start, end, share)

    if clauses.is_question(tokens):
        return related("question", "The sentence asks and asserts nothing.")
    if clauses.looks_like_reference(tokens):
        return related("role-reference", "The sentence is an entry of a reference list.")
    if quoted:
        return related("reported-speech", "The sentence stands inside quotation marks: someone else says it.")
    twins = _twins(claim, tokens)
    if twins is not None:
        return related("typography", twins)
    if clauses.is_fragment(tokens):
        return related("fragment", "A heading or a fragment without a finite verb asserts nothing.")
    verdict = _identity(claim, tokens, share)
    if verdict is not None and verdict.relation is not Relation.RELATED:
        return verdict
    by_frame = _facts(claim, tokens, share)
    if by_frame is not None and by_frame.relation is Relation.SUPPORTS and not _in_order(claim, tokens):
        return related("word-order", "The sentence has the words of the claim in another order.")
    decided = by_frame is not None and by_frame.relation is not Relation.RELATED
    # The identity route saw the claim's very words in a context that takes them back.
    taken_back = verdict is not None and verdict.reason != "unknown-structure"
    if by_frame is not None and decided and (not taken_back or by_frame.relation is Relation.CONTRADICTS):
        return by_frame
    if verdict is not None:
        return verdict
    if by_frame is not None and _RANK.get(by_frame.reason, 1) >= _TELLS:
        return by_frame
    cue = clauses.first_cue(tokens)
    if cue is not None and cue[0] != "quantifier":
        return related(cue[0], f"“{cue[1]}” in the sentence leaves open whether it is asserted.")
    other = _other_words(claim, tokens)
    if other is not None:
        return related(*other)
    if by_frame is not None:
        return by_frame
    return related("unknown-structure", "The sentence is built in a way the rules do not read.")


def _twins(claim: CompiledClaim, tokens: Sequence[Token]) -> str | None:
    """An explanation naming the words that are equal but for typography, or None."""
    exact = {t.norm for t in tokens}
    missing = [t for t in claim.tokens if t.norm not in exact]
    if not missing:
        return None
    folded = {skeleton(t.norm): t.text for t in tokens if t.is_word or skeleton(t.norm)}
    named = [
        f"“{t.text}” and “{folded[skeleton(t.norm)]}”"
        for t in missing
        if (t.is_word or not t.norm.isascii()) and skeleton(t.norm) in folded
    ]
    if named:
        return f"Typographic twins are never equal: {', '.join(named)}."
    if any(not t.norm.isascii() or t.norm in "\"'-" for t in missing):
        mine, theirs = skeleton(claim.text), skeleton(" ".join(t.text for t in tokens))
        if mine == theirs:
            return "The claim and the sentence differ only in typography, which is never equal."
    return None


def _identity(claim: CompiledClaim, tokens: Sequence[Token], share: float) -> Verdict | None:
    body = list(clauses.strip_terminal(tokens))
    norms = [t.norm for t in body]
    size = len(claim.norms)
    first: Verdict | None = None
    for at in range(len(norms) - size + 1):
        if norms[at] != claim.norms[0] or tuple(norms[at : at + size]) != claim.norms:
            continue
        left, right = tokens[:at], tokens[at + size :]
        whole = at == 0 and size == len(norms)
        problem = None
        if not whole:
            strict = not (
                isinstance(claim.frame, Frame) and claim.frame.episodic and not claim.frame.negative
            )
            problem = clauses.left_problem(left, strict=strict) or clauses.right_problem(right, strict=strict)
        if problem is None and _cuts_colours(tokens, at + size):
            problem = "unknown-structure", right[0].text
        if problem is None and not whole and not LEXICON.words["uncut"].isdisjoint(claim.norms):
            problem = "extra-qualifier", right[0].text if right else left[0].text
        begin, end = tokens[0].start, tokens[-1].end
        if left and left[-1].norm == ":":
            begin = body[at].start
        if problem is None:
            reason = "same-sentence" if whole else "same-clause"
            what = "sentence" if whole else "main clause"
            return Verdict(
                Relation.SUPPORTS,
                reason,
                f"The claim stands word for word as a {what}: “{claim.text}”.",
                begin,
                end,
                share,
            )
        explanation = f"The words of the claim stand here, but “{problem[1]}” keeps them from being asserted."
        first = first or Verdict(Relation.RELATED, problem[0], explanation, begin, end, share)
    return first


def _cuts_colours(tokens: Sequence[Token], end: int) -> bool:
    """Whether a clause that ends at ``end`` is cut out of "black and striped", which is not black."""
    after = tokens[end].norm if end < len(tokens) else ""
    return tokens[end - 1].norm in LEXICON.words["colours"] and after in ("and", ",")


def _starts(tokens: Sequence[Token]) -> list[int]:
    """Where main clauses may begin: at the start, behind a lead-in, and behind a coordination."""
    found = [0]
    for at, token in enumerate(tokens[:-1]):
        if token.norm in {",", ";", ":"}:
            following = at + 1
            if tokens[following].norm in {"and", "but", "so", "yet"}:
                following += 1
            if following < len(tokens) and tokens[following].norm not in {"who", "which", "that", "whose"}:
                found.append(following)
    return found[:12]


def _facts(claim: CompiledClaim, tokens: Sequence[Token], share: float) -> Verdict | None:
    if isinstance(claim.frame, str):
        return None
    best: Verdict | None = None
    for at in _starts(tokens):
        frame = parse_frame(tokens[at:])
        if isinstance(frame, str):
            verdict = _related(frame, "The sentence cannot be read as one simple clause.", tokens, share)
        else:
            verdict = _compare(claim.frame, frame, tokens, at, share)
        if verdict.relation is not Relation.RELATED:
            return verdict
        if best is None or _RANK.get(verdict.reason, 1) > _RANK.get(best.reason, 1):
            best = verdict
    return best


_TELLING = (
    "conditional hedged reported-speech planned fiction retracted negation-scope unbound-pronoun tense "
    "number-unknown quantifier comparison extra-qualifier missing-words indefinite-subject"
)
#: Which reason tells most when several clauses of a sentence were read.
_RANK = {"unknown-structure": 0, "fragment": 0, "other-subject": 1, "other-predicate": 2} | dict.fromkeys(
    _TELLING.split(), 3
)


_TELLS = 3


def telling(reason: str) -> int:
    """How much a reason for abstaining tells, for choosing which of several to show."""
    return _RANK.get(reason, 1)


def _related(reason: str, explanation: str, tokens: Sequence[Token], share: float) -> Verdict:
    return Verdict(Relation.RELATED, reason, explanation, tokens[0].start, tokens[-1].end, share)


def _compare(claim: Frame, frame: Frame, tokens: Sequence[Token], at: int, share: float) -> Verdict:
    relation, reason, explanation = _polar(claim, frame)
    if relation is not Relation.RELATED:
        strict = frame.negative or not frame.episodic
        problem = clauses.left_problem(tokens[:at], strict=strict) or clauses.right_problem(
            tokens[at + frame.end :], strict=strict
        )
        if problem is None and _cuts_colours(tokens, at + frame.end):
            problem = "unknown-structure", tokens[at + frame.end].text
        if problem is not None:
            return _related(
                problem[0],
                f"“{problem[1]}” in the sentence leaves open whether it is asserted.",
                tokens,
                share,
            )
    return Verdict(relation, reason, explanation, tokens[0].start, tokens[-1].end, share)


def _polar(claim: Frame, frame: Frame) -> tuple[Relation, str, str]:
    subject, said, asked = frame.subject, frame.word, claim.word
    if not claim.negative and not frame.negative:
        problem = relations.entails(frame, claim)
        if problem is None:
            if frame.verb == claim.verb and frame.kind == claim.kind and _same_complement(frame, claim):
                return (
                    Relation.SUPPORTS,
                    "same-fact",
                    f"“{subject}” and “{said}” stand in both, with every argument.",
                )
            return (
                Relation.SUPPORTS,
                "entailed",
                f"Of “{subject}” the sentence says “{_said(frame)}”, which entails “{_said(claim)}”.",
            )
        pair = relations.opposite(frame, claim)
        if pair is not None:
            return Relation.CONTRADICTS, "antonym", f"Of “{subject}”: “{pair[0]}” excludes “{pair[1]}”."
        value = relations.other_value(frame, claim)
        if isinstance(value, tuple):
            return (
                Relation.CONTRADICTS,
                value[0],
                f"Of “{subject}” with “{said}” the sentence has {value[1]}, the claim {value[2]}.",
            )
        if isinstance(value, str):
            problem = value
        return Relation.RELATED, problem, _why(problem, claim, frame)
    if claim.negative and frame.negative:
        problem = relations.entails(claim, frame)
        if problem is None and _deniable(claim) and _deniable(frame):
            return Relation.SUPPORTS, "same-fact", f"Both deny “{asked}” of “{subject}”."
        problem = problem or "indefinite-subject"
        return Relation.RELATED, problem, _why(problem, claim, frame)
    positive, negative = (claim, frame) if frame.negative else (frame, claim)
    problem = relations.entails(positive, negative)
    if problem is None and negative.subject.det in ("all", "every", "each", "both", "most", "many", "some"):
        problem = "quantifier"
    if problem is None and not _deniable(negative):
        problem = "indefinite-subject"
    if problem is None:
        return (
            Relation.CONTRADICTS,
            "negated",
            f"“{said}” of “{subject}” is denied in one and asserted in the other.",
        )
    if problem in _PLAIN:
        return Relation.RELATED, problem, _why(problem, claim, frame)
    return Relation.RELATED, "negation-scope", f"What the negation of “{said}” denies is not certain."


#: Reasons that say more than "the reach of the negation is not certain".
_PLAIN = {
    *("other-subject", "other-predicate", "unbound-pronoun", "tense"),
    *("planned", "hedged", "quantifier", "indefinite-subject"),
}


def _same_complement(a: Frame, b: Frame) -> bool:
    return a.kind != "copula" or (
        bool(a.segments and b.segments) and a.segments[0].phrase.words == b.segments[0].phrase.words
    )


def _said(frame: Frame) -> str:
    return str(frame.segments[0].phrase) if frame.kind == "copula" and frame.segments else frame.word


def _deniable(frame: Frame) -> bool:
    """Whether the negation of a negated frame reaches the whole statement."""
    if frame.subject.det == "any" or any(s.phrase.det == "any" for s in frame.segments):
        return frame.subject.det == "any" or relations.definite(frame, frame.subject)
    return relations.definite(frame, frame.subject)


def _why(problem: str, claim: Frame, frame: Frame) -> str:
    texts = {
        "unbound-pronoun": f"“{frame.subject}” is not bound to “{claim.subject}” inside the sentence.",
        "other-subject": f"The sentence speaks of “{frame.subject}”, the claim of “{claim.subject}”.",
        "other-predicate": f"The sentence says “{_said(frame)}”, the claim “{_said(claim)}”.",
        "tense": f"“{frame.word}” and “{claim.word}” tell of different times.",
        "indefinite-subject": f"“{frame.subject}” and “{claim.subject}” may be different individuals.",
        "number-unknown": "Numbers or units differ without certainly excluding each other.",
    }
    return texts.get(problem, f"“{frame.word}” of “{frame.subject}”: {problem.replace('-', ' ')}.")


def _in_order(claim: CompiledClaim, tokens: Sequence[Token]) -> bool:
    """Whether the words that claim and sentence share follow each other in the same order."""
    words = [t.norm for t in tokens if t.is_word and t.norm not in DETERMINERS]
    shared = [t.norm for t in claim.tokens if t.is_word and t.norm in words]
    remaining = iter(words)
    return all(word in remaining for word in shared)


def _other_words(claim: CompiledClaim, tokens: Sequence[Token]) -> tuple[str, str] | None:
    words = [t.norm for t in tokens if t.is_word]
    mine = [t.norm for t in claim.tokens if t.is_word]
    if len(mine) > 3 and sorted(words) == sorted(mine) and words != mine:
        return "word-order", "The sentence has the words of the claim in another order."
    if isinstance(claim.frame, str):
        have = lemmas_of(tokens)
        missing = [stem for stem in claim.content if stem not in have]
        if missing:
            return "missing-words", f"The sentence lacks: {', '.join(missing)}."
    return None
