"""The page of an assembled corpus: the index, an account, and who may see them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fabula.assembly.corpus.api import assemble_corpus
from fabula.errors import InputError
from fabula.scale import Engine
from fabula.types import Document

pytest.importorskip("fastapi")
pytest.importorskip("httpx")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Any:
    from starlette.testclient import TestClient

    from fabula.web.corpus_page.app import create_corpus_app

    folder = tmp_path_factory.mktemp("corpus") / "stories"
    texts = [
        "The ferry Astrid ran aground off Harwich on Monday. Lifeboats came at dawn.",
        "Captain Ole Lindqvist said the Astrid lost power off Harwich.",
    ]
    documents = [Document(f"d{n}", (text,), source=f"{n}.txt") for n, text in enumerate(texts)]
    assemble_corpus(documents, folder, engine=Engine(name="serial"))
    return TestClient(create_corpus_app(folder, token="secret-token"), base_url="http://127.0.0.1")


def test_the_index_links_to_accounts(client: Any) -> None:
    answer = client.get("/?token=secret-token")
    assert answer.status_code == 200
    assert 'href="story/1"' in answer.text
    policy = answer.headers["content-security-policy"]
    assert "script-src 'sha256-" in policy
    assert "unsafe-inline" not in policy.partition("style-src")[0]


def test_an_account_is_made_when_it_is_opened(client: Any) -> None:
    answer = client.get("/story/1?token=secret-token")
    assert answer.status_code == 200
    assert "Astrid" in answer.text
    assert "sandbox" in answer.headers["content-security-policy"]


@pytest.mark.parametrize("path", ["/story/99", "/story/x", "/story/-1", "/report.json"])
def test_there_is_nothing_else(client: Any, path: str) -> None:
    assert client.get(f"{path}?token=secret-token").status_code == 404


def test_the_token_is_needed(client: Any) -> None:
    client.cookies.clear()
    assert client.get("/").status_code == 401


def test_a_folder_that_is_no_corpus_is_refused(tmp_path: Path) -> None:
    from fabula.web.corpus_page.app import create_corpus_app

    with pytest.raises(InputError, match="no folder of an assembled corpus"):
        create_corpus_app(tmp_path)
