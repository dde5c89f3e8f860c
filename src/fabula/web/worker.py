"""Worker process of the page: runs assemble, export, embed and audit jobs.

Requests and answers are JSON over a pipe. A cancelled job ends with its process. Workers are forked
from a process that imports this module with ``PRELOAD`` in its environment and so holds the models,
whose memory all workers share; elsewhere nothing happens on import.
"""

from __future__ import annotations

import base64
import gc
import json
import logging
import os
import re
import signal
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fabula.errors import FabulaError, InputError
from fabula.types import Aside, Document

if TYPE_CHECKING:
    from fabula.assembly import Assembly

__all__ = ["MOST_SENTENCES", "PRELOAD", "load_models", "run", "serve"]

PRELOAD = "FABULA_PAGE_PRELOAD"
_log = logging.getLogger("fabula.web")
# Two stories, times, amounts that disagree and a pronoun: every model of ``assemble`` is used.
_TEXT = """The ferry left the harbour at nine on Monday with thirty passengers.
Anna Holm, the baker, locked the bakery before noon.
There were fifty passengers on the ferry when it left the harbour.
She swept the floor of the bakery and counted the loaves.
The captain of the ferry sounded the horn in the fog.
The bakery sold every loaf of bread on Tuesday.
Ten minutes later the ferry ran onto the rocks.
Her brother Mark came to the bakery in the evening.
Nobody on the ferry was hurt, the captain said.
He said that the bakery would open again on Friday.
The lifeboat took the passengers of the ferry to the harbour.
Mark bought the last bread of the bakery."""

MOST_SENTENCES = 5_000
MOST_CHARACTERS = 5_000_000  # of the documents of a pile, counted while they are read

_OPTION = re.compile(r"say so: --date-order \w+")  # what a note says on the command line

Tell = Callable[[str, int, int | None], None]


def serve(pipe: Connection) -> None:
    """Run jobs received through the pipe, one at a time, until it closes."""
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
        del job, answer
        _give_back()


def _end_with_server() -> None:
    """End this process at once when its server is gone, also in the middle of a job."""
    import multiprocessing
    import multiprocessing.connection

    server = multiprocessing.parent_process()
    if server is not None:
        multiprocessing.connection.wait([server.sentinel])
        os._exit(1)


def run(kind: str, payload: dict[str, Any], tell: Tell) -> dict[str, Any]:
    """Run one job and return its JSON result."""
    jobs = {"assemble": _assemble, "export": _export, "embed": _embed, "audit": _audit}
    return jobs[kind](payload, tell)


def _assemble(payload: dict[str, Any], tell: Tell) -> dict[str, Any]:
    from fabula.assembly.render.formats import to_html, to_json, to_markdown

    documents = _documents(payload["files"])
    assembly = _solve(documents, payload, tell)
    texts = [p.sentence.text for story in assembly.stories for p in story.sentences]
    return {
        "result": to_json(assembly),
        "html": to_html(assembly, title=payload.get("title") or "What happened"),
        "markdown": to_markdown(assembly),
        "documents": [_document_row(document) for document in documents],
        "vectors": _vectors(texts),
        "chats": {
            document.extra["upload"]: document.extra["date_order"]
            for document in documents
            if document.extra.get("date_order")
        },
        "summary": {
            "sentences": len(texts),
            "stories": len(assembly.stories),
            "documents": _count(documents),
            "disagreements": len(assembly.contradictions),
        },
    }


def _count(documents: list[Document]) -> int:
    """The number of documents, a chat counted as one."""
    chats = {document.extra["upload"] for document in documents if document.extra.get("chat")}
    return len(chats) + sum(not document.extra.get("chat") for document in documents)


def _solve(documents: list[Document], payload: dict[str, Any], tell: Tell) -> Assembly:
    from fabula.assembly import assemble
    from fabula.assembly.account.notes import aside_notes
    from fabula.assembly.pile import pieces_of

    tell("reading the text", 0, None)
    notes: list[str] = []
    aside: list[tuple[str, Aside]] = []
    pieces = pieces_of(documents, aside, notes)
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
        date=payload.get("date"),
    )
    notes = [_OPTION.sub("choose it under Documents", note) for note in notes]
    notes += [*assembly.notes, *aside_notes(part for _, part in aside)]
    return replace(assembly, notes=tuple(notes), aside=tuple(aside))


