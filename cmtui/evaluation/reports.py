"""Writing a report to a file: the bytes that are printed, indented for people."""

from __future__ import annotations

from pathlib import Path

from cmtui.errors import InvalidRequest
from cmtui.output import JsonObject, dumps


def write_report(path: str | Path, report: JsonObject) -> None:
    """Write the report. Raises InvalidRequest when the file cannot be written."""
    where = Path(path).expanduser()
    try:
        where.write_bytes(dumps(report, pretty=True))
    except OSError as error:
        raise InvalidRequest(
            f"The report cannot be written to '{where}': {error.strerror}.", "Name a file in a folder."
        ) from error
