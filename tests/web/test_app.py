"""The server without a browser: who may ask, what is refused, what is kept."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import fabula.web
from fabula.errors import DamagedFile, InputError
from fabula.web.store import Store
from fabula.web.uploads import save_uploads

pytest.importorskip("fastapi", reason="the web extra is not installed")

MINE = {"x-fabula": "1"}
JSON = {**MINE, "content-type": "application/json"}


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Any]:
    yield from client(tmp_path)


def client(state: Path, **options: Any) -> Iterator[Any]:
    """A client whose jobs wait forever: nothing is started."""
    from starlette.testclient import TestClient

    from fabula.web.app import create_app

    yield TestClient(create_app(state, workers=1, **options), base_url="http://127.0.0.1:8765")


def test_headers(ask: Any) -> None:
    answer = ask.get("/")
    assert answer.status_code == 200
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_the_page_needs_nothing_from_outside(ask: Any) -> None:
    folder = Path(fabula.web.__file__).parent / "static"
    names = [file.name for file in folder.iterdir() if file.name != "index.html"]
    assert len(names) > 10
    for path in ("/", *(f"/static/{name}" for name in names)):
        text = ask.get(path).text.replace("http://www.w3.org/2000/svg", "")
        assert "innerHTML" not in text and "insertAdjacentHTML" not in text and "eval(" not in text
        assert "http://" not in text and "https://" not in text and "//cdn" not in text
    page = ask.get("/").text
    assert "<style" not in page and " style=" not in page and "onclick" not in page
    assert ask.get("/static/../app.py").status_code == 404
    assert ask.get("/static/index.html").status_code == 404


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:8765", "", "["])
def test_another_host_is_refused(ask: Any, host: str) -> None:
    assert ask.get("/", headers={"host": host}).status_code == 403


def test_another_page_is_refused(ask: Any) -> None:
    body = {"text": "One. Two."}
    assert ask.post("/api/piles", json=body).status_code == 403  # no header of ours
    headers = {**MINE, "origin": "http://evil.example"}
    assert ask.post("/api/piles", json=body, headers=headers).status_code == 403
    headers = {**MINE, "origin": "http://127.0.0.1:8765"}
    assert ask.post("/api/piles", json=body, headers=headers).status_code == 200


def test_the_token(tmp_path: Path) -> None:
    token = 'lóng; "tøken" = % 中,\\'
    (guarded,) = client(tmp_path, token=token, hosts=frozenset(("*",)))
    assert guarded.get("/api/state").status_code == 401
    assert guarded.get("/api/state", headers={"authorization": "Bearer wrong"}).status_code == 401
    right = {"authorization": f"Bearer {token}".encode(), "host": "any.example"}
    assert guarded.get("/api/state", headers=right).status_code == 200
    assert guarded.get("/api/state").status_code == 401  # the header left no cookie
    assert guarded.get("/", params={"token": token}).status_code == 200
    assert guarded.get("/api/state").status_code == 200  # the address did


def test_wrong_tokens_slow_down() -> None:
    from fabula.web.guard import Backoff

    backoff = Backoff()
    waits = [backoff.wrong() for _ in range(20)]
    assert waits[:5] == [0.0] * 5 and waits == sorted(waits) and waits[-1] == backoff.longest
    backoff.last -= backoff.forget + 1
    assert backoff.wrong() == 0.0


def test_chunked_bodies_are_limited_too(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fabula.web.guard.LARGEST", 1000)
    answer = ask.post("/api/piles", content=iter([b"x" * 400] * 3), headers=JSON)
    assert answer.status_code == 413
    answer = ask.post("/api/piles", content=iter([b'{"text":', b' "One. Two."}']), headers=JSON)
    assert answer.status_code == 200


def test_a_body_that_does_not_arrive(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import asyncio

    from fabula.web import guard

    monkeypatch.setattr(guard, "PATIENCE", 0.05)

    async def never() -> Any:
        await asyncio.sleep(10)

    assert asyncio.run(guard.read_body(never))[0] == 408


@pytest.mark.parametrize(
    "body", [b"{", b"[]", b"[" * 100_000, b'"x"', b"\xff", b'{"text": "a", "files": "\\ud800"}']
)
def test_malformed_requests(ask: Any, body: bytes) -> None:
    answer = ask.post("/api/piles", content=body, headers=JSON)
    assert answer.status_code in (400, 422) and "error" in answer.text
    assert ask.get("/api/state").json()["piles"] == []


def test_lone_surrogates_are_replaced(ask: Any, tmp_path: Path) -> None:
    body = b"""{"text": "One \\ud800. Two.", "title": "T\\udfff",
        "files": [{"name": "\\udce9", "data": "QQ=="}]}"""
    pile = ask.post("/api/piles", content=body, headers=JSON).json()["pile"]
    assert ask.get(f"/api/piles/{pile}").json()["title"] == "T\ufffd"
    texts = [path.read_text() for path in sorted((tmp_path / "piles" / pile).iterdir())]
    assert texts == ["One \ufffd. Two.", "A"]


def test_many_add_text_at_once_and_none_is_lost(ask: Any, tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    pile = ask.post("/api/piles", json={"text": "first"}, headers=MINE).json()["pile"]

    def add(number: int) -> int:
        body = {"text": f"text {number}"}
        answer = ask.post(f"/api/piles/{pile}/text", json=body, headers=MINE)
        return int(answer.status_code)

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(add, range(40))) == {200}
    files = sorted((tmp_path / "piles" / pile).iterdir())
    assert {path.read_text() for path in files} == {"first", *(f"text {n}" for n in range(40))}
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    assert {path.stat().st_mode & 0o777 for path in (tmp_path, tmp_path / "piles" / pile)} == {
        0o700
    }
    assert (tmp_path / "fabula.sqlite").stat().st_mode & 0o777 == 0o600


def test_deleting_removes_the_text_everywhere(ask: Any, tmp_path: Path) -> None:
    secret = "Xanthippe-the-unmistakable"
    made = ask.post("/api/piles", json={"text": f"{secret} left."}, headers=MINE).json()
    store = Store(tmp_path)
    result = {"stories": [{"sentences": [secret]}], "base": {}}
    store.set("pile", made["pile"], result=result, html=secret, markdown=secret)
    document = {"id": "a", "source": "a", "title": secret, "date": None, "text": {"a": secret}}
    store.finish(made["pile"], [document], solved=0, summary={"title": secret})
    store.correct(made["pile"], {"do": "note", "sentences": ["x"], "note": secret})
    store.undo(made["pile"])
    data = base64.b64encode(secret.encode()).decode()
    audit = ask.post("/api/audits", json={"name": "a.csv", "data": data}, headers=MINE).json()[
        "job"
    ]
    store.set("job", audit, page=secret, result={"examples": [secret]})
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(secret.encode() in path.read_bytes() for path in files)
    for path in (f"/api/piles/{made['pile']}", f"/api/audits/{audit}"):
        assert ask.delete(path, headers=MINE).status_code == 200
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(secret.encode() in path.read_bytes() for path in files)
    assert ask.delete(f"/api/audits/{audit}", headers=MINE).status_code == 404


def test_a_full_disk_is_said_and_leaves_nothing(tmp_path: Path) -> None:
    (ask,) = client(tmp_path)
    store = Store(tmp_path)
    with store.database() as database:
        size = database.execute("PRAGMA page_count").fetchone()[0]
    import fabula.web.app as app_module

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app_module, "Store", lambda state: Store(state, pages=size))
        (full,) = client(tmp_path)
    answer = full.post("/api/piles", json={"text": "One. " * 9000, "title": "x"}, headers=MINE)
    codes = [answer.status_code]
    for _ in range(80):  # until the pages that are there are full
        codes.append(full.post("/api/piles", json={"text": "Two."}, headers=MINE).status_code)
    assert codes[-1] == 503 and set(codes) <= {200, 503}
    stored = {row["id"] for row in store.all("pile", "id")}
    assert {path.name for path in (tmp_path / "piles").iterdir()} == stored
    assert ask.get("/api/state").status_code == 200


def test_what_a_killed_server_left_is_removed(tmp_path: Path) -> None:
    save_uploads(tmp_path / "piles" / ("0" * 16), "never stored", None)
    (tmp_path / "piles" / "mine").mkdir()
    (_,) = client(tmp_path)
    assert [path.name for path in (tmp_path / "piles").iterdir()] == ["mine"]


@pytest.mark.parametrize("content", [b"garbage " * 2000, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_state_that_is_no_database(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "fabula.sqlite").write_bytes(content)
    with pytest.raises(DamagedFile, match="not the page's database"):
        Store(tmp_path)
    assert (tmp_path / "fabula.sqlite").read_bytes() == content


def test_a_truncated_state(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for number in range(30):
        store.add("pile", title=f"{number}" * 500)
    whole = store.path.read_bytes()
    store.path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DamagedFile, match="not the page's database"):
        Store(tmp_path)


def test_a_folder_of_somebody_else_is_no_state(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("x")
    with pytest.raises(InputError, match="did not write"):
        Store(tmp_path)


def test_too_much(ask: Any) -> None:
    headers = {**MINE, "content-length": str(10**9)}
    assert ask.post("/api/piles", content=b"{}", headers=headers).status_code == 413
    answer = ask.post("/api/piles", json={"text": "x" * 2_000_001}, headers=MINE)
    assert answer.status_code == 400 and "2,000,000" in answer.json()["error"]
    assert "no text" in ask.post("/api/piles", json={"text": " "}, headers=MINE).json()["error"]
    assert ask.post("/api/piles", json={"text": "a", "stories": 0}, headers=MINE).status_code == 400
    assert ask.get("/api/state").json()["piles"] == []


def test_a_pile_and_its_corrections(ask: Any, tmp_path: Path) -> None:
    made = ask.post("/api/piles", json={"text": "One. Two."}, headers=MINE).json()
    pile = f"/api/piles/{made['pile']}"
    assert ask.get(pile).json()["job"]["state"] == "queued"
    wrong = {"correction": {"do": "burn"}}
    assert ask.post(f"{pile}/corrections", json=wrong, headers=MINE).status_code == 400
    right = {"correction": {"do": "lock", "story": 1}}
    assert ask.post(f"{pile}/corrections", json=right, headers=MINE).status_code == 200
    assert ask.get(pile).json()["corrections"] == [right["correction"]]
    assert ask.post(f"{pile}/undo", json={}, headers=MINE).status_code == 200
    assert ask.post(f"{pile}/undo", json={}, headers=MINE).status_code == 400
    assert ask.get(f"{pile}/export/html").status_code == 404
    assert ask.delete(pile, headers=MINE).status_code == 200
    assert ask.get(pile).status_code == 404
    assert not (tmp_path / "piles" / made["pile"]).exists()


def test_the_runs_tab_says_how(ask: Any) -> None:
    assert "--runs" in ask.get("/api/runs").json()["error"]


@pytest.mark.parametrize(
    "name",
    ["../../out.txt", "/etc/passwd", "..\\..\\x.txt", "a/../../b", "..", "", "\0.txt", "." * 300],
)
def test_uploads_stay_in_their_folder(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "inside" / "pile"
    data = base64.b64encode(b"One.").decode()
    (path,) = save_uploads(folder, None, [{"name": name, "data": data}])
    assert path.resolve().parent == folder.resolve() and path.read_bytes() == b"One."
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == [path]


@pytest.mark.parametrize("file", [{}, {"name": "a", "data": "?"}, "x", {"name": "a"}])
def test_no_file(tmp_path: Path, file: Any) -> None:
    with pytest.raises(InputError, match="base64"):
        save_uploads(tmp_path / "x", None, [file])
    assert not (tmp_path / "x").exists()


def test_the_store_survives(tmp_path: Path) -> None:
    name = Store(tmp_path).add("pile", title="a", result={"base": {"1": ["x"]}})
    again = Store(tmp_path)
    assert again.correct(name, {"do": "lock", "story": 1}) == 1
    row = again.get("pile", name)
    assert row is not None and row["base"] == {"1": ["x"]} and len(row["corrections"]) == 1
    assert again.undo(name) == 2 and again.redo(name) == 3
    row = again.get("pile", name)
    assert row is not None and len(row["corrections"]) == 1 and row["undone"] == []
    again.undo(name)
    again.correct(name, {"do": "lock", "story": 2})  # what was taken back does not come again
    row = again.get("pile", name)
    assert row is not None and row["undone"] == [] and row["corrections"][0]["story"] == 2
    assert json.loads(json.dumps(again.all("pile", "id, title"))) == [{"id": name, "title": "a"}]


def test_what_can_be_taken_along(ask: Any, tmp_path: Path) -> None:
    from fabula.assembly.corrections import Corrections, read_corrections

    store = Store(tmp_path)
    result = {"stories": [], "base": {"1": ["x", "y"]}}
    name = store.add("pile", title="a", result=result, html="<p>one</p>", markdown="# One")
    store.correct(name, {"do": "lock", "story": 1})
    found = {
        kind: ask.get(f"/api/piles/{name}/export/{kind}")
        for kind in ("html", "md", "json", "corrections")
    }
    assert found["html"].text == "<p>one</p>" and found["md"].text == "# One"
    assert found["json"].json() == result
    assert "corrections.json" in found["corrections"].headers["content-disposition"]
    entries = ({"do": "lock", "story": 1},)
    assert read_corrections(found["corrections"].json()) == Corrections(entries, {1: ("x", "y")})
    assert ask.get(f"/api/piles/{name}/export/exe").status_code == 404
