"""Review answers as plain text, in the order in which they are read aloud: one fact a line, nothing drawn."""

from __future__ import annotations

from collections.abc import Iterable

from cmtui.output import JsonObject


def text(lines: Iterable[str]) -> str:
    """Lines that say something, each with its end. Controls of a quote never reach the terminal as such."""
    return "".join(f"{_seen(line)}\n" for line in lines if line)


def _seen(line: str) -> str:
    """A line whose controls (escape sequences, turned directions) are replaced; line ends inside stay."""
    if line.isprintable():
        return line
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in line)


def place(where: JsonObject) -> str:
    """Where a quote stands."""
    cited = where["cited_page"]
    parts = [
        f"page {cited['value']} ({cited['basis']})" if cited else "",
        f"chapter {where['chapter']}" if where["chapter"] else "",
        f"section {', '.join(where['section'])}" if where["section"] else "",
        _lines(where["line_start"], where["line_end"]),
    ]
    return "; ".join(part for part in parts if part) or "not known"


def _lines(first: int | None, last: int | None) -> str:
    if first is None:
        return ""
    return f"line {first}" if last in (None, first) else f"lines {first} to {last}"


def state_lines(row: JsonObject) -> list[str]:
    """What the reviewer said of a finding."""
    return [
        f"Decision: {row['decision']}",
        f"Reasons: {', '.join(row['reasons'])}" if row["reasons"] else "",
        f"Your relation: {row['reviewer_relation'].lower()}" if row.get("reviewer_relation") else "",
        f"Note: {' '.join(row['note'].split())}" if row["note"] else "",
        f"Tags: {', '.join(row['tags'])}" if row["tags"] else "",
        "The span of this finding was adjusted; see the next one." if row.get("adjusted_to") else "",
        "This is an adjusted span." if row.get("adjusted_from") else "",
    ]


def listing(rows: list[JsonObject], names: dict[str | None, str]) -> str:
    """Findings, claim by claim."""
    lines, claim = [f"{len(rows)} findings."], ""
    for number, row in enumerate(rows, 1):
        if row["claim_id"] != claim:
            claim = row["claim_id"]
            lines.append(f"Claim: {row['claim']}")
        lines.append(
            f"{number}. {row['decision']}, {row['relation'].lower()} {row['confidence']:.2f}, "
            f"{names.get(row['source_id'], '')}, evidence {row['evidence_id'][:12]}: "
            f"{' '.join(row['text'].split())}"
        )
        details = [line for line in state_lines(row)[1:] if line]
        if details:
            lines.append("   " + ". ".join(detail.rstrip(".") for detail in details) + ".")
    return text(lines)


def following(body: JsonObject) -> str:
    """The next finding in its source."""
    finding: JsonObject | None = body["finding"]
    if finding is None:
        return f"Nothing left to decide. {body['total']} findings in all.\n"
    return text(
        [
            f"{body['remaining']} of {body['total']} findings left to decide.",
            f"Claim: {finding['claim']}",
            f"Relation: {finding['relation'].lower()}, confidence {finding['confidence']:.2f}",
            f"Reason: {finding['explanation']}",
            f"Source: {finding['title'] or finding['source']}",
            f"Place: {place(finding['locators'])}",
            f"Before: {' '.join(finding['context']['before'].split())}",
            f"Quote: {finding['text']}",
            f"After: {' '.join(finding['context']['after'].split())}",
            *[line for line in state_lines(finding)[1:] if line],
            f"Evidence id: {finding['evidence_id']}",
            body["caveat"],
        ]
    )


def decided(states: list[JsonObject]) -> str:
    """What was done to findings."""
    lines = [f"{len(states)} findings, undone as one:"] if len(states) > 1 else []
    for state in states:
        details = [f"reasons {', '.join(state['reasons'])}"] if state["reasons"] else []
        details += [f"note {' '.join(state['note'].split())}"] if state["note"] else []
        details += [f"tags {', '.join(state['tags'])}"] if state["tags"] else []
        details += (
            [f"your relation {state['reviewer_relation'].lower()}"] if state["reviewer_relation"] else []
        )
        said = "; ".join([state["decision"], *details])
        lines.append(f"Evidence {state['evidence_id'][:12]}: {said}.")
    return text(lines)


