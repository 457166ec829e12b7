"""Capture against a real server on loopback: each rule of R54 to R65 and each row of the fault table."""

from __future__ import annotations

import gzip
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from cmtui.discovery.capture import WebCapture, candidate_of_url
from cmtui.discovery.exa import ExaAcquisitionAdapter
from cmtui.discovery.fetcher import WebFetcher
from cmtui.errors import (
    CaptureValidationError,
    InvalidRequest,
)
from cmtui.model.discovery import DiscoveryCandidate, DiscoveryMetadata
from support.capturing import LOCAL, TEXT, candidate, capture, plain
from support.raw_http import head, sending


def refused(answer: bytes, kind: str = "text", *, path: str = "/x", **options: Any) -> CaptureValidationError:
    """The refusal of these literal bytes."""
    with sending(answer) as server, pytest.raises(CaptureValidationError) as caught:
        capture(server.url + path, kind, **options)
    assert caught.value.hint
    assert caught.value.sentence.endswith(".")
    return caught.value


def epub() -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("x", "y")
    return file.getvalue()


# -- what is accepted --------------------------------------------------------------------------------


def test_r54_the_exact_bytes_of_the_url_are_captured() -> None:
    with sending(plain()) as server:
        got = capture(server.url + "/page?q=1#part")
    assert got.content == TEXT
    assert (got.source_kind, got.media_type, got.url) == ("text", "text/plain", server.url + "/page?q=1")
    assert server.requests[0].startswith(b"GET /page?q=1 HTTP/1.1\r\n")


def test_r54_exa_is_never_asked_for_contents_and_its_texts_are_never_used() -> None:
    class Client:
        def search(self, query: str, **_: Any) -> Mapping[str, Any]:
            pytest.fail("asked Exa")

    lead = candidate("")
    with sending(plain()) as server:
        adapter = ExaAcquisitionAdapter(client=Client(), fetcher=WebFetcher(LOCAL))
        lead = replace(lead, discovery=replace(lead.discovery, url=server.url, title="no text"))
        assert adapter.capture(lead).content == TEXT


def test_r63_no_credentials_cookies_or_compression_reach_the_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXA_API_KEY", "key-1")
    with sending(plain(Set_Cookie="a=b")) as server:
        adapter = ExaAcquisitionAdapter("key-2", fetcher=WebFetcher(LOCAL))
        for _ in range(2):
            adapter.capture(candidate(server.url))
    for request in server.requests:
        lines = request.decode().lower()
        assert "key-1" not in lines
        assert "key-2" not in lines
        for name in ("authorization", "x-api-key", "cookie", "referer"):
            assert f"\r\n{name}:" not in lines
        assert "\r\naccept-encoding: identity\r\n" in lines


def test_a_proxy_or_netrc_of_the_environment_is_not_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login a password b\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    with sending(plain()) as proxy, sending(plain()) as server:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        capture(server.url)
    assert proxy.connections == 0
    assert b"uthorization" not in server.requests[0]


@pytest.mark.parametrize(
    ("kind", "content_type", "body"),
    [
        ("text", "text/plain", TEXT),
        ("text", "text/markdown", TEXT),
        ("text", "text/html; charset=utf-8", b"<p>caf\xc3\xa9</p>"),
        ("text", "application/xhtml+xml", b"<html/>"),
        ("text", 'TEXT/HTML;Charset="UTF-8"', b"<p>x</p>"),
        ("text", "text/plain; charset=us-ascii", TEXT),
        ("text", "text/plain;charset=ascii; format=flowed", TEXT),
        ("markdown", "text/markdown", b"# x"),
        ("markdown", "text/plain", b"# x"),
        ("pdf", "application/pdf", b"%PDF-1.7\n"),
        ("pdf", "application/pdf", b"junk" * 100 + b"%PDF-1.7\n"),
        ("pdf", "application/pdf; qs=0.001", b"%PDF-1.7\n"),
        ("epub", "application/epub+zip", epub()),
    ],
)
def test_r57_what_each_kind_may_be_served_as(kind: str, content_type: str, body: bytes) -> None:
    with sending(plain(body, content_type)) as server:
        got = capture(server.url, kind)
    assert got.content == body
    assert got.source_kind == kind


