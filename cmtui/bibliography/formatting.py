"""What every citation engine does the same way: it checks a request, writes BibTeX, keeps results and says
what made them (R104 to R110). An engine only turns items and cites into formatted text.
"""

from __future__ import annotations

import hashlib
import json
import threading
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cmtui.bibliography import segments, styles, vocabulary
from cmtui.bibliography.bibtex import ENGINE as BIBTEX_ENGINE
from cmtui.bibliography.bibtex import write_entries
from cmtui.bibliography.cite import Locator
from cmtui.bibliography.markup import clean
from cmtui.bibliography.metadata import read_item, validate_item
from cmtui.bibliography.normalise import prose
from cmtui.bibliography.segments import Segment
from cmtui.bibliography.styles import StyleFile
from cmtui.errors import InvalidMetadata, InvalidRequest, UnknownStyle, UnsupportedForm
from cmtui.model.bibliography import CslItem, FormattedBibliography, FormattedCitation

FORMS = ("reference", "inline", "footnote")
_LOCATOR_ALIASES = {
    "p": "page", "p.": "page", "pp": "page", "pp.": "page", "pages": "page", "chap.": "chapter",
    "ch.": "chapter", "sec.": "section", "§": "section", "para.": "paragraph", "¶": "paragraph",
    "vol.": "volume", "fig.": "figure", "n.": "note", "sub verbo": "sub-verbo",
}  # fmt: skip
_CACHE_LIMIT = 4096

#: Formatted text.
Run = tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class CiteRequest:
    """One item cited in a cluster. ``prefix`` and ``suffix`` carry the blank that divides them from it."""

    item_id: str
    locator: Locator | None = None
    prefix: str = ""
    suffix: str = ""
    suppress_names: bool = False


@dataclass(frozen=True, slots=True)
class Batch:
    """What an engine is asked for: valid items with their ids, and the clusters that cite them (empty for
    references)."""

    style: StyleFile
    form: str
    items: tuple[CslItem, ...]
    ids: tuple[str, ...]
    clusters: tuple[tuple[CiteRequest, ...], ...] = ()


