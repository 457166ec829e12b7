"""One item on its way through the processor: what is cited, how, and what has been printed so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from cmtui.bibliography.normalise import Reference


@dataclass(frozen=True, slots=True)
class Locator:
    """A place in a work: ``label`` is a CSL locator type such as page, ``identifier`` what it says."""

    label: str
    identifier: str


@dataclass(slots=True)
class Cite:
    """An item in a bibliography or a citation. The processor's elements read and mark it while printing.

    ``mode`` is citation, bibliography or sort. ``positions`` holds first, subsequent, ibid,
    ibid-with-locator, near-note. ``given_level`` says by index of the name whether initials (1) or the whole
    given name (2) are added to tell two people apart, ``names_shown`` how many names stand before "et al.".
    """

    key: str
    reference: Reference
    number: int = 0
    mode: str = "bibliography"
    locator: Locator | None = None
    prefix: str = ""
    suffix: str = ""
    positions: frozenset[str] = frozenset({"first"})
    disambiguate: bool = False
    names_shown: int = 0
    given_level: dict[int, int] = field(default_factory=dict)
    year_suffix: str = ""
    suppress_names: bool = False
    substitute_names: str = ""

    # State of one rendering.
    suppressed: set[str] = field(default_factory=set)
    recording: list[str] | None = None
    names_rendered: bool = False
    first_names: str | None = None

    def begin(self, mode: str) -> None:
        """Forget the last rendering and start one in this mode."""
        self.mode = mode
        self.suppressed = set()
        self.recording = None
        self.names_rendered = False
        self.first_names = None

    @property
    def has_locator(self) -> bool:
        """Whether a place in the work is cited."""
        return self.locator is not None

    def get(self, name: str, default: Any = None) -> Any:
        """The processor's way to read prefix and suffix."""
        return getattr(self, name, default)

    def __contains__(self, name: object) -> bool:
        return name == "locator" and self.locator is not None
