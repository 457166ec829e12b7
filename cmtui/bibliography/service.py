"""The default citation engine: citeproc-py with this project's corrections around it."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from cmtui.bibliography import segments
from cmtui.bibliography.cite import Cite
from cmtui.bibliography.disambiguate import disambiguate
from cmtui.bibliography.formatting import FORMS, BaseFormatter, Batch, CiteRequest, Run
from cmtui.bibliography.normalise import reference
from cmtui.bibliography.styles import StyleFile
from cmtui.model.bibliography import CslItem, FormattedBibliography

if TYPE_CHECKING:
    from cmtui.bibliography.csl import Processor

__all__ = ["FORMS", "Formatter", "default_formatter", "format_items"]


class Formatter(BaseFormatter):
    """CSL-JSON items through citeproc-py. Each thread has style trees of its own."""

    def __init__(self, *, locale: str | None = None) -> None:
        super().__init__(locale=locale)
        self._local = threading.local()

    @property
    def engine(self) -> str:
        """The processor and its version, without loading it."""
        return _engine()

    def _processor(self, style: StyleFile) -> Processor:
        """This thread's processor of the style; read again when the file has changed."""
        from cmtui.bibliography.csl import Processor

        processors: dict[tuple[str, str], Processor] = self._local.__dict__.setdefault("processors", {})
        key = (style.name, style.sha256)
        if key not in processors:
            processors[key] = Processor(style.content, name=style.name, locale=self.locale)
        return processors[key]

    def _style_forms(self, style: StyleFile) -> tuple[str, ...]:
        processor = self._processor(style)
        reference_form = ("reference",) if processor.has_bibliography else ()
        notes = ("inline", "footnote") if processor.note_style else ("inline",)
        return (*reference_form, *notes)

    def _style_locale(self, style: StyleFile) -> str:
        return self._processor(style).language

    def _cites(self, batch: Batch) -> list[Cite]:
        # Own keys, because ids of users may differ only in case.
        return [Cite(f"r{i + 1}", reference(item), number=i + 1) for i, item in enumerate(batch.items)]

    def _references(self, batch: Batch) -> list[tuple[str, Run]]:
        processor = self._processor(batch.style)
        cites = self._cites(batch)
        disambiguate(processor, cites)
        by_key = dict(zip((cite.key for cite in cites), batch.ids, strict=True))
        return [(by_key[cite.key], segments.parse(text)) for cite, text in processor.references(cites)]

    def _citations(self, batch: Batch) -> list[Run]:
        processor = self._processor(batch.style)
        cites = self._cites(batch)
        disambiguate(processor, cites)
        by_id = dict(zip(batch.ids, cites, strict=True))
        history: list[list[Cite]] = []
        made: list[Run] = []
        for cluster in batch.clusters:
            history.append(_cluster(cluster, by_id, history))
            made.append(segments.parse(processor.cluster(history[-1])))
        return made


@cache
def _engine() -> str:
    return f"citeproc-py {version('citeproc-py')}"


def _cluster(
    cluster: Sequence[CiteRequest], by_id: Mapping[str, Cite], history: list[list[Cite]]
) -> list[Cite]:
    made: list[Cite] = []
    for wanted in cluster:
        base = by_id[wanted.item_id]
        cite = Cite(
            base.key,
            base.reference,
            number=base.number,
            locator=wanted.locator,
            prefix=wanted.prefix,
            suffix=wanted.suffix,
            disambiguate=base.disambiguate,
            names_shown=base.names_shown,
            given_level=base.given_level,
            year_suffix=base.year_suffix,
            suppress_names=wanted.suppress_names,
        )
        cite.positions = _positions(cite, made, history)
        made.append(cite)
    return made


def _positions(cite: Cite, made: list[Cite], history: list[list[Cite]]) -> frozenset[str]:
    earlier = [one for cluster in history for one in cluster] + made
    if not any(one.key == cite.key for one in earlier):
        return frozenset({"first"})
    positions = {"subsequent", "near-note"}
    last = made[-1] if made else (history[-1][0] if history and len(history[-1]) == 1 else None)
    if last is not None and last.key == cite.key:
        if cite.locator == last.locator:
            positions.add("ibid")
        elif cite.locator is not None:
            positions |= {"ibid", "ibid-with-locator"}
    return frozenset(positions)


_default: Formatter | None = None


def default_formatter() -> Formatter:
    """The formatter shared by this process."""
    global _default
    if _default is None:
        _default = Formatter()
    return _default


def format_items(
    items: Sequence[CslItem],
    *,
    style: str,
    form: str = "reference",
    cites: Sequence[Sequence[Mapping[str, Any]]] | None = None,
    output: str = "plain",
) -> FormattedBibliography:
    """One bibliography over all items; see ``Formatter.format_items``."""
    return default_formatter().format_items(items, style=style, form=form, cites=cites, output=output)
