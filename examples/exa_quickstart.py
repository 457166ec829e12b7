"""Ask Exa from this project's terminal, without touching any store (R38 to R42).

    python3 examples/exa_quickstart.py search "research on durable evidence identity" --limit 5
    python3 examples/exa_quickstart.py answer "What is evidence provenance?"

Only EXA_API_KEY is needed: from the environment, else from this project's .env, which this example loads
itself (the library and the command line never do). ``answer`` needs the openai package as well.

What it prints are discovery outputs, not verified evidence: nothing is acquired and no store is changed. Each
invocation makes one billable request, and none is repeated by itself.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import MutableMapping, Sequence
from pathlib import Path
from typing import Any

from cmtui.errors import CmtuiError
from cmtui.exa import ExaAcquisitionAdapter

ENV_FILE = Path(__file__).resolve().parents[1] / ".env"
NOTE = "Discovery outputs, not verified evidence. Nothing was acquired, and no store was changed."


def main(argv: Sequence[str] | None = None) -> int:
    """Run one request and print one JSON object; 0 done, 2 an error with its sentence on stderr."""
    parser = argparse.ArgumentParser(description="Ask Exa; one billable request for each invocation.")
    verbs = parser.add_subparsers(dest="verb", required=True)
    search = verbs.add_parser("search", help="find pages, with their highlights")
    search.add_argument("query")
    search.add_argument("--limit", type=int, default=5)
    answer = verbs.add_parser("answer", help="an answer with citations, through the OpenAI SDK")
    answer.add_argument("question")
    args = parser.parse_args(argv)
    load_env(ENV_FILE, os.environ)
    try:
        found = search_exa(args.query, args.limit) if args.verb == "search" else answer_exa(args.question)
    except CmtuiError as error:
        print(f"{error.sentence} {error.advice}".strip(), file=sys.stderr)
        return 2
    print(json.dumps(found | {"note": NOTE}, ensure_ascii=False, indent=2))
    return 0


def load_env(path: Path, environ: MutableMapping[str, str]) -> None:
    """Add the KEY=VALUE lines of an .env file; what is set already stays as it is (R38)."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return
    for line in lines:
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        name, value = name.strip(), value.strip()
        if not equals or name.startswith("#") or not name.isidentifier():
            continue
        if value[:1] in ("'", '"'):
            value = value[1:].partition(value[0])[0]
        else:
            value = value.partition(" #")[0].strip()
        environ.setdefault(name, value)


def search_exa(query: str, limit: int) -> dict[str, Any]:
    """Pages by type="auto", each with the first highlight."""
    candidates = ExaAcquisitionAdapter().search(query, limit=limit)
    return {
        "query": query,
        "results": [
            {
                "rank": candidate.discovery.rank,
                "title": candidate.discovery.title,
                "url": candidate.discovery.url,
                "kind": candidate.source_kind,
                "score": candidate.discovery.score,
                "highlight": candidate.highlight.text if candidate.highlight else None,
            }
            for candidate in candidates
        ],
    }


def answer_exa(question: str) -> dict[str, Any]:
    """An answer of the model "exa" and its citations, by the OpenAI SDK without its retries (R41)."""
    try:
        from openai import OpenAI
    except ImportError:
        raise CmtuiError("answer needs the openai package", "Install it: pip install openai") from None
    key = os.environ.get("EXA_API_KEY", "").strip()
    if not key:
        raise CmtuiError("Exa needs a key, and EXA_API_KEY is not set", "Set it, or write it into .env.")
    base_url = os.environ.get("CMTUI_EXA_BASE_URL") or "https://api.exa.ai"
    client = OpenAI(base_url=base_url, api_key=key, max_retries=0, timeout=30.0)
    try:
        completion = client.chat.completions.create(
            model="exa", messages=[{"role": "user", "content": question}]
        )
    except Exception as error:
        # The SDK's own words may hold the request with its headers.
        raise CmtuiError(f"Exa did not answer ({type(error).__name__}).", "Try again later.") from None
    said = completion.model_dump()
    message = (said.get("choices") or [{}])[0].get("message") or {}
    return {
        "question": question,
        "answer": message.get("content"),
        "citations": message.get("citations") or said.get("citations") or [],
    }


if __name__ == "__main__":
    sys.exit(main())
