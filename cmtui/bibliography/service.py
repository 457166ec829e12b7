"""The citation formatter: one item, or one bibliography over many (R104 to R110)."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cmtui.bibliography import segments, styles, vocabulary
from cmtui.bibliography.bibtex import ENGINE as BIBTEX_ENGINE
from cmtui.bibliography.bibtex import write_entries
from cmtui.bibliography.cite import Cite, Locator
from cmtui.bibliography.markup import clean
from cmtui.bibliography.metadata import read_item, validate_item
from cmtui.bibliography.normalise import Reference, prose, reference
from cmtui.errors import InvalidMetadata, InvalidRequest, UnknownStyle, UnsupportedForm
from cmtui.model.bibliography import CslItem, FormattedBibliography, FormattedCitation

if TYPE_CHECKING:
    from cmtui.bibliography.csl import Processor

FORMS = ("reference", "inline", "footnote")
_LOCATOR_ALIASES = {
    "p": "page", "p.": "page", "pp": "page", "pp.": "page", "pages": "page", "chap.": "chapter",
    "ch.": "chapter", "sec.": "section", "§": "section", "para.": "paragraph", "¶": "paragraph",
    "vol.": "volume", "fig.": "figure", "n.": "note", "sub verbo": "sub-verbo",
}  # fmt: skip
_CACHE_LIMIT = 4096


class Formatter:
    """Formats CSL-JSON items in the shipped styles, BibTeX, or any independent CSL file.

    Safe for several threads: each has its own processors. Results are kept in memory by item, style digest,
    form, locator and output.
    """

    def __init__(self) -> None:
        self._local = threading.local()
        self._cache: OrderedDict[tuple[str, ...], FormattedCitation] = OrderedDict()
        self._lock = threading.Lock()

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
        UnsupportedForm (R107), InvalidMetadata, InvalidRequest.
        """
        name = styles.canonical_name(style)
        place = _locator(locator, locator_label) if form != "reference" else None
        digest = "" if name == styles.BIBTEX else styles.style_file(name).sha256
        key = (
            hashlib.sha256(
                json.dumps(item, sort_keys=True, default=str).encode("utf-8", "replace")
            ).hexdigest(),
            name,
            digest,
            form,
            f"{place.label}:{place.identifier}" if place else "",
            output,
        )
        with self._lock:
            known = self._cache.get(key)
            if known is not None:
                self._cache.move_to_end(key)
                return known
        made = self._format(item, name, digest, form, place, output)
        with self._lock:
            self._cache[key] = made
            while len(self._cache) > _CACHE_LIMIT:
                self._cache.popitem(last=False)
        return made

    def _format(
        self, item: CslItem, name: str, digest: str, form: str, place: Locator | None, output: str
    ) -> FormattedCitation:
        if not isinstance(item, Mapping):
            raise InvalidMetadata("item: a CSL-JSON item is an object.", "Give the fields of one work.")
        clusters = None
        if form != "reference":
            place_of = {"locator": place.identifier, "label": place.label} if place else {}
            clusters = [[{"id": "item", **place_of}]]
        whole = self.format_items(
            [{**item, "id": "item"}], style=name, form=form, cites=clusters, output=output
        )
        text = whole.entries[0][1] if form == "reference" else whole.citations[0]
        return FormattedCitation(
            style=name,
            form=form,
            text=text,
            output=output,
            engine=whole.engine,
            style_sha256=digest,
            warnings=_warnings(item),
        )

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
        alone. Raises UnknownStyle, UnsupportedForm, InvalidMetadata, InvalidRequest.
        """
        name = styles.canonical_name(style)
        if output not in segments.OUTPUTS:
            raise InvalidRequest(
                f"There is no output '{output}'.", f"Outputs: {', '.join(segments.OUTPUTS)}."
            )
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
            if form != "reference":
                raise UnsupportedForm(
                    "BibTeX has no in-text form; it is a record, not a citation.",
                    "Forms of bibtex: reference.",
                )
            records = write_entries(read)
            entries = tuple(zip(ids, records, strict=True))
            return FormattedBibliography(style=name, form=form, engine=BIBTEX_ENGINE, entries=entries)
        processor = self._processor(name)
        _check_form(processor, name, form)
        try:
            return _run(processor, name, form, read, ids, cites, output)
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
            if name in styles.SHIPPED:
                raise
            # A style of the user's can be well-formed and still refer to what it does not define.
            raise UnknownStyle(
                f"The style '{name}' cannot be used: {type(error).__name__}: {error}",
                "Check it with the CSL validator (validator.citationstyles.org), or use a shipped style.",
            ) from error

    def _processor(self, name: str) -> Processor:
        """This thread's processor of the style; read again when the file has changed."""
        from cmtui.bibliography.csl import Processor

        file = styles.style_file(name)
        processors: dict[tuple[str, str], Processor] = self._local.__dict__.setdefault("processors", {})
        key = (name, file.sha256)
        if key not in processors:
            processors[key] = Processor(file.content, name=name)
        return processors[key]

    def forms(self, style: str) -> tuple[str, ...]:
        """The forms that a style has. Raises UnknownStyle."""
        name = styles.canonical_name(style)
        return ("reference",) if name == styles.BIBTEX else _forms(self._processor(name))


