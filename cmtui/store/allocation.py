"""Making many small objects at once."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def without_collection() -> Iterator[None]:
    """Leave the cyclic garbage collector off for a moment.

    Rows and records hold no cycles, and there are tens of thousands of them: the collector would look at all
    of them again and again while they are made, which takes longer than making them.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