def summary(body: JsonObject) -> str:
    """Counts by decision and relation."""
    lines = [f"Reviewer: {body['reviewer']}", _counts("All claims", body["total"])]
    lines += [_counts(f"Claim: {each['claim']}", each) for each in body["claims"]]
    return text(lines)


def _counts(name: str, tally: JsonObject) -> str:
    parts = []
    for decision in ("accepted", "rejected", "skipped", "undecided"):
        counts = tally[decision]
        inside = ", ".join(f"{count} {relation.lower()}" for relation, count in counts.items())
        parts.append(f"{sum(counts.values())} {decision}" + (f" ({inside})" if inside else ""))
    return f"{name}: {tally['decided']} of {tally['findings']} decided. {'; '.join(parts)}."


def difference(body: JsonObject) -> str:
    """Agreement of two reviewers."""
    first, second = body["reviewers"]
    compared = body["compared"]
    kappa = body["kappa"]
    table = body["table"]
    alone = f"{first} alone {body['only_first']}, {second} alone {body['only_second']}"
    lines = [f"{first} and {second} both judged {compared} findings; {alone}."]
    if body["observed"] is not None:
        lines.append(f"Agreement: {100 * body['observed']:.1f} percent.")
    lines.append(
        f"Cohen's kappa: not defined, because {body['undefined']}."
        if kappa is None
        else f"Cohen's kappa: {kappa:.3f}."
    )
    lines += [f"{first} {a}, {second} {b}: {count}." for a, row in table.items() for b, count in row.items()]
    lines.append(f"Conflicts: {len(body['conflicts'])}, of which {body['open']} are open.")
    return text([*lines, *_conflicts(body)])


def conflicts(body: JsonObject) -> str:
    """The conflict queue."""
    if not body["conflicts"]:
        return "No conflict is left to settle.\n"
    return text([f"{len(body['conflicts'])} conflicts.", *_conflicts(body)])


def outcome(body: JsonObject) -> str:
    """What stands in the end."""
    lines, claim = [f"{len(body['findings'])} findings are settled, {body['open']} conflicts are open."], ""
    for row in body["findings"]:
        if row["claim_id"] != claim:
            claim = row["claim_id"]
            lines.append(f"Claim: {row['claim']}")
        quote = " ".join(row["text"].split())
        lines.append(f"{row['decision']} by {row['by']}, evidence {row['evidence_id'][:12]}: {quote}")
    return text(lines)


def _conflicts(body: JsonObject) -> list[str]:
    first, second = body["reviewers"]
    lines = []
    for number, one in enumerate(body["conflicts"], 1):
        lines.append(f"{number}. Claim: {one['claim']}")
        lines.append(f"   Quote: {' '.join(one['text'].split())}")
        for name, said in ((first, one["first"]), (second, one["second"])):
            details = [
                said["decision"],
                *([f"reasons {', '.join(said['reasons'])}"] if said["reasons"] else []),
            ]
            details += [f"note {' '.join(said['note'].split())}"] if said["note"] else []
            lines.append(f"   {name}: {'; '.join(details)}")
        lines.append(f"   Settled: {one['settled']}" if one["settled"] else "   Not settled.")
        lines.append(f"   Evidence id: {one['evidence_id']}")
    return lines


def imported(body: JsonObject) -> str:
    """What an import did."""
    older = f"{body['older']} older than what was decided here"
    lines = [
        f"Reviewer: {body['reviewer']}",
        f"{body['actions']} actions imported, {body['known']} known already, {older}.",
        f"{body['claims']} claims, {body['runs']} runs and {body['evidence']} quotes added.",
        "The log is now exactly the one that was exported." if body["identical"] else "",
    ]
    if body["refused_actions"]:
        lines.append(f"{body['refused_actions']} actions refused, because their quotes do not verify here:")
    lines += [
        f"{one['source']}, evidence {one['evidence_id'][:12]}: {one['reason']}" for one in body["refused"]
    ]
    return text(lines)
