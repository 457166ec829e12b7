"""The store directory."""

from __future__ import annotations

from cmtui.errors.base import CmtuiError


class StoreError(CmtuiError):
    """The store directory cannot do what was asked."""

    code = "store"


class StoreFormatError(StoreError):
    """The directory is not a store, or was written by a newer program."""

    code = "store-format"


class StoreLocked(StoreError):
    """Another process held a lock for longer than the wait allows; the message names it."""

    code = "store-locked"


class StoreReadOnly(StoreError):
    """The store cannot be written; the message says why."""

    code = "store-read-only"


class SnapshotDamaged(StoreError):
    """A snapshot does not hash to its own name. Nothing is read from it (fail closed)."""

    code = "snapshot-damaged"


class SidecarMalformed(StoreError):
    """A sidecar is not what this program writes. Never rebuilt silently (R21)."""

    code = "sidecar-malformed"


class BlobDamaged(StoreError):
    """Stored source bytes are missing or do not hash to their name."""

    code = "blob-damaged"


class BackupRefused(StoreError):
    """An archive is not a whole backup of a store, or was tampered with. Nothing of it was put in place."""

    code = "backup-refused"


class LogDamaged(StoreError):
    """An append-only log has a broken line or a broken hash chain before its last line."""

    code = "log-damaged"
