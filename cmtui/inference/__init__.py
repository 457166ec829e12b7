"""How a passage stands to a claim: conservative rules that say why they abstain (R90 to R93)."""

from cmtui.inference.claims import ClaimText, parse_claim
from cmtui.inference.learned import LearnedNLIBackend
from cmtui.inference.local import LocalInferenceBackend
from cmtui.inference.reasons import REASON_CODES, REASONS

__all__ = [
    "REASONS",
    "REASON_CODES",
    "ClaimText",
    "LearnedNLIBackend",
    "LocalInferenceBackend",
    "parse_claim",
]
