"""The HTTP client of every provider: limits first, then the request.

Measured behaviour of httpx that this module guards against stands in the design notes (providers.md 2.4):
drip-fed bodies outlive read timeouts, compressed bodies are cut silently or explode, redirects leave the
host. httpx is imported when the first request is sent.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from cmtui._version import __version__
from cmtui.errors import (
    CertificateRejected,
    ConfigError,
    ProviderError,
    ProviderMalformed,
    ProviderRateLimited,
    ProviderRefused,
    ProviderTimeout,
    ProviderUnreachable,
)
from cmtui.model.discovery import Attempt
from cmtui.model.progress import CancelledCallback, never_cancelled
from cmtui.net.deadline import Deadline
from cmtui.net.gate import GateBusy, RateGate, exhausted_for, gate_of
from cmtui.net.retry import TRANSIENT, RetryPolicy, retry_after_seconds
from cmtui.net.secrets import Secret, redact

if TYPE_CHECKING:
    import ssl

    import httpx

#: Seconds for one call, retries included (D2), and bytes of one answer (R50).
DEFAULT_DEADLINE = 10.0
MAX_BYTES = 4 * 1024 * 1024

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_AGAIN = "Try again later."


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """A complete answer: its status, its headers (lower-case names) and the bytes of its body."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    attempts: int = 1


