"""The page's HTTP API: FastAPI routes for piles, jobs, audits and runs."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib import resources
from pathlib import Path
from typing import Any

from fabula.errors import FabulaError, MissingPart
from fabula.web.cases import add_case_routes
from fabula.web.guard import REPORT_POLICY, Guard
from fabula.web.jobs import Jobs, Limits
from fabula.web.process import start_models
from fabula.web.removal import finish_removal
from fabula.web.search import Search
from fabula.web.store import Store, StoreUnavailable
from fabula.web.uploads import MOST_BYTES, MOST_FILES, MOST_TEXT, remove_uploads, save_uploads
from fabula.web.worker import MOST_SENTENCES
from fabula.wellformed import well_formed_value

__all__ = ["create_app"]

_TYPES = {"html": "text/html", "js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
_ID = re.compile(r"[0-9a-f]{16}")


def create_app(
    state: Path, *, runs: Sequence[Path] = (), hosts: frozenset[str] = frozenset(),
    token: str = "", workers: int = 2, limits: Limits | None = None,
) -> Any:  # fmt: skip
    """The ASGI application, wrapped in ``Guard``; its database and uploads live in ``state``."""
    try:
        from fastapi import Body, FastAPI, HTTPException, Response
        from fastapi.exceptions import RequestValidationError
        from fastapi.responses import JSONResponse
    except ImportError as error:
        raise MissingPart("fastapi, for the page,", 'pip install "fabula[web]"') from error

    store = Store(state)
    jobs = Jobs(store, workers=workers, limits=limits)
    jobs.recover()
    _remove_orphans(store)
    search = Search(store)

    @asynccontextmanager
    async def life(_: Any) -> AsyncIterator[None]:
        start_models()
        jobs.start()
        search.warm_up()
        try:
            yield
        finally:
            jobs.stop()
            search.stop()

    app = FastAPI(lifespan=life, docs_url=None, redoc_url=None, openapi_url=None)
    asset = {
        file.name: file.read_bytes()
        for file in resources.files("fabula.web").joinpath("static").iterdir()
        if file.name.rpartition(".")[2] in _TYPES
    }

    @app.exception_handler(FabulaError)
    def say(_: Any, error: Exception) -> Any:
        return JSONResponse({"error": str(error)}, status_code=400)

    @app.exception_handler(StoreUnavailable)
    @app.exception_handler(OSError)
    def say_later(_: Any, error: Exception) -> Any:
        reason = getattr(error, "strerror", None)
        problem = f"this cannot be stored now ({reason})" if reason else str(error)
        return JSONResponse({"error": problem}, status_code=503)

    @app.exception_handler(RequestValidationError)
    def say_malformed(_: Any, error: Exception) -> Any:
        return JSONResponse({"error": "the request is not a JSON object"}, status_code=400)

    @app.get("/")
    def index() -> Any:
        return Response(asset["index.html"], media_type="text/html; charset=utf-8")

    @app.get("/static/{name}")
    def static(name: str) -> Any:
        if name not in asset or name == "index.html":
            raise HTTPException(404)
        return Response(asset[name], media_type=_TYPES[name.rpartition(".")[2]])

    def row_or_404(table: str, name: str) -> dict[str, Any]:
        row = store.get(table, name)
        if row is None:
            raise HTTPException(404, f"there is no such {table}; it may have been deleted")
        return row

    def job_view(job: dict[str, Any]) -> dict[str, Any]:
        shown = ("id", "pile", "kind", "state", "message", "done", "total", "error", "result")
        now = jobs.view(job)
        return {key: now[key] for key in shown}

    @app.get("/api/state")
    def get_state() -> Any:
        return {
            "piles": store.all("pile", "id, title, created, tags, summary")[::-1],
            "limits": {"text": MOST_TEXT, "bytes": MOST_BYTES, "files": MOST_FILES,
                       "sentences": MOST_SENTENCES},
            "runs": [str(path) for path in runs],
        }  # fmt: skip

    add_case_routes(app, store, jobs, search, job_view)

    @app.get("/api/jobs/{name}")
    def get_job(name: str) -> Any:
        return job_view(row_or_404("job", name))

    @app.post("/api/jobs/{name}/cancel")
    def cancel(name: str) -> Any:
        row_or_404("job", name)
        jobs.cancel(name)
        return {}

    @app.post("/api/audits")
    def audit(data: dict[str, Any] = Body()) -> Any:  # noqa: B008
        data = well_formed_value(data)
        (path,) = save_uploads(state / "audits" / secrets.token_hex(8), None, [data])
        file = {"path": str(path), "name": path.name.partition("-")[2]}
        try:
            job = jobs.submit("audit", {"file": file, "columns": data.get("columns")})
        except BaseException:
            remove_uploads(path.parent)
            raise
        return {"job": job}

    @app.delete("/api/audits/{name}")
    def drop_audit(name: str) -> Any:
        job = row_or_404("job", name)
        if job["kind"] != "audit":
            raise HTTPException(404, "there is no such audit")
        jobs.cancel(name)
        store.delete("job", name)
        remove_uploads(Path(job["payload"]["file"]["path"]).parent)
        return {}

    @app.get("/api/audits/{name}/page")
    def audit_report(name: str) -> Any:
        page = row_or_404("job", name)["page"]
        if page is None:
            raise HTTPException(404, "the audit is not done")
        return _report(page)

    @app.get("/api/runs")
    def leaderboards() -> Any:
        from dataclasses import asdict

        from fabula.bench.compare import leaderboard

        rows = leaderboard(_runs(runs), None)
        leaderboard_json = [
            {**asdict(row), "folder": str(row.folder), "rank": row.rank} for row in rows
        ]
        text = json.dumps({"places": leaderboard_json}, default=str)
        return json.loads(text, parse_constant=lambda _: None)  # JSON in browsers has no NaN

    @app.get("/api/runs/report")
    def report() -> Any:
        from fabula.bench.report import render_report

        return _report(render_report(_runs(runs)))

    def _report(page: str) -> Any:
        headers = {"content-security-policy": REPORT_POLICY}
        return Response(page, media_type="text/html; charset=utf-8", headers=headers)

    return Guard(app, hosts=hosts, token=token)


def _remove_orphans(store: Store) -> None:
    """Remove uploads whose pile or audit was never stored, and those that were being removed: the
    server was killed in between."""
    for row in store.all("pile", "id, removing", "removing IS NOT NULL"):
        finish_removal(store, row["id"], row["removing"])
    piles = {row["id"] for row in store.all("pile", "id")}
    jobs = store.all("job", "payload", "kind = 'audit' AND state IN ('queued', 'running')")
    audits = {Path(row["payload"]["file"]["path"]).parent.name for row in jobs}
    for kind, known in (("piles", piles), ("audits", audits)):
        for folder in (store.folder / kind).glob("*"):
            if _ID.fullmatch(folder.name) and folder.name not in known:
                remove_uploads(folder)


def _runs(folders: Sequence[Path]) -> Any:
    from fabula.bench.runs.store import find_runs
    from fabula.errors import UsageError

    if not folders:
        raise UsageError("no run folder was named; start the page with: fabula serve --runs FOLDER")
    return find_runs(list(folders))
