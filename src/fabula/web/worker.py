"""Worker process of the page: runs assemble, query and audit jobs.

Requests and answers are JSON over a pipe. A cancelled job ends with its process.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from fabula.errors import FabulaError, InputError
from fabula.types import Document, Narrative, Placed, Sentence

__all__ = ["MOST_SENTENCES", "run", "serve"]

MOST_SENTENCES = 5_000
MOST_CHARACTERS = 5_000_000  # of the documents of a pile, counted while they are read

Tell = Callable[[str, int, int | None], None]


def serve(pipe: Connection) -> None:
    """Run jobs received through the pipe, one at a time, until it closes."""
    import signal
    import threading

    from fabula.core.progress import reported

    threading.Thread(target=_end_with_server, daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server to handle
    while True:
        try:
            job = json.loads(pipe.recv_bytes())
        except (EOFError, OSError):
            return

        def tell(what: str, done: int, total: int | None) -> None:
            pipe.send_bytes(json.dumps({"message": what, "done": done, "total": total}).encode())

        try:
            with reported(tell):
                answer: dict[str, Any] = {"result": run(job["kind"], job["payload"], tell)}
        except FabulaError as error:
            answer = {"error": str(error)}
        except MemoryError:
            answer = {"error": "there is not enough memory for this"}
        except Exception as error:
            answer = {"error": f"something went wrong here: {type(error).__name__}: {error}"}
        try:
            pipe.send_bytes(json.dumps(answer).encode())
        except OSError:
            return


def _end_with_server() -> None:
    """End this process at once when its server is gone, also in the middle of a job."""
    import multiprocessing
    import multiprocessing.connection
    import os

    server = multiprocessing.parent_process()
    if server is not None:
        multiprocessing.connection.wait([server.sentinel])
        os._exit(1)


def run(kind: str, payload: dict[str, Any], tell: Tell) -> dict[str, Any]:
    """Run one job and return its JSON result."""
    return {"assemble": _assemble, "query": _query, "audit": _audit}[kind](payload, tell)


def _assemble(payload: dict[str, Any], tell: Tell) -> dict[str, Any]:
    from fabula.assembly import assemble
    from fabula.assembly.pile import pieces_of
    from fabula.assembly.render.formats import to_html, to_json, to_markdown

    tell("reading the text", 0, None)
    pieces = pieces_of(_documents(payload["files"]))
    if len(pieces) > MOST_SENTENCES:
        raise InputError(
            f"the pile has {len(pieces):,} sentences and the page takes {MOST_SENTENCES:,}; "
            "use the command line: fabula assemble"
        )
    tell("untangling the stories", 0, None)
    assembly = assemble(
        pieces,
        stories=payload.get("stories"),
        corrections=payload.get("corrections"),
        previous=payload.get("previous"),
    )
    return {
        "result": to_json(assembly),
        "html": to_html(assembly, title=payload.get("title") or "What happened"),
        "markdown": to_markdown(assembly),
    }


def _documents(files: list[dict[str, str]]) -> Iterator[Document]:
    """The documents of uploaded files, with the user's file names as sources."""
    from fabula.assembly.pile import read_pile

    characters = 0
    for file in files:
        try:
            for document in read_pile(Path(file["path"])):
                characters += sum(map(len, document.paragraphs))
                if characters > MOST_CHARACTERS:
                    raise InputError(
                        f"the pile has more than {MOST_CHARACTERS:,} characters, which is what "
                        "the page takes; use the command line: fabula assemble"
                    )
                yield replace(document, source=file["name"])
        except InputError as error:
            raise InputError(error.problem, path=file["name"], line=error.line) from error


def _query(payload: dict[str, Any], tell: Tell) -> dict[str, Any]:
    from fabula.assembly.query import find_account

    stories = [
        Narrative(
            story["id"],
            story["title"],
            tuple(
                Placed(Sentence(sentence["text"]), sentence["position"], sentence["probability"])
                for sentence in story["sentences"]
            ),
        )
        for story in payload["stories"]
    ]
    account = find_account(stories, payload["text"])
    return {"result": {"story": account.story, "positions": list(account.positions),
                       "clear": account.clear}}  # fmt: skip


def _audit(payload: dict[str, Any], tell: Tell) -> dict[str, Any]:
    from fabula.audit import audit, audit_page
    from fabula.endings.formats.columns import Columns

    tell("auditing", 0, None)
    given = payload.get("columns") or {}
    columns = Columns.parse(
        given.get("context"), given.get("options"), given.get("gold"), None, None
    )
    result = audit(payload["file"]["path"], columns=columns)
    return {"result": result.to_row(), "page": audit_page(result)}
