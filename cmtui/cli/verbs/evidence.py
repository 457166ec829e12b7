"""``find-evidence``, ``identity``, ``reconstruct`` and ``verify``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from cmtui.cli.arguments import Subparsers, add_filters, add_limit, check_limit, verb
from cmtui.cli.reading import read_text
from cmtui.cli.session import Session
from cmtui.cli.verbs.embed import add_index, index_of
from cmtui.cli.verbs.search import filters_of
from cmtui.errors import CmtuiError, InvalidRequest
from cmtui.output import FAILED, Answer, JsonObject, UsageError, error_object

if TYPE_CHECKING:
    from cmtui.model.retrieval import Filters
    from cmtui.ports import InferenceBackend, SemanticIndex


def add_parser(subparsers: Subparsers) -> None:
    """Add the verbs."""
    parser = verb(
        subparsers,
        "find-evidence",
        run_find,
        "find passages that support a claim",
        description="Find passages that support a claim. Every quote is verified against its own source "
        "before it is printed. Relations are fallible; verification proves exact text and provenance, "
        "not truth.",
    )
    parser.add_argument("claim", nargs="?", metavar="CLAIM", help="a statement, in one sentence")
    parser.add_argument(
        "--claims", metavar="FILE", help="a file of claims, one a line (- for standard input)"
    )
    add_limit(parser, 5)
    parser.add_argument(
        "--candidate-limit",
        type=int,
        metavar="N",
        help="passages that inference looks at (the larger of 50 and 10 x limit)",
    )
    parser.add_argument("--retrieval-query", metavar="Q", help="search with these words instead of the claim")
    parser.add_argument(
        "--diagnostics",
        action="store_true",
        help="also list contradicting, related and insufficient passages",
    )
    parser.add_argument("--context", action="store_true", help="also print the passage around each quote")
    parser.add_argument(
        "--no-save", action="store_true", help="record no evidence: spans are printed without ids"
    )
    add_inference(parser)
    add_index(parser)
    add_filters(parser)

    for name, run, summary in (
        ("identity", run_identity, "show the four layers of an evidence id"),
        ("reconstruct", run_reconstruct, "read the exact text of an evidence id back from its source"),
    ):
        one = verb(subparsers, name, run, summary)
        one.add_argument("evidence_id", metavar="EVIDENCE_ID", help="an evidence id or its beginning")

    check = verb(
        subparsers,
        "verify",
        run_verify,
        "recompute every layer of recorded evidence",
        description="Recompute every layer of recorded evidence, all of it unless ids are given. "
        "The exit status is 1 when a layer failed.",
    )
    check.add_argument("evidence_ids", nargs="*", metavar="EVIDENCE_ID", help="ids or their beginnings")
    check.add_argument("--all", action="store_true", dest="everything", help="everything recorded")


def add_inference(parser: ArgumentParser) -> None:
    """``--inference`` and the options of a learned one."""
    parser.add_argument(
        "--inference", choices=("local", "learned"), default="local", help="rules or a model (local)"
    )
    parser.add_argument("--nli-model", metavar="DIR", help="its model directory (setting learned.nli_model)")
    parser.add_argument(
        "--long-passages",
        choices=("abstain", "windows"),
        default="abstain",
        help="what a model does with a passage longer than it can read (abstain)",
    )


def inference_of(args: Namespace) -> InferenceBackend | None:
    """The backend asked for; None is the engine's own. Raises InvalidRequest, ModelDirectoryError."""
    if args.inference == "local":
        if args.nli_model is not None:
            raise UsageError("--nli-model belongs to --inference learned.", "Add --inference learned.")
        return None
    from cmtui.config import load
    from cmtui.engine.learned_inference import learned_inference

    directory = args.nli_model if args.nli_model is not None else load().learned.nli_model
    return learned_inference(directory, long_passage_policy=args.long_passages)


