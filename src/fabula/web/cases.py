"""HTTP routes of cases: named piles of documents with corrections, notes, search and files out.

A case is a row of the table ``pile``, a folder of uploads, and the documents read from them.
"""

from __future__ import annotations

import base64
import json
import secrets
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from fabula.errors import InputError
from fabula.web.archive import MOST_FILES, checked_fields, pack_case, unpack_case
from fabula.web.guard import REPORT_POLICY
from fabula.web.jobs import Jobs
from fabula.web.removal import finish_removal, without_documents
from fabula.web.search import Search
from fabula.web.store import Store
from fabula.web.uploads import remove_uploads, save_files, save_uploads, upload_name, uploads_of
from fabula.wellformed import well_formed, well_formed_value

if TYPE_CHECKING:
    from fastapi import FastAPI

__all__ = ["add_case_routes"]

_SHOWN = ("id", "title", "created", "stories", "corrections", "undone", "notes", "tags", "anchor",
          "revision", "solved", "summary", "date_orders", "chats")  # fmt: skip
_EDITED = ("title", "notes", "tags", "anchor", "stories", "date_orders")
_SOLVED_FOR = frozenset(("anchor", "stories", "date_orders"))  # what the answer depends on
_STORED = {"html": "text/html", "md": "text/markdown", "json": "application/json"}
_DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_COMPUTED = {  # by a worker: the ending of ``fabula assemble -o``
    "docx": (".docx", _DOCX),
    "csv": (".timeline.csv", "text/csv"),
    "ics": (".ics", "text/calendar"),
    "graphml": (".graphml", "application/xml"),
}
_EXPORT_SECONDS = 120.0
_NEIGHBOURS = 60  # chat messages shown before and after one
# Corrections that name no story number, and so hold in a case that another was joined to.
_BY_SENTENCE = ("accept", "dismiss", "reopen", "note", "date", "join-actors", "rename-actor")


