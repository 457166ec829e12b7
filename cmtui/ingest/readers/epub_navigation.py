"""Chapter titles, page lists and metadata of an EPUB: nav document, NCX, package metadata.

Damage in these never ends the read: titles and pages are locators, and an unknown locator is None.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cmtui.errors import IngestError
from cmtui.ingest.readers.epub_container import (
    Archive,
    Package,
    descendants,
    inner_text,
    local_name,
    parse_xml,
    resolve,
)
from cmtui.ingest.readers.markup import parse_xhtml
from cmtui.ingest.structure import WarningLog, tidy, tidy_title
from cmtui.model.source import MetadataCandidate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml import etree

_EPUB_TYPE = "{http://www.idpf.org/2007/ops}type"
_OPF = "{http://www.idpf.org/2007/opf}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_VALUE_LENGTH = 2000
_PAGES = 20_000


@dataclass(slots=True)
class Navigation:
    """Titles with their fragments by path of the part, and page targets as path, fragment and label."""

    titles: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    pages: list[tuple[str, str, str]] = field(default_factory=list)


def read_navigation(archive: Archive, package: Package, log: WarningLog) -> Navigation:
    """From the nav document, else from the NCX; each of titles and pages from the first that has any."""
    found = Navigation()
    for item, reader in ((package.nav, _read_nav), (package.ncx, _read_ncx)):
        if item is None or item.path is None:
            continue
        try:
            content = archive.read(item.path)
            read = reader(content, item.path, archive.file, log)
        except IngestError:
            log.add("navigation", "The table of contents is missing or damaged; titles may be missing.")
            continue
        found.titles = found.titles or read.titles
        found.pages = found.pages or read.pages
    return found


def _read_nav(content: bytes, path: str, file: str, log: WarningLog) -> Navigation:
    root = parse_xhtml(content, path, file, log)
    found = Navigation()
    for nav in descendants(root, "nav"):
        kinds = (nav.get(_EPUB_TYPE) or nav.get("epub:type") or "").split()
        role = nav.get("role", "")
        if "page-list" in kinds or role == "doc-pagelist":
            for href, label in _links(nav):
                _add_page(found, path, href, label)
        elif "toc" in kinds or role == "doc-toc":
            for href, label in _links(nav):
                _add_title(found, path, href, label)
    return found


def _links(nav: etree._Element) -> Iterator[tuple[str, str]]:
    for link in descendants(nav, "a"):
        href = link.get("href")
        if href:
            yield href, inner_text(link)


def _read_ncx(content: bytes, path: str, file: str, _log: WarningLog) -> Navigation:
    root = parse_xml(content, path, file)
    found = Navigation()
    for point in descendants(root, "navPoint"):
        target, label = _ncx_target(point)
        _add_title(found, path, target, label)
    for page in descendants(root, "pageTarget"):
        target, label = _ncx_target(page)
        _add_page(found, path, target, label or page.get("value", ""))
    return found


def _ncx_target(point: etree._Element) -> tuple[str, str]:
    """src and label of a navPoint itself, not of those inside it."""
    target = label = ""
    for child in point:
        name = local_name(child)
        if name == "content":
            target = child.get("src", "")
        elif name == "navLabel":
            label = inner_text(child)
    return target, label


def _add_title(found: Navigation, base: str, href: str, label: str) -> None:
    path, fragment = resolve(base, href)
    title = tidy_title(label)
    if path is not None and title:
        found.titles.setdefault(path, []).append((fragment, title))


def _add_page(found: Navigation, base: str, href: str, label: str) -> None:
    path, fragment = resolve(base, href)
    shown = tidy(label)[:64]
    if path is not None and shown and len(found.pages) < _PAGES:
        found.pages.append((path, fragment, shown))


def epub_candidates(package: Package) -> tuple[tuple[MetadataCandidate, ...], str | None]:
    """Dublin Core of the package document in its order, and the first language it states."""
    roles = _roles(package)
    found: list[MetadataCandidate] = []
    language: str | None = None
    for element in package.root.iter():
        if not isinstance(element.tag, str) or not element.tag.startswith(_DC):
            continue
        name = local_name(element)
        value = inner_text(element)[:_VALUE_LENGTH]
        if not value:
            continue
        field_name = _field(name, value, element, roles)
        if field_name is None:
            continue
        if field_name == "language":
            language = language or value[:35]
        found.append(MetadataCandidate(field_name, value, f"OPF dc:{name}"))
        if len(found) >= 500:
            break
    return tuple(found), language


def _roles(package: Package) -> dict[str, str]:
    """MARC relators by the id they refine (EPUB 3)."""
    roles: dict[str, str] = {}
    for meta in descendants(package.root, "meta"):
        if meta.get("property") == "role" and meta.get("refines", "").startswith("#"):
            roles[meta.get("refines", "")[1:]] = inner_text(meta)
    return roles


def _field(name: str, value: str, element: etree._Element, roles: dict[str, str]) -> str | None:
    role = element.get(f"{_OPF}role") or roles.get(element.get("id", ""), "")
    if name in {"creator", "contributor"}:
        by_role = {"aut": "author", "edt": "editor", "trl": "translator"}
        return by_role.get(role, "author" if name == "creator" and not role else "contributor")
    if name == "identifier":
        lowered = value.lower()
        scheme = (element.get(f"{_OPF}scheme") or "").lower()
        if "isbn" in lowered or scheme == "isbn":
            return "isbn"
        if lowered.startswith(("doi:", "urn:doi:", "10.", "https://doi.org/")) or scheme == "doi":
            return "doi"
        return "identifier"
    return {
        "title": "title",
        "date": "date",
        "publisher": "publisher",
        "language": "language",
        "subject": "keywords",
        "source": "source",
    }.get(name)
