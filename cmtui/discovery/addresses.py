"""Which URLs and which addresses a capture may go to (providers.md 2.4).

A page that somebody else's server names must not become a way into this machine or its network. So the URL is
checked as text, the name is resolved once, and *every* address it has must be public; the connection then
goes to an address that was checked. ``ipaddress.is_global`` alone is no guard: on Python 3.11 it is true for
NAT64 and 6to4 forms of loopback, for site-local, multicast and 192.88.99.1 (measured).
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

from cmtui.errors import CaptureValidationError
from cmtui.net.page import parse_url, requested_url

#: Ports a capture goes to unless others are configured.
WEB_PORTS = frozenset({80, 443})
#: Longer URLs are refused; servers stop well before.
MAX_URL = 8192

_IPv4 = ipaddress.IPv4Address
_IPv6 = ipaddress.IPv6Address

#: Ranges that are not public whatever ``is_global`` says of them (IANA special-purpose registries).
_REFUSED_4 = {
    "0.0.0.0/8": "this host",
    "10.0.0.0/8": "private",
    "100.64.0.0/10": "shared carrier space",
    "127.0.0.0/8": "loopback",
    "169.254.0.0/16": "link-local, where cloud metadata lies",
    "172.16.0.0/12": "private",
    "192.0.0.0/24": "IETF protocol assignments",
    "192.0.2.0/24": "documentation",
    "192.88.99.0/24": "6to4 relay",
    "192.168.0.0/16": "private",
    "198.18.0.0/15": "benchmarking",
    "198.51.100.0/24": "documentation",
    "203.0.113.0/24": "documentation",
    "224.0.0.0/4": "multicast",
    "240.0.0.0/4": "reserved",
}
_REFUSED_6 = {
    "64:ff9b:1::/48": "local NAT64",
    "100::/64": "discard",
    "2001::/32": "Teredo",
    "2001::/23": "IETF protocol assignments",
    "2001:db8::/32": "documentation",
    "2002::/16": "6to4",
    "3fff::/20": "documentation",
    "5f00::/16": "segment routing",
    "fc00::/7": "private",
    "fe80::/10": "link-local",
    "fec0::/10": "site-local",
    "ff00::/8": "multicast",
}
_NETWORKS_4 = {ipaddress.IPv4Network(net): what for net, what in _REFUSED_4.items()}
_NETWORKS_6 = {ipaddress.IPv6Network(net): what for net, what in _REFUSED_6.items()}
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_UNICAST_6 = ipaddress.IPv6Network("2000::/3")

_HOST = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*")
_BAD = re.compile(r"[\x00-\x20\x7f-\xa0\\\u2028\u2029]")


def why_refused(address: str) -> str | None:
    """Why an address may not be connected to, as two or three words; None when it is public."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return "not an address"
    return _why_4(ip) if isinstance(ip, _IPv4) else _why_6(ip)


def _why_4(ip: ipaddress.IPv4Address) -> str | None:
    for network, what in _NETWORKS_4.items():
        if ip in network:
            return what
    if not ip.is_global or ip.is_multicast or ip.is_reserved:
        return "not public"
    return None


def _why_6(ip: ipaddress.IPv6Address) -> str | None:
    if ip.is_loopback:
        return "loopback"
    if ip.is_unspecified:
        return "this host"
    if ip.ipv4_mapped is not None:
        return _why_4(ip.ipv4_mapped)
    if ip in _NAT64:  # how an IPv6-only network reaches an IPv4 host: as good as the address inside
        return _why_4(_IPv4(int(ip) & 0xFFFFFFFF))
    for network, what in _NETWORKS_6.items():
        if ip in network:
            return what
    if ip not in _UNICAST_6 or not ip.is_global or ip.is_reserved:
        return "not public"
    return None


