"""Citations: time per entry beside bare citeproc-py, and agreement with the reference cases by engine.

``python -m tests.benchmarks citations`` prints the tables; ``python -m tests.benchmarks.citations official``
formats 20 items in 100 official styles with both engines. Times are processor time of this process, which on
an idle machine is wall time and on a shared one the steadier figure.
"""

from __future__ import annotations

import random
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from cmtui.bibliography import styles
from cmtui.bibliography.csl import Processor
from cmtui.bibliography.engines import formatter
from cmtui.bibliography.pandoc import executable
from cmtui.bibliography.service import Formatter
from cmtui.errors import CmtuiError
from tests.benchmarks.timing import table
from tests.support import golden

OFFICIAL = {
    "mla": "modern-language-association",
    "apa": "apa",
    "chicago": "chicago-author-date",
    "chicago-notes": "chicago-notes-bibliography",
    "ieee": "ieee",
}
ENTRIES = 1000
#: Bare citeproc-py needs up to 80 ms for an entry, so it formats the first items only.
BARE_ENTRIES = 100
_KINDS = ("book", "article-journal", "chapter", "webpage", "report", "thesis", "paper-conference")
_SYLLABLES = ["ka", "ro", "mi", "sel", "ven", "dar", "lo", "ti", "an", "gra", "bu", "ne", "ost", "wil", "hem"]
_WORDS = ["tide", "harbour", "of", "the", "lamp", "keeper", "and", "his", "sealed", "north", "storm"]


def items(count: int, seed: int = 11) -> list[dict[str, Any]]:
    """Deterministic items of seven types: about 200 families, a fifth of the works with a namesake's year."""
    pick = random.Random(seed)
    families = ["".join(pick.choices(_SYLLABLES, k=pick.randint(2, 3))).capitalize() for _ in range(200)]
    givens = ["Jane Q.", "Li-Wei", "Thomas S.", "Zadie", "Yoshua", "Ada", "Miguel"]
    made = []
    for number in range(count):
        kind = _KINDS[number % len(_KINDS)]
        people = [
            {"family": pick.choice(families), "given": pick.choice(givens)} for _ in range(pick.randint(1, 4))
        ]
        item: dict[str, Any] = {
            "id": f"i{number}",
            "type": kind,
            "title": " ".join(pick.choices(_WORDS, k=pick.randint(3, 9))),
            "author": people,
            "issued": {"date-parts": [[pick.randint(1990, 2025), pick.randint(1, 12)]]},
            "publisher": "Sea Press",
            "publisher-place": "Oslo",
        }
        if kind in ("article-journal", "chapter", "paper-conference"):
            first = pick.randint(1, 900)
            item |= {
                "container-title": "journal of the sea",
                "page": f"{first}-{first + pick.randint(2, 30)}",
            }
        if kind == "article-journal":
            item |= {"volume": str(pick.randint(1, 90)), "issue": "2", "DOI": f"10.1000/x{number}"}
        if kind == "webpage":
            item |= {"URL": f"https://sea.example/{number}", "accessed": {"date-parts": [[2024, 1, 5]]}}
        made.append(item)
    return made


def seconds(work: Callable[[], object]) -> float:
    """Processor time of one run."""
    start = time.process_time()
    work()
    return time.process_time() - start


def ms(value: float) -> str:
    """Milliseconds with three digits."""
    return f"{value * 1000:.3g} ms"


def bare(name: str, works: Sequence[dict[str, Any]]) -> float | None:
    """Seconds per entry of citeproc-py alone with the official style; None without the extra."""
    path = styles.official_path(OFFICIAL[name])
    if path is None:
        return None
    from citeproc import Citation, CitationItem, CitationStylesBibliography, CitationStylesStyle, formatter
    from citeproc.source.json import CiteProcJSON

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        source = CiteProcJSON([dict(work) for work in works])
        style = CitationStylesStyle(str(path), validate=False)
        bibliography = CitationStylesBibliography(style, source, formatter.plain)
        for work in works:
            bibliography.register(Citation([CitationItem(work["id"])]))
        bibliography.sort()
        return seconds(lambda: [str(entry) for entry in bibliography.bibliography()]) / len(works)


