"""Review, settings and the section pipeline."""

from __future__ import annotations

from cmtui.errors.base import CmtuiError


class ReviewError(CmtuiError):
    """A review action does not apply."""

    code = "review"


class NothingToUndo(ReviewError):
    """No event of this reviewer is left to undo or redo."""

    code = "nothing-to-undo"


class ConfigError(CmtuiError):
    """A setting is unknown or out of range; the message names the file, key and line."""

    code = "config"


class SectionError(CmtuiError):
    """The section pipeline cannot use its input."""

    code = "section"
