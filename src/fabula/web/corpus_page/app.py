"""The page of an assembled corpus: its index, and an account of a story when it is opened."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

from fabula.errors import FabulaError, MissingPart
from fabula.web.guard import REPORT_POLICY, Guard

__all__ = ["create_corpus_app"]

_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_KEPT = 64  # accounts in memory


def create_corpus_app(folder: Path, *, hosts: frozenset[str] = frozenset(), token: str = "") -> Any:
    """The ASGI application, wrapped in ``Guard``; it only reads the folder."""
    try:
        from fastapi import FastAPI, HTTPException, Response
        from fastapi.responses import JSONResponse
    except ImportError as error:
        raise MissingPart("fastapi, for the page,", 'pip install "fabula[web]"') from error
    from fabula.assembly.corpus.account import story_account
    from fabula.assembly.corpus.page import index_page
    from fabula.assembly.corpus.store import read_marker, read_report, read_stories
    from fabula.assembly.render.formats import to_html

    read_marker(folder)
    page = index_page(
        read_stories(folder), read_report(folder), folder=folder.name, account="story/"
    )
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    making = Lock()  # one account at a time: each takes a core and hundreds of megabytes

    @lru_cache(maxsize=_KEPT)
    def account(story: int) -> str:
        return to_html(story_account(folder, story))

    @app.exception_handler(FabulaError)
    def say(_: Any, error: Exception) -> Any:
        return JSONResponse({"error": str(error)}, status_code=404)

    @app.get("/")
    def index() -> Any:
        headers = {"content-security-policy": _policy(page)}
        return Response(page, media_type="text/html; charset=utf-8", headers=headers)

    @app.get("/story/{number}")
    def story(number: str) -> Any:
        if not number.isdecimal() or len(number) > 12:
            raise HTTPException(404, "there is no such story")
        with making:
            html = account(int(number))
        headers = {"content-security-policy": REPORT_POLICY}
        return Response(html, media_type="text/html; charset=utf-8", headers=headers)

    return Guard(app, hosts=hosts, token=token)


def _policy(page: str) -> str:
    """Only the page's own script, by its hash, and its own styles."""
    digests = [
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in _SCRIPT.findall(page)
    ]
    scripts = " ".join(f"'sha256-{digest}'" for digest in digests[-1:])
    return (
        f"default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