def add_case_routes(
    app: FastAPI, store: Store, jobs: Jobs, search: Search, job_view: Callable[[Any], Any]
) -> None:
    """Add the routes below ``/api/piles`` to the application."""
    from fastapi import Body, HTTPException, Response

    def known(name: str, columns: str = "*") -> dict[str, Any]:
        rows = store.all("pile", columns, "id = ?", name)
        if not rows:
            raise HTTPException(404, "there is no such pile; it may have been deleted")
        return rows[0]

    def folder_of(name: str) -> Path:
        return store.folder / "piles" / name

    def solve(name: str, revision: int) -> dict[str, Any]:
        return {"job": jobs.submit("assemble", pile=name), "revision": revision}

    def new_case(parts: Sequence[tuple[str, bytes]], **fields: Any) -> dict[str, Any]:
        name = secrets.token_hex(8)
        folder = folder_of(name)
        save_files(folder, parts)
        try:  # the row comes last: a pile without its text is never seen
            store.add("pile", id=name, **fields)
        except BaseException:
            remove_uploads(folder)
            raise
        job = None if fields.get("result") else jobs.submit("assemble", pile=name)
        return {"pile": name, "job": job}

    @app.post("/api/piles")
    def new_pile(data: dict[str, Any] = Body()) -> Any:  # noqa: B008
        data = well_formed_value(data)
        fields = _fields(data, ("title", "notes", "tags", "anchor", "stories"))
        name = secrets.token_hex(8)
        folder = folder_of(name)
        written = save_uploads(folder, data.get("text"), data.get("files"))
        try:  # the row comes last: a pile without its text is never seen
            names = [path.name.partition("-")[2] for path in written]
            if not str(data.get("title") or "").strip():
                fields["title"] = _default_title(names, data.get("text"))
            store.add("pile", id=name, **fields)
        except BaseException:
            remove_uploads(folder)
            raise
        return {"pile": name, "job": jobs.submit("assemble", pile=name)}

    @app.get("/api/piles/{name}")
    def get_pile(name: str) -> Any:
        pile = known(name, ", ".join(_SHOWN))
        latest = store.all("job", "*", "pile = ? AND kind = 'assemble'", name)
        job = job_view(latest[-1]) if latest else None
        return {**pile, "job": job, "refused": refused(name, (job or {}).get("error") or "")}

    def refused(name: str, error: str) -> list[str]:
        """The files that an error is about, which begins with their name; not the only file."""
        uploads = uploads_of(folder_of(name)) if error and folder_of(name).is_dir() else []
        said = [Path(u["path"]).name for u in uploads if error.startswith(f"{u['name']}:")]
        return said if len(uploads) > 1 else []

    @app.get("/api/piles/{name}/result")
    def get_result(name: str) -> Any:
        known(name, "id")
        text = store.text_of(name, "result")
        return Response(text or "null", media_type="application/json")

    @app.patch("/api/piles/{name}")
    def edit_pile(name: str, data: dict[str, Any] = Body()) -> Any:  # noqa: B008
        known(name, "id")
        fields = _fields(data, _EDITED)
        if not fields:
            raise HTTPException(400, f"name what is to be changed: {', '.join(_EDITED)}")
        if "date_orders" in fields:
            names = {Path(upload["path"]).name for upload in uploads_of(folder_of(name))}
            if unknown := fields["date_orders"].keys() - names:
                raise HTTPException(400, f"there is no file {min(unknown)!r:.80} in this case")
        if not fields.keys() & _SOLVED_FOR:
            store.set("pile", name, **fields)
            return {"job": None}
        return solve(name, store.edit(name, **fields))

    @app.post("/api/piles/{name}/solve")
    def solve_again(name: str) -> Any:
        """Solve a case whose last solving was cancelled or failed."""
        return solve(name, known(name, "revision")["revision"])

    @app.delete("/api/piles/{name}")
    def drop_pile(name: str) -> Any:
        known(name, "id")
        cancel_jobs(name)
        store.delete("pile", name)
        remove_uploads(folder_of(name))
        return {}

    def cancel_jobs(name: str) -> None:
        for job in store.all("job", "id", "pile = ? AND state IN ('queued', 'running')", name):
            jobs.cancel(job["id"])

    @app.delete("/api/piles/{name}/uploads/{upload}")
    def drop_upload(name: str, upload: str) -> Any:
        """Remove a file: its text is gone from the store at once, and the rest is solved again."""
        pile = known(name)
        uploads = uploads_of(folder_of(name))
        gone = [one for one in uploads if Path(one["path"]).name == upload]
        if not gone:
            raise HTTPException(404, "there is no such file in this case")
        if len(uploads) == 1:
            raise HTTPException(400, "a case has at least one document: delete the case instead")
        kept = [one for one in uploads if one not in gone]
        documents = store.documents(name, "id", "upload = ?", upload)
        fields = without_documents(pile, {row["id"] for row in documents})
        orders = {k: v for k, v in (pile["date_orders"] or {}).items() if k != upload}
        titles = {_title_of(uploads[:n]) for n in range(1, len(uploads) + 1)}
        if pile["title"].replace(" (copy)", "") in titles:  # it may be the beginning of the text
            fields["title"] = _title_of(kept)
        cancel_jobs(name)
        revision = store.clear(name, upload, **fields, date_orders=orders, removing=upload)
        finish_removal(store, name, upload)
        return solve(name, revision)

    @app.post("/api/piles/{name}/text")
    def more_text(name: str, data: dict[str, Any] = Body()) -> Any:  # noqa: B008
        known(name, "id")
        data = well_formed_value(data)
        folder = folder_of(name)
        _check_room(folder, len(data.get("files") or []) + 1)
        written = save_uploads(folder, data.get("text"), data.get("files"))
        return added(name, written)

    def added(name: str, written: Sequence[Path]) -> dict[str, Any]:
        try:
            known(name, "id")  # it may have been deleted meanwhile
        except BaseException:
            for path in written:
                path.unlink(missing_ok=True)
            remove_uploads(folder_of(name))
            raise
        return solve(name, store.edit(name))

    @app.post("/api/piles/{name}/join")
    def join(name: str, data: dict[str, Any] = Body()) -> Any:  # noqa: B008
        """Add the documents of another case, and what was said of them; the other one stays."""
        known(name, "id")
        other = known(str(data.get("pile")), "id, corrections, date_orders")
        if other["id"] == name:
            raise HTTPException(400, "a case cannot be joined to itself")
        folder = folder_of(name)
        uploads = uploads_of(folder_of(other["id"]))
        _check_room(folder, len(uploads))
        written = save_files(folder, _contents(uploads))
        given = other["date_orders"] or {}
        orders = {
            new.name: given[old]
            for old, new in zip((Path(one["path"]).name for one in uploads), written, strict=True)
            if old in given
        }
        if orders:
            store.set("pile", name, date_orders={**known(name)["date_orders"], **orders})
        answer = added(name, written)
        for entry in other["corrections"]:
            if entry["do"] in _BY_SENTENCE:
                answer["revision"] = store.correct(name, entry)
        return answer

    @app.post("/api/piles/{name}/duplicate")
    def duplicate(name: str) -> Any:
        pile = known(name)
        uploads = uploads_of(folder_of(name))
        pile["title"] = f"{pile['title'][:70]} (copy)"
        for key in ("id", "created", "cleared", "removing"):
            del pile[key]
        # Numbers of files that were removed are not used again in the copy.
        new = {Path(u["path"]).name: upload_name(n, u["name"]) for n, u in enumerate(uploads, 1)}
        for key in ("date_orders", "chats"):
            pile[key] = {new[old]: value for old, value in (pile[key] or {}).items() if old in new}
        copy = new_case(_contents(uploads), **pile)
        rows = store.documents(name, "id, source, title, date, text, upload, kind")
        rows = [{**row, "upload": new.get(row["upload"])} for row in rows]
        store.finish(copy["pile"], rows, solved=pile["solved"])
        return copy

    @app.post("/api/import")
    def read_case(data: bytes = Body(media_type="application/zip")) -> Any:
        fields, files = unpack_case(data)
        return new_case(files, **fields)

    @app.post("/api/piles/{name}/corrections")
    def correct(name: str, data: dict[str, Any] = Body()) -> Any:  # noqa: B008
        from fabula.assembly.corrections import check_correction

        known(name, "id")
        data = well_formed_value(data)
        try:
            check_correction(data.get("correction"))
        except ValueError as error:
            raise HTTPException(400, str(error)) from error
        return solve(name, store.correct(name, data["correction"]))

    @app.post("/api/piles/{name}/undo")
    def undo(name: str) -> Any:
        if not known(name, "corrections")["corrections"]:
            raise HTTPException(400, "there is no correction to take back")
        return solve(name, store.undo(name))

    @app.post("/api/piles/{name}/redo")
    def redo(name: str) -> Any:
        if not known(name, "undone")["undone"]:
            raise HTTPException(400, "there is no correction to apply again")
        return solve(name, store.redo(name))

    @app.post("/api/piles/{name}/search")
    def find(name: str, data: dict[str, Any] = Body()) -> Any:  # noqa: B008
        known(name, "id")
        text = well_formed(str(data.get("text") or "")).strip()[:1000]
        if not text:
            raise HTTPException(400, "write what you look for")
        return {"hits": search.hits(name, text)}

    @app.get("/api/piles/{name}/documents")
    def list_documents(name: str) -> Any:
        known(name, "id")
        columns = "number, id, source, title, date, upload, kind"
        columns += ", json_extract(text, '$.sender') AS sender"
        return {"documents": store.documents(name, columns)}

    @app.get("/api/piles/{name}/document")
    def get_document(name: str, id: str = "", number: int = -1) -> Any:
        """A document with its text; a chat message comes with those around it."""
        known(name, "id")
        columns = "number, id, source, title, date, text"
        rows = store.documents(name, columns, "(id = ? OR number = ?)", id, number)
        if not rows:
            raise HTTPException(404, "there is no such document")
        row = rows[0]
        if row["text"]["time"]:
            low, high = row["number"] - _NEIGHBOURS, row["number"] + _NEIGHBOURS
            near = "source = ? AND number BETWEEN ? AND ?"
            rows = store.documents(name, columns, near, row["source"], low, high)
            rows = [other for other in rows if other["text"]["time"]]
        return {"number": row["number"], "documents": rows}

    @app.get("/api/piles/{name}/export/{kind}")
    def export(name: str, kind: str) -> Any:
        pile = known(name)
        if pile["result"] is None or kind not in (*_STORED, *_COMPUTED, "corrections", "case"):
            raise HTTPException(404, "there is nothing to export yet")
        if kind in _COMPUTED:
            ending, media = _COMPUTED[kind]
            body: str | bytes = _computed(jobs, name, ending)
        elif kind == "case":
            body = pack_case(pile, uploads_of(folder_of(name)))
            media, ending = "application/zip", ".fabula.zip"
        else:
            body, media, ending = _stored(pile, kind)
        file = quote(_file_name(pile["title"]) + ending)
        return Response(
            body,
            media_type=f"{media}; charset=utf-8" if isinstance(body, str) else media,
            headers={
                "content-disposition": f"attachment; filename*=UTF-8''{file}",
                "content-security-policy": REPORT_POLICY,
            },
        )

    def _fields(data: Any, allowed: Sequence[str]) -> dict[str, Any]:
        try:
            return checked_fields({key: data[key] for key in allowed if key in data})
        except ValueError as error:
            raise HTTPException(400, str(error)) from error