class BaseFormatter(ABC):
    """A citation engine: CSL-JSON items in the shipped styles, BibTeX, official styles or any CSL file.

    ``locale`` overrules the style's language of terms and dates. Results are kept in memory by item, style
    digest, form, locator, engine and locale. Safe for several threads.
    """

    def __init__(self, *, locale: str | None = None) -> None:
        self.locale = locale
        self._cache: OrderedDict[tuple[str, ...], tuple[Run, FormattedCitation]] = OrderedDict()
        self._lock = threading.Lock()

    @property
    @abstractmethod
    def engine(self) -> str:
        """The engine and its version, recorded with every result. Raises EngineMissing."""

    @abstractmethod
    def _references(self, batch: Batch) -> list[tuple[str, Run]]:
        """The reference list in style order: item id and text."""

    @abstractmethod
    def _citations(self, batch: Batch) -> list[Run]:
        """One text per cluster, in their order."""

    @abstractmethod
    def _style_forms(self, style: StyleFile) -> tuple[str, ...]:
        """The forms that a style has."""

    @abstractmethod
    def _style_locale(self, style: StyleFile) -> str:
        """The language a style is printed in."""

    def forms(self, style: str) -> tuple[str, ...]:
        """The forms that a style has. Raises UnknownStyle."""
        name = styles.canonical_name(style)
        return ("reference",) if name == styles.BIBTEX else self._style_forms(styles.style_file(name))

    def format(
        self,
        item: CslItem,
        *,
        style: str,
        form: str = "reference",
        locator: str | None = None,
        locator_label: str = "page",
        output: str = "plain",
    ) -> FormattedCitation:
        """One item on its own (R110): a reference, an in-text citation or a note.

        A locator is printed only when one is given (R108), and never in a reference. Raises UnknownStyle,
        UnsupportedForm (R107), InvalidMetadata, InvalidRequest, EngineMissing.
        """
        check_output(output)
        run, made = self.run(item, style=style, form=form, locator=locator, locator_label=locator_label)
        if output == "plain":
            return made
        text = made.text if made.style == styles.BIBTEX else segments.write(run, output)
        return replace(made, text=text, output=output)

    def run(
        self,
        item: CslItem,
        *,
        style: str,
        form: str = "reference",
        locator: str | None = None,
        locator_label: str = "page",
    ) -> tuple[Run, FormattedCitation]:
        """One item as formatted text, to be joined to other text, and in plain. Raises as ``format``."""
        name = styles.canonical_name(style)
        place = read_locator(locator, locator_label) if form != "reference" else None
        digest = "" if name == styles.BIBTEX else styles.style_file(name).sha256
        key = (
            hashlib.sha256(
                json.dumps(item, sort_keys=True, default=str).encode("utf-8", "replace")
            ).hexdigest(),
            name,
            digest,
            form,
            f"{place.label}:{place.identifier}" if place else "",
            BIBTEX_ENGINE if name == styles.BIBTEX else self.engine,
            self.locale or "",
        )
        with self._lock:
            known = self._cache.get(key)
            if known is not None:
                self._cache.move_to_end(key)
                return known
        made = self._one(item, name, form, place)
        with self._lock:
            self._cache[key] = made
            while len(self._cache) > _CACHE_LIMIT:
                self._cache.popitem(last=False)
        return made

    def _one(
        self, item: CslItem, name: str, form: str, place: Locator | None
    ) -> tuple[Run, FormattedCitation]:
        if not isinstance(item, Mapping):
            raise InvalidMetadata("item: a CSL-JSON item is an object.", "Give the fields of one work.")
        clusters = None
        if form != "reference":
            place_of = {"locator": place.identifier, "label": place.label} if place else {}
            clusters = [[{"id": "item", **place_of}]]
        runs, whole = self._whole([{**item, "id": "item"}], name, form, clusters, "plain")
        text = whole.entries[0][1] if form == "reference" else whole.citations[0]
        citation = FormattedCitation(
            style=name,
            form=form,
            text=text,
            engine=whole.engine,
            style_sha256=whole.style_sha256,
            warnings=(*whole.warnings, *_unprinted(item)),
            locale=whole.locale,
        )
        return (runs[0] if runs else (Segment(text),)), citation

    def format_items(
        self,
        items: Sequence[CslItem],
        *,
        style: str,
        form: str = "reference",
        cites: Sequence[Sequence[Mapping[str, Any]]] | None = None,
        output: str = "plain",
    ) -> FormattedBibliography:
        """One bibliography over all items: numbering, year suffixes and order are the style's.

        ``form="reference"`` gives ``entries`` in style order. ``inline`` and ``footnote`` give ``citations``,
        one per cluster of ``cites``; in note styles a work cited again is shortened. A cluster is a list of
        ``{id, locator, label, prefix, suffix, suppress-author}``; without ``cites`` each item is cited once,
        alone. Raises UnknownStyle, UnsupportedForm, InvalidMetadata, InvalidRequest, EngineMissing.
        """
        check_output(output)
        return self._whole(items, styles.canonical_name(style), form, cites, output)[1]

    def _whole(
        self,
        items: Sequence[CslItem],
        name: str,
        form: str,
        cites: Sequence[Sequence[Mapping[str, Any]]] | None,
        output: str,
    ) -> tuple[list[Run], FormattedBibliography]:
        if form not in FORMS:
            raise UnsupportedForm(f"There is no form '{form}'.", f"Forms: {', '.join(FORMS)}.")
        read = [_valid(item, index) for index, item in enumerate(items)]
        ids = [str(item.get("id", f"item-{index + 1}")) for index, item in enumerate(read)]
        if len(set(ids)) != len(ids):
            twice = next(one for one in ids if ids.count(one) > 1)
            raise InvalidRequest(
                f"The id '{twice}' stands for two items.", "Give every item an id of its own."
            )
        if name == styles.BIBTEX:
            return [], _bibtex(read, ids, form)
        file = styles.style_file(name)
        available = self._style_forms(file)
        if form not in available:
            raise UnsupportedForm(
                f"The style '{name}' has no {form} form.", f"Forms of {name}: {', '.join(available)}."
            )
        clusters = () if form == "reference" else _clusters(cites, ids)
        batch = Batch(file, form, tuple(read), tuple(ids), clusters)
        try:
            references = self._references(batch) if form == "reference" else []
            citations = self._citations(batch) if form != "reference" else []
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
            if styles.reviewed(name):
                raise
            # A style of the user's can be well-formed and still refer to what it does not define.
            raise UnknownStyle(
                f"The style '{name}' cannot be used: {type(error).__name__}: {error}",
                "Check it with the CSL validator (validator.citationstyles.org), or use a shipped style.",
            ) from error
        runs = [run for _, run in references] or citations
        return runs, FormattedBibliography(
            style=name,
            form=form,
            engine=self.engine,
            entries=tuple((item_id, segments.write(run, output)) for item_id, run in references),
            citations=tuple(segments.write(run, output) for run in citations),
            output=output,
            text=segments.document(runs, output),
            style_sha256=file.sha256,
            warnings=() if styles.reviewed(name) else (_best_effort(name),),
            locale=self.locale or self._style_locale(file),
        )