def test_r58_a_byte_order_mark_and_odd_line_ends_stay_in_the_bytes() -> None:
    body = b"\xef\xbb\xbfone\r\ntwo\rthree\n"
    with sending(plain(body)) as server:
        assert capture(server.url).content == body


def test_r59_html_is_kept_as_raw_markup() -> None:
    body = b"<html><script>x()</script><p>a &amp; b</p><img src='x.png'></html>"
    with sending(plain(body, "text/html")) as server:
        assert capture(server.url).content == body
    assert len(server.requests) == 1


def test_a_body_without_a_stated_length_is_accepted() -> None:
    with sending(plain(Content_Length="")) as server:
        got = capture(server.url)
    assert got.content == TEXT
    assert got.length_declared is False


def test_a_chunked_body_is_accepted() -> None:
    body = (
        head(Content_Type="text/plain", Transfer_Encoding="chunked") + b"5\r\nhello\r\n3\r\n wo\r\n0\r\n\r\n"
    )
    with sending(body) as server:
        got = capture(server.url)
    assert got.content == b"hello wo"
    assert got.length_declared is True


def test_a_body_longer_than_stated_is_cut_by_http_itself() -> None:
    with sending(plain(TEXT + b"more", Content_Length=str(len(TEXT)))) as server:
        assert capture(server.url).content == TEXT


# -- kinds (R55, R56) --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "kind"), [("https://a.org/x.pdf", "pdf"), ("https://a.org/b.epub?x", "epub"),
                      ("https://a.org/r.md", "markdown"), ("https://a.org/pdf/2101.1", "text")],
)  # fmt: skip
def test_r55_a_url_given_by_a_person_gets_its_kind_by_its_suffix(url: str, kind: str) -> None:
    assert candidate_of_url(url).source_kind == kind


def test_r56_an_extensionless_binary_needs_a_stated_kind() -> None:
    with sending(plain(b"%PDF-1.7\n", "application/pdf")) as server:
        lead = candidate_of_url(server.url + "/download")
        with pytest.raises(CaptureValidationError, match="application/pdf, which is not text") as caught:
            WebCapture(policy=LOCAL).capture(lead)
        assert caught.value.rule == "type"
        assert "--kind pdf" in caught.value.hint
        got = WebCapture(policy=LOCAL).capture(replace(lead, source_kind="pdf"))
    assert got.content == b"%PDF-1.7\n"


def test_an_unknown_kind_is_no_kind() -> None:
    with pytest.raises(InvalidRequest, match="docx"):
        capture("http://127.0.0.1/", "docx")


def test_a_candidate_without_a_url_cannot_be_captured() -> None:
    with pytest.raises(CaptureValidationError) as caught:
        WebCapture(policy=LOCAL).capture(DiscoveryCandidate("text", DiscoveryMetadata("p", "1")))
    assert caught.value.rule == "url"


# -- what is refused: status, encoding, length, size (R61 to R63) ------------------------------------


@pytest.mark.parametrize(
    "status", ["301 Moved", "302 Found", "303 See Other", "307 T", "308 P", "304 Not Modified"]
)
def test_r63_a_redirect_is_refused_and_its_target_sees_nothing(status: str) -> None:
    with sending(plain()) as target:
        error = refused(head(status, Location=target.url + "/secret", Content_Length="0"))
    assert error.rule == "redirect"
    assert target.url in error.message
    assert target.connections == 0


def test_a_redirect_to_a_metadata_address_or_another_scheme_is_only_shown() -> None:
    for location in ("http://169.254.169.254/latest/", "file:///etc/passwd", "//evil.example/", "\x1b[31mx"):
        error = refused(head("302 Found", Location=location, Content_Length="0"))
        assert error.rule == "redirect"
        assert "\x1b" not in error.message


