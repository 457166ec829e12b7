"""Writing a report to a file: the bytes that are printed, indented for people."""

from __future__ import annotations

from pathlib import Path

from cmtui.errors import InvalidRequest
from cmtui.output import JsonObject, dumps


def check_report_path(path: str | Path | None) -> None:
    """Refuse, before anything is measured or paid for, a file that cannot be written.

    Raises InvalidRequest.
    """
    if path is None:
        return
    where = Path(path).expanduser()
    if where.is_dir() or not where.parent.is_dir():
        raise InvalidRequest(
            f"The report cannot be written to '{where}'.", "Name a file in a folder that exists."
        )


def write_report(path: str | Path, report: JsonObject) -> None:
    """Write the report. Raises InvalidRequest when the file cannot be written."""
    where = Path(path).expanduser()
    try:
        where.write_bytes(dumps(report, pretty=True))
    except OSError as error:
        raise InvalidRequest(
            f"The report cannot be written to '{where}': {error.strerror}.", "Name a file in a folder."
        ) from error