def _stored(pile: dict[str, Any], kind: str) -> tuple[str, str, str]:
    """The text, media type and file ending of what is stored with a pile's answer."""
    from fabula.assembly.corrections import corrections_text, read_corrections

    if kind == "corrections":
        stories = pile["base"] or pile["result"]["base"]
        corrections = read_corrections({"stories": stories, "corrections": pile["corrections"]})
        return corrections_text(corrections), "application/json", ".corrections.json"
    if kind == "json":
        return json.dumps(pile["result"], ensure_ascii=False, indent=1), _STORED[kind], ".json"
    return pile["html" if kind == "html" else "markdown"], _STORED[kind], f".{kind}"


def _computed(jobs: Jobs, name: str, ending: str) -> bytes:
    """A file that a worker makes of the case, waited for."""
    job = jobs.submit("export", {"format": ending}, pile=name)
    try:
        row = jobs.wait(job, _EXPORT_SECONDS)
    except TimeoutError:
        jobs.cancel(job)
        raise InputError("the workers are busy; try again when they are done") from None
    jobs.store.delete("job", job)
    if row["state"] != "done" or row["page"] is None:
        raise InputError(row.get("error") or "the export was cancelled")
    return base64.b64decode(row["page"])


def _contents(uploads: Sequence[dict[str, str]]) -> list[tuple[str, bytes]]:
    return [(upload["name"], Path(upload["path"]).read_bytes()) for upload in uploads]


def _check_room(folder: Path, more: int) -> None:
    """Refuse more files than a case holds; and, with a clear reason, a disk that is nearly full."""
    if sum(1 for _ in folder.glob("*")) + more > MOST_FILES:
        raise InputError(f"a case holds {MOST_FILES:,} files; this would be more")
    if shutil.disk_usage(folder.parent).free < 64 << 20:
        raise InputError("the disk is nearly full")


def _title_of(uploads: Sequence[dict[str, str]]) -> str:
    """The title that a case of these files has unless the user names it."""
    names = [upload["name"] for upload in uploads]
    pasted = names == ["pasted.txt"]
    text = Path(uploads[0]["path"]).read_text("utf-8", "replace") if pasted else None
    return _default_title(names, text)


def _default_title(names: Sequence[str], text: Any) -> str:
    if list(names) == ["pasted.txt"]:
        first = " ".join(str(text).split())
        return first[:50].rstrip() + ("..." if len(first) > 50 else "")
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _file_name(title: str) -> str:
    """A title as a file's name: its letters and digits.

    >>> _file_name('The "Orla" / 12 März')
    'The-Orla-12-März'
    """
    words = "".join(c if c.isalnum() or c in " -" else " " for c in title)
    return "-".join(words.split())[:60] or "case"
