"""The quickstart of the extra [exa] (R36 to R43), run as its user runs it, against a loopback server."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import pytest

from support.local_http import Reply, json_reply, serving

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "examples" / "exa_quickstart.py"
KEY = "key-of-the-quickstart"
ANSWER = {
    "requestId": "r",
    "results": [{"url": "https://a.org/x", "title": "T", "highlights": ["one", "two"]}],
}

#: The part of the OpenAI SDK that the example uses, for machines without it: it sends what the SDK sends.
FAKE_SDK = """
import json, urllib.request

class _Completion:
    def __init__(self, said): self._said = said
    def model_dump(self): return self._said

class OpenAI:
    def __init__(self, *, base_url, api_key, max_retries, timeout):
        assert max_retries == 0
        self._url, self._key = base_url, api_key
        self.chat = self.completions = self
    def create(self, *, model, messages):
        body = json.dumps({"model": model, "messages": messages}).encode()
        headers = {"Authorization": "Bearer " + self._key, "Content-Type": "application/json"}
        request = urllib.request.Request(self._url + "/chat/completions", body, headers)
        with urllib.request.urlopen(request) as answer:
            return _Completion(json.load(answer))
"""


@dataclass
class Ran:
    returncode: int
    stdout: str
    stderr: str


def clean_environ(folder: Path, **environ: str) -> dict[str, str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("EXA_", "CMTUI_", "PYTHON"))}
    return clean | {"NO_PROXY": "*", "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])} | environ


def run_as_user(folder: Path, *arguments: str, **environ: str) -> Ran:
    """The example in a copy of its project folder, so that the .env is the test's own."""
    (folder / "examples").mkdir(exist_ok=True)
    shutil.copy(SCRIPT, folder / "examples")
    ran = subprocess.run(
        [sys.executable, str(folder / "examples" / SCRIPT.name), *arguments],
        capture_output=True, text=True, timeout=60, cwd=folder, env=clean_environ(folder, **environ),
    )  # fmt: skip
    return Ran(ran.returncode, ran.stdout, ran.stderr)


