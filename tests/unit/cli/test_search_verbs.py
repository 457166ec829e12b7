"""``search``, ``semantic-search`` and ``hybrid-search`` keep to the contract."""

from __future__ import annotations

import pytest

from support.cli import CommandLine

RESULT = [
    "rank",
    "text",
    "score",
    "document_id",
    "source_id",
    "passage_id",
    "span",
    "locators",
    "source",
    "retrieval",
]
LOCATORS = [
    "page",
    "page_label",
    "print_page",
    "cited_page",
    "chapter",
    "section",
    "paragraph",
    "line_start",
    "line_end",
]
MODES = [("search", "lexical"), ("semantic-search", "semantic"), ("hybrid-search", "hybrid")]


@pytest.mark.parametrize(("verb", "mode"), MODES)
def test_results_have_the_keys_of_the_contract(cli: CommandLine, verb: str, mode: str) -> None:
    """R8, R113: exact text, identities, locators, offsets, source, and how it was found."""
    ids = cli.ingested()
    body = cli.ok(verb, "Ulysses wept")
    assert list(body)[:3] == ["query", "mode", "results"]
    assert (body["query"], body["mode"]) == ("Ulysses wept", mode)
    first = body["results"][0]
    assert list(first)[: len(RESULT)] == RESULT
    assert list(first["locators"]) == LOCATORS
    assert list(first["span"]) == ["start", "end"]
    assert first["rank"] == 1
    assert first["document_id"] == ids["ulysses.md"]
    assert "wept" in first["text"]
    assert first["retrieval"]["mode"] == mode
    assert {"lexical_rank", "semantic_rank", "lexical_score", "semantic_score"} <= set(first["retrieval"])
    assert first["locators"]["section"][-1] == "Book V: Calypso"
    assert first["locators"]["page"] is None
    text = cli.ok("document", first["document_id"])["text"]
    assert text[first["span"]["start"] : first["span"]["end"]] == first["text"]


@pytest.mark.parametrize(("verb", "mode"), MODES)
def test_filters_choose_what_is_eligible(cli: CommandLine, verb: str, mode: str) -> None:
    """R115: --source-id, --document-id and --source-kind, beginnings of ids included."""
    ids = cli.ingested()
    everything = cli.ok(verb, "mammals wept river", "--limit", "50")["results"]
    assert {row["document_id"] for row in everything} == set(ids.values())
    whales = ids["whales.txt"]
    source = next(row["source_id"] for row in everything if row["document_id"] == whales)
    for option in (
        ["--document-id", whales],
        ["--document-id", whales[:16]],
        ["--source-id", source],
        ["--source-kind", "text"],
        ["--source-kind", "text", "--source-kind", "pdf"],
    ):
        found = cli.ok(verb, "mammals wept river", *option)["results"]
        assert found
        assert {row["document_id"] for row in found} == {whales}, option
    assert cli.ok(verb, "mammals", "--source-kind", "epub")["results"] == []
    assert mode


def test_sad_finds_wept(cli: CommandLine) -> None:
    """R76: the concept lexicon of local semantic search."""
    cli.ingested()
    assert "wept" in cli.ok("semantic-search", "sad")["results"][0]["text"]


def test_limits_and_ranks(cli: CommandLine) -> None:
    cli.ingested()
    two = cli.ok("search", "mammals", "--limit", "2")["results"]
    assert [row["rank"] for row in two] == list(range(1, len(two) + 1))
    assert len(two) <= 2
    for value in ("0", "-3"):
        error = cli.fails("search", "mammals", "--limit", value)
        assert error["type"] == "InvalidRequest"
        assert "limit" in error["message"]


def test_scores_have_six_significant_digits(cli: CommandLine) -> None:
    cli.ingested()
    for verb, _ in MODES:
        for row in cli.ok(verb, "whales wept river mammals")["results"]:
            assert row["score"] == float(f"{row['score']:.6g}")
            assert row["score"] == row["retrieval"]["score"]


@pytest.mark.parametrize(
    ("argv", "kind"),
    [
        (["search", "   "], "InvalidRequest"),
        (["search", "a", "--document-id", "ffffffffffff"], "NotFound"),
        (["search", "a", "--source-id", "ffffffffffff"], "NotFound"),
        (["search", '"unclosed phrase'], "QueryError"),
    ],
)
def test_errors(cli: CommandLine, argv: list[str], kind: str) -> None:
    cli.ingested()
    assert cli.fails(*argv)["type"] == kind
