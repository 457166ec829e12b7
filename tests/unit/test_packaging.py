"""The wheel: built, looked into, installed into an empty environment, and used from there (R5)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(*command: str | Path, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {
        key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "CMTUI", "PIP"))
    }
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**clean, **environment},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built by hatchling out of this checkout, without an isolated environment (no download)."""
    pytest.importorskip("hatchling", reason="hatchling is in the dev extra; it builds the wheel")
    folder = tmp_path_factory.mktemp("wheel")
    code = "import os, sys, hatchling.build as b; os.chdir(sys.argv[1]); b.build_wheel(sys.argv[2])"
    done = run(sys.executable, "-c", code, ROOT, folder, cwd=folder)
    assert done.returncode == 0, done.stderr
    [built] = folder.glob("cmtui-*-py3-none-any.whl")
    return built


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty virtual environment with the wheel in it; returns its folder of scripts.

    The dependencies are not downloaded again: a .pth file lends this environment's site-packages, after the
    new one's own, so that ``cmtui`` itself can only come from the wheel.
    """
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder, with_pip=False, symlinks=True)
    scripts = folder / "bin"
    done = run(
        sys.executable, "-m", "pip", "--python", scripts / "python", "install", "--quiet", "--no-index",
        "--no-deps", wheel, cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    [own] = folder.glob("lib/python*/site-packages")
    (own / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    return scripts


def test_the_wheel_holds_what_the_program_needs(wheel: Path) -> None:
    """Package contract (R151): styles, corpus, language data and fixture ship (R80, R106, R136, R186)."""
    names = set(zipfile.ZipFile(wheel).namelist())
    assert "cmtui/py.typed" in names
    for folder in ("styles", "sample_corpus"):
        here = {f"cmtui/{p.relative_to(ROOT).as_posix()}" for p in (ROOT / folder).rglob("*") if p.is_file()}
        assert here, folder
        assert here <= names
    data = {
        p.relative_to(ROOT).as_posix()
        for p in (ROOT / "cmtui").rglob("*")
        if p.is_file() and p.suffix in {".txt", ".toml", ".tcss", ".json"}
    }
    assert any(name.endswith("concepts.txt") for name in data)
    assert data <= names
    assert "cmtui/fixtures/semantic_regression.json" in names
    assert not {name for name in names if name.startswith("tests/")}


def test_metadata_names_the_three_programs(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    [entry_points] = [n for n in archive.namelist() if n.endswith("entry_points.txt")]
    text = archive.read(entry_points).decode("utf-8")
    for script in ("cmtui", "citation-machine", "citation-machine-evaluate"):
        assert f"\n{script} = " in text


def test_the_package_comes_from_the_wheel(environment: Path, tmp_path: Path) -> None:
    code = (
        "import cmtui, cmtui.resources as r\n"
        "print(cmtui.__file__, r.styles_dir(), r.sample_corpus_dir(), sep='\\n')"
    )
    done = run(environment / "python", "-c", code, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for line in done.stdout.split():
        assert line.startswith(str(environment.parent)), line


def test_the_installed_program_answers(environment: Path, tmp_path: Path) -> None:
    done = run(environment / "citation-machine", "--version", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    version = run(environment / "python", "-c", "import cmtui; print(cmtui.__version__)", cwd=tmp_path)
    assert version.stdout.strip() in done.stdout


def test_the_installed_program_ingests_and_searches(environment: Path, tmp_path: Path) -> None:
    """An installed copy reads its own sample corpus and finds a passage in it (R4, R114)."""
    program, store = environment / "citation-machine", tmp_path / "store"
    [corpus] = environment.parent.glob("lib/python*/site-packages/cmtui/sample_corpus")
    ingested = run(program, "--store", store, "ingest", corpus, cwd=tmp_path)
    assert ingested.returncode == 0, ingested.stderr
    answer = json.loads(ingested.stdout)
    assert answer["errors"] == []
    assert {d["kind"] for d in answer["documents"]} == {"pdf", "epub", "markdown", "text"}
    again = run(program, "--store", store, "ingest", corpus, cwd=tmp_path)
    assert {d["status"] for d in json.loads(again.stdout)["documents"]} == {"unchanged"}
    found = run(program, "--store", store, "search", "lantern room panes", cwd=tmp_path)
    assert found.returncode == 0, found.stderr
    assert "lantern" in json.loads(found.stdout)["results"][0]["text"]


def test_the_installed_program_has_the_frozen_fixture(environment: Path, tmp_path: Path) -> None:
    """The benchmark runs from the wheel alone, on the passages of this checkout (R136, R140)."""
    done = run(environment / "citation-machine-evaluate", "benchmark", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    body = json.loads(done.stdout)
    assert (body["fixture"]["passages"], body["fixture"]["pairs"]) == (60, 93)
