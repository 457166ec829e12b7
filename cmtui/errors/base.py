"""The root of the tree, and errors that any part may raise."""

from __future__ import annotations


def _sentence(text: str) -> str:
    """``text`` with its first letter a capital and a stop at its end.

    A command or path at an end stays as it is typed: it must work when it is copied.
    """
    if not text:
        return text
    first = text.split(maxsplit=1)[0]
    if first.isalpha() and first.islower() and first not in _TYPED:
        text = text[0].upper() + text[1:]
    words = text.split()
    typed = any(word in _TYPED or word.startswith("--") for word in words[-6:])
    return text if text[-1] in ".!?…:)" or typed else text + "."


#: Words that begin a command in a message or hint.
_TYPED = frozenset({"citation-machine", "cmtui", "pip", "pandoc", "ocrmypdf", "export", "make"})


class CmtuiError(Exception):
    """Base of every expected failure.

    ``message`` is one clear sentence that names the thing concerned; ``hint`` is the next step.
    """

    #: A stable, lower-case class name for tables and machine readers (``malformed``, ``no-text-layer``).
    code = "error"

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message

    @property
    def sentence(self) -> str:
        """The message as a person reads it: with a capital and a full stop."""
        return _sentence(self.message)

    @property
    def advice(self) -> str:
        """The hint as a person reads it."""
        return _sentence(self.hint)


class Cancelled(CmtuiError):
    """The person cancelled; nothing partial stays behind."""

    code = "cancelled"


class InvalidRequest(CmtuiError):
    """An argument is out of range or of the wrong kind."""

    code = "invalid-request"


class NotFound(CmtuiError):
    """The id or prefix names nothing in this store."""

    code = "not-found"


class DoiNotFound(NotFound):
    """No provider knows the DOI."""

    code = "doi-not-found"


class AmbiguousId(NotFound):
    """The prefix names more than one thing; the message lists the first candidates."""

    code = "ambiguous-id"


class DocumentRemoved(NotFound):
    """The document was removed from this store; its evidence and the decisions on it are kept."""

    code = "removed"
