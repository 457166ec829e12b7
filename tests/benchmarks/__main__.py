"""All performance tables: ``make bench`` (or ``python -m tests.benchmarks NAME...`` for some of them)."""

from __future__ import annotations

import sys

from tests.benchmarks import (
    application,
    capture,
    citations,
    discovery,
    engine,
    ingest,
    labelled,
    milvus,
    screen,
    startup,
    store,
)

TABLES = {
    "startup": startup.run,
    "engine": engine.run,
    "ingest": ingest.run,
    "store": store.run,
    "screen": screen.run,
    "application": application.run,
    "citations": citations.run,
    "capture": capture.run,
    "discovery": discovery.run,
    "labelled": labelled.run,
    "milvus": milvus.run,
}


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in TABLES]
    if unknown:
        print(f"No benchmark '{unknown[0]}'; there are {', '.join(TABLES)}.", file=sys.stderr)
        return 2
    for name in names or TABLES:
        TABLES[name]()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
