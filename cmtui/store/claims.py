"""Claims and their immutable runs: one file per claim, replaced whole."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from threading import Lock

import msgspec

from cmtui.errors import InvalidRequest, NotFound, StoreError, StoreReadOnly
from cmtui.model.claim import Claim, ClaimRun
from cmtui.ports import Clock
from cmtui.store import atomic
from cmtui.store.ids import require_id, resolve
from cmtui.store.layout import FORMAT_VERSION, Layout, id_of_file
from cmtui.store.locks import FolderLock
from cmtui.store.records import decode, encode


class ClaimFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``claims/<claim_id>.json``."""

    format: int = FORMAT_VERSION
    claim: Claim


def merged(old: Claim | None, new: Claim) -> Claim:
    """What saving ``new`` over ``old`` gives: the old runs stay. Raises InvalidRequest."""
    require_id(new.claim_id, "claim")
    if not new.text.strip():
        raise InvalidRequest("a claim needs a text")
    for run in new.runs:
        check_run(run)
    return new if old is None else replace(new, runs=old.runs)


def with_run(claim: Claim, run: ClaimRun, now: str) -> Claim:
    """``claim`` with one more run, or the same object when the newest run is equal but for its time."""
    check_run(run)
    newest = claim.latest
    if newest is not None and replace(newest, evaluated_at=None) == replace(run, evaluated_at=None):
        return claim
    return replace(claim, runs=(*claim.runs, replace(run, evaluated_at=run.evaluated_at or now)))


def check_run(run: ClaimRun) -> None:
    """That the run can be stored. Raises InvalidRequest."""
    if not all(math.isfinite(finding.confidence) for finding in run.findings):
        raise InvalidRequest("a finding's confidence is no finite number")


def in_order(claims: Iterable[Claim], *, archived: bool) -> tuple[Claim, ...]:
    """Claims by order, then text, then id; archived ones only when asked for."""
    kept = (claim for claim in claims if archived or not claim.archived)
    return tuple(sorted(kept, key=lambda claim: (claim.order, claim.text, claim.claim_id)))


class ClaimFiles:
    """The claims in ``claims/``. Raises what ``cmtui.ports.ClaimRepository`` says."""

    def __init__(self, layout: Layout, clock: Clock, *, timeout: float, read_only: str | None) -> None:
        self._layout = layout
        self._clock = clock
        self._read_only = read_only
        self._lock = FolderLock(layout.claims / ".lock", timeout=timeout, clock=clock)
        self._mutex = Lock()
        self._known: dict[str, tuple[tuple[int, int, int], Claim]] = {}

    def save(self, claim: Claim) -> None:
        """Create a claim or change it; its stored runs stay."""
        require_id(claim.claim_id, "claim")
        self._check_writable()
        with self._mutex, self._lock.hold("save a claim") as unfinished:
            if unfinished is not None:
                atomic.remove_temporaries(self._layout.claims)
            old = self._load(claim.claim_id)
            new = merged(old, claim)
            if new != old:
                self._write(new)

    def add_run(self, claim_id: str, run: ClaimRun) -> Claim:
        """Append a run unless the newest is the same."""
        full = self.get(claim_id).claim_id
        self._check_writable()
        with self._mutex, self._lock.hold("add a run"):
            old = self._load(full)
            if old is None:
                raise NotFound(f"no claim {claim_id!r} in this store", "list the claims")
            new = with_run(old, run, self._clock.now())
            if new is not old:
                self._write(new)
            return new

    def all(self, *, archived: bool) -> tuple[Claim, ...]:
        """Claims in order."""
        with self._mutex:
            claims = (self._load(claim_id) for claim_id in self._ids())
            return in_order((claim for claim in claims if claim is not None), archived=archived)

    def get(self, claim_id: str) -> Claim:
        """One claim by id or unique prefix."""
        with self._mutex:
            claim = self._load(resolve(claim_id, self._ids(), "claim"))
        if claim is None:
            raise NotFound(f"no claim {claim_id!r} in this store", "list the claims")
        return claim

    def contents(self) -> dict[Path, bytes]:
        """The bytes of every claim file at one moment."""
        held = contextlib.nullcontext() if self._read_only else self._lock.hold("copy claims")
        with self._mutex, held:
            return {path: path.read_bytes() for path in map(self._layout.claim, self._ids())}

    def _check_writable(self) -> None:
        if self._read_only:
            raise StoreReadOnly(self._read_only, "claims cannot be changed here")

    def _ids(self) -> list[str]:
        try:
            names = os.listdir(self._layout.claims)  # noqa: PTH208 - names are all that is needed
        except FileNotFoundError:
            return []
        return sorted(found for found in map(id_of_file, names) if found is not None)

    def _load(self, claim_id: str) -> Claim | None:
        path = self._layout.claim(claim_id)
        try:
            with path.open("rb") as file:
                status = os.fstat(file.fileno())
                stamp = (status.st_ino, status.st_size, status.st_mtime_ns)
                known = self._known.get(claim_id)
                if known is not None and known[0] == stamp:
                    return known[1]
                raw = file.read()
        except FileNotFoundError:
            return None
        claim = self._decode(path, raw, claim_id)
        self._known[claim_id] = (stamp, claim)
        return claim

    @staticmethod
    def _decode(path: Path, raw: bytes, claim_id: str) -> Claim:
        hint = "restore the file from a backup, or move it away to go on without this claim"
        try:
            record = decode(raw, ClaimFile)
        except ValueError as error:
            raise StoreError(f"the claim file {path} cannot be read: {error}", hint) from error
        if record.format != FORMAT_VERSION or record.claim.claim_id != claim_id:
            raise StoreError(f"the claim file {path} holds another claim or format", hint)
        return record.claim

    def _write(self, claim: Claim) -> None:
        try:
            data = encode(ClaimFile(claim=claim))
        except (TypeError, ValueError) as error:
            raise InvalidRequest(f"the claim cannot be written: {error}") from error
        atomic.write_whole(self._layout.claim(claim.claim_id), data)