def run_find(args: Namespace, session: Session) -> Answer:
    """Evidence for one claim, or for a file of claims."""
    check_limit(args.limit)
    if args.candidate_limit is not None:
        check_limit(args.candidate_limit, "candidate limit")
    if (args.claim is None) == (args.claims is None):
        raise UsageError(
            "Give either a claim or --claims FILE.",
            'For example: citation-machine find-evidence "Ulysses wept."',
        )
    if args.claims is None:
        backend = inference_of(args)
        index = index_of(args, session.machine)
        body = _report(args, session, args.claim, filters_of(args, session.machine), backend, index)
        parts = [body, *body.get("members", ())]
        rows = [
            f if part is body else {"member": part["claim"], **f}
            for part in parts
            for key in _LISTS
            for f in part.get(key, ())
        ]
        return Answer(body, rows=rows)
    return _run_many(args, session)


_LISTS = ("findings", "contradictions", "related", "insufficient")


def _run_many(args: Namespace, session: Session) -> Answer:
    """One report per claim, in file order. A claim that fails never stops the others."""
    if args.retrieval_query is not None:
        raise UsageError(
            "--retrieval-query belongs to one claim, not to a file of claims.",
            "Leave it out, or run the claims one by one.",
        )
    claims = [line.strip() for line in read_text(args.claims).splitlines() if line.strip()]
    if not claims:
        raise InvalidRequest(f"There is no claim in '{args.claims}'.", "Write one claim a line.")
    backend, index = inference_of(args), index_of(args, session.machine)
    filters = filters_of(args, session.machine)
    reports: list[JsonObject] = []
    errors: list[JsonObject] = []
    for claim in claims:
        try:
            reports.append(_report(args, session, claim, filters, backend, index))
        except CmtuiError as error:
            errors.append({"claim": claim, **error_object(error)})
    failure = None
    if errors:
        failure = InvalidRequest(
            f"{len(errors)} of {len(claims)} claims could not be evaluated: {errors[0]['message']}",
            errors[0]["hint"] or "Each stands under 'errors'.",
        )
    return Answer({"claims": reports, "errors": errors}, rows=[*reports, *errors], failure=failure)


def _report(
    args: Namespace,
    session: Session,
    claim: str,
    filters: Filters,
    backend: InferenceBackend | None,
    index: SemanticIndex | None,
) -> JsonObject:
    from cmtui.cli import shapes

    report = session.machine.find_evidence(
        claim,
        limit=args.limit,
        candidate_limit=args.candidate_limit,
        retrieval_query=args.retrieval_query,
        filters=filters,
        inference=backend,
        index=index,
        diagnostics=args.diagnostics,
        include_context=args.context,
        save=not args.no_save,
        progress=session.progress,
    )
    return shapes.evidence_report(
        report, diagnostics=args.diagnostics, context=args.context, saved=not args.no_save
    )


def run_identity(args: Namespace, session: Session) -> Answer:
    """The four layers of an evidence id."""
    from cmtui.cli import shapes

    return Answer(shapes.identity(session.machine.identity(args.evidence_id)))


def run_reconstruct(args: Namespace, session: Session) -> Answer:
    """The exact text, read back from canonical content."""
    identity = session.machine.identity(args.evidence_id)
    return Answer(
        {"evidence_id": identity.evidence_id, "text": session.machine.reconstruct(identity.evidence_id)}
    )


def run_verify(args: Namespace, session: Session) -> Answer:
    """Every layer of evidence, recomputed."""
    from cmtui.cli import shapes

    if args.everything and args.evidence_ids:
        raise UsageError("--all and evidence ids exclude each other.", "Give one of them.")
    checks = session.machine.verify(args.evidence_ids or None)
    rows = [shapes.evidence_check(check) for check in checks]
    failed = sum(1 for check in checks if not check.ok)
    return Answer(
        {"evidence": rows, "checked": len(rows), "failed": failed},
        rows=rows,
        status=FAILED if failed else 0,
    )
