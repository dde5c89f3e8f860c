"""The server without a browser: who may ask, what is refused, what is kept."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fabula.errors import InputError
from fabula.web.store import Store
from fabula.web.uploads import save_uploads

pytest.importorskip("fastapi", reason="the web extra is not installed")

MINE = {"x-fabula": "1"}


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
    for path in ("/", "/static/app.js", "/static/draw.js", "/static/app.css", "/static/icon.svg"):
        text = ask.get(path).text.replace("http://www.w3.org/2000/svg", "")
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
    (guarded,) = client(tmp_path, token="a long token indeed", hosts=frozenset(("*",)))
    assert guarded.get("/api/state").status_code == 401
    assert guarded.get("/api/state", headers={"authorization": "Bearer wrong"}).status_code == 401
    assert guarded.get("/?token=a long token indeed").status_code == 200
    right = {"authorization": "Bearer a long token indeed", "host": "any.example"}
    assert guarded.get("/api/state", headers=right).status_code == 200


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
    assert ask.delete(pile, headers={**MINE, "content-length": "0"}).status_code == 200
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
    assert again.correct(name, None) == 0
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
