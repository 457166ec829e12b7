"""Every reason code an assessment may carry, with what it means. Codes are stable; texts may improve."""

from __future__ import annotations

from typing import Final

REASONS: Final[dict[str, str]] = {
    # SUPPORTS
    "same-sentence": "the claim is the sentence, word for word",
    "same-clause": "the claim is a complete asserted main clause of the sentence, word for word",
    "same-fact": "same subject, predicate, arguments, numbers and polarity",
    "entailed": "same subject; what is said of it entails the claim",
    "members-supported": "each part of the claim is supported by a passage of its own in the same document",
    # CONTRADICTS
    "negated": "same fact with the opposite polarity",
    "antonym": "same subject with an opposite predicate",
    "other-number": "same fact with another number or unit",
    "other-date": "same event with another date",
    # RELATED
    "conflict": "one sentence supports the claim and another contradicts it",
    "hedged": "the sentence says it may be so",
    "reported-speech": "someone is reported to say so",
    "question": "the sentence asks",
    "conditional": "the sentence says so under a condition",
    "fiction": "the sentence speaks of a dream, story or supposition",
    "retracted": "the text takes the statement back",
    "planned": "the sentence speaks of an intention or the future",
    "negation-scope": "a negation whose reach is not certain",
    "unbound-pronoun": "the subject is a pronoun without a certain antecedent",
    "other-subject": "the subject is another or is ambiguous",
    "other-object": "an argument is another or is missing",
    "indefinite-subject": "the two may speak of different individuals",
    "quantifier": "the quantities differ or cannot be compared",
    "number-unknown": "numbers or units differ without excluding each other",
    "tense": "another time or aspect",
    "comparison": "a comparison that is not the same one",
    "typography": "words differ only in typography; twins are never equal",
    "word-order": "the same words in another order",
    "missing-words": "the sentence lacks words of the claim",
    "extra-qualifier": "the sentence has a qualifier that the claim lacks, or the claim has one more",
    "other-predicate": "another predicate about the same subject",
    "unknown-structure": "the sentence is built in a way the rules do not read",
    "fragment": "a heading or fragment, not an assertion",
    "fragment-context": "an unknown heading or fragment stands before the sentence",
    "role-heading": "headings assert nothing",
    "role-reference": "a reference entry names a work and asserts nothing",
    "role-code": "code asserts nothing",
    "role-table": "table cells assert nothing by themselves",
    # INSUFFICIENT
    "few-shared-words": "the passage shares too few words with the claim",
    "empty-claim": "the claim has no words",
    "claim-question": "the claim is a question",
    "claim-fragment": "the claim is no complete statement",
    # Learned backends (R93, R126 to R134)
    "entailment": "the classifier says the text entails the claim",
    "contradiction": "the classifier says the text contradicts the claim",
    "neutral": "the classifier says neither",
    "uncertain": "the classifier is not certain enough",
    "too-long": "claim and passage exceed the classifier's context",
}

#: The codes, sorted, for tables and tests.
REASON_CODES: Final[tuple[str, ...]] = tuple(sorted(REASONS))
