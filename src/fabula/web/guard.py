"""Request guard: only local hosts, the same origin, the token, and requests of limited size.

A page elsewhere can make a browser send requests to 127.0.0.1. It cannot add a header of its own
to them, and a name that was pointed at 127.0.0.1 (DNS rebinding) shows in the Host header. Other
users of the machine can reach the port too; they do not have the token.
"""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

__all__ = ["LARGEST", "POLICY", "REPORT_POLICY", "Backoff", "Guard", "read_body"]

LARGEST = 30 << 20  # bytes of a request: 20 MB of files as base64, and some
PATIENCE = 60.0  # seconds in which the body of a request has to arrive
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# A report is one file with its styles inside; sandboxed, it can do nothing but be looked at.
REPORT_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
)
_LOCAL = frozenset(("localhost", "127.0.0.1", "::1"))

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class Guard:
    """ASGI middleware: host, origin, token, size; and headers on every answer.

    ``"*"`` among the hosts lets any name through, for a server that listens on all addresses;
    then the token is what keeps strangers out.
    """

    def __init__(self, app: Any, *, hosts: frozenset[str] = frozenset(), token: str = "") -> None:
        self.app = app
        self.hosts = _LOCAL | hosts
        self.token = token
        self._backoff = Backoff()

    async def __call__(self, scope: Scope, receive: Any, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        headers = {
            key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]
        }
        status, problem = self._problem(scope, headers)
        if status == 401 and any(_tokens(scope, headers)):
            await asyncio.sleep(self._backoff.wrong())
        body = b""
        if not problem:
            status, problem, body = await read_body(receive)
        if problem:
            await _say(send, status, problem)
            return
        given = False

        async def replay() -> MutableMapping[str, Any]:
            nonlocal given
            if given:
                message: MutableMapping[str, Any] = await receive()
                return message
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                own_headers = {
                    b"x-content-type-options": b"nosniff",
                    b"referrer-policy": b"no-referrer",
                    b"cache-control": b"no-store",
                    b"cross-origin-opener-policy": b"same-origin",
                    b"cross-origin-resource-policy": b"same-origin",
                }
                present = {key.lower() for key, _ in message["headers"]}
                if b"content-security-policy" not in present:
                    own_headers[b"content-security-policy"] = POLICY.encode()
                message["headers"] = [*message["headers"], *own_headers.items()]
                if self.token and _query_token(scope):
                    value = f"{_cookie_name(scope)}={quote(self.token, safe='')}"
                    cookie = f"{value}; HttpOnly; SameSite=Strict; Path=/"
                    message["headers"].append((b"set-cookie", cookie.encode()))
            await send(message)

        await self.app(scope, replay, with_headers)

    def _problem(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str]:
        if "*" not in self.hosts and _host(headers.get("host", "")) not in self.hosts:
            return 403, "this address is not one the page answers to"
        if scope["method"] not in ("GET", "HEAD"):
            if _cross_origin(headers.get("origin", ""), headers.get("host")):
                return 403, "the request comes from another page"
            if headers.get("x-fabula") != "1":
                return 403, "the request does not come from the page"
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > LARGEST:
            return 413, _TOO_MUCH
        if self.token and not self._authorised(scope, headers):
            return 401, "the page needs its token: open the address that fabula serve printed"
        return 200, ""

    def _authorised(self, scope: Scope, headers: dict[str, str]) -> bool:
        expected = self.token.encode()
        return any(
            hmac.compare_digest(candidate, expected) for candidate in _tokens(scope, headers)
        )


class Backoff:
    """Growing delays for wrong tokens: a few cost nothing, a search through many takes for ever."""

    free, longest, forget = 5, 5.0, 300.0  # attempts; seconds

    def __init__(self) -> None:
        self.count, self.last = 0, 0.0

    def wrong(self) -> float:
        """Count a wrong token; the seconds to wait before it is answered."""
        now = time.monotonic()
        self.count = 1 if now - self.last > self.forget else self.count + 1
        self.last = now
        beyond = min(self.count - self.free, 10)
        return 0.0 if beyond <= 0 else min(self.longest, 0.1 * 2**beyond)


_TOO_MUCH = f"too much at once: at most {LARGEST >> 20} MB a request"


async def read_body(receive: Any) -> tuple[int, str, bytes]:
    """Status, problem and bytes of a request's body, chunked or not, within limits."""
    parts: list[bytes] = []
    size, more = 0, True
    try:
        async with asyncio.timeout(PATIENCE):
            while more:
                message = await receive()
                if message["type"] != "http.request":
                    return 400, "the request ended too early", b""
                parts.append(message.get("body", b""))
                size, more = size + len(parts[-1]), message.get("more_body", False)
                if size > LARGEST:
                    return 413, _TOO_MUCH, b""
    except TimeoutError:
        return 408, f"the request took longer than {PATIENCE:.0f} seconds to arrive", b""
    return 200, "", b"".join(parts)


def _tokens(scope: Scope, headers: dict[str, str]) -> list[bytes]:
    """The tokens that a request shows: in its cookie, its Authorization header or its address."""
    try:
        cookie = SimpleCookie(headers.get("cookie", "")).get(_cookie_name(scope))
    except CookieError:
        cookie = None
    bearer = headers.get("authorization", "").removeprefix("Bearer ")
    tokens = [
        unquote(cookie.value).encode() if cookie else b"",
        bearer.encode("latin-1"),  # the bytes that came
        _query_token(scope).encode("utf-8", "replace"),
    ]
    return [token for token in tokens if token]


def _cookie_name(scope: Scope) -> str:
    """One for each port: a browser shares the cookies of all ports of a machine."""
    return f"fabula_token_{(scope.get('server') or ('', ''))[1]}"


def _query_token(scope: Scope) -> str:
    query: str = scope["query_string"].decode("latin-1")
    return parse_qs(query).get("token", [""])[0]


def _cross_origin(origin: str, host: str | None) -> bool:
    try:
        return bool(origin) and urlsplit(origin).netloc != host
    except ValueError:
        return True


def _host(header: str) -> str:
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return ""


async def _say(send: Send, status: int, problem: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": problem.encode()})
