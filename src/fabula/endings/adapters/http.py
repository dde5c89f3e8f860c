"""JSON over HTTP to a service the user named, with retries and exponential backoff.

The only file of fabula that opens a connection. The key comes from the environment, goes into one
header, and is struck out of whatever the service answers before it is shown.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from fabula.errors import InputError, UsageError

__all__ = ["Endpoint"]

_log = logging.getLogger("fabula.endings")
_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
_MOST = 64 << 20  # bytes of an answer


class Endpoint:
    """A base URL such as ``http://localhost:8000/v1``.

    The key is ``$FABULA_API_KEY``, and ``$OPENAI_API_KEY`` for api.openai.com alone: a key must not
    go to a host it is not for. A request that fails in passing is sent again, up to ``retries``
    times, after ``wait`` seconds, then twice as long, or after what the service asks for; at most
    ``longest`` seconds.
    """

    def __init__(
        self,
        url: str,
        *,
        timeout: float = 60.0,
        retries: int = 5,
        wait: float = 1.0,
        longest: float = 60.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url = url.rstrip("/")
        self.timeout = timeout
        self.retries = retries
        self.wait = wait
        self.longest = longest
        self.sleep = sleep
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(f"a URL begins with http:// or https:// and a host; it is {url!r}")
        if parts.username or parts.password or parts.query:
            raise UsageError("a URL holds no key; put it into $FABULA_API_KEY")
        self.host = parts.hostname
        self.secure = parts.scheme == "https" or self.host in ("localhost", "127.0.0.1", "::1")

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """The JSON object the service answers with."""
        data = json.dumps(body).encode()
        if self._key() and not self.secure:
            raise UsageError(
                f"{self.url}: a key is not sent over http to another machine; use https"
            )
        pause, problem = self.wait, ""
        for attempt in range(self.retries + 1):
            if attempt:
                pause = min(pause, self.longest)
                _log.info("%s %s; the next request goes out in %g s", self.url, problem, pause)
                self.sleep(pause)
            try:
                return self._once(path, data)
            except HTTPError as error:
                said = self._said(error)
                problem = f"answered {error.code}{said}"
                if error.code not in _RETRIED:
                    raise self._failure(problem) from None  # the request has the key in it
                asked = _retry_after(error.headers.get("Retry-After"))
                pause = self.wait * 2**attempt if asked is None else asked
            except TimeoutError:
                problem, pause = f"did not answer in {self.timeout:g} s", self.wait * 2**attempt
            except (URLError, HTTPException, OSError) as error:
                reason = getattr(error, "reason", None) or error
                if isinstance(reason, TimeoutError):
                    problem = f"did not answer in {self.timeout:g} s"
                else:
                    problem = f"cannot be reached ({self._clean(str(reason))})"
                pause = self.wait * 2**attempt
            except ValueError as error:
                problem, pause = str(error), self.wait * 2**attempt
        raise self._failure(f"{problem}; given up after {self.retries + 1} requests")

    def malformed(self, what: str) -> InputError:
        return self._failure(f"gave an answer without {what}; is it OpenAI-compatible?")

    def _once(self, path: str, data: bytes) -> dict[str, Any]:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        key = self._key()
        if key:
            headers["Authorization"] = f"Bearer {key}"
        request = Request(f"{self.url}/{path}", data=data, headers=headers, method="POST")
        with build_opener(_NoRedirect).open(request, timeout=self.timeout) as answer:
            text = answer.read(_MOST)
        try:
            found = json.loads(text)
        except ValueError as error:
            raise ValueError("gave an answer that is not JSON") from error
        if not isinstance(found, dict):
            raise ValueError("gave an answer that is no JSON object")
        return found

    def _key(self) -> str | None:
        key = os.environ.get("FABULA_API_KEY")
        if not key and self.host == "api.openai.com":
            key = os.environ.get("OPENAI_API_KEY")
        return key or None

    def _said(self, error: HTTPError) -> str:
        """The service's own words on what is wrong, short and without the key."""
        try:
            found = json.loads(error.read(_MOST))
            said = found["error"]["message"] if isinstance(found["error"], dict) else found["error"]
        except (OSError, ValueError, KeyError, TypeError, HTTPException):
            return ""
        return f": {self._clean(str(said))[:200]}"

    def _clean(self, text: str) -> str:
        key = self._key()
        return text.replace(key, "***") if key else text

    def _failure(self, problem: str) -> InputError:
        return InputError(problem, path=self.url)


class _NoRedirect(HTTPRedirectHandler):
    """A redirect would carry the key to another host."""

    def redirect_request(self, *arguments: Any, **named: Any) -> None:
        return None


def _retry_after(value: str | None) -> float | None:
    """Seconds, from a number or a date."""
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