def run(folder: Path, *arguments: str, **environ: str) -> Ran:
    """The same in this process, which is faster: its environment, its .env and its openai are the test's."""
    module = load()
    module.ENV_FILE = folder / ".env"
    out, err = StringIO(), StringIO()
    with (
        patch.dict(os.environ, clean_environ(folder, **environ), clear=True),
        patch.dict(sys.modules),
        patch.object(sys, "path", [str(folder), *sys.path]),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        sys.modules.pop("openai", None)
        status = module.main(arguments)
    return Ran(status, out.getvalue(), err.getvalue())


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("exa_quickstart", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_r38_and_r39_search_loads_the_projects_env_and_sends_one_request(tmp_path: Path) -> None:
    with serving([json_reply(ANSWER)]) as server:
        (tmp_path / ".env").write_text(
            f"# keys\nexport EXA_API_KEY='{KEY}'\nCMTUI_EXA_BASE_URL={server.url}\n"
        )
        ran = run_as_user(tmp_path, "search", "durable evidence", "--limit", "3")
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert found["results"] == [
        {"rank": 1, "title": "T", "url": "https://a.org/x", "kind": "text", "score": None, "highlight": "one"}
    ]
    assert "not verified evidence" in found["note"]
    (seen,) = server.seen
    assert seen.headers["x-api-key"] == KEY
    assert json.loads(seen.body) == {
        "query": "durable evidence", "type": "auto", "numResults": 3, "contents": {"highlights": True},
    }  # fmt: skip
    assert KEY not in ran.stdout + ran.stderr


def test_r38_existing_variables_are_preserved(tmp_path: Path) -> None:
    with serving([json_reply(ANSWER)]) as server:
        (tmp_path / ".env").write_text("EXA_API_KEY=from-the-file\n")
        run(tmp_path, "search", "q", EXA_API_KEY=KEY, CMTUI_EXA_BASE_URL=server.url)
    assert server.seen[0].headers["x-api-key"] == KEY


def test_r39_and_r41_answer_uses_the_sdk_once_with_model_exa(tmp_path: Path) -> None:
    (tmp_path / "openai.py").write_text(FAKE_SDK)
    said = {"choices": [{"message": {"content": "An answer.", "citations": [{"url": "https://a.org/"}]}}]}
    with serving([json_reply(said)]) as server:
        ran = run(tmp_path, "answer", "What is provenance?", EXA_API_KEY=KEY, CMTUI_EXA_BASE_URL=server.url)
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert (found["answer"], found["citations"]) == ("An answer.", [{"url": "https://a.org/"}])
    (seen,) = server.seen
    assert json.loads(seen.body) == {
        "model": "exa", "messages": [{"role": "user", "content": "What is provenance?"}],
    }  # fmt: skip


@pytest.mark.parametrize("status", [401, 429, 500])
def test_r41_a_failed_answer_is_not_asked_again_and_shows_no_key(tmp_path: Path, status: int) -> None:
    (tmp_path / "openai.py").write_text(FAKE_SDK)
    with serving([Reply(status, KEY.encode())]) as server:
        ran = run(tmp_path, "answer", "q", EXA_API_KEY=KEY, CMTUI_EXA_BASE_URL=server.url)
    assert ran.returncode == 2
    assert len(server.seen) == 1
    assert KEY not in ran.stdout + ran.stderr
    assert "Traceback" not in ran.stderr


def test_r36_without_the_sdk_answer_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "openai.py").write_text("raise ImportError('not here')\n")
    ran = run(tmp_path, "answer", "q", EXA_API_KEY=KEY)
    assert ran.returncode == 2
    assert "pip install openai" in ran.stderr
    assert ran.stderr.count("\n") == 1


@pytest.mark.parametrize("verb", ["search", "answer"])
def test_r37_a_missing_key_names_the_variable(tmp_path: Path, verb: str) -> None:
    (tmp_path / "openai.py").write_text(FAKE_SDK)
    ran = run(tmp_path, verb, "q")
    assert ran.returncode == 2
    assert "EXA_API_KEY" in ran.stderr


def test_r40_no_store_is_made_or_changed(tmp_path: Path) -> None:
    with serving([json_reply(ANSWER)]) as server:
        run_as_user(tmp_path, "search", "q", EXA_API_KEY=KEY, CMTUI_EXA_BASE_URL=server.url,
            CMTUI_STORE=str(tmp_path / "store"), XDG_DATA_HOME=str(tmp_path / "data"))  # fmt: skip
    assert sorted(path.name for path in tmp_path.iterdir()) == ["examples"]
    assert "machine" not in SCRIPT.read_text("utf-8").lower()


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("EXA_API_KEY=plain", "plain"),
        ("export EXA_API_KEY=plain", "plain"),
        ("EXA_API_KEY='a # b'", "a # b"),
        ('EXA_API_KEY="quoted" # why', "quoted"),
        ("EXA_API_KEY=plain # why", "plain"),
        ("EXA_API_KEY = spaced ", "spaced"),
        ("#EXA_API_KEY=no", None),
        ("EXA_API_KEY", None),
        ("2X=no", None),
    ],
)
def test_the_forms_of_an_env_line(tmp_path: Path, line: str, value: str | None) -> None:
    (tmp_path / ".env").write_text(line + "\n")
    environ: dict[str, str] = {}
    load().load_env(tmp_path / ".env", environ)
    assert environ.get("EXA_API_KEY") == value
    load().load_env(tmp_path / "none", environ)


def test_r37_the_env_file_is_ignored_by_git_and_the_example_of_it_holds_no_key() -> None:
    assert ".env" in (ROOT / ".gitignore").read_text("utf-8").splitlines()
    example = (ROOT / ".env.example").read_text("utf-8")
    assert "EXA_API_KEY=" in example
    assert "chmod 600 .env" in example
    for line in example.splitlines():
        name, equals, value = line.lstrip("#").partition("=")
        if equals and name.isupper():
            assert not value.strip(), f"{name} has a value in the example"


def test_r37_no_key_stands_in_the_source() -> None:
    for path in [*(ROOT / "cmtui").rglob("*.py"), SCRIPT]:
        for line in path.read_text("utf-8").splitlines():
            assert "EXA_API_KEY=" not in line or "EXA_API_KEY=..." in line, path


def test_r36_and_r127_sentence_the_core_does_not_import_the_exa_module() -> None:
    """A127: the core package does not import the Exa module automatically."""
    code = (
        "import sys, cmtui, cmtui.engine, cmtui.cli.main\nfrom cmtui import LocalCitationMachine\n"
        "names = ('cmtui.exa', 'cmtui.discovery', 'cmtui.net', 'httpx')\n"
        "print([m for m in sys.modules if m.startswith(names)])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert ran.stdout.strip() == "[]"


def test_r36_the_extra_adds_no_dependency() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["optional-dependencies"]["exa"] == []
    assert not [name for name in project["dependencies"] if "exa" in name or "openai" in name]


def test_r44_the_seeds_import_works() -> None:
    from cmtui.exa import ExaAcquisitionAdapter, ExaProviderError

    assert ExaAcquisitionAdapter(api_key="k")
    assert issubclass(ExaProviderError, Exception)
