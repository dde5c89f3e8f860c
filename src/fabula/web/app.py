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
from fabula.web.guard import REPORT_POLICY, Guard
from fabula.web.jobs import Jobs, Limits
from fabula.web.store import Store, StoreUnavailable
from fabula.web.uploads import MOST_BYTES, MOST_FILES, MOST_TEXT, remove_uploads, save_uploads
from fabula.web.worker import MOST_SENTENCES
from fabula.wellformed import well_formed, well_formed_value

__all__ = ["create_app"]

_TYPES = {"html": "text/html", "js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
_STATIC = ("app.js", "draw.js", "app.css", "icon.svg")
_ID = re.compile(r"[0-9a-f]{16}")
_EXPORTS = {"html": "text/html", "md": "text/markdown", "json": "application/json"}


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

    @asynccontextmanager
    async def life(_: Any) -> AsyncIterator[None]:
        jobs.start()
        try:
            yield
        finally:
            jobs.stop()

    app = FastAPI(lifespan=life, docs_url=None, redoc_url=None, openapi_url=None)
    asset = {
        name: resources.files("fabula.web").joinpath("static", name).read_bytes()
        for name in ("index.html", *_STATIC)
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
        if name not in _STATIC:
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
            "piles": store.all("pile", "id, title, created")[::-1],
            "limits": {"text": MOST_TEXT, "bytes": MOST_BYTES, "files": MOST_FILES,
                       "sentences": MOST_SENTENCES},
            "runs": [str(path) for path in runs],
        }  # fmt: skip

    @app.post("/api/piles")
    def new_pile(data: dict[str, Any] = Body()) -> Any:  # noqa: B008
        data = well_formed_value(data)
        stories = data.get("stories")
        if stories is not None and (type(stories) is not int or not 1 <= stories <= 50):
            raise HTTPException(400, "the number of stories is between 1 and 50, or left empty")
        title = " ".join(str(data.get("title") or "").split())[:80]
        name = secrets.token_hex(8)
        folder = state / "piles" / name
        written = save_uploads(folder, data.get("text"), data.get("files"))
        try:  # the row comes last: a pile without its text is never seen
            names = [path.name.partition("-")[2] for path in written]
            title = title or _default_title(names, data.get("text"))
            store.add("pile", id=name, title=title, stories=stories)
        except BaseException:
            remove_uploads(folder)
            raise
        return {"pile": name, "job": jobs.submit("assemble", pile=name)}

    @app.get("/api/piles/{name}")
    def get_pile(name: str) -> Any:
        pile = row_or_404("pile", name)
        latest = store.all("job", "*", "pile = ? AND kind = 'assemble'", name)
        return {
            **{
                key: pile[key]
                for key in ("id", "title", "created", "stories", "corrections", "result")
            },
            "job": job_view(latest[-1]) if latest else None,
        }

    @app.delete("/api/piles/{name}")
    def drop_pile(name: str) -> Any:
        row_or_404("pile", name)
        for job in store.all("job", "id", "pile = ? AND state IN ('queued', 'running')", name):
            jobs.cancel(job["id"])
        store.delete("pile", name)
        remove_uploads(state / "piles" / name)
        return {}

    @app.post("/api/piles/{name}/text")
    def more_text(name: str, data: dict[str, Any] = Body()) -> Any:  # noqa: B008
        row_or_404("pile", name)
        data = well_formed_value(data)
        written = save_uploads(state / "piles" / name, data.get("text"), data.get("files"))
        try:
            row_or_404("pile", name)  # it may have been deleted meanwhile
        except BaseException:
            for path in written:
                path.unlink(missing_ok=True)
            remove_uploads(state / "piles" / name)
            raise
        return {"job": jobs.submit("assemble", pile=name)}

    @app.post("/api/piles/{name}/corrections")
    def correct(name: str, data: dict[str, Any] = Body()) -> Any:  # noqa: B008
        from fabula.assembly.corrections import check_correction

        row_or_404("pile", name)
        data = well_formed_value(data)
        try:
            check_correction(data.get("correction"))
        except ValueError as error:
            raise HTTPException(400, str(error)) from error
        store.correct(name, data["correction"])
        return {"job": jobs.submit("assemble", pile=name)}

    @app.post("/api/piles/{name}/undo")
    def undo(name: str) -> Any:
        if not row_or_404("pile", name)["corrections"]:
            raise HTTPException(400, "there is no correction to take back")
        store.correct(name, None)
        return {"job": jobs.submit("assemble", pile=name)}

    @app.post("/api/piles/{name}/query")
    def query(name: str, data: dict[str, Any] = Body()) -> Any:  # noqa: B008
        pile = row_or_404("pile", name)
        text = well_formed(str(data.get("text") or "")).strip()[:1000]
        if not text or not pile["result"]:
            raise HTTPException(400, "write what happens in the account you look for")
        return {"job": jobs.submit("query", {"text": text}, pile=name)}

    @app.get("/api/piles/{name}/export/{kind}")
    def export(name: str, kind: str) -> Any:
        from fabula.assembly.corrections import corrections_text, read_corrections

        pile = row_or_404("pile", name)
        if pile["result"] is None or kind not in (*_EXPORTS, "corrections"):
            raise HTTPException(404, "there is nothing to export yet")
        if kind == "corrections":
            stories = pile["base"] or pile["result"]["base"]
            corrections = read_corrections({"stories": stories, "corrections": pile["corrections"]})
            body = corrections_text(corrections)
        elif kind == "json":
            body = json.dumps(pile["result"], ensure_ascii=False, indent=1)
        else:
            body = pile["html" if kind == "html" else "markdown"]
        file = "corrections.json" if kind == "corrections" else f"assembled.{kind}"
        return Response(
            body,
            media_type=f"{_EXPORTS.get(kind, 'application/json')}; charset=utf-8",
            headers={
                "content-disposition": f'attachment; filename="{file}"',
                "content-security-policy": REPORT_POLICY,
            },
        )

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
    """Remove uploads whose pile or audit was never stored: the server was killed in between."""
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


def _default_title(names: Sequence[str], text: Any) -> str:
    if names == ["pasted.txt"]:
        first = " ".join(str(text).split())
        return first[:50].rstrip() + ("..." if len(first) > 50 else "")
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
