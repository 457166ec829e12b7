"""The second citation engine: pandoc, run as a process of its own (design measurements, citations.md 5).

Only items, ids and locators go in, and formatted citations come out as pandoc's document tree, which is read
into the same segments as the default engine's output. A quotation never passes through: pandoc moves
punctuation into quotation marks of ordinary text (jgm/pandoc#7005), which would break exact quotes.
"""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from cmtui.bibliography.formatting import BaseFormatter, Batch, CiteRequest, Run
from cmtui.bibliography.markup import clean
from cmtui.bibliography.segments import Segment
from cmtui.bibliography.styles import StyleFile
from cmtui.errors import BibliographyError, EngineMissing, UnknownStyle

#: What to type for pandoc.
INSTALL = "pip install 'cmtui[pandoc]', or put pandoc 3 on the PATH; or choose the engine citeproc-py."
#: The first release with the citation syntax used here and a sandbox.
_OLDEST = (3, 0)
#: Seconds a run may take: a start, and what a slow style needs for each item (measured: 12 ms).
_START_SECONDS, _ITEM_SECONDS = 60.0, 0.2

_CSL = "{http://purl.org/net/xbiblio/csl}"
#: English words that pandoc reads back as the kind of a locator.
_LABELS = {"sub-verbo": "sub verbo", "page": "p.", "title-locator": "title"}
_FLAGS = {
    "Emph": "italic", "Strong": "bold", "Superscript": "superscript", "Subscript": "subscript",
    "SmallCaps": "small-caps", "Underline": "underline",
}  # fmt: skip

Node = dict[str, Any]


def executable() -> str | None:
    """The pandoc program: of the extra ``[pandoc]`` (pypandoc-binary), else on the PATH; None without one."""
    spec = importlib.util.find_spec("pypandoc")
    for folder in (spec.submodule_search_locations or []) if spec is not None else []:
        bundled = shutil.which("pandoc", path=str(Path(folder) / "files"))
        if bundled:
            return bundled
    return shutil.which("pandoc")


class PandocFormatter(BaseFormatter):
    """CSL-JSON items through pandoc, one process per batch. Safe for several threads."""

    @property
    def engine(self) -> str:
        """``pandoc`` and its version. Raises EngineMissing."""
        return f"pandoc {_version(_program())}"

    def _style_forms(self, style: StyleFile) -> tuple[str, ...]:
        facts = _facts(style.content, style.name)
        reference_form = ("reference",) if facts.has_bibliography else ()
        return (*reference_form, *(("inline", "footnote") if facts.note_style else ("inline",)))

    def _style_locale(self, style: StyleFile) -> str:
        return _facts(style.content, style.name).locale

    def _references(self, batch: Batch) -> list[tuple[str, Run]]:
        tree = self._run(batch, [_every(batch)])
        entries: list[tuple[str, Run]] = []
        for block in tree["blocks"]:
            if block["t"] == "Div" and block["c"][0][0] == "refs":
                for entry in block["c"][1]:
                    item_id = batch.ids[int(entry["c"][0][0].removeprefix("ref-r")) - 1]
                    entries.append((item_id, _segments(_inlines(entry["c"][1]))))
        return entries

    def _citations(self, batch: Batch) -> list[Run]:
        blocks = [{"t": "Para", "c": [_cite(cluster, batch)]} for cluster in batch.clusters]
        # Numbers follow the first citation, and the items are numbered in the order they were given in.
        pinned = _facts(batch.style.content, batch.style.name).numbered
        if pinned:
            blocks.insert(0, _every(batch))
        tree = self._run(batch, blocks)
        paragraphs = [block for block in tree["blocks"] if block["t"] == "Para"][1 if pinned else 0 :]
        return [_segments(paragraph["c"]) for paragraph in paragraphs]

    def _run(self, batch: Batch, blocks: Sequence[Node]) -> Node:
        program = _program()
        locale = self.locale or self._style_locale(batch.style)
        document = {
            "pandoc-api-version": [1, 23],
            # Works that are not cited here still count for telling works apart.
            "meta": {
                "lang": {"t": "MetaString", "c": locale},
                "nocite": {"t": "MetaInlines", "c": _every(batch)["c"]},
            },
            "blocks": list(blocks),
        }
        items = [{**_cleaned(item), "id": f"r{i + 1}"} for i, item in enumerate(batch.items)]
        with tempfile.TemporaryDirectory(prefix="cmtui-pandoc-") as folder:
            style, data = Path(folder) / "style.csl", Path(folder) / "items.json"
            style.write_bytes(batch.style.content)
            data.write_text(json.dumps(items), encoding="utf-8")
            command = [program, "--sandbox", "-f", "json", "-t", "json", "--citeproc"]
            try:
                done = subprocess.run(
                    [*command, "--csl", str(style), "--bibliography", str(data)],
                    input=json.dumps(document).encode("utf-8"),
                    capture_output=True,
                    check=False,
                    timeout=_START_SECONDS + _ITEM_SECONDS * len(items),
                )
            except (OSError, subprocess.TimeoutExpired) as error:
                raise BibliographyError(f"pandoc did not finish: {error}.", INSTALL) from error
        if done.returncode != 0:
            message = done.stderr.decode("utf-8", "replace").strip().replace(folder, "").splitlines()
            raise UnknownStyle(
                f"pandoc cannot use the style '{batch.style.name}': {' '.join(message)[:300]}",
                "Check the style with the CSL validator, or choose the engine citeproc-py.",
            )
        tree: Node = json.loads(done.stdout)
        return tree