class HttpClient:
    """Requests to one provider.

    ``base_url`` is https, or http for this machine (and for any host as long as no secret is sent);
    ``headers`` may hold secrets, which are sent and never shown. ``permit`` says of each address the host
    resolves to whether it may be connected to (all must be); None allows any. ``on_attempt`` is told of every
    request when it ended. ``transport``, ``clock``, ``sleep``, ``jitter`` and ``wall`` are for tests. Raises
    ConfigError for a base URL that cannot be used.
    """

    def __init__(
        self,
        provider: str,
        base_url: str,
        *,
        deadline: float = DEFAULT_DEADLINE,
        max_bytes: int = MAX_BYTES,
        retry: RetryPolicy | None = None,
        mailto: str | None = None,
        headers: Mapping[str, str | Secret] | None = None,
        gate: RateGate | None = None,
        permit: Callable[[str], bool] | None = None,
        on_attempt: Callable[[Attempt], None] | None = None,
        transport: httpx.BaseTransport | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self.provider = provider
        self._headers = dict(headers or {})
        self._secrets = [value for value in self._headers.values() if isinstance(value, Secret)]
        self._base, self._host = _base(provider, base_url, secret=bool(self._secrets))
        self._deadline = deadline
        self._max_bytes = max_bytes
        self._retry = RetryPolicy() if retry is None else retry
        self._agent = f"cmtui/{__version__}" + (f" (mailto:{mailto})" if mailto else "")
        self._gate = gate_of(_with_port(self._base)) if gate is None else gate
        self._permit = permit
        self._on_attempt = on_attempt
        self._transport = transport
        self._clock = clock
        self._sleep = sleep
        self._jitter = jitter
        self._wall = wall
        self._context: ssl.SSLContext | None = None

    def __repr__(self) -> str:
        return f"HttpClient({self.provider!r}, {self._host!r})"

    def get(
        self,
        path: str,
        params: Mapping[str, str] | None = None,
        *,
        accept: tuple[int, ...] = (200,),
        deadline: float | None = None,
        cancelled: CancelledCallback = never_cancelled,
    ) -> HttpAnswer:
        """GET ``path`` (already percent-encoded) under the base URL.

        Statuses in ``accept`` are answers; every other one raises. ``deadline`` is what is left of an
        exchange of several calls. Raises ProviderError (see ``cmtui.errors``) and Cancelled.
        """
        query = f"?{urlencode(params)}" if params else ""
        return self._call("GET", f"{self._base}{path}{query}", None, accept, cancelled, deadline)

    def post_json(
        self,
        path: str,
        payload: Any,
        *,
        accept: tuple[int, ...] = (200,),
        cancelled: CancelledCallback = never_cancelled,
    ) -> HttpAnswer:
        """POST a JSON body; otherwise as ``get``."""
        body = json.dumps(payload, ensure_ascii=False, allow_nan=False).encode("utf-8")
        return self._call("POST", f"{self._base}{path}", body, accept, cancelled)

    def json_of(self, answer: HttpAnswer) -> dict[str, Any]:
        """The JSON object of an answer. Raises ProviderMalformed: HTML, NaN, a list or broken JSON."""
        try:
            value = json.loads(answer.body.decode("utf-8"), parse_constant=_no_constant)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise ProviderMalformed(
                f"{self.provider} answered with something that is not a JSON object.",
                f"{_AGAIN} If it stays so, check the provider's base URL.",
                provider=self.provider,
                status=answer.status,
                attempts=answer.attempts,
            )
        return value

    # -- one call, several attempts ------------------------------------------------------------------

    def _call(
        self,
        method: str,
        url: str,
        body: bytes | None,
        accept: tuple[int, ...],
        cancelled: CancelledCallback,
        seconds: float | None = None,
    ) -> HttpAnswer:
        seconds = self._deadline if seconds is None else seconds
        deadline = Deadline(seconds, clock=self._clock, sleep=self._sleep, cancelled=cancelled)
        attempt = 0
        while True:
            attempt += 1
            deadline.check_cancelled()
            started = self._clock()
            outcome = self._attempt(method, url, body, accept, deadline, attempt)
            if self._on_attempt is not None:
                status = outcome.status if isinstance(outcome, HttpAnswer) else outcome.error.status
                reason = "" if isinstance(outcome, HttpAnswer) else outcome.error.code
                ms = round((self._clock() - started) * 1000)
                self._on_attempt(Attempt(status, ms, reason))
            if isinstance(outcome, HttpAnswer):
                return outcome
            if not outcome.again or attempt > min(self._retry.retries, outcome.most):
                raise outcome.error
            wait = self._retry.delay(attempt, outcome.retry_after, self._jitter)
            if wait >= deadline.remaining():
                raise outcome.error
            deadline.pause(wait)

    def _attempt(
        self,
        method: str,
        url: str,
        body: bytes | None,
        accept: tuple[int, ...],
        deadline: Deadline,
        attempt: int,
    ) -> HttpAnswer | _Failure:
        """One request. Errors of the library are turned into ours here and never chained: theirs hold the
        request with its headers."""
        import httpcore
        import httpx

        from cmtui.net.transport import AddressRefused, DeadlineTransport

        if self._transport is None:
            # Reading the bundle of certificates takes longer than a request on this machine.
            context = self._ssl_context() if self._base.startswith("https:") else None
            transport: httpx.BaseTransport = DeadlineTransport(context, deadline, self._permit)
        else:
            transport = self._transport
        answered = False
        try:
            with self._gate.turn(deadline):
                client = httpx.Client(
                    transport=transport, trust_env=False, follow_redirects=False, timeout=self._deadline
                )
                request = httpx.Request(method, url, headers=self._request_headers(body), content=body)
                response = client.send(request, stream=True)
                answered = True
                try:
                    self._gate.observe(response.headers)
                    return self._read(response, accept, deadline, attempt)
                finally:
                    response.close()
                    if self._transport is None:
                        client.close()
        except GateBusy:
            error: ProviderError = self._error(
                ProviderRateLimited, "is asked too often: no turn within the deadline", attempt
            )
            return _Failure(error)
        except (httpx.TimeoutException, httpcore.TimeoutException):
            return _Failure(self._timeout(attempt))
        except AddressRefused:
            return _Failure(self._error(ProviderRefused, "has an address that is not allowed", attempt))
        except (httpx.RemoteProtocolError, httpcore.RemoteProtocolError):
            return _Failure(self._broken(attempt), again=True, most=1)
        except (httpx.TransportError, httpcore.NetworkError, httpcore.ProtocolError) as problem:
            certificate = certificate_error(problem, self.provider, self._host, attempt)
            if certificate is not None:
                return _Failure(certificate)
            if answered:
                return _Failure(self._broken(attempt), again=True, most=1)
            error = self._error(ProviderUnreachable, "cannot be reached", attempt, hint="Check the network.")
            refused = isinstance(problem, (httpx.ConnectError, httpcore.ConnectError))
            return _Failure(error, again=not refused)
        except (httpx.InvalidURL, httpx.HTTPError):
            return _Failure(self._error(ProviderRefused, "cannot be asked that", attempt))

    def _request_headers(self, body: bytes | None) -> dict[str, str]:
        headers = {
            "User-Agent": self._agent,
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "Connection": "close",
        }
        if body is not None:
            headers["Content-Type"] = "application/json"
        for name, value in self._headers.items():
            headers[name] = value.reveal() if isinstance(value, Secret) else value
        return headers

    def _read(
        self, response: httpx.Response, accept: tuple[int, ...], deadline: Deadline, attempt: int
    ) -> HttpAnswer | _Failure:
        status = response.status_code
        headers = {name.lower(): value for name, value in response.headers.items()}
        if status not in accept:
            return self._refusal(status, headers, deadline, attempt)
        if headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
            return _Failure(self._error(ProviderMalformed, "sent a compressed answer unasked", attempt))
        stated = headers.get("content-length")
        if stated is not None and stated.isdigit() and int(stated) > self._max_bytes:
            return _Failure(self._too_large(attempt))
        body = bytearray()
        for chunk in response.iter_raw():
            body += chunk
            if len(body) > self._max_bytes:
                return _Failure(self._too_large(attempt))
            deadline.check_cancelled()
            if deadline.expired:
                return _Failure(self._timeout(attempt))
        if stated is not None and stated != str(len(body)):
            error = self._error(ProviderMalformed, "stated another length than it sent", attempt)
            return _Failure(error, again=True, most=1)
        return HttpAnswer(status, headers, bytes(body), attempt)

    def _refusal(self, status: int, headers: Mapping[str, str], deadline: Deadline, attempt: int) -> _Failure:
        if 300 <= status < 400:
            what = f"answered with a redirect ({status}), which is not followed"
            hint = "Set the provider's base URL to the address that answers itself."
            return _Failure(self._error(ProviderRefused, what, attempt, status=status, hint=hint))
        if status in TRANSIENT:
            after = retry_after_seconds(headers.get("retry-after"), self._wall())
            if after is None and status == 429:
                after = exhausted_for(headers)
            if status == 429:
                wait = "" if after is None or after == float("inf") else f" It asks to wait {after:.0f} s."
                error: ProviderError = self._error(
                    ProviderRateLimited,
                    "allows no more requests now (429)",
                    attempt,
                    status=status,
                    hint=f"{_AGAIN}{wait}",
                )
            else:
                what = f"has a failure of its own ({status})"
                error = self._error(ProviderRefused, what, attempt, status=status)
            worth = after is None or after < deadline.remaining()
            return _Failure(error, again=worth, retry_after=after)
        hint = {
            401: "Check the key in the environment.",
            403: "Check the key in the environment, and what it allows.",
            404: "Check the identifier, or the provider's base URL.",
        }.get(status, "Check the request.")
        what = f"refused the request ({status})"
        return _Failure(self._error(ProviderRefused, what, attempt, status=status, hint=hint))

    # -- errors --------------------------------------------------------------------------------------

    def _ssl_context(self) -> ssl.SSLContext:
        if self._context is None:
            from cmtui.net.trust import ssl_context

            self._context = ssl_context(self.provider)
        return self._context

    def _timeout(self, attempt: int) -> ProviderError:
        what = f"did not answer within {self._deadline:g} s"
        return self._error(ProviderTimeout, what, attempt, hint=f"{_AGAIN} The deadline is a setting.")

    def _broken(self, attempt: int) -> ProviderError:
        return self._error(ProviderMalformed, "cut its answer short or broke the HTTP protocol", attempt)

    def _too_large(self, attempt: int) -> ProviderError:
        what = f"sent more than {self._max_bytes} bytes"
        return self._error(ProviderMalformed, what, attempt, hint="Narrow the request.")

    def _error(
        self,
        kind: type[ProviderError],
        what: str,
        attempt: int,
        *,
        status: int | None = None,
        hint: str = _AGAIN,
    ) -> ProviderError:
        message = redact(f"{self.provider} ({self._host}) {what}.", self._secrets)
        return kind(message, hint, provider=self.provider, status=status, attempts=attempt)


@dataclass(frozen=True, slots=True)
class _Failure:
    """A failed attempt, and whether it is worth asking again: 429, 5xx, and answers that broke off.

    ``most`` is how often: an answer that broke off is asked for once more only.
    """

    error: ProviderError
    again: bool = False
    most: int = 1_000_000
    retry_after: float | None = None


def certificate_error(
    problem: BaseException, provider: str, host: str, attempts: int
) -> CertificateRejected | None:
    """The error with its guidance when a certificate did not verify (R43), else None."""
    from cmtui.net.trust import GUIDANCE, certificate_problem

    reason = certificate_problem(problem)
    if reason is None:
        return None
    message = f"The certificate of {host} does not verify ({reason})."
    return CertificateRejected(message, GUIDANCE, provider=provider, attempts=attempts)


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _with_port(base: str) -> str:
    """Host and port of a base URL, for one gate per service."""
    return urlsplit(base).netloc


def _base(provider: str, url: str, *, secret: bool) -> tuple[str, str]:
    """The base URL without its last slash, and the host. Raises ConfigError."""
    try:
        parts = urlsplit(url.strip())
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        host, parts = "", urlsplit("")
    plain = parts.scheme == "http" and (not secret or host in _LOOPBACK)
    if not host or not (parts.scheme == "https" or plain) or parts.username or parts.query or parts.fragment:
        raise ConfigError(
            f"The base URL of {provider} cannot be used.",
            "Write it as https://host/path, without a user name or a query."
            + (" A key is never sent over plain http." if secret and parts.scheme == "http" else ""),
        )
    return parts.geturl().rstrip("/"), host
