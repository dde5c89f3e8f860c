"""Cases without a browser: one file out and in again, joined, copied, searched; crafted files."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fabula.assembly.pile import sentence_id
from fabula.errors import InputError
from fabula.web import search as search_module
from fabula.web.archive import checked_fields, pack_case, unpack_case
from fabula.web.jobs import Jobs
from fabula.web.search import Search
from fabula.web.store import Store
from fabula.web.uploads import save_files

pytest.importorskip("fastapi", reason="the web extra is not installed")

MINE = {"x-fabula": "1"}
ZIP = {**MINE, "content-type": "application/zip"}


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Any]:
    """A client whose jobs wait forever: nothing is started."""
    from starlette.testclient import TestClient

    from fabula.web.app import create_app

    yield TestClient(create_app(tmp_path, workers=1), base_url="http://127.0.0.1:8765")


def zipped(**files: Any) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name.replace("__", "/"), data)
    return buffer.getvalue()


CASE = json.dumps({"fabula": "case", "title": "A", "corrections": []})


def row(**fields: Any) -> dict[str, Any]:
    empty = dict.fromkeys(
        ("title", "notes", "anchor", "stories", "base", "result", "date_orders", "numbers")
    )
    return {**empty, "tags": [], "corrections": [], "undone": [], **fields}


def test_a_case_out_and_in_again(ask: Any, tmp_path: Path) -> None:
    made = ask.post("/api/piles", json={"text": "One. Two.", "title": " My  case "}, headers=MINE)
    name = made.json()["pile"]
    path = f"/api/piles/{name}"
    change = {"notes": "ask Ann", "tags": ["fire", " fire ", "x" * 99], "anchor": "2024-03-05"}
    assert ask.patch(path, json=change, headers=MINE).status_code == 200
    sentence = {"id": "8b38b558e4", "text": "One.", "position": 1}
    result = {"stories": [{"id": 4, "sentences": [sentence]}], "base": {"4": ["8b38b558e4"]}}
    Store(tmp_path).finish(name, [], result=result, solved=1, html="", markdown="")
    note = {"do": "note", "sentences": ["8b38b558e4"], "note": "who?"}
    ask.post(f"{path}/corrections", json={"correction": note}, headers=MINE)
    packed = ask.get(f"{path}/export/case")
    assert (
        packed.headers["content-disposition"] == "attachment; filename*=UTF-8''My-case.fabula.zip"
    )
    assert zipfile.ZipFile(io.BytesIO(packed.content)).namelist()[0] == "case.json"
    again = ask.post("/api/import", content=packed.content, headers=ZIP).json()
    read = ask.get(f"/api/piles/{again['pile']}").json()
    kept = {key: read[key] for key in ("title", "notes", "tags", "anchor", "corrections")}
    assert kept == {"title": "My case", "notes": "ask Ann", "tags": ["fire", "x" * 40],
                    "anchor": "2024-03-05", "corrections": [note]}  # fmt: skip
    assert read["summary"] is None  # the answer of a file is not trusted: it is computed anew
    (file,) = (tmp_path / "piles" / again["pile"]).iterdir()
    assert (file.name, file.read_text()) == ("0001-pasted.txt", "One. Two.")
    pile = Store(tmp_path).get("pile", again["pile"])
    assert pile is not None and pile["numbers"] == {"8b38b558e4": 4}


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"PK nothing", "no zip file"),
        (zipped(**{"files__0001-a.txt": "x"}), "no case.json"),
        (zipped(**{"case.json": CASE}), "has no documents"),
        (zipped(**{"case.json": "[" * 100_000}), "nested too deeply"),
        (zipped(**{"case.json": "[]", "files__0001-a": "x"}), "no JSON object"),
        (zipped(**{"case.json": CASE, "files__0001-a": b"\0" * (80 << 20)}), "200 times"),
        (zipped(**{"case.json": CASE, "..__..__0001-a": "x", "0001-b": "x"}), "no documents"),
        (zipped(**{"case.json": json.dumps({"corrections": [{"do": "burn"}]})}), "'do' must be"),
        (zipped(**{"case.json": json.dumps({"anchor": "soon"})}), "a date is written"),
        (zipped(**{"case.json": json.dumps({"tags": [1]})}), "'tags' must be"),
        (zipped(**{"case.json": json.dumps({"stories": 999})}), "between 1 and 50"),
        (zipped(**{"case.json": CASE} | {f"f__{n}": "" for n in range(2100)}), "2,000 files"),
    ],
)
def test_a_crafted_case(ask: Any, tmp_path: Path, data: bytes, problem: str) -> None:
    answer = ask.post("/api/import", content=data, headers=ZIP)
    assert answer.status_code == 400 and problem in answer.json()["error"]
    assert ask.get("/api/state").json()["piles"] == []
    assert not list((tmp_path / "piles").glob("*")) if (tmp_path / "piles").exists() else True


def test_sizes_that_lie_and_names_that_climb(tmp_path: Path) -> None:
    good = zipped(**{"case.json": CASE, "files__0001-a.txt": "y" * 5000})
    local = good.rindex(b"PK\x01\x02")  # the list at the end, of the last entry
    lying = good[: local + 24] + (10).to_bytes(4, "little") + good[local + 28 :]
    with pytest.raises(InputError, match=r"larger than it says|no zip file"):
        unpack_case(lying)
    climbing = zipped(**{"case.json": CASE, "files__0001-..": "x", "files__0002-\\..\\e": "x"})
    _, files = unpack_case(climbing)
    assert [name for name, _ in files] == ["file"]


def test_packing_is_the_same_every_time(tmp_path: Path) -> None:
    file = tmp_path / "0001-a.txt"
    file.write_text("One.")
    uploads = [{"path": str(file), "name": "a.txt"}]
    assert pack_case(row(title="A"), uploads) == pack_case(row(title="A"), uploads)
    fields, files = unpack_case(pack_case(row(title="A"), uploads))
    assert fields["title"] == "A" and files == [("a.txt", b"One.")]


def test_cases_are_joined_and_copied(ask: Any, tmp_path: Path) -> None:
    one, two = (
        ask.post("/api/piles", json={"text": text}, headers=MINE).json()["pile"]
        for text in ("One.", "Two.")
    )
    for correction in (
        {"do": "lock", "story": 1},
        {"do": "rename-actor", "actor": "A", "name": "B"},
    ):
        body = {"correction": correction}
        ask.post(f"/api/piles/{two}/corrections", json=body, headers=MINE)
    assert ask.post(f"/api/piles/{one}/join", json={"pile": one}, headers=MINE).status_code == 400
    assert ask.post(f"/api/piles/{one}/join", json={"pile": "x"}, headers=MINE).status_code == 404
    assert ask.post(f"/api/piles/{one}/join", json={"pile": two}, headers=MINE).status_code == 200
    texts = [path.read_text() for path in sorted((tmp_path / "piles" / one).iterdir())]
    assert texts == ["One.", "Two."]
    corrections = ask.get(f"/api/piles/{one}").json()["corrections"]
    assert [entry["do"] for entry in corrections] == ["rename-actor"]  # the lock names a number
    copy = ask.post(f"/api/piles/{one}/duplicate", json={}, headers=MINE).json()["pile"]
    assert ask.get(f"/api/piles/{copy}").json()["corrections"] == corrections
    assert ask.delete(f"/api/piles/{one}", headers=MINE).status_code == 200
    assert len(list((tmp_path / "piles" / copy).iterdir())) == 2


def test_documents_in_context(ask: Any, tmp_path: Path) -> None:
    name = ask.post("/api/piles", json={"text": "One."}, headers=MINE).json()["pile"]
    text = {"paragraphs": ["One."], "lines": [1], "aside": [], "sender": None, "time": None}
    plain = {"id": "a b", "source": "a.txt", "title": "A", "date": None, "text": text}
    chat = [
        {"id": f"c:{n}", "source": "c.txt", "title": None, "date": None,
         "text": {**text, "sender": "Ann", "time": f"2024-03-05T{n // 60:02d}:{n % 60:02d}"}}
        for n in range(200)
    ]  # fmt: skip
    Store(tmp_path).finish(name, [plain, *chat], solved=0)
    listed = ask.get(f"/api/piles/{name}/documents").json()["documents"]
    assert len(listed) == 201 and "text" not in listed[0]
    one = ask.get(f"/api/piles/{name}/document", params={"id": "a b"}).json()
    assert one["documents"][0]["text"]["paragraphs"] == ["One."]
    near = ask.get(f"/api/piles/{name}/document", params={"id": "c:100"}).json()["documents"]
    assert [near[0]["id"], near[-1]["id"]] == ["c:40", "c:160"]
    assert ask.get(f"/api/piles/{name}/document", params={"id": "z"}).status_code == 404


def told(text: str, document: str, number: int, **more: Any) -> dict[str, Any]:
    own = {"id": sentence_id(text), "text": text, "document": document, "position": number}
    return {**own, "also_in": [], **more}


def test_a_document_is_removed_with_its_text(ask: Any, tmp_path: Path) -> None:
    secret, plain = "Xanthippe left the harbour.", "The ferry sailed."
    made = ask.post("/api/piles", json={"text": secret}, headers=MINE).json()
    path, folder = f"/api/piles/{made['pile']}", tmp_path / "piles" / made["pile"]
    assert ask.get(path).json()["title"] == secret
    ask.post(f"{path}/text", json={"text": plain}, headers=MINE)
    store = Store(tmp_path)
    again = told("As if in other words.", "b", 3, id=f"{sentence_id(secret)}-2")
    people = [{"name": "Xanthippe", "positions": [1]}, {"name": "Ann", "positions": [2]}]
    story = {"id": 7, "sentences": [told(secret, "a", 1), told(plain, "b", 2), again],
             "actors": people, "title": secret}  # fmt: skip
    row: dict[str, Any] = {"source": "pasted.txt", "title": None, "date": None, "text": {}}
    rows = [{**row, "id": "a", "upload": "0001-pasted.txt", "text": {"paragraphs": [secret]}},
            {**row, "id": "b", "upload": "0002-pasted.txt"}]  # fmt: skip
    store.finish(made["pile"], rows, solved=1, html=secret, markdown=secret, vectors=secret,
                 result={"stories": [story], "base": {"7": [sentence_id(secret)]}},
                 summary={"title": secret},
                 chats={"0001-pasted.txt": {"order": "dmy"}})  # fmt: skip
    for correction in (
        {"do": "note", "sentences": [sentence_id(secret)], "note": "of what is removed"},
        {"do": "lock", "sentence": sentence_id(secret)},
        {"do": "move", "sentence": sentence_id(plain), "to": 7, "after": sentence_id(secret)},
        {"do": "rename-actor", "actor": "X.", "name": "Xanthippe"},
        {"do": "rename-actor", "actor": "A.", "name": "Ann"},
        {"do": "lock", "sentence": again["id"]},
    ):
        store.correct(made["pile"], correction)
    export = store.add("job", kind="export", pile=made["pile"], state="done", page=secret)
    assert ask.delete(f"{path}/uploads/0009-x", headers=MINE).status_code == 404
    answer = ask.delete(f"{path}/uploads/0001-pasted.txt", headers=MINE)
    assert answer.status_code == 200
    assert answer.json()["revision"] == ask.get(path).json()["revision"]
    assert [file.name for file in folder.iterdir()] == ["0002-pasted.txt"]
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert not any(b"Xanthippe" in file.read_bytes() for file in files)
    pile = store.get("pile", made["pile"])
    assert pile is not None and store.get("job", export) is None
    # What is left has its number and, the other one being gone, the id of the first.
    first = sentence_id(secret)
    assert pile["numbers"] == {sentence_id(plain): 7, first: 7} and pile["title"] == plain
    assert pile["corrections"] == [
        {"do": "move", "sentence": sentence_id(plain), "to": 7},
        {"do": "rename-actor", "actor": "A.", "name": "Ann"},
        {"do": "lock", "sentence": first},
    ]
    # An answer that was computed before is not stored; the last document is not removed.
    store.finish(made["pile"], rows, solved=pile["revision"] - 1, html=secret)
    assert [row["id"] for row in ask.get(f"{path}/documents").json()["documents"]] == ["b"]
    assert ask.delete(f"{path}/uploads/0002-pasted.txt", headers=MINE).status_code == 400
    store.finish(made["pile"], rows[1:], solved=pile["revision"], html="")
    assert len(ask.get(f"{path}/documents").json()["documents"]) == 1


def test_a_removal_that_was_cut_off_is_finished(tmp_path: Path) -> None:
    from fabula.web.app import create_app

    store = Store(tmp_path)
    name = store.add("pile", title="x", removing="0001-a.txt")
    save_files(tmp_path / "piles" / name, [("a.txt", b"One."), ("b.txt", b"Two.")])
    create_app(tmp_path, workers=1)
    assert [file.name for file in (tmp_path / "piles" / name).iterdir()] == ["0002-b.txt"]
    assert store.all("pile", "removing") == [{"removing": None}]


def test_the_order_of_dates_is_of_a_file(ask: Any, tmp_path: Path) -> None:
    file = {"name": "chat.txt", "data": "YQ=="}
    body = {"text": "One.", "files": [file]}
    one, two = (ask.post("/api/piles", json=body, headers=MINE).json()["pile"] for _ in range(2))
    path = f"/api/piles/{one}"
    orders = {"date_orders": {"0002-chat.txt": "mdy"}}
    for wrong in ({"0002-chat.txt": "soon"}, {"0009-chat.txt": "mdy"}, ["mdy"]):
        answer = ask.patch(path, json={"date_orders": wrong}, headers=MINE)
        assert answer.status_code == 400
    assert ask.patch(path, json=orders, headers=MINE).json()["job"]
    # It comes along where the file goes: read in again, joined to another case, copied.
    store = Store(tmp_path)
    store.set("pile", one, result={"stories": [], "base": {}})
    ask.delete(f"{path}/uploads/0001-pasted.txt", headers=MINE)
    store.set("pile", one, result={"stories": [], "base": {}})
    packed = ask.get(f"{path}/export/case").content
    again = ask.post("/api/import", content=packed, headers=ZIP).json()["pile"]
    assert ask.get(f"/api/piles/{again}").json()["date_orders"] == {"0001-chat.txt": "mdy"}
    ask.post(f"/api/piles/{two}/join", json={"pile": one}, headers=MINE)
    assert ask.get(f"/api/piles/{two}").json()["date_orders"] == {"0003-chat.txt": "mdy"}
    copy = ask.post(f"{path}/duplicate", json={}, headers=MINE).json()["pile"]
    assert ask.get(f"/api/piles/{copy}").json()["date_orders"] == {"0001-chat.txt": "mdy"}
    payload = Jobs(store).payload_of({"kind": "assemble", "pile": two, "payload": None})
    assert [file["date_order"] for file in payload["files"]] == [None, None, "mdy"]


class _FirstAxis:
    """A worker that encodes every question as the first unit vector."""

    def ask(self, request: dict[str, Any]) -> None:
        assert request["kind"] == "embed"

    def answer(self, patience: float) -> dict[str, Any]:
        vector = np.eye(384, dtype=np.float16)[0]
        return {"result": {"vectors": base64.b64encode(vector.tobytes()).decode()}}


def test_search_by_meaning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_module, "WorkerProcess", _FirstAxis)
    store = Store(tmp_path)
    sentences = [{"id": key} for key in "abc"]
    vectors = np.zeros((3, 384), np.float16)
    vectors[0, 0], vectors[1, :2], vectors[2, 2] = 1, (0.8, 0.6), 1
    name = store.add("pile", title="x", vectors=vectors.tobytes(), solved=0,
                     result={"stories": [{"id": 1, "sentences": sentences}]})  # fmt: skip
    search = Search(store)
    assert search.hits(name, "x") == [{"id": "a", "cosine": 1.0}, {"id": "b", "cosine": 0.8}]
    store.set("pile", name, vectors=vectors[::-1].tobytes(), solved=1)  # solved again: read again
    assert [hit["id"] for hit in search.hits(name, "x")] == ["c", "b"]
    assert search.hits("nowhere", "x") == []
    assert len(search.indexes) <= search_module.MOST_CASES


@pytest.mark.parametrize(
    "given",
    [[], {"title": 3}, {"notes": []}, {"tags": "a"}, {"anchor": 5}, {"anchor": "2024-02-31"},
     {"stories": 0}, {"stories": True}, {"corrections": "x"}, {"base": [1]},
     {"date_orders": "mdy"}, {"date_orders": {"a": "first"}}],
)  # fmt: skip
def test_fields_of_a_case_are_checked(given: Any) -> None:
    with pytest.raises(ValueError):
        checked_fields(given)