def check_output(output: str) -> None:
    """Raises InvalidRequest for an output that nothing can be written in."""
    if output not in segments.OUTPUTS:
        raise InvalidRequest(f"There is no output '{output}'.", f"Outputs: {', '.join(segments.OUTPUTS)}.")


def _bibtex(items: Sequence[CslItem], ids: Sequence[str], form: str) -> FormattedBibliography:
    if form != "reference":
        raise UnsupportedForm(
            "BibTeX has no in-text form; it is a record, not a citation.", "Forms of bibtex: reference."
        )
    records = write_entries(items)
    return FormattedBibliography(
        style=styles.BIBTEX,
        form=form,
        engine=BIBTEX_ENGINE,
        entries=tuple(zip(ids, records, strict=True)),
        text="\n".join(records),
    )


def _best_effort(name: str) -> str:
    return f"'{name}' is none of the reviewed styles ({', '.join(styles.SHIPPED)}): best effort, check it."


def _clusters(
    clusters: Sequence[Sequence[Mapping[str, Any]]] | None, ids: Sequence[str]
) -> tuple[tuple[CiteRequest, ...], ...]:
    if clusters is None:
        return tuple((CiteRequest(one),) for one in ids)
    read: list[tuple[CiteRequest, ...]] = []
    cluster: Any
    for cluster in clusters:
        if not isinstance(cluster, Sequence) or isinstance(cluster, str):
            raise InvalidRequest(
                "A citation is a list of cites.", 'Give cites as [[{"id": "x", "locator": "4"}]].'
            )
        if not cluster:
            raise InvalidRequest("A citation without any item.", "Give every cluster at least one id.")
        read.append(tuple(_cite(wanted, ids) for wanted in cluster))
    return tuple(read)


def _cite(wanted: Any, ids: Sequence[str]) -> CiteRequest:
    if not isinstance(wanted, Mapping):
        raise InvalidRequest(
            "A cite is an object with an id.", 'Give cites as [[{"id": "x", "locator": "4"}]].'
        )
    key = str(wanted.get("id", ""))
    if key not in ids:
        raise InvalidRequest(f"The cited id '{key}' is none of the items.", "Cite ids of the given items.")
    locator = wanted.get("locator")
    return CiteRequest(
        key,
        locator=read_locator(None if locator is None else str(locator), wanted.get("label")),
        prefix=_affix(wanted.get("prefix"), before=True),
        suffix=_affix(wanted.get("suffix"), before=False),
        suppress_names=bool(wanted.get("suppress-author")),
    )


def _affix(text: Any, *, before: bool) -> str:
    written = prose(text) if text else ""
    if not written:
        return ""
    if before:
        return written if written[-1] in "([“‘" else written + " "
    return written if written[0] in ",.;:)]" else " " + written


def _valid(item: CslItem, index: int) -> CslItem:
    try:
        valid = validate_item(item, allow_unknown=True)
        named = any(valid.get(role) for role in ("author", "editor", "translator"))
        if not named and not any(clean(str(valid.get(name, ""))) for name in ("title", "container-title")):
            raise InvalidMetadata(
                "title: there is neither a title nor a name to cite.", "Give at least the title of the work."
            )
        return valid
    except InvalidMetadata as error:
        name = item.get("id", index + 1) if isinstance(item, Mapping) else index + 1
        raise InvalidMetadata(f"Item {name}: {error.message}", error.hint) from error


def _unprinted(item: CslItem) -> tuple[str, ...]:
    return tuple(f"{name}: CSL has no such field; it is not printed." for name in read_item(item).unknown)


def read_locator(identifier: str | None, label: str | None) -> Locator | None:
    """A place in a work as it is printed; None when nothing is left of it. Raises InvalidRequest."""
    if identifier is None or not (text := clean(str(identifier))):
        return None
    name = str(label or "page").strip().lower()
    name = _LOCATOR_ALIASES.get(name, name)
    if name not in vocabulary.LOCATOR_LABELS:
        raise InvalidRequest(
            f"There is no locator type '{label}'.", f"Types: {', '.join(sorted(vocabulary.LOCATOR_LABELS))}."
        )
    dashed = text.replace("–", "-").replace("—", "-")
    return Locator(name, dashed.strip(" -,;") if name == "page" else dashed)
