"""Random kills of a real ingest (issue 3, part 9; settlements 6, I2.9).

``make test`` runs 10 of them, ``make soak`` 200: the environment says how many (SOAK_KILLS).
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

from soak.checks import Acknowledged, check, start
from support.pdf_fixtures import make_pdf

KILLS = int(os.environ.get("SOAK_KILLS", "10"))
#: A store is killed this often before a new one is begun.
KILLS_PER_STORE = 20
FILES = 8


def write_files(folder: Path, round_number: int) -> None:
    """Files of three kinds, each with a word of its own: its name without the hyphen."""
    folder.mkdir()
    for number in range(FILES):
        name = f"lamp-r{round_number}n{number}"
        word = name.replace("-", "")
        body = f"The {word} keeper wrote the hour into the book before he slept.\n\n" + "\n\n".join(
            f"On night {night} of the {number}th year no ship was seen from the tower." for night in range(60)
        )
        if number % 4 == 3:
            lines = body.replace("\n\n", "\n").split("\n")
            pages = ["\n".join(lines[i : i + 20]) for i in range(0, len(lines), 20)]
            (folder / f"{name}.pdf").write_bytes(make_pdf(pages))
        else:
            (folder / f"{name}.{'md' if number % 4 == 2 else 'txt'}").write_text(body, encoding="utf-8")


def kill_all(process: subprocess.Popen[str]) -> None:
    """SIGKILL to the process and, as a closed terminal would, to the readers it started."""
    os.killpg(process.pid, signal.SIGKILL)


def run_once(root: Path, folder: Path, seed: int, after: float | None) -> tuple[str, float, bool]:
    """Run the ingest, killed ``after`` seconds of work (None: not at all); output, seconds, killed."""
    process = start("ingest", root, folder, seed)
    assert process.stdout is not None
    assert process.stderr is not None
    ready = process.stdout.readline()
    if ready != "ready\n":
        process.kill()
        raise AssertionError(process.communicate()[1])
    began = time.perf_counter()
    try:
        printed, errors = process.communicate(timeout=after)
    except subprocess.TimeoutExpired:
        kill_all(process)
        printed, _ = process.communicate()
        return printed, time.perf_counter() - began, True
    assert process.returncode == 0, errors
    return printed, time.perf_counter() - began, False


def test_random_kills_of_a_real_ingest_lose_nothing_acknowledged(tmp_path: Path) -> None:
    pick = random.Random(20261201)
    folder = tmp_path / "measured"
    write_files(folder, 0)
    _, whole, _ = run_once(tmp_path / "measured-store", folder, 0, None)
    kills = finished = 0
    seen: Counter[str] = Counter()
    stages: Counter[int] = Counter()
    root, done, first = tmp_path / "store-0", Acknowledged(), 0
    while kills < KILLS:
        if kills and kills % KILLS_PER_STORE == 0 and root.name != f"store-{kills}":
            root, done, first = tmp_path / f"store-{kills}", Acknowledged(), kills
        turn = kills + finished + 1
        folder = tmp_path / f"files-{turn}"
        write_files(folder, turn)
        printed, _, killed = run_once(root, folder, turn, pick.uniform(0, whole))
        kills += killed
        finished += not killed
        stages[printed.count("\n")] += killed
        done.add(printed)
        found = check(root, done, "ann")
        # A decision and its note are one action: at most the one in flight was never acknowledged.
        assert found["events in flight"] <= 2 * (kills - first)
        seen += found
    print(
        f"\n{kills} kills ({finished} runs finished first), run of {whole:.1f} s; acknowledged lines at the "
        f"kill: {dict(sorted(stages.items()))}; {seen['documents']:,} documents read back, "
        f"{seen['leftovers']} leftovers"
    )
