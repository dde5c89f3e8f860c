"""Request guard: only local hosts, the same origin, and the token if one is set.

A page elsewhere can make a browser send requests to 127.0.0.1. It cannot add a header of its own
to them, and a name that was pointed at 127.0.0.1 (DNS rebinding) shows in the Host header.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

__all__ = ["LARGEST", "POLICY", "REPORT_POLICY", "Guard"]

LARGEST = 30 << 20  # bytes of a request: 20 MB of files as base64, and some
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# A report is one file with its styles inside; sandboxed, it can do nothing but be looked at.
REPORT_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
)
_LOCAL = frozenset(("localhost", "127.0.0.1", "::1"))
_COOKIE = "fabula_token"

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

    async def __call__(self, scope: Scope, receive: Any, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        headers = {
            key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]
        }
        status, problem = self._problem(scope, headers)
        if problem:
            await _say(send, status, problem)
            return

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
                    cookie = f"{_COOKIE}={self.token}; HttpOnly; SameSite=Strict; Path=/"
                    message["headers"].append((b"set-cookie", cookie.encode()))
            await send(message)

        await self.app(scope, receive, with_headers)

    def _problem(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str]:
        if "*" not in self.hosts and _host(headers.get("host", "")) not in self.hosts:
            return 403, "this address is not one the page answers to"
        if scope["method"] not in ("GET", "HEAD"):
            if _cross_origin(headers.get("origin", ""), headers.get("host")):
                return 403, "the request comes from another page"
            if headers.get("x-fabula") != "1":
                return 403, "the request does not come from the page"
            length = headers.get("content-length", "")
            if not length.isdecimal():
                return 411, "say how long the request is"
            if int(length) > LARGEST:
                return 413, f"too much at once: at most {LARGEST >> 20} MB a request"
        if self.token and not self._authorised(scope, headers):
            return 401, "the page needs its token: open the address that fabula serve printed"
        return 200, ""

    def _authorised(self, scope: Scope, headers: dict[str, str]) -> bool:
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(_COOKIE)
        except CookieError:
            cookie = None
        candidates = [
            cookie.value if cookie else "",
            headers.get("authorization", "").removeprefix("Bearer "),
            _query_token(scope),
        ]
        return any(
            hmac.compare_digest(candidate.encode(), self.token.encode())
            for candidate in candidates
            if candidate
        )


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
