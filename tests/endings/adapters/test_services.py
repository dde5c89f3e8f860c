"""OpenAI-compatible services, against a real server in a thread: slow, busy, broken, and well."""

from __future__ import annotations

import json
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fabula.endings.adapters import call
from fabula.endings.adapters.http import Endpoint
from fabula.endings.adapters.openai import Chat, Completions, Embeddings
from fabula.endings.items import Ending
from fabula.errors import InputError, UnknownName, UsageError
from fabula.registry import create_model

ITEM = Ending("a", ("Ann was hungry.",), ("She ate.", "She flew away."))
Answer = tuple[int, Any] | tuple[int, Any, dict[str, str]]


class Server:
    """Answers with what ``reply(path, body)`` gives: status, JSON value or bytes, headers."""

    def __init__(self) -> None:
        self.reply: Callable[[str, Any], Answer] = lambda path, body: (200, {})
        self.seen: list[tuple[str, Any, dict[str, str]]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.seen.append((self.path, body, dict(self.headers)))
                status, value, *more = outer.reply(self.path, body)
                data = value if isinstance(value, bytes) else json.dumps(value).encode()
                self.send_response(status)
                for name, text in (more[0] if more else {}).items():
                    self.send_header(name, text)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *arguments: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"
        threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        self.http.shutdown()
        self.http.server_close()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Server]:
    monkeypatch.setenv("FABULA_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("FABULA_API_KEY", raising=False)
    monkeypatch.setenv("no_proxy", "*")
    running = Server()
    yield running
    running.stop()


def endpoint(server: Server, **options: Any) -> tuple[Endpoint, list[float]]:
    slept: list[float] = []
    return Endpoint(server.url, sleep=slept.append, **options), slept


def test_a_busy_service_is_asked_again_after_what_it_says(server: Server) -> None:
    soon = formatdate(time.time() + 30, usegmt=True)
    answers: list[Answer] = [
        (429, {"error": {"message": "slow down"}}, {"Retry-After": "7"}),
        (503, b"", {"Retry-After": soon}),
        (500, b"<html>"),
        (429, b"", {"Retry-After": "9999"}),
        (200, {"fine": 1}),
    ]
    server.reply = lambda path, body: answers[len(server.seen) - 1]
    service, slept = endpoint(server, wait=0.5, longest=60)
    assert service.post("x", {"a": 1}) == {"fine": 1}
    assert slept[0] == 7 and 25 < slept[1] <= 30 and slept[2:] == [2.0, 60]
    assert [path for path, _, _ in server.seen] == ["/v1/x"] * 5


def test_waiting_doubles_and_ends(server: Server) -> None:
    server.reply = lambda path, body: (502, b"")
    service, slept = endpoint(server, retries=3, wait=1)
    with pytest.raises(InputError, match=r"answered 502; given up after 4 requests"):
        service.post("x", {})
    assert slept == [1, 2, 4]


def test_a_slow_service_is_not_waited_for(server: Server) -> None:
    release = threading.Event()

    def slow(path: str, body: Any) -> Answer:
        release.wait(5)
        return 200, {}

    server.reply = slow
    service, slept = endpoint(server, timeout=0.05, retries=1)
    with pytest.raises(InputError, match=r"did not answer in 0\.05 s; given up after 2"):
        service.post("x", {})
    release.set()
    assert slept == [1.0]


def test_a_refusal_is_final_and_in_the_services_words(server: Server) -> None:
    server.reply = lambda path, body: (404, {"error": {"message": "no model 'm'"}})
    service, slept = endpoint(server)
    with pytest.raises(InputError, match=r"/v1: answered 404: no model 'm'"):
        service.post("x", {})
    assert slept == [] and len(server.seen) == 1


@pytest.mark.parametrize("body", [b"<html>", b"[1]", b"\xff\xfe", b""])
def test_an_answer_that_is_not_json(server: Server, body: bytes) -> None:
    server.reply = lambda path, asked: (200, body)
    service, _ = endpoint(server, retries=1)
    with pytest.raises(InputError, match=r"gave an answer that is n.* JSON.*after 2 requests"):
        service.post("x", {})


def test_nobody_there() -> None:
    service = Endpoint("http://127.0.0.1:9/v1", retries=0, timeout=1)
    with pytest.raises(InputError, match="cannot be reached"):
        service.post("x", {})


def test_the_key_comes_from_the_environment_and_is_shown_nowhere(
    server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FABULA_API_KEY", "sk-secret")
    server.reply = lambda path, body: (401, {"error": {"message": "bad key sk-secret given"}})
    with pytest.raises(InputError, match=r"answered 401: bad key \*\*\* given") as caught:
        Chat(server.url, "m").score([ITEM])
    assert server.seen[0][2]["Authorization"] == "Bearer sk-secret"
    shown = repr(caught.value) + "".join(capsys.readouterr())
    assert "secret" not in shown and caught.value.__cause__ is None


def test_a_key_stays_with_its_host(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    assert Endpoint(server.url).post("x", {}) == {}
    assert "Authorization" not in server.seen[0][2]
    monkeypatch.setenv("FABULA_API_KEY", "sk-secret")
    with pytest.raises(UsageError, match="a key is not sent over http"):
        Endpoint("http://example.org/v1").post("x", {})
    server.reply = lambda path, body: (302, b"", {"Location": "http://127.0.0.1:9/"})
    with pytest.raises(InputError, match="answered 302"):
        Endpoint(server.url).post("x", {})


@pytest.mark.parametrize("url", ["ftp://a/b", "localhost:8000", "http://"])
def test_a_wrong_url(url: str) -> None:
    with pytest.raises(UsageError, match="begins with http"):
        Endpoint(url)


def test_a_key_in_the_url_is_refused() -> None:
    for url in ("https://me:secret@host/v1", "https://host/v1?key=secret"):
        with pytest.raises(UsageError, match="holds no key") as caught:
            Endpoint(url)
        assert "secret" not in str(caught.value)


def completion(path: str, body: Any) -> Answer:
    """Words as tokens, each worth minus its length; the first has no number, one is made up."""
    prompt = body["prompt"]
    starts = [0, *(at for at, mark in enumerate(prompt) if mark == " " and at)]
    words = [prompt[a:b] for a, b in zip(starts, [*starts[1:], None], strict=True)]
    values = [None, *(-float(len(word)) for word in words[1:])]
    found = {
        "tokens": [*words, " the"],
        "text_offset": [*starts, len(prompt)],
        "token_logprobs": [*values, -99.0],
    }
    return 200, {"choices": [{"text": prompt, "logprobs": found}]}


def test_completions_add_up_the_option_and_nothing_else(server: Server) -> None:
    server.reply = completion
    model = create_model("endings", f"completions:{server.url}#m,by=sum")
    assert call(model, [ITEM]) == [(-9.0, -15.0)]  # " She ate." and " She flew away."
    bodies = [body for _, body, _ in server.seen]
    assert {body["prompt"] for body in bodies} == {
        "Ann was hungry. She ate.",
        "Ann was hungry. She flew away.",
    }
    assert all(body["model"] == "m" and body["echo"] for body in bodies)
    (scores,) = Completions(server.url, "m", by="per-token").score([ITEM])
    assert scores == (-4.5, -5.0)
    assert len(server.seen) == 2  # the same questions: from the cache
    (scores,) = Completions(server.url, "m", by="pmi").score([ITEM])
    # Without a context the first word has no log-probability, and counts for nothing.
    assert scores == (-9.0 - -5.0, -15.0 - -11.0)


def test_a_token_across_the_boundary_belongs_to_the_option(server: Server) -> None:
    def joined(path: str, body: Any) -> Answer:
        found = {"text_offset": [0, 10, 18, 24], "token_logprobs": [None, -1.0, -2.0, -50.0]}
        return 200, {"choices": [{"logprobs": found}]}

    server.reply = joined
    model = Completions(server.url, "m", by="sum")
    assert model.likelihoods([("Ann was hungry.", "She ate.")])[0].total == -3.0


def test_another_revision_is_asked_anew(server: Server) -> None:
    server.reply = completion
    for revision in ("1", "2", "1"):
        Completions(server.url, "m", by="sum", revision=revision).score([ITEM])
    assert len(server.seen) == 4


def chat(choose: Callable[[list[str]], str]) -> Callable[[str, Any], Answer]:
    def reply(path: str, body: Any) -> Answer:
        asked = body["messages"][0]["content"]
        options = [line[3:] for line in asked.splitlines() if line[1:2] == ")"]
        return 200, {"choices": [{"message": {"content": choose(options)}}]}

    return reply


def test_chat_over_all_orders(server: Server) -> None:
    server.reply = chat(lambda options: f"{'AB'[options.index('She ate.')]}.")
    assert call(create_model("endings", f"chat:{server.url}#m"), [ITEM]) == [(1.0, 0.0)]
    assert len(server.seen) == 2 and server.seen[0][0] == "/v1/chat/completions"


def test_a_model_that_always_says_a_knows_nothing(server: Server) -> None:
    server.reply = chat(lambda options: "A")
    three = Ending("b", ("x",), ("p", "q", "r"), relation="cause")
    assert Chat(server.url, "m").score([ITEM, three]) == [
        (0.5, 0.5),
        pytest.approx((1 / 3, 1 / 3, 1 / 3)),
    ]
    assert "Which of these was the cause?" in server.seen[-1][1]["messages"][0]["content"]


def test_chat_without_a_letter_is_no_choice(server: Server) -> None:
    server.reply = chat(lambda options: "I cannot say. Both could happen.")
    model = Chat(server.url, "m")
    assert model.score([ITEM]) == [(0.0, 0.0)]
    assert model.unreadable_ == 2


def test_chat_takes_probabilities_where_they_are_given(server: Server) -> None:
    top = [
        {"token": "A", "logprob": float(np.log(0.6))},
        {"token": " b", "logprob": float(np.log(0.2))},
        {"token": "The", "logprob": -1.0},
    ]
    message = {"message": {"content": "A"}, "logprobs": {"content": [{"top_logprobs": top}]}}
    server.reply = lambda path, body: (200, {"choices": [message]})
    assert Chat(server.url, "m").score([ITEM]) == [pytest.approx((0.5, 0.5))]


@pytest.mark.parametrize(("options", "asked"), [(2, 2), (4, 24), (6, 6)])
def test_every_option_is_asked_about_first_equally_often(
    server: Server, options: int, asked: int
) -> None:
    item = Ending("o", ("x",), tuple("pqrstu"[:options]))
    first: Counter[str] = Counter()
    server.reply = chat(lambda shown: (first.update(shown[:1]), "A")[1])
    Chat(server.url, "m").score([item])
    assert first == dict.fromkeys(item.options, asked // options) and len(server.seen) == asked


def test_more_options_than_letters_are_refused(server: Server) -> None:
    many = Ending("m", ("x",), tuple(map(str, range(27))))
    with pytest.raises(UsageError, match="27 options"):
        Chat(server.url, "m").score([many])


def test_embeddings_are_an_encoder(server: Server) -> None:
    def embed(path: str, body: Any) -> Answer:
        text = body["input"]
        return 200, {"data": [{"embedding": [text.count("h") + 0.0, text.count("w") + 1e-3]}]}

    server.reply = embed
    model = create_model("endings", f"embeddings:{server.url}#m,revision=3")
    item = Ending("a", ("hhh",), ("www", "hh"))
    (scores,) = call(model, [item])
    assert scores[1] > 0.99 > scores[0]
    assert Embeddings(server.url, "m").encode([]).shape[0] == 0
    with pytest.raises(UsageError, match="takes a list"):
        Embeddings(server.url, "m").encode("text")


@pytest.mark.parametrize(
    ("make", "answer", "what"),
    [
        (Completions, {"choices": []}, "log-probabilities"),
        (Completions, {"choices": [{"text": "x", "logprobs": None}]}, "log-probabilities"),
        (Completions, {"choices": [{"logprobs": {"text_offset": [0], "token_logprobs": [None]}}]},
         "echo"),
        (Chat, {"choices": [{"message": {"content": 3}}]}, "a message"),
        (Chat, {"error": "?"}, "a message"),
        (Embeddings, {"data": [{"embedding": ["x"]}]}, "an embedding"),
        (Embeddings, {"data": [{"embedding": []}]}, "an embedding of numbers"),
    ],
)  # fmt: skip
def test_malformed_answers_are_named(server: Server, make: Any, answer: Any, what: str) -> None:
    server.reply = lambda path, body: (200, answer)
    model = make(server.url, "m")
    with pytest.raises(InputError, match=f"gave an answer without .*{what}"):
        model.encode(["a"]) if make is Embeddings else model.score([ITEM])
    assert not list(Path(os.environ["FABULA_CACHE"]).rglob("*.sqlite"))


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ("completions:http://localhost/v1", "write URL#MODEL"),
        ("chat:http://localhost/v1#", "write URL#MODEL"),
        ("chat:http://localhost/v1#m,by=sum", "unknown setting 'by=sum'"),
        ("chat:", "unknown endings model 'chat:'"),
    ],
)
def test_wrong_specs(spec: str, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        create_model("endings", spec)


def test_an_unknown_score(server: Server) -> None:
    with pytest.raises(UnknownName, match="unknown score"):
        Completions(server.url, "m", by="x").score([ITEM])