def _program() -> str:
    program = executable()
    if program is None:
        raise EngineMissing("The citation engine 'pandoc' is chosen, but there is no pandoc here.", INSTALL)
    version = _version(program)
    if tuple(int(part) for part in version.split(".")[:2]) < _OLDEST:
        raise EngineMissing(f"pandoc {version} is too old; 3.0 or newer is needed.", INSTALL)
    return program


@cache
def _version(program: str) -> str:
    try:
        done = subprocess.run(
            [program, "--version"], capture_output=True, check=True, timeout=_START_SECONDS, text=True
        )
        found = re.match(r"pandoc\S*\s+(\d+(?:\.\d+)+)", done.stdout)
    except (OSError, subprocess.SubprocessError) as error:
        raise EngineMissing(f"'{program}' does not run: {error}.", INSTALL) from error
    if found is None:
        raise EngineMissing(f"'{program}' does not say which pandoc it is.", INSTALL)
    return found[1]


# -- what a style is ---------------------------------------------------------------------------------


class _Facts:
    """What must be known of a style before pandoc runs. Raises UnknownStyle for what is no style."""

    def __init__(self, content: bytes, name: str) -> None:
        from cmtui.bibliography.csl import Processor

        processor = Processor(content, name=name)
        self.note_style = processor.note_style
        self.has_bibliography = processor.has_bibliography
        self.locale = processor.language
        self.numbered = processor.numbered


@cache
def _facts(content: bytes, name: str) -> _Facts:
    return _Facts(content, name)


# -- in: citations as pandoc's tree ------------------------------------------------------------------


def _cite(cluster: Sequence[CiteRequest], batch: Batch) -> Node:
    numbers = {item_id: f"r{i + 1}" for i, item_id in enumerate(batch.ids)}
    cites = []
    for wanted in cluster:
        suffix = wanted.suffix.strip()
        if wanted.locator is not None:
            label = _LABELS.get(wanted.locator.label, wanted.locator.label)
            # Braces say that all of it is the locator; braces of its own would end it early.
            place = re.sub(r"[{}]", "", wanted.locator.identifier)
            suffix = f"{{{label} {place}}}" + (f" {suffix}" if suffix else "")
        elif suffix:
            suffix = f"{{}}{suffix}" if suffix[0] in ",.;:)]" else f"{{}} {suffix}"
        cites.append(
            {
                "citationId": numbers[wanted.item_id],
                "citationPrefix": _words(wanted.prefix.strip()),
                "citationSuffix": _words(suffix),
                "citationMode": {"t": "SuppressAuthor" if wanted.suppress_names else "NormalCitation"},
                "citationNoteNum": 1,
                "citationHash": 0,
            }
        )
    return {"t": "Cite", "c": [cites, []]}