def timed(name: str, works: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """One row of the table of speed."""
    content = styles.style_file(name).content
    Processor(content, name=name)  # reads the locale file once
    load = min(seconds(lambda: Processor(content, name=name)) for _ in range(7))
    engine = Formatter()
    engine.format(works[0], style=name)
    one = sorted(seconds(lambda w=work: engine.format(w, style=name)) for work in works[1:22])[10]
    whole = seconds(lambda: engine.format_items(works, style=name)) / len(works)
    again = seconds(lambda: [engine.format(works[1], style=name) for _ in range(200)]) / 200
    alone = bare(name, works[:BARE_ENTRIES])
    beside = ("needs [styles]", "") if alone is None else (ms(alone), f"{alone / whole:.1f} x")
    return (name, ms(load), ms(one), ms(whole), *beside, ms(again))


def run() -> None:
    """Print the tables of speed and of agreement."""
    works = items(ENTRIES)
    table(
        f"Citations: one bibliography of {ENTRIES:,} entries, disambiguation included "
        "(<= 6 ms per entry; >= 3 x bare in mla, apa, chicago; cached <= 0.2 ms; load < 30 ms)",
        ("style", "load", "one alone", "per entry", "bare, official file", "faster", "cached"),
        [timed(name, works) for name in styles.SHIPPED],
    )
    agreement()


def agreement() -> None:
    """Print how many reference cases each engine matches, and which it misses."""
    cases = golden.load()
    if not cases:
        print(f"\nReference cases: {golden.GOLDEN} is absent.")
        return
    engines = [("citeproc-py", False), ("citeproc-py", True), ("pandoc", False), ("pandoc", True)]
    rows, names = [], []
    for name, official in engines:
        label = f"{name}, {'official styles' if official else 'own styles'}"
        if (official and styles.official_folder() is None) or (name == "pandoc" and executable() is None):
            rows.append((label, "needs an extra", "", ""))
            continue
        engine = formatter(name)
        missed = [case for case in cases if not golden.matches(engine, case, official=official)]
        shown = []
        for part in (None, True, False):
            of_part = [case for case in cases if part is None or golden.tuning(case) is part]
            good = sum(case not in missed for case in of_part)
            shown.append(f"{good} of {len(of_part)} ({good / len(of_part):.1%})")
        rows.append((label, *shown))
        names.append(f"  {label}: {', '.join(case['id'] for case in missed) or 'none'}")
    table(
        "Agreement with citeproc-js (295 cases), and by the split of their ids by SHA-256",
        ("engine", "all", "70 % part", "30 % part"),
        rows,
    )
    print("  The split was made after the own styles were written with all cases in sight.")
    print("  Misses:", *names, sep="\n")


def official(count: int = 100, each: int = 20) -> None:
    """Print how official styles fare: exceptions, and references equal to pandoc's."""
    folder = styles.official_folder()
    if folder is None or executable() is None:
        print("needs the extras: pip install 'cmtui[styles,pandoc]'")
        return
    paths = sorted(folder.glob("*.csl"))
    chosen = paths[:: max(1, len(paths) // count)][:count]
    works = items(each)
    ours, theirs = Formatter(), formatter("pandoc")
    failures, equal, all_entries, printed = [], 0, 0, 0
    for path in chosen:
        name = f"official:{path.stem}"
        try:
            if "reference" not in ours.forms(name):
                ours.format_items(works, style=name, form="inline")
                continue
            mine = dict(ours.format_items(works, style=name).entries)
        except CmtuiError as error:
            failures.append(f"{path.stem}: {error}")
            continue
        other = dict(theirs.format_items(works, style=name).entries)
        printed += 1
        all_entries += len(mine)
        equal += sum(golden.spaces(text) == golden.spaces(other.get(key, "")) for key, text in mine.items())
    print(f"\n{len(chosen)} official styles, {each} items each: {len(failures)} failures")
    print(f"  {printed} with a reference list: {equal} of {all_entries} references equal to pandoc's")
    for failure in failures:
        print(f"  {failure}")


if __name__ == "__main__":
    official() if sys.argv[1:] == ["official"] else run()