@pytest.mark.parametrize(
    ("status", "rule"),
    [("206 Partial Content", "partial"), ("201 Created", "status"), ("204 No Content", "status"),
     ("404 Not Found", "status"), ("403 Forbidden", "status"), ("500 Oops", "status"), ("429 S", "status")],
)  # fmt: skip
def test_r61_only_status_200_is_captured(status: str, rule: str) -> None:
    answer = head(status, Content_Type="text/plain") if status.startswith("204") else head(
        status, Content_Type="text/plain", Content_Length=str(len(TEXT))
    ) + TEXT  # fmt: skip
    error = refused(answer)
    assert error.rule == rule
    assert status[:3] in error.message


@pytest.mark.parametrize("encoding", ["gzip", "br", "deflate", "x-unknown", "gzip, identity"])
def test_r62_an_encoded_body_is_refused_before_it_is_read(encoding: str) -> None:
    body = gzip.compress(b"0" * 1_000_000)
    assert refused(plain(body, Content_Encoding=encoding)).rule == "encoding"


def test_identity_is_no_encoding() -> None:
    with sending(plain(Content_Encoding="Identity")) as server:
        assert capture(server.url).content == TEXT


@pytest.mark.parametrize(
    ("answer", "rule"),
    [
        (plain(Content_Length=str(len(TEXT) + 5)), "protocol"),
        (plain(Content_Length="junk"), "protocol"),
        (plain(Content_Length="-5"), "protocol"),
        (
            head(Content_Type="text/plain")[:-2] + b"Content-Length: 3\r\nContent-Length: 7\r\n\r\nabcdefg",
            "protocol",
        ),
        (plain(b"1234567", Content_Length="+7"), "protocol"),
        (
            plain(b"", Transfer_Encoding="chunked", Content_Length="3") + b"7\r\n1234567\r\n0\r\n\r\n",
            "length",
        ),
        (head(Content_Type="text/plain", Transfer_Encoding="chunked") + b"7\r\n1234567\r\n", "protocol"),
        (
            head(Content_Type="text/plain", Transfer_Encoding="chunked") + b"zz\r\n1234567\r\n0\r\n\r\n",
            "protocol",
        ),
        (head(Content_Type="text/plain", Transfer_Encoding="gzip, chunked") + b"0\r\n\r\n", "protocol"),
        (
            b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX: " + b"x" * 200_000 + b"\r\n\r\nhello",
            "protocol",
        ),
        (b"garbage\r\n\r\n", "protocol"),
        (b"HTTP/1.1 two hundred\r\n\r\n", "protocol"),
        (b"HTTP/1.1 200 OK\r\nBad\rHeader: x\r\n\r\nhello", "protocol"),
        (b"", "protocol"),
    ],
)
def test_r61_and_r62_a_length_that_does_not_hold_or_a_broken_answer_is_refused(
    answer: bytes, rule: str
) -> None:
    assert refused(answer).rule == rule


def test_r61_a_length_stated_twice_alike_is_refused_or_read_as_the_one_number_it_is() -> None:
    """h11 makes one number of it before this program sees it (RFC 9110, 8.6); a fetcher's own is refused."""
    with sending(plain(b"1234567", Content_Length="7, 7")) as server:
        try:
            content = capture(server.url).content
        except CaptureValidationError as error:
            content = error.rule.encode()
    assert content in (b"1234567", b"length")


def test_r61_an_empty_body_is_refused() -> None:
    assert refused(plain(b"")).rule == "empty"
    assert refused(plain(b"", Content_Length="")).rule == "empty"


def test_r63_an_oversized_body_is_refused_by_its_stated_length_before_it_is_read() -> None:
    error = refused(head(Content_Type="text/plain", Content_Length="1001") + b"x", max_response_bytes=1000)
    assert error.rule == "size"
    assert "1,000 bytes" in error.message


