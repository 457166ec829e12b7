"""Restores an exported review into a store that has the same documents.

The reviewer's actions are replayed in their order with their own times, so an empty log becomes the very log
that was exported, byte for byte. What is known already is not repeated. An action is refused as a whole when
evidence it speaks of does not verify here, and so is every later action on the same findings: importing again
after the missing source was ingested then brings them in their order.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import cast

from cmtui.engine.exports.jsonl import dumps
from cmtui.engine.exports.reading import ReviewFile
from cmtui.errors import CmtuiError, InvalidRequest, NotFound
from cmtui.model.claim import Claim, ClaimRun, EvidenceEntry
from cmtui.model.identity import sha256_bytes
from cmtui.model.review import EventDraft, EventType, ReviewEvent
from cmtui.ports import KnowledgeRepository
from cmtui.verification.verifier import entry_of, verify_span

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


@dataclass(frozen=True, slots=True)
class Refused:
    """Evidence that does not verify in this store: of which source, why, and how many actions wait for it."""

    evidence_id: str
    source: str
    reason: str
    actions: int


@dataclass(frozen=True, slots=True)
class ImportedReview:
    """What an import did. ``known`` actions were here already; ``older`` ones were left out because this
    reviewer decided on the same findings later, here. ``identical``: the log is now the exported one."""

    reviewer: str
    actions: int
    known: int
    older: int
    refused: tuple[Refused, ...]
    refused_actions: int
    claims: int
    runs: int
    evidence: int
    identical: bool


@dataclass
class _Counts:
    actions: int = 0
    known: int = 0
    older: int = 0
    refused: int = 0
    claims: int = 0
    runs: int = 0
    waiting: Counter[str] = field(default_factory=Counter)


class ReviewImport:
    """One import into one store."""

    def __init__(self, repository: KnowledgeRepository, file: ReviewFile) -> None:
        self._repository = repository
        self._file = file
        self._verdicts: dict[str, str] = {}
        self._entries: dict[str, EvidenceEntry] = {}
        self._counts = _Counts()
        self._claims = {claim.claim_id: claim for claim in file.claims}

    def run(self) -> ImportedReview:
        """Import, and say what became of everything. Raises InvalidRequest, StoreError."""
        file, repository, counts = self._file, self._repository, self._counts
        for event in file.events:
            if not _TIME.fullmatch(event.time):
                raise InvalidRequest(f"“{event.time}” is no time.", "Export the review again.")
        before = {entry.evidence_id for entry in repository.evidence_entries()}
        self._add_claims()
        self._replay()
        kept = [event.event_id for event in repository.events(file.reviewer)]
        refused = [
            Refused(evidence_id, self._source_of(evidence_id), self._verdicts[evidence_id], count)
            for evidence_id, count in sorted(counts.waiting.items())
        ]
        return ImportedReview(
            reviewer=file.reviewer,
            actions=counts.actions,
            known=counts.known,
            older=counts.older,
            refused=tuple(refused),
            refused_actions=counts.refused,
            claims=counts.claims,
            runs=counts.runs,
            evidence=sum(e.evidence_id not in before for e in repository.evidence_entries()),
            identical=kept == [event.event_id for event in file.events],
        )

    # -- verification --------------------------------------------------------------------------------

    def _verdict(self, evidence_id: str) -> str:
        """Why evidence does not verify here; empty when it does."""
        if evidence_id not in self._verdicts:
            try:
                self._entries[evidence_id] = self._verify(evidence_id)
                self._verdicts[evidence_id] = ""
            except NotFound:
                self._verdicts[evidence_id] = "its source, in this version, is not in this store"
            except CmtuiError as error:
                self._verdicts[evidence_id] = error.sentence
        return self._verdicts[evidence_id]

    def _verify(self, evidence_id: str) -> EvidenceEntry:
        entry = self._file.evidence.get(evidence_id)
        if entry is None:
            raise InvalidRequest("The file does not hold it.", "")
        document = self._repository.document(entry.document_id)
        source = self._repository.source_of(entry.document_id)
        return entry_of(verify_span(document, source, entry.span, text=entry.exact))

    def _source_of(self, evidence_id: str) -> str:
        entry = self._file.evidence.get(evidence_id)
        return self._file.names.get(entry.document_id, "?") if entry is not None else "?"

    def _bad(self, evidence_ids: Iterable[str]) -> list[str]:
        return [evidence_id for evidence_id in evidence_ids if self._verdict(evidence_id)]

    # -- claims --------------------------------------------------------------------------------------

    def _add_claims(self) -> None:
        """Claims that are not here, with those of their runs that verify whole."""
        known = {claim.claim_id for claim in self._repository.claims(archived=True)}
        for claim in self._file.claims:
            if claim.claim_id in known:
                continue
            self._save(claim)
            for run in claim.runs:
                cited = [f.evidence_id for f in run.findings if f.evidence_id]
                bad = self._bad(cited)
                for evidence_id in bad:
                    self._counts.waiting[evidence_id] += 0
                if bad or not self._run_holds(run):
                    continue
                self._repository.record_evidence([self._entries[evidence_id] for evidence_id in cited])
                self._repository.add_run(claim.claim_id, run)
                self._counts.runs += 1

    def _save(self, claim: Claim) -> None:
        self._repository.save_claim(dataclasses.replace(claim, runs=()))
        self._counts.claims += 1

    def _run_holds(self, run: ClaimRun) -> bool:
        """Whether the rows say of their evidence what the evidence is."""
        for finding in run.findings:
            if finding.evidence_id is None:
                continue
            entry = self._entries[finding.evidence_id]
            same = (finding.document_id, finding.start, finding.end, finding.text)
            if same != (entry.document_id, entry.start, entry.end, entry.exact):
                return False
        return True

    # -- the log -------------------------------------------------------------------------------------

    def _replay(self) -> None:
        repository, reviewer, counts = self._repository, self._file.reviewer, self._counts
        theirs = _groups(self._file.events)
        ours = _groups(repository.events(reviewer))
        held: dict[str, list[str]] = defaultdict(list)
        for group, signature in _signatures(ours).items():
            held[signature].append(group)
        # What this reviewer did here and the file does not know: it is not overruled by older actions.
        wanted = Counter(_signatures(theirs).values())
        later: dict[str, str] = {}
        for group, signature in _signatures(ours).items():
            if wanted[signature]:
                wanted[signature] -= 1
                continue
            for event in ours[group]:
                later[event.object] = max(later.get(event.object, ""), event.time)
        here: dict[str, str] = {}
        objects = {group: _objects(events, theirs) for group, events in theirs.items()}
        blocked: set[str] = set()
        signatures = _signatures(theirs)
        for group, events in theirs.items():
            if held[signatures[group]]:
                here[group] = held[signatures[group]].pop(0)
                counts.known += 1
                continue
            bad = self._refuses(events)
            undone = [event.undoes for event in events if event.undoes is not None]
            if bad or blocked & objects[group] or any(name not in here for name in undone):
                blocked |= objects[group]
                counts.refused += 1
                counts.waiting.update(bad)
            elif any(later.get(name, "") > events[0].time for name in objects[group] if name):
                counts.older += 1
            else:
                here[group] = self._append(events, here)
                counts.actions += 1

    def _refuses(self, events: Sequence[ReviewEvent]) -> list[str]:
        """The evidence of a group that does not verify here."""
        cited: set[str] = set()
        for event in events:
            if event.type in _WITHOUT_EVIDENCE:
                continue
            cited.add(event.object.rpartition("/")[2])
            cited |= {str(event.payload[name]) for name in ("adjusts",) if event.payload.get(name)}
        return sorted(self._bad(cited))

    def _append(self, events: Sequence[ReviewEvent], here: dict[str, str]) -> str:
        repository = self._repository
        drafts = []
        for event in events:
            if event.type not in _WITHOUT_EVIDENCE:
                claim_id, _, evidence_id = event.object.partition("/")
                self._need_claim(claim_id)
                adjusted = event.payload.get("adjusts")
                cited = [evidence_id, *([str(adjusted)] if adjusted else [])]
                repository.record_evidence([self._entries[one] for one in cited])
            undoes = None if event.undoes is None else here[event.undoes]
            drafts.append(EventDraft(event.type, event.object, event.payload, undoes))
            self._describe(event)
        made = repository.append_events(self._file.reviewer, drafts, time=events[0].time)
        return made[0].group

    def _need_claim(self, claim_id: str) -> None:
        try:
            self._repository.claim(claim_id)
        except NotFound as error:
            if claim_id not in self._claims:
                raise InvalidRequest(
                    f"The file decides on the claim {claim_id[:12]}…, which it does not hold.",
                    "Export the review again.",
                ) from error
            self._save(self._claims[claim_id])

    def _describe(self, event: ReviewEvent) -> None:
        """A bibliography edit describes a source that nobody has described here; it overwrites nothing."""
        if event.type is not EventType.BIBLIOGRAPHY_SET or not isinstance(event.payload.get("item"), dict):
            return
        try:
            source = self._repository.source(event.object)
        except CmtuiError:  # the same bytes at another path are another source
            return
        record = self._repository.bibliography(source.source_id)
        if record is None:
            item = cast("dict[str, object]", event.payload["item"])
            self._repository.set_bibliography(source.source_id, item)


#: Kinds of event whose object is no finding. An undo concerns what it undoes.
_WITHOUT_EVIDENCE = frozenset(
    {
        EventType.UNDONE,
        EventType.REDONE,
        EventType.BLINDED,
        EventType.UNBLINDED,
        EventType.BIBLIOGRAPHY_SET,
    }
)


def _groups(events: Iterable[ReviewEvent]) -> dict[str, list[ReviewEvent]]:
    return {group: list(members) for group, members in groupby(events, key=lambda event: event.group)}


def _objects(events: Sequence[ReviewEvent], groups: dict[str, list[ReviewEvent]]) -> set[str]:
    """The findings that an action concerns; those of what it undoes too."""
    found = {event.object for event in events if event.object}
    for event in events:
        if event.undoes is not None:
            found |= {other.object for other in groups.get(event.undoes, ()) if other.object}
    return found


def _signatures(groups: dict[str, list[ReviewEvent]]) -> dict[str, str]:
    """What each action is, whatever stands before it in the log: equal in two logs for the same action."""
    made: dict[str, str] = {}
    for group, events in groups.items():
        content = [
            [e.type.value, e.object, e.payload, made.get(e.undoes, "?") if e.undoes is not None else ""]
            for e in events
        ]
        made[group] = sha256_bytes(dumps({"time": events[0].time, "events": content}))
    return made