@dataclass(frozen=True, slots=True)
class AddressPolicy:
    """What a capture may reach: public addresses, on the ports of the web.

    ``allow_addresses`` are addresses that are allowed although they are not public, written exactly;
    ``ports`` None allows every port. Both are stated by whoever makes the fetcher (a test, a person who
    captures from a host of the own network), never by the environment.
    """

    allow_addresses: frozenset[str] = frozenset()
    ports: frozenset[int] | None = WEB_PORTS

    def why_refused(self, address: str) -> str | None:
        """As ``why_refused``, with the allowed addresses."""
        return None if address in self.allow_addresses else why_refused(address)


@dataclass(frozen=True, slots=True)
class Target:
    """A checked URL: as it is requested (no fragment), its host in ASCII and its port."""

    url: str
    host: str
    port: int


def check_url(url: str, policy: AddressPolicy) -> Target:
    """The target of a URL. Nothing is resolved yet.

    Raises CaptureValidationError with the rule: url, scheme, userinfo, host, port or address.
    """
    if not isinstance(url, str) or not url.strip():
        raise _refused("url", "There is no URL to capture.", "Give an http or https address.")
    text = url.strip()
    shown = shown_url(text)
    if len(text) > MAX_URL:
        raise _refused("url", f"The URL has {len(text):,} characters.", f"{MAX_URL:,} are the limit.")
    if _BAD.search(text):
        raise _refused(
            "url",
            f"The URL '{shown}' holds a blank, a backslash or a control character.",
            "Write it percent-encoded, as a browser copies it.",
        )
    try:
        parsed = parse_url(text)
    except ValueError:
        raise _refused("url", f"'{shown}' is not a URL.", "Give an http or https address.") from None
    if parsed.scheme not in ("http", "https"):
        raise _refused(
            "scheme",
            f"'{shown}' is not an http or https URL.",
            "Only web addresses are captured; a local file is ingested: citation-machine ingest PATH",
        )
    if parsed.has_user:
        raise _refused(
            "userinfo",
            f"The URL '{shown}' holds a user name or password.",
            "Give it without: what stands before @ may disguise the host.",
        )
    host = _host(parsed.host, shown)
    default = 443 if parsed.scheme == "https" else 80
    port = default if parsed.port is None else parsed.port
    if policy.ports is not None and port not in policy.ports:
        allowed = " and ".join(map(str, sorted(policy.ports)))
        raise _refused("port", f"'{shown}' names port {port}.", f"Only ports {allowed} are captured from.")
    literal = host.strip("[]")
    if ":" in literal or literal.replace(".", "").isdigit():
        check_address(literal, policy, shown)
    netloc = f"[{literal}]" if ":" in literal else host
    return Target(requested_url(parsed, netloc), literal, port)


def check_address(address: str, policy: AddressPolicy, shown: str) -> None:
    """Raise CaptureValidationError unless the policy permits the address."""
    why = policy.why_refused(address)
    if why is not None:
        raise address_refused(address, why, shown)


def address_refused(address: str, why: str, shown: str) -> CaptureValidationError:
    """The refusal of an address."""
    return _refused(
        "address",
        f"'{shown}' leads to {address} ({why}), which is not a public address.",
        "Only public hosts are captured from; all addresses of a name must be public.",
    )


def shown_url(url: str) -> str:
    """A URL for a message: one line, without a user name or password, shortened."""
    flat = "".join(character if character.isprintable() else "�" for character in url)
    flat = re.sub(r"^([A-Za-z][A-Za-z0-9+.-]*:)?//[^/?#]*@", lambda m: f"{m.group(1) or ''}//", flat)
    return flat if len(flat) <= 200 else flat[:199] + "…"


def _host(host: str, shown: str) -> str:
    """The host in lower case without a trailing dot, when it is a name or an address."""
    name = host.lower().removesuffix(".")
    if ":" in name:
        try:
            return f"[{_IPv6(name.strip('[]'))}]"
        except ValueError:
            pass
    elif _HOST.fullmatch(name) and len(name) <= 253:
        return name
    raise _refused("host", f"The host of '{shown}' is no name and no address.", "Check the URL.")


def _refused(rule: str, message: str, hint: str) -> CaptureValidationError:
    return CaptureValidationError(message, hint, rule=rule)
