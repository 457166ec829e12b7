"""The house as ARCHITECTURE.md draws it: who imports whom, what is loaded when, who makes identities."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "cmtui"
#: Loaded on first use, never by an import of the package (R1, R117: no network module either).
HEAVY = ("textual", "rich", "whoosh", "pypdf", "lxml", "httpx", "citeproc", "numpy", "torch", "yaml")


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def dotted(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), filename=str(path))


def calls_of(path: Path, name: str) -> list[int]:
    """Lines on which ``name`` is called, whether imported by name or through its module."""
    return [
        node.lineno
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call)
        and (
            (isinstance(node.func, ast.Name) and node.func.id == name)
            or (isinstance(node.func, ast.Attribute) and node.func.attr == name)
        )
    ]


def imports_of(path: Path) -> set[str]:
    """Every absolute module name a module imports, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def test_dependencies_point_one_way() -> None:
    """The contracts of pyproject.toml, checked by import-linter (R1)."""
    code = "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "statement",
    [
        "import cmtui",
        "from cmtui.engine import CitationMachine, LocalCitationMachine",
        "import cmtui.cli",
        "import cmtui.cli.main",
        "import cmtui.config",
        "import cmtui.clipboard",
        "import cmtui.evaluation",
    ],
)
def test_importing_loads_no_heavy_library(statement: str) -> None:
    code = f"import json, sys\n{statement}\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=300, check=True
    )
    loaded = {name.split(".")[0] for name in json.loads(done.stdout)}
    assert not loaded & set(HEAVY)


def test_the_command_line_answers_without_the_application() -> None:
    """The command line never loads the screen's library, not even when it runs a verb (R4)."""
    code = (
        "import sys\nfrom cmtui.cli.main import main\n"
        "try:\n    main(['--version'])\nexcept SystemExit:\n    pass\n"
        "assert not {'textual', 'rich', 'whoosh', 'pypdf'} & set(sys.modules), sorted(sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr


def test_only_verification_makes_an_evidence_identity() -> None:
    """Every layer-4 identity comes out of the verifier (R87)."""
    makers = {dotted(path) for path in modules() if calls_of(path, "EvidenceSpanIdentity")}
    assert makers
    assert all(name.startswith("cmtui.verification") for name in makers), makers


def test_the_model_is_standard_library_only() -> None:
    for path in sorted((PACKAGE / "model").glob("*.py")):
        foreign = {
            name
            for name in imports_of(path)
            if name.split(".")[0] not in sys.stdlib_module_names
            and not name.startswith(("cmtui.model", "cmtui.errors"))
        }
        assert not foreign, (path.name, foreign)


def test_the_network_has_one_way_out() -> None:
    """Networking is by explicit command only (R117, D1): one package may connect, and few may ask it."""
    network = {"ssl", "http.client", "urllib.request", "httpx", "httpcore", "requests", "aiohttp"}
    listens = ("cmtui.tui.serving",)  # shows the application in a browser: it answers, and asks nobody
    inside = {path for path in modules() if dotted(path).startswith(("cmtui.net", *listens))}
    outside = [path for path in modules() if path not in inside]
    assert not {dotted(path): found for path in outside if (found := imports_of(path) & network)}
    calls = ("create_connection", "create_server", "urlopen", "open_connection", "socket")
    assert not {dotted(path): name for path in modules() for name in calls if calls_of(path, name)}
    asking = {dotted(path) for path in outside if any(n.startswith("cmtui.net") for n in imports_of(path))}
    assert {name for name in asking if not name.startswith("cmtui.discovery")} == {"cmtui.engine.lookup"}


@pytest.mark.parametrize("path", modules(), ids=dotted)
def test_a_module_holds_one_idea(path: Path) -> None:
    lines = path.read_text("utf-8").count("\n")
    assert lines <= 500, f"{lines} lines: split it"
    assert path.stem not in {"utils", "util", "helpers", "misc"}


#: Reasons of a failed check, and damage that is caught and rebuilt.
WITHOUT_HINTS = ("cmtui.verification.layers", "cmtui.retrieval.lexical")
#: Guards against a caller's mistake: nothing a person at the keyboard can cause.
GUARDED = {"cmtui.store": "InvalidRequest"}


def test_expected_failures_say_what_to_do_next() -> None:
    """Every error raised by name carries a hint; a person who cancelled knows what to do next."""
    errors = {
        node.name
        for path in (PACKAGE / "errors").glob("*.py")
        for node in tree_of(path).body
        if isinstance(node, ast.ClassDef)
    } - {"Cancelled"}
    bare = [
        f"{dotted(path)}:{node.lineno}"
        for path in modules()
        if dotted(path) not in WITHOUT_HINTS
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Raise)
        and isinstance(node.exc, ast.Call)
        and isinstance(node.exc.func, ast.Name)
        and node.exc.func.id in errors
        and GUARDED.get(".".join(dotted(path).split(".")[:2])) != node.exc.func.id
        and len(node.exc.args) + len(node.exc.keywords) < 2
        and not any(isinstance(argument, ast.Starred) for argument in node.exc.args)
    ]
    assert not bare


def tracked_texts() -> list[Path]:
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    files = [ROOT / name for name in done.stdout.split("\0") if name]
    return [f for f in files if f.is_file() and f.suffix not in {".pdf", ".epub", ".svg"}]


def test_the_texts_speak_of_the_project_alone() -> None:
    """A reader meets this project's words: no other machine's paths, no traces of how it was typed in."""
    traces = (
        "/work" + "/",
        "/tmp/" + "house",
        "sub" + "-?agent",
        "cla" + "ude",
        "chat" + "gpt",
        "co-author" + "ed",
    )
    foreign = re.compile("|".join(traces), re.IGNORECASE)
    found = {
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in tracked_texts()
        if (match := foreign.search(path.read_text("utf-8", errors="replace")))
    }
    assert not found


def test_secrets_stay_out_of_the_repository() -> None:
    """``.env`` is ignored and no key is in a source (R37 prepares this)."""
    assert ".env" in (ROOT / ".gitignore").read_text("utf-8").split()
    assert ROOT / ".env" not in tracked_texts()
