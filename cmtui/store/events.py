"""Review logs: one per reviewer, append-only, hash-chained.

Each line is the RFC 8785 form of an event. ``prev`` is the SHA-256 of the exact bytes of the line before,
without its newline (empty in the first line); ``event_id`` is the digest of everything else. A line also
says its place in its group (``index`` of ``of``), so that a bulk action that was cut short by a crash is
noticed and set aside as a whole.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from cmtui.errors import InvalidRequest, LogDamaged, StoreReadOnly
from cmtui.model.identity import canonical_json, identity_digest, sha256_bytes
from cmtui.model.review import EventDraft, EventType, ReviewEvent
from cmtui.ports import Clock
from cmtui.store import atomic
from cmtui.store.layout import Layout, reviewer_of_file
from cmtui.store.locks import FolderLock
from cmtui.store.notices import Notices

_KEYS = {
    "event_id",
    "prev",
    "group",
    "index",
    "of",
    "time",
    "actor",
    "type",
    "object",
    "payload",
    "undoes",
}


@dataclass(frozen=True, slots=True)
class Link:
    """An event with what the chain needs: the digest of its line, and its place in its group."""

    event: ReviewEvent
    digest: str
    index: int
    of: int


def chain(reviewer: str, prev: str, drafts: Sequence[EventDraft], time: str) -> list[bytes]:
    """The lines (without newline) that append ``drafts`` as one group after the line with digest ``prev``.

    Raises InvalidRequest for a payload that is not JSON.
    """
    group = identity_digest({"type": "cmtui/group/1", "actor": reviewer, "prev": prev, "time": time})
    lines: list[bytes] = []
    for index, draft in enumerate(drafts):
        fields: dict[str, object] = {
            "prev": prev,
            "group": group,
            "index": index,
            "of": len(drafts),
            "time": time,
            "actor": reviewer,
            "type": str(draft.type),
            "object": draft.object,
            "payload": draft.payload,
            "undoes": draft.undoes,
        }
        try:
            # Through JSON once, so that what is hashed is what will be read back.
            fields = json.loads(json.dumps(fields, allow_nan=False))
            line = canonical_json({**fields, "event_id": _event_id(fields)})
        except (TypeError, ValueError, RecursionError) as error:
            raise InvalidRequest(f"the payload of a {draft.type} event is not JSON: {error}") from error
        lines.append(line)
        prev = sha256_bytes(line)
    return lines


def follow(
    lines: Iterable[bytes], *, reviewer: str, after: Link | None, name: str, number: int
) -> list[Link]:
    """Check and decode complete lines that come after ``after``; ``number`` is that of the first (from 1).

    Raises LogDamaged naming ``name`` and the line.
    """
    links: list[Link] = []
    for at, line in enumerate(lines, number):
        problem = ""
        try:
            fields = json.loads(line)
            if not isinstance(fields, dict) or fields.keys() != _KEYS:
                problem = "is not an event"
            elif fields["prev"] != (after.digest if after else ""):
                problem = "does not follow the line before it"
            elif fields["event_id"] != _event_id(fields) or fields["actor"] != reviewer:
                problem = "does not hash to its event id, or is another reviewer's"
            elif canonical_json(fields) != line:
                problem = "is not in its canonical form"
            elif not _in_group(fields, after):
                problem = "stands outside its group"
            else:
                after = Link(_event(fields), sha256_bytes(line), fields["index"], fields["of"])
                links.append(after)
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            problem = f"cannot be read ({error})"
        if problem:
            raise LogDamaged(
                f"{name}, line {at}: the line {problem}",
                "restore the file from a backup; nothing is read from a log whose chain is broken",
            )
    return links


def _event_id(fields: dict[str, object]) -> str:
    content = {key: value for key, value in fields.items() if key not in ("event_id", "type")}
    return identity_digest({**content, "event": fields["type"], "type": "cmtui/event/1"})


def _in_group(fields: dict[str, object], after: Link | None) -> bool:
    index, of = fields["index"], fields["of"]
    if not isinstance(index, int) or not isinstance(of, int) or not 0 <= index < of:
        return False
    if after is not None and after.index + 1 < after.of:
        return index == after.index + 1 and of == after.of and fields["group"] == after.event.group
    return index == 0


def _event(fields: dict[str, object]) -> ReviewEvent:
    payload, undoes = fields["payload"], fields["undoes"]
    if not isinstance(payload, dict) or not isinstance(undoes, str | None):
        raise TypeError("the payload is no object")
    texts = {key: fields[key] for key in ("event_id", "prev", "group", "time", "actor", "object")}
    if not all(isinstance(value, str) for value in texts.values()):
        raise TypeError("a field that must be a string is none")
    return ReviewEvent(
        **{key: str(value) for key, value in texts.items()},
        type=EventType(str(fields["type"])),
        payload=payload,
        undoes=undoes,
    )


@dataclass(slots=True)
class _Known:
    """What this process has read and checked of one log: the first ``size`` bytes of file ``inode``."""

    inode: int
    size: int
    links: list[Link]


class EventLogs:
    """The logs in ``events/``. Raises what ``cmtui.ports.EventRepository`` says."""

    def __init__(
        self, layout: Layout, clock: Clock, notices: Notices, *, timeout: float, read_only: str | None
    ) -> None:
        self._layout = layout
        self._clock = clock
        self._notices = notices
        self._timeout = timeout
        self._read_only = read_only
        self._known: dict[str, _Known] = {}
        self._mutex = Lock()

    def append(
        self, reviewer: str, drafts: Sequence[EventDraft], *, time: str | None = None
    ) -> tuple[ReviewEvent, ...]:
        """Append one group, durably, before returning."""
        path = self._layout.event_log(reviewer)
        if not drafts:
            return ()
        if self._read_only:
            raise StoreReadOnly(self._read_only, "events cannot be recorded here")
        with self._mutex, self._lock(path).hold("append events"):
            known = self._read(reviewer, path, locked=True)
            last = known.links[-1] if known.links else None
            lines = chain(reviewer, last.digest if last else "", drafts, time or self._clock.now())
            added = follow(lines, reviewer=reviewer, after=last, name=str(path), number=len(known.links) + 1)
            data = b"".join(line + b"\n" for line in lines)
            atomic.append(path, data)
            self._known[reviewer] = _Known(path.stat().st_ino, known.size + len(data), [*known.links, *added])
            return tuple(link.event for link in added)

    def read(self, reviewer: str) -> tuple[ReviewEvent, ...]:
        """The reviewer's events, oldest first."""
        path = self._layout.event_log(reviewer)
        with self._mutex:
            return tuple(link.event for link in self._read(reviewer, path, locked=False).links)

    def sizes(self) -> dict[Path, int]:
        """How long every log (and what was set aside of it) is, each looked at under its own lock."""
        found: dict[Path, int] = {}
        for path in sorted(self._layout.events.glob("*.jsonl")):
            held = contextlib.nullcontext() if self._read_only else self._lock(path).hold("copy events")
            with self._mutex, held:
                found[path] = path.stat().st_size
                torn = path.with_name(path.name + ".torn")
                if torn.exists():
                    found[torn] = torn.stat().st_size
        return found

    def reviewers(self) -> tuple[str, ...]:
        """Names of all reviewers with a log, sorted."""
        stems = (path.stem for path in self._layout.events.glob("*.jsonl"))
        return tuple(sorted(name for name in map(reviewer_of_file, stems) if name is not None))

    def _lock(self, path: Path) -> FolderLock:
        return FolderLock(path.with_name(f".{path.stem}.lock"), timeout=self._timeout, clock=self._clock)

    def _read(self, reviewer: str, path: Path, *, locked: bool) -> _Known:
        """Bring what is known of a log up to date, reading only what was appended since."""
        try:
            with path.open("rb") as log:
                inode = os.fstat(log.fileno()).st_ino
                known = self._known.get(reviewer)
                if known is None or known.inode != inode:
                    known = _Known(inode, 0, [])
                log.seek(0, 2)
                if log.tell() < known.size:
                    known = _Known(inode, 0, [])
                log.seek(known.size)
                new = log.read()
        except FileNotFoundError:
            return _Known(0, 0, [])
        *lines, torn = new.split(b"\n")
        after = known.links[-1] if known.links else None
        number = len(known.links) + 1
        links = follow(lines, reviewer=reviewer, after=after, name=str(path), number=number)
        # A group whose last line is missing was never acknowledged: it goes with the torn line.
        whole = len(links)
        while whole and links[whole - 1].index + 1 != links[whole - 1].of:
            whole -= 1
        size = known.size + sum(len(line) + 1 for line in lines[:whole])
        if torn or whole < len(links):
            if locked:
                aside = atomic.set_aside(path, size)
                self._notices.add(f"{path} ended in a line cut short by a crash; it is kept in {aside.name}")
            elif self._read_only:
                self._notices.add(f"{path} ends in a line cut short by a crash; it is not read")
            else:
                # Either another process is just writing it, or it died doing so: the lock tells.
                with self._lock(path).try_hold() as held:
                    if held:
                        return self._read(reviewer, path, locked=True)
        self._known[reviewer] = _Known(inode, size, known.links + links[:whole])
        return self._known[reviewer]