def _forms(processor: Processor) -> tuple[str, ...]:
    reference_form = ("reference",) if processor.has_bibliography else ()
    return (*reference_form, "inline", "footnote") if processor.note_style else (*reference_form, "inline")


def _check_form(processor: Processor, name: str, form: str) -> None:
    available = _forms(processor)
    if form not in available:
        raise UnsupportedForm(
            f"The style '{name}' has no {form} form.", f"Forms of {name}: {', '.join(available)}."
        )


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


def _warnings(item: CslItem) -> tuple[str, ...]:
    return tuple(f"{name}: CSL has no such field; it is not printed." for name in read_item(item).unknown)


def _locator(identifier: str | None, label: str | None) -> Locator | None:
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


def _run(
    processor: Processor,
    name: str,
    form: str,
    items: Sequence[CslItem],
    ids: Sequence[str],
    clusters: Sequence[Sequence[Mapping[str, Any]]] | None,
    output: str,
) -> FormattedBibliography:
    from cmtui.bibliography.csl import ENGINE
    from cmtui.bibliography.disambiguate import disambiguate

    references: list[Reference] = [reference(item) for item in items]
    # Own keys, because ids of users may differ only in case.
    cites = [Cite(f"r{i + 1}", ref, number=i + 1) for i, ref in enumerate(references)]
    disambiguate(processor, cites)
    if form == "reference":
        by_key = dict(zip((cite.key for cite in cites), ids, strict=True))
        entries = tuple(
            (by_key[cite.key], segments.write(segments.parse(text), output))
            for cite, text in processor.references(cites)
        )
        return FormattedBibliography(style=name, form=form, engine=ENGINE, entries=entries)
    if clusters is None:
        clusters = [[{"id": one}] for one in ids]
    by_id = dict(zip(ids, cites, strict=True))
    citations: list[str] = []
    history: list[list[Cite]] = []
    cluster: Any
    for cluster in clusters:
        if not isinstance(cluster, Sequence) or isinstance(cluster, str):
            raise InvalidRequest(
                "A citation is a list of cites.", 'Give cites as [[{"id": "x", "locator": "4"}]].'
            )
        made = _cluster(cluster, by_id, history)
        if not made:
            raise InvalidRequest("A citation without any item.", "Give every cluster at least one id.")
        history.append(made)
        citations.append(segments.write(segments.parse(processor.cluster(made)), output))
    return FormattedBibliography(style=name, form=form, engine=ENGINE, citations=tuple(citations))


def _cluster(cluster: Sequence[Any], by_id: Mapping[str, Cite], history: list[list[Cite]]) -> list[Cite]:
    made: list[Cite] = []
    for wanted in cluster:
        if not isinstance(wanted, Mapping):
            raise InvalidRequest(
                "A cite is an object with an id.", 'Give cites as [[{"id": "x", "locator": "4"}]].'
            )
        key = str(wanted.get("id", ""))
        if key not in by_id:
            raise InvalidRequest(
                f"The cited id '{key}' is none of the items.", "Cite ids of the given items."
            )
        base = by_id[key]
        locator = wanted.get("locator")
        cite = Cite(
            base.key,
            base.reference,
            number=base.number,
            locator=_locator(None if locator is None else str(locator), wanted.get("label")),
            prefix=_affix(wanted.get("prefix"), before=True),
            suffix=_affix(wanted.get("suffix"), before=False),
            disambiguate=base.disambiguate,
            names_shown=base.names_shown,
            given_level=base.given_level,
            year_suffix=base.year_suffix,
            suppress_names=bool(wanted.get("suppress-author")),
        )
        cite.positions = _positions(cite, made, history)
        made.append(cite)
    return made


def _affix(text: Any, *, before: bool) -> str:
    written = prose(text) if text else ""
    if not written:
        return ""
    if before:
        return written if written[-1] in "([“‘" else written + " "
    return written if written[0] in ",.;:)]" else " " + written


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
