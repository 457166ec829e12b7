"""``review export`` and ``review import``."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from cmtui.cli.reviewing import plain
from cmtui.cli.reviewing.targets import all_rows, answer, session_of
from cmtui.cli.session import Session
from cmtui.errors import NotFound
from cmtui.output import FAILED, Answer, JsonObject, UsageError

#: What an export holds unless told otherwise.
DECIDED = ("accepted", "rejected")


def run_export(args: Namespace, session: Session) -> Answer:
    """A file in one of the formats; without one, the rows as JSON."""
    from cmtui.model.review import Decision

    wanted = args.decision or list(DECIDED)
    if args.format is None:
        if args.out is not None:
            raise UsageError("A file needs a format.", "Add --format, such as --format jsonl.")
        review = session_of(args, session)
        rows = [row for row in all_rows(review) if row["decision"] in wanted]
        return Answer({"reviewer": review.reviewer, "rows": rows}, rows=rows)
    reviewer = session.reviewer(args.reviewer)
    made = session.machine.export_review(
        reviewer,
        args.format,
        decisions=[Decision(each) for each in wanted],
        style=args.style,
        private=args.private,
    )
    if args.out is None:
        if made.format.suffix == "zip":
            raise UsageError("A bundle is a zip file.", "Say where it goes: --to FILE.zip")
        return Answer({}, plain=made.content.decode("utf-8", "surrogateescape"))
    from hashlib import sha256

    from cmtui.engine.exports.files import write_file

    path = Path(args.out).expanduser()
    write_file(path, made.content, replace=args.replace)
    body: JsonObject = {
        "reviewer": reviewer,
        "format": made.format.name,
        "path": str(path),
        "bytes": len(made.content),
        "sha256": sha256(made.content).hexdigest(),
        "count": made.count,
        "warnings": list(made.warnings),
    }
    noun = "sources" if made.format.accepted else "findings"
    said = [f"{made.count} {noun} written to {path}.", f"SHA-256: {body['sha256']}", *made.warnings]
    return answer(args, body, plain.text(said))


def run_import(args: Namespace, session: Session) -> Answer:
    """Restore an exported review; the status is 1 when something did not verify and was refused."""
    path = Path(args.file).expanduser()
    try:
        content = path.read_bytes()
    except OSError as error:
        raise NotFound(f"'{path}' cannot be read ({error.strerror}).", "Check the path.") from error
    made = session.machine.import_review(content)
    refused = [
        {"evidence_id": one.evidence_id, "source": one.source, "reason": one.reason, "actions": one.actions}
        for one in made.refused
    ]
    body: JsonObject = {
        "reviewer": made.reviewer,
        "actions": made.actions,
        "known": made.known,
        "older": made.older,
        "refused_actions": made.refused_actions,
        "refused": refused,
        "claims": made.claims,
        "runs": made.runs,
        "evidence": made.evidence,
        "identical": made.identical,
    }
    shown = answer(args, body, plain.imported(body), refused)
    return Answer(shown.body, rows=shown.rows, plain=shown.plain, status=FAILED if refused else 0)
