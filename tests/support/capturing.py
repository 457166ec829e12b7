"""Capturing from a scripted server on loopback."""

from __future__ import annotations

from typing import Any

from cmtui.discovery.addresses import AddressPolicy
from cmtui.discovery.capture import WebCapture
from cmtui.model.discovery import CapturedSource, DiscoveryCandidate, DiscoveryMetadata
from support.raw_http import head

#: The policy of these tests: this machine is allowed, by a statement of the constructor.
LOCAL = AddressPolicy(allow_addresses=frozenset({"127.0.0.1"}), ports=None)


TEXT = b"A complete source with exact evidence.\n"


def candidate(url: str, kind: str = "text") -> DiscoveryCandidate:
    return DiscoveryCandidate(kind, DiscoveryMetadata("test", "c-1", url=url))


def capture(url: str, kind: str = "text", **options: Any) -> CapturedSource:
    options = {"timeout": 5.0} | options
    return WebCapture(policy=LOCAL, **options).capture(candidate(url, kind))


def plain(body: bytes = TEXT, content_type: str = "text/plain", **headers: str) -> bytes:
    stated = {"Content_Type": content_type, "Content_Length": str(len(body))} | headers
    return head(**{name: value for name, value in stated.items() if value}) + body
