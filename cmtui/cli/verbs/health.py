"""``doctor``, ``backup``, ``restore`` and ``migrate``: a store that can be trusted with years of work."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from cmtui.cli.arguments import Subparsers, verb
from cmtui.cli.session import Session
from cmtui.errors import StoreError, StoreReadOnly
from cmtui.output import DONE, FAILED, Answer, JsonObject

if TYPE_CHECKING:
    from cmtui.engine.backup import BackupReport
    from cmtui.model.health import DoctorReport, HealthCheck


def add_parser(subparsers: Subparsers) -> None:
    """Add the verbs."""
    doctor = verb(
        subparsers,
        "doctor",
        run_doctor,
        "look at every file of the store, and say what is damaged and what to do",
        description="Every digest is made anew. Exit status 1 when something is damaged, missing or empty; "
        "leftovers and stale derived data are listed and do no harm.",
    )
    doctor.add_argument(
        "--repair",
        action="store_true",
        help="make derived data and rebuildable sidecars anew, remove orphaned bytes and leftovers",
    )
    doctor.add_argument("--all", action="store_true", dest="everything", help="list the sound files too")

    backup = verb(subparsers, "backup", run_backup, "write the whole store, as it is now, to one archive")
    backup.add_argument("file", metavar="FILE", help="the archive to write, outside the store")
    backup.add_argument("--replace", action="store_true", help="replace the file when it exists")

    restore = verb(
        subparsers,
        "restore",
        run_restore,
        "put a backup in place as a new store",
        description="Everything in the archive is checked before the store appears.",
    )
    restore.add_argument("file", metavar="FILE", help="an archive that 'backup' wrote")
    restore.add_argument("--into", metavar="DIR", help="a new or empty folder (the store that is named)")

    migrate = verb(
        subparsers, "migrate", run_migrate, "bring a store of an older format up to date, after a backup"
    )
    migrate.add_argument("--backup", metavar="FILE", help="where the backup goes (beside the store)")


def run_doctor(args: Namespace, session: Session) -> Answer:
    """The checks that are not ok (all with ``--all``), and how many files of a layer are in which state."""
    report = _report(args, session)
    listed = report.checks if args.everything else report.problems
    checks = [_check(check) for check in listed]
    body: JsonObject = {
        "store": str(session.store),
        "healthy": report.healthy,
        "digest": report.digest,
        "layers": {layer: dict(states) for layer, states in report.counts.items()},
        "checks": checks,
        "repaired": list(report.repaired),
    }
    return Answer(body, rows=checks, status=DONE if report.healthy else FAILED)


def _report(args: Namespace, session: Session) -> DoctorReport:
    try:
        machine = session.machine
    except StoreReadOnly:
        raise
    except StoreError:
        if args.repair:
            raise
        # A store that does not open is what a doctor is for: the files alone are looked at.
        from cmtui.engine.doctor import examine

        return examine(session.store, progress=session.progress)
    return machine.doctor(repair=args.repair, progress=session.progress)


def _check(check: HealthCheck) -> JsonObject:
    return {
        "layer": check.layer,
        "path": check.path,
        "status": check.status.value,
        "message": check.sentence,
        "advice": check.advice,
        "repairable": check.repairable,
    }


def run_backup(args: Namespace, session: Session) -> Answer:
    """Write and read back; exit status 1 when stored bytes were found damaged (they are in the archive)."""
    report = session.machine.backup(args.file, replace=args.replace, progress=session.progress)
    return _archived(report, "backup")


def run_restore(args: Namespace, session: Session) -> Answer:
    """Check, then put in place."""
    from cmtui.engine.backup import restore

    into = Path(args.into) if args.into else session.store
    return _archived(restore(Path(args.file), into, progress=session.progress), "store")


def run_migrate(args: Namespace, session: Session) -> Answer:
    """Back up, change a copy step by step, and put it in place."""
    from cmtui.engine.backup import migrate

    done = migrate(session.store, Path(args.backup) if args.backup else None, progress=session.progress)
    return Answer(
        {
            "store": str(done.path),
            "from_format": done.found,
            "to_format": done.reached,
            "steps": list(done.steps),
            "backup": None if done.backup is None else str(done.backup),
        }
    )


def _archived(report: BackupReport, what: str) -> Answer:
    body: JsonObject = {
        what: str(report.path),
        "files": report.files,
        "documents": report.documents,
        "size": report.size,
        "content": report.content,
        "damaged": list(report.damaged),
        "left_out": list(report.left_out),
    }
    return Answer(body, status=FAILED if report.damaged else DONE)