def test_r63_an_oversized_body_without_a_length_is_refused_while_it_streams() -> None:
    with (
        sending(plain(b"x" * 900, Content_Length=""), drip=True) as server,
        pytest.raises(CaptureValidationError) as caught,
    ):
        capture(server.url, max_response_bytes=901)
    assert caught.value.rule == "size"


def test_a_body_of_exactly_the_limit_is_accepted() -> None:
    with sending(plain(b"x" * 1000)) as server:
        assert len(capture(server.url, max_response_bytes=1000).content) == 1000


# -- type, charset and form (R57, R58, R64) ----------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "content_type"),
    [
        ("text", "application/json"),
        ("text", "application/octet-stream"),
        ("text", "text/csv"),
        ("text", ""),
        ("text", "text"),
        ("text", "text/html, text/html"),
        ("text", "text/plain\ttext"),
        ("text", "image/png"),
        ("markdown", "text/html"),
        ("markdown", "application/pdf"),
        ("pdf", "application/octet-stream"),
        ("pdf", "text/html"),
        ("pdf", "application/x-pdf"),
        ("epub", "application/zip"),
        ("epub", "application/octet-stream"),
    ],
)
def test_r57_another_content_type_is_refused(kind: str, content_type: str) -> None:
    assert refused(plain(b"%PDF-1.7", content_type), kind).rule == "type"


def test_two_content_types_are_refused() -> None:
    both = head(Content_Type="text/plain")[:-2] + b"Content-Type: text/html\r\n\r\n" + TEXT
    assert refused(both).rule == "type"


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("text/plain; charset=iso-8859-1", TEXT),
        ("text/plain; charset=windows-1252", TEXT),
        ("text/html;charset=utf-16", "x".encode("utf-16")),
        ("text/plain; charset=utf-8; charset=latin1", TEXT),
        ("text/plain; charset=", TEXT),
        ("text/plain; charset=utf 8", TEXT),
        ("text/plain", b"caf\xe9"),
        ("text/plain; charset=utf-8", b"caf\xe9"),
        ("text/plain; charset=us-ascii", b"caf\xc3\xa9"),
        ("text/plain", b"\xed\xa0\x80"),
        ("text/plain", b"a\0b"),
        ("text/plain", "text".encode("utf-16-le")),
        ("text/html", b"<meta charset='iso-8859-1'><p>caf\xc3\xa9</p>"),
        ("application/xhtml+xml", b"<?xml version='1.0' encoding='windows-1252'?><p>caf\xc3\xa9</p>"),
    ],
)
def test_r58_text_is_utf_8_or_ascii_and_never_transcoded(content_type: str, body: bytes) -> None:
    assert refused(plain(body, content_type)).rule == "charset"


def test_a_pages_own_wrong_charset_gives_way_to_what_http_states() -> None:
    body = b"<meta charset='iso-8859-1'><p>caf\xc3\xa9</p>"
    with sending(plain(body, "text/html; charset=utf-8")) as server:
        assert capture(server.url).content == body


@pytest.mark.parametrize(
    ("kind", "content_type", "body"),
    [
        ("pdf", "application/pdf", b"<!DOCTYPE html><p>Log in</p>"),
        ("pdf", "application/pdf", b"x" * 1020 + b"%PDF-1.7"),
        ("epub", "application/epub+zip", b"PK\x03\x04 a zip archive of something else ........."),
        ("epub", "application/epub+zip", b"<html></html>"),
        ("text", "text/plain", b"%PDF-1.7\nascii"),
        ("text", "text/plain", b"PK\x03\x04ascii"),
        ("markdown", "text/plain", b"%PDF-1.7\nascii"),
    ],
)
def test_r64_bytes_of_another_form_than_they_were_served_as_are_refused(
    kind: str, content_type: str, body: bytes
) -> None:
    assert refused(plain(body, content_type), kind).rule == "form"
