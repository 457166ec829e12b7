"""The filter of the audit trail: ``event:finding.* actor:any since:today`` and free words."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase

from cmtui.errors import InvalidRequest
from cmtui.model.audit import AuditEvent

KEYS = ("event", "actor", "object", "since", "until")

_AGO = re.compile(r"(\d+)([hdw])")
_UNITS = {"h": "hours", "d": "days", "w": "weeks"}


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """What is shown. Patterns are shell patterns; ``since`` and ``until`` are UTC, inclusive, as stored."""

    event: str = "*"
    actor: str = "*"
    object: str = "*"
    since: str = ""
    until: str = ""
    words: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str, *, now: datetime | None = None) -> AuditFilter:
        """The filter that ``text`` says. ``any`` is every value. Raises InvalidRequest."""
        now = now or datetime.now(tz=UTC)
        found: dict[str, str] = {}
        words = []
        for word in text.split():
            key, colon, value = word.partition(":")
            if not colon:
                words.append(word.casefold())
            elif key not in KEYS:
                near = difflib.get_close_matches(key, KEYS, n=1)
                hint = f"Did you mean '{near[0]}:'?" if near else f"Keys: {', '.join(KEYS)}."
                raise InvalidRequest(f"There is no filter '{key}:'.", hint)
            elif key in ("since", "until"):
                found[key] = _time(value, now, end=key == "until")
            else:
                found[key] = "*" if value in ("", "any") else value
        return cls(**found, words=tuple(words))

    def keeps(self, event: AuditEvent) -> bool:
        """Whether the event passes."""
        if not (
            fnmatchcase(event.event, self.event)
            and fnmatchcase(event.actor, self.actor)
            and fnmatchcase(event.object, self.object if self.object == "*" else f"*{self.object}*")
        ):
            return False
        time = event.time or ""
        if (self.since and time < self.since) or (self.until and (not time or time > self.until)):
            return False
        text = f"{event.event} {event.actor} {event.object} {event.name} {event.detail}".casefold()
        return all(word in text for word in self.words)


def _time(value: str, now: datetime, *, end: bool) -> str:
    """The moment a word of the filter means, in the form that the store writes times in."""
    day = now.replace(hour=0, minute=0, second=0, microsecond=0)
    close = timedelta(days=1, seconds=-1) if end else timedelta()
    if value in ("", "any", "ever"):
        return ""
    if value == "today":
        return _stored(day + close)
    if value == "yesterday":
        return _stored(day - timedelta(days=1) + close)
    ago = _AGO.fullmatch(value)
    if ago:
        return _stored(now - timedelta(**{_UNITS[ago[2]]: int(ago[1])}))
    try:
        stated = datetime.fromisoformat(value)
    except ValueError:
        raise InvalidRequest(
            f"'{value}' is no time.", "Write today, yesterday, 12h, 7d, or a date such as 2026-11-28."
        ) from None
    stated = stated.replace(tzinfo=UTC) if stated.tzinfo is None else stated.astimezone(UTC)
    return _stored(stated + (close if len(value) == len("2026-11-28") else timedelta()))


def _stored(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
