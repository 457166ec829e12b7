"""The outer layers of an EPUB: zip, container.xml, encryption.xml, package document, and safe XML.

Read with zipfile and lxml (D12), never extracted to disk, every entry bounded (design/ingest.md 7.2).
"""

from __future__ import annotations

import io
import posixpath
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from cmtui.errors import DrmProtected, Malformed, MissingContent, NotThisFormat, ResourceLimit
from cmtui.ingest.limits import MIB, ReadLimits
from cmtui.ingest.structure import WarningLog, tidy

if TYPE_CHECKING:
    from lxml import etree

CONTAINER = "META-INF/container.xml"
ENCRYPTION = "META-INF/encryption.xml"
PACKAGE_TYPE = "application/oebps-package+xml"
NCX_TYPE = "application/x-dtbncx+xml"
XHTML_TYPES = frozenset(
    {"application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document"}
)

#: Font obfuscation is no DRM: the text stays readable (EPUB 3.3, 4.4; Adobe).
_OBFUSCATION = frozenset({"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"})

_ZIP_DAMAGE = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
    ValueError,
)

_POSITION = re.compile(r",? (?:see xml|use XML_PARSE|\(<string>)|, line \d+, column \d+")

_DAMAGED = "Fetch the file again, or repair it with an EPUB editor such as Sigil."


def parse_xml(content: bytes, what: str, file: str) -> etree._Element:
    """Parse XML with entities unresolved, no network and libxml2's size and depth limits.

    Raises Malformed, ResourceLimit.
    """
    from lxml import etree

    try:
        root = etree.fromstring(content, safe_parser())
    except etree.XMLSyntaxError as error:
        raise xml_error(error, what, file) from error
    except ValueError as error:
        raise Malformed(f"{what} of {file} is not XML: {error}.", _DAMAGED) from error
    if root is None:
        raise Malformed(f"{what} of {file} is empty.", _DAMAGED)
    return root


def safe_parser(encoding: str | None = None) -> etree.XMLParser:
    """lxml's parser with everything off that reads or expands what the file names."""
    from lxml import etree

    return etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, encoding=encoding
    )


def xml_error(error: Exception, what: str, file: str) -> Malformed | ResourceLimit:
    """A syntax error as one of ours: libxml2's own limits are resource limits."""
    text = _POSITION.split(" ".join(str(error).split()))[0].rstrip(".")
    if any(sign in text.lower() for sign in ("excessive depth", "amplification", "huge", "too long")):
        return ResourceLimit(f"{what} of {file} exceeds a limit of the XML parser ({text[:120]}).", _DAMAGED)
    return Malformed(f"{what} of {file} is not well-formed: {text[:160]}.", _DAMAGED)


def local_name(element: etree._Element) -> str:
    """An element's name without its namespace; empty for comments, instructions and entities."""
    tag = element.tag
    return tag.rsplit("}", 1)[-1] if isinstance(tag, str) else ""


def descendants(element: etree._Element, name: str) -> Iterator[etree._Element]:
    """Descendants by local name, in document order."""
    for child in element.iter():
        if local_name(child) == name:
            yield child


def inner_text(element: etree._Element) -> str:
    """All text inside an element on one line."""
    return tidy("".join(str(part) for part in element.itertext(tag=None)))


class Archive:
    """The zip container, read entry by entry within limits."""

    def __init__(self, content: bytes, file: str, limits: ReadLimits) -> None:
        self.file = file
        self.limits = limits
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(content))
            infos = self._zip.infolist()
        except _ZIP_DAMAGE as error:
            raise NotThisFormat(
                f"{file} is not an EPUB: its zip archive is unreadable.", "Fetch the file again."
            ) from error
        if len(infos) > limits.epub_entries:
            raise ResourceLimit(
                f"{file} has {len(infos):,} entries; {limits.epub_entries:,} are allowed.", _DAMAGED
            )
        if sum(info.file_size for info in infos) > limits.epub_total_bytes:
            raise ResourceLimit(
                f"{file} unpacks to more than {limits.epub_total_bytes // MIB} MiB.",
                "The file is damaged or made to exhaust memory; it was not read.",
            )
        self._infos = {info.filename: info for info in infos}
        self.first_name = infos[0].filename if infos else ""
        self._total = 0

    def __contains__(self, path: str) -> bool:
        return path in self._infos

    def read(self, path: str) -> bytes:
        """The bytes of one entry. Raises MissingContent, DrmProtected, Malformed, ResourceLimit."""
        info = self._infos.get(path)
        if info is None:
            raise MissingContent(f"{self.file} names {path} but does not hold it.", _DAMAGED)
        if info.flag_bits & 0x1:
            raise DrmProtected(
                f"{path} of {self.file} is encrypted in the archive.", "Use a copy without it."
            )
        if stat.S_ISLNK(info.external_attr >> 16):
            raise Malformed(f"{path} of {self.file} is a symbolic link.", _DAMAGED)
        limit = self.limits.epub_entry_bytes
        too_dense = (
            info.file_size > self.limits.epub_ratio_from_bytes
            and info.file_size > self.limits.epub_ratio * max(1, info.compress_size)
        )
        if info.file_size > limit or too_dense:
            raise self._too_large(path)
        try:
            with self._zip.open(info) as stream:
                data = stream.read(limit + 1)
        except _ZIP_DAMAGE as error:
            raise Malformed(f"{path} of {self.file} cannot be unpacked.", _DAMAGED) from error
        self._total += len(data)
        if len(data) > limit or self._total > self.limits.epub_total_bytes:
            raise self._too_large(path)
        return data

    def _too_large(self, path: str) -> ResourceLimit:
        return ResourceLimit(
            f"{path} of {self.file} unpacks to more than is allowed.",
            "The file is damaged or made to exhaust memory; it was not read.",
        )


