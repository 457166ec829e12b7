"""Overlapping windows over a passage that is too long for a classifier (R130, R132).

A window is a run of whole sentences. No sentence is ever cut: half of one may say the opposite of the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cmtui.model.selectors import Span


def windows(spans: Sequence[Span], fits: Callable[[Span], bool]) -> list[range] | None:
    """Runs of sentences (as indexes into ``spans``) that cover all of them, each as long as fits.

    Every two neighbouring windows share a sentence wherever the two sentences fit together, so that each pair
    of neighbouring sentences that fits is seen whole. None when a single sentence does not fit. ``fits`` is
    asked about spans of the passage and must be monotone: what contains a span that does not fit does not
    fit.
    """
    found: list[range] = []
    first = 0
    while first < len(spans):
        if not fits(spans[first]):
            return None
        last = first
        while last + 1 < len(spans) and fits(Span(spans[first].start, spans[last + 1].end)):
            last += 1
        # The shared sentence may leave no room for a new one; such a window adds nothing.
        if not found or last >= found[-1].stop:
            found.append(range(first, last + 1))
        if last + 1 >= len(spans):
            break
        first = last if last > first else last + 1
    return found