def _cleaned(value: Any) -> Any:
    """User data without control and private-use characters, as the default engine has it."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {key: _cleaned(inner) for key, inner in value.items()}
    return [_cleaned(inner) for inner in value] if isinstance(value, list | tuple) else value


def _every(batch: Batch) -> Node:
    """A paragraph that cites every item once, in the given order."""
    cited = [_cite([CiteRequest(one) for one in batch.ids], batch)] if batch.ids else []
    return {"t": "Para", "c": cited}


def _words(text: str) -> list[Node]:
    output: list[Node] = []
    for word in text.split():
        output += [{"t": "Space"}] if output else []
        output.append({"t": "Str", "c": word})
    return output


# -- out: pandoc's tree as segments ------------------------------------------------------------------


def _inlines(blocks: Iterable[Node]) -> list[Node]:
    """The inline elements of paragraphs, also inside notes and divisions."""
    output: list[Node] = []
    for block in blocks:
        content = block["c"][1] if block["t"] == "Div" else block.get("c", [])
        inner = _inlines(content) if block["t"] == "Div" else content
        output += [{"t": "Space"}, *inner] if output else inner
    return output


def _segments(inlines: Sequence[Node]) -> Run:
    pieces: list[Segment] = []

    def add(text: str, flags: frozenset[str]) -> None:
        if pieces and pieces[-1].flags == flags:
            text = pieces.pop().text + text
        pieces.append(Segment(text, flags))

    def walk(nodes: Sequence[Node], flags: frozenset[str]) -> None:
        for node in nodes:
            kind: str = node["t"]
            content: Any = node.get("c", [])
            if kind == "Str":
                add(str(content), flags)
            elif kind in ("Space", "SoftBreak", "LineBreak"):
                add(" ", flags)
            elif kind in _FLAGS:
                flag = frozenset({_FLAGS[kind]})
                # Italic inside italic is upright again, as in the default engine.
                walk(content, flags ^ flag if kind == "Emph" else flags | flag)
            elif kind == "Note":
                walk(_inlines(content), flags)
            elif kind == "Quoted":
                marks = "‘’" if content[0]["t"] == "SingleQuote" else "“”"
                add(marks[0], flags)
                walk(content[1], flags)
                add(marks[1], flags)
            elif kind in ("Cite", "Span", "Link"):
                walk(content[1], _span_flags(content[0], flags) if kind == "Span" else flags)
            elif kind in ("Code", "Math", "RawInline"):
                add(str(content[1]), flags)
            elif kind == "Strikeout":
                walk(content, flags)

    walk(inlines, frozenset())
    return _tidied(pieces)


def _span_flags(attributes: Sequence[Any], flags: frozenset[str]) -> frozenset[str]:
    """What a span says of its text: CSL asks for upright text inside italics by a style attribute."""
    styles: Mapping[str, str] = dict(attributes[2])
    style = styles.get("style", "").replace(" ", "")
    if "font-style:normal" in style:
        return flags - {"italic"}
    return flags


def _tidied(pieces: Sequence[Segment]) -> Run:
    """Single blanks, none at the ends."""
    output: list[Segment] = []
    for piece in pieces:
        text = re.sub(r"[ \n\t]+", " ", piece.text)
        if not output or output[-1].text.endswith(" "):
            text = text.lstrip(" ")
        if text:
            output.append(Segment(text, piece.flags))
    if output:
        output[-1] = Segment(output[-1].text.rstrip(" "), output[-1].flags)
    return tuple(segment for segment in output if segment.text)