def _documents(files: list[dict[str, Any]]) -> list[Document]:
    """The documents of uploaded files, under the user's file names, each with an id of its own.

    ``extra["upload"]`` is the name of the file in the folder of the pile.
    """
    from fabula.assembly.pile import read_pile

    documents: list[Document] = []
    seen: Counter[str] = Counter()
    characters = 0
    for file in files:
        path = Path(file["path"])
        renamed: dict[str, str] = {}
        try:
            for document in read_pile(path, date_order=file.get("date_order")):
                characters += sum(map(len, document.paragraphs))
                if characters > MOST_CHARACTERS:
                    raise InputError(
                        f"the pile has more than {MOST_CHARACTERS:,} characters, which is what "
                        "the page takes; use the command line: fabula assemble"
                    )
                # Readers name a document after its file, here by the name it is stored under.
                own = document.id.replace(str(path), file["name"])
                own = own.replace(path.stem, Path(file["name"]).stem)
                seen[own] += 1
                own += f" ({seen[own]})" if seen[own] > 1 else ""
                renamed[document.id] = own
                extra = {**document.extra, "upload": path.name}
                if answered := extra.get("reply_to"):  # a message by the id of its document
                    extra["reply_to"] = renamed.get(answered, answered)
                documents.append(replace(document, id=own, source=file["name"], extra=extra))
        except InputError as error:
            raise InputError(error.problem, path=file["name"], line=error.line) from error
    return documents


def _document_row(document: Document) -> dict[str, Any]:
    """A document as the page shows it: its paragraphs, its asides, and who sent it when."""
    chat = document.extra if document.extra.get("chat") else {}
    return {
        "id": document.id,
        "source": document.source,
        "title": document.title,
        "date": document.date,
        "upload": document.extra["upload"],
        "kind": "message" if chat else None,
        "text": {
            "paragraphs": list(document.paragraphs),
            "lines": list(document.lines),
            "aside": [{"kind": a.kind, "text": a.text, "line": a.line} for a in document.aside],
            "sender": chat.get("sender") or document.extra.get("from"),
            "time": chat.get("time"),
        },
    }


def _vectors(texts: list[str]) -> str:
    """Sentence vectors as float16 in base64; assembling has just computed them (disk cache)."""
    import numpy as np

    from fabula.text.encoders.sentence import find_encoder

    vectors = np.asarray(find_encoder("minilm").encode(texts), dtype=np.float16)
    return base64.b64encode(vectors.tobytes()).decode()


def _embed(payload: dict[str, Any], tell: Tell) -> dict[str, Any]:
    return {"vectors": _vectors([payload["text"]])}


def _export(payload: dict[str, Any], tell: Tell) -> dict[str, Any]:
    """A file of the answer in one of the formats of ``fabula assemble -o``, in base64."""
    import tempfile

    from fabula.assembly.render.docx_file import write_docx
    from fabula.assembly.render.graph_files import GRAPH_FORMATS
    from fabula.assembly.render.timeline_files import TIMELINE_FORMATS

    assembly = _solve(_documents(payload["files"]), payload, tell)
    ending = payload["format"]
    if ending == ".docx":
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "assembled.docx"
            write_docx(assembly, path, payload.get("title") or "What happened")
            body = path.read_bytes()
    else:
        body = {**TIMELINE_FORMATS, **GRAPH_FORMATS}[ending](assembly).encode()
    return {"result": None, "page": base64.b64encode(body).decode()}


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


def load_models() -> None:
    """Load what ``assemble`` uses, by using it; what is missing is said by the job that needs it.

    The collector then leaves these objects alone: its marks would copy the pages of every worker.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server to handle
    try:
        from fabula.assembly import assemble

        assemble([_TEXT])
    except Exception as error:
        _log.warning("the models are not loaded ahead: %s", error)
    _give_back()
    gc.freeze()


def _give_back() -> None:
    """Give what is not used to the system; glibc keeps freed memory unless it is asked."""
    import ctypes

    gc.collect()
    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)


if os.environ.pop(PRELOAD, None):
    load_models()
