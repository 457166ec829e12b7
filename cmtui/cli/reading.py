"""Files that verbs read: text and CSL-JSON, from a file or standard input."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from cmtui.errors import CmtuiError, InvalidMetadata, InvalidRequest


class InputMissing(CmtuiError):
    """A file named on the command line is not there or cannot be read."""

    code = "input-missing"


def read_text(name: str) -> str:
    """The UTF-8 text of a file, or of standard input for ``-``. Raises InputMissing, InvalidRequest."""
    try:
        if name == "-":
            buffer = getattr(sys.stdin, "buffer", None)
            content = sys.stdin.read().encode("utf-8") if buffer is None else buffer.read()
        else:
            content = Path(name).expanduser().read_bytes()
    except FileNotFoundError:
        raise InputMissing(f"There is no file '{name}'.", "Check the path.") from None
    except OSError as error:
        raise InputMissing(f"'{name}' cannot be read: {error.strerror}.", "Check the path.") from None
    try:
        text: str = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidRequest(
            f"'{name}' is not UTF-8 (byte {error.start}).", "Save it as UTF-8 and try again."
        ) from None
    return text


def read_json(name: str) -> Any:
    """The JSON value of a file. Raises InvalidMetadata with line and column."""
    try:
        return json.loads(read_text(name))
    except json.JSONDecodeError as error:
        raise InvalidMetadata(
            f"'{name}' is not JSON: {error.msg} at line {error.lineno}, column {error.colno}.",
            "Give CSL-JSON: an item, or a list of items.",
        ) from None
    except RecursionError:
        raise InvalidMetadata(f"'{name}' is nested too deeply.", "Give a list of CSL-JSON items.") from None


def read_items(name: str) -> list[dict[str, Any]]:
    """CSL-JSON items: one item, a list of them, or what ``bibliography export`` prints.

    The items themselves are validated by the engine. Raises InvalidMetadata.
    """
    value = read_json(name)
    if isinstance(value, dict):
        value = value["items"] if isinstance(value.get("items"), list) else [value]
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise InvalidMetadata(
            f"'{name}' holds no CSL-JSON items.",
            'Write [{"id": "smith2020", "type": "book", "title": "..."}].',
        )
    return value
