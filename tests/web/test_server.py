"""The server process: bad states at its start, slow clients, and its end."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.cli.line import error_of

from fabula.errors import UsageError
from fabula.web import server
from fabula.web.server import bind, hold_state

pytest.importorskip("uvicorn", reason="the web extra is not installed")


def test_one_server_a_folder(tmp_path: Path) -> None:
    with (
        hold_state(tmp_path),
        pytest.raises(UsageError, match=rf"in use .* \(process {os.getpid()}\)"),
        hold_state(tmp_path),
    ):
        pass
    with hold_state(tmp_path):
        pass


def test_a_bad_start_is_one_line(tmp_path: Path) -> None:
    state = tmp_path / "state"
    with bind("127.0.0.1", 0) as taken:
        port = str(taken.getsockname()[1])
        said = error_of("serve", "--port", port, "--state", state)
        assert f"cannot listen on 127.0.0.1 port {port}" in said and "http://" not in said
    (state / "fabula.sqlite").write_bytes(b"garbage" * 1000)
    assert "not the page's database" in error_of("serve", "--port", "0", "--state", state)
    (tmp_path / "file").write_text("x")
    assert "cannot make this folder" in error_of("serve", "--state", tmp_path / "file" / "state")
    assert "cannot make this folder" in error_of("serve", "--state", "/proc/fabula-state")
    assert "--no-token is for" in error_of("serve", "--no-token", "--host", "0.0.0.0")
    empty = tmp_path / "token"
    empty.write_text("\n")
    assert "holds no token" in error_of("serve", "--token-file", empty, "--state", state)


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, int]]:
    """A server of this process whose patience is short."""
    import uvicorn

    async def app(scope: Any, receive: Any, send: Any) -> None:
        headers = [(b"content-length", b"2")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"ok"})

    monkeypatch.setattr(server, "HEADER_SECONDS", 0.4)
    config = uvicorn.Config(app, http=server.http_protocol(), lifespan="off", log_level="error")
    running = uvicorn.Server(config)
    bound = bind("127.0.0.1", 0)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    yield bound.getsockname()
    running.should_exit = True
    thread.join(timeout=10)
    bound.close()


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "])
def test_half_open_requests_are_closed(address: tuple[str, int], sent: bytes) -> None:
    with closing(socket.create_connection(address)) as connection:
        connection.settimeout(30)
        started = time.monotonic()
        connection.sendall(sent)
        assert connection.recv(1000) == b"" and time.monotonic() - started < 25


def test_whole_requests_are_answered_and_then_half_ones_closed(address: tuple[str, int]) -> None:
    with closing(socket.create_connection(address)) as connection:
        connection.settimeout(30)
        for _ in range(2):
            connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            answer = b""
            while not answer.endswith(b"\r\n\r\nok"):
                answer += connection.recv(1000)
        connection.sendall(b"GET / HT")
        assert connection.recv(1000) == b""


@pytest.mark.slow
def test_workers_end_with_a_server_that_is_killed(tmp_path: Path) -> None:
    psutil = pytest.importorskip("psutil")
    code = (
        "import sys; from fabula.web.process import WorkerProcess; "
        "w = WorkerProcess(); w.begin(); print(w.process.pid, flush=True); sys.stdin.read()"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    worker = int(child.stdout.readline())
    try:
        assert psutil.pid_exists(worker)
        time.sleep(0.5)
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        end = time.monotonic() + 30
        while psutil.pid_exists(worker) and time.monotonic() < end:
            time.sleep(0.05)
        assert not psutil.pid_exists(worker) or psutil.Process(worker).status() == "zombie"
    finally:
        child.communicate()