@dataclass(frozen=True, slots=True)
class ManifestItem:
    """One resource: its path in the archive (None when it is remote or escapes), type and properties."""

    id: str
    href: str
    path: str | None
    media_type: str
    properties: frozenset[str]


@dataclass(frozen=True, slots=True)
class SpineItem:
    """One entry of the reading order."""

    item: ManifestItem
    linear: bool


@dataclass(slots=True)
class Package:
    """The package document."""

    path: str
    root: etree._Element
    items: dict[str, ManifestItem] = field(default_factory=dict)
    spine: list[SpineItem] = field(default_factory=list)
    nav: ManifestItem | None = None
    ncx: ManifestItem | None = None


def resolve(base: str, href: str) -> tuple[str | None, str]:
    """Path in the archive and fragment of an href met in the entry ``base``.

    The path is None when the href is remote or climbs out of the archive.
    """
    try:
        parts = urlsplit(href.strip())
    except ValueError:
        return None, ""
    if parts.scheme or parts.netloc:
        return None, ""
    relative = unquote(parts.path).replace("\\", "/")
    if not relative:
        return base, unquote(parts.fragment)
    if relative.startswith("/"):
        joined = relative.lstrip("/")
    else:
        joined = posixpath.join(posixpath.dirname(base), relative)
    path = posixpath.normpath(joined)
    if path.startswith("../") or path == ".." or "\0" in path:
        return None, ""
    return path, unquote(parts.fragment)


def open_package(archive: Archive, log: WarningLog) -> Package:
    """Read container.xml and the package document. Raises NotThisFormat, Malformed, MissingContent."""
    file = archive.file
    if CONTAINER not in archive:
        raise NotThisFormat(
            f"{file} is a zip archive but not an EPUB: it has no {CONTAINER}.", "Check that it is an EPUB."
        )
    if archive.first_name != "mimetype" or archive.read("mimetype").strip() != b"application/epub+zip":
        log.add("no-mimetype", "The archive does not start with the EPUB mimetype entry.")
    container = parse_xml(archive.read(CONTAINER), CONTAINER, file)
    roots = [
        element.get("full-path", "")
        for element in descendants(container, "rootfile")
        if element.get("media-type", PACKAGE_TYPE) == PACKAGE_TYPE
    ]
    if not roots or not roots[0]:
        raise Malformed(f"{CONTAINER} of {file} names no package document.", _DAMAGED)
    path = posixpath.normpath(unquote(roots[0]))
    package = Package(path, parse_xml(archive.read(path), path, file))
    _read_manifest(package)
    _read_spine(package, file, log)
    return package


def _read_manifest(package: Package) -> None:
    for element in descendants(package.root, "item"):
        href = element.get("href", "")
        item = ManifestItem(
            id=element.get("id", ""),
            href=href,
            path=resolve(package.path, href)[0],
            media_type=element.get("media-type", "").strip().lower(),
            properties=frozenset(element.get("properties", "").split()),
        )
        package.items.setdefault(item.id, item)
        if "nav" in item.properties and package.nav is None:
            package.nav = item
        if item.media_type == NCX_TYPE and package.ncx is None:
            package.ncx = item


def _read_spine(package: Package, file: str, log: WarningLog) -> None:
    spine = next(descendants(package.root, "spine"), None)
    if spine is None:
        raise Malformed(f"The package document of {file} has no reading order (spine).", _DAMAGED)
    toc = package.items.get(spine.get("toc", ""))
    if toc is not None:
        package.ncx = toc
    for element in descendants(spine, "itemref"):
        item = package.items.get(element.get("idref", ""))
        if item is None:
            log.add("spine", "The reading order names parts that the book does not list.")
            continue
        package.spine.append(SpineItem(item, element.get("linear", "yes").strip().lower() != "no"))


def refuse_drm(archive: Archive, package: Package) -> None:
    """Raise DrmProtected when encryption.xml covers a part that holds text; obfuscated fonts do not count."""
    if ENCRYPTION not in archive:
        return
    root = parse_xml(archive.read(ENCRYPTION), ENCRYPTION, archive.file)
    texts = {entry.item.path for entry in package.spine}
    texts |= {item.path for item in (package.nav, package.ncx) if item is not None}
    texts.add(package.path)
    for data in descendants(root, "EncryptedData"):
        method = next(descendants(data, "EncryptionMethod"), None)
        if method is not None and method.get("Algorithm", "") in _OBFUSCATION:
            continue
        for reference in descendants(data, "CipherReference"):
            path = posixpath.normpath(unquote(reference.get("URI", "")).lstrip("/"))
            if path in texts:
                raise DrmProtected(
                    f"{archive.file} is protected (DRM): {path} is encrypted.",
                    "Ask its publisher for a copy without protection; protected text cannot be read.",
                )
