"""The server process of the page: one a state folder, on a port that is free, with deadlines."""

from __future__ import annotations

import fcntl
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fabula.core.safety.ownership import claim
from fabula.errors import InputError, MissingPart, UsageError
from fabula.web.store import STATE_FILES

__all__ = ["bind", "hold_state", "http_protocol", "run_server"]

HEADER_SECONDS = 10.0  # in which the head of a request has to arrive
_MOST_CONNECTIONS = 64


@contextmanager
def hold_state(folder: Path) -> Iterator[None]:
    """Keep the state folder to this process; ``UsageError`` if another server has it."""
    path = claim(folder, ours=STATE_FILES) / "fabula.lock"
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror})", path=path) from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            process = os.read(handle, 20).decode("ascii", "replace").strip() or "unknown"
            raise UsageError(
                f"{folder} is in use by another fabula serve (process {process}); "
                "stop it, or name another folder with --state"
            ) from error
        try:
            os.truncate(handle, 0)
            os.write(handle, str(os.getpid()).encode())
        except OSError as error:
            raise InputError(f"cannot be written ({error.strerror})", path=path) from error
        yield
    finally:
        os.close(handle)


def bind(host: str, port: int) -> socket.socket:
    """A socket bound to the address; ``UsageError`` if that cannot be."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen(_MOST_CONNECTIONS)
    except OSError as error:
        bound.close()
        problem = f"cannot listen on {host} port {port} ({error.strerror or error})"
        raise UsageError(f"{problem}; name another with --port") from error
    return bound


def run_server(app: Any, bound: socket.socket, announce: Callable[[], None]) -> None:
    """Serve until stopped; ``announce`` is called when all is ready to answer."""
    try:
        import uvicorn
    except ImportError as error:
        raise MissingPart("uvicorn, for the page,", 'pip install "fabula[web]"') from error
    config = uvicorn.Config(
        app, http=http_protocol(), log_level="warning", server_header=False, lifespan="on",
        limit_concurrency=_MOST_CONNECTIONS, timeout_keep_alive=15, timeout_graceful_shutdown=5,
    )  # fmt: skip
    announce()
    uvicorn.Server(config).run(sockets=[bound])


def http_protocol() -> Any:
    """uvicorn's HTTP protocol, which waits for ever for the head of a request, with a deadline."""
    import h11
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class TimedProtocol(H11Protocol):
        deadline: Any = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._set_deadline()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.conn.their_state is not h11.IDLE:
                self._cancel_deadline()
            elif self.deadline is None:
                self._set_deadline()

        def connection_lost(self, exc: Exception | None) -> None:
            self._cancel_deadline()
            super().connection_lost(exc)

        def _set_deadline(self) -> None:
            self.deadline = self.loop.call_later(HEADER_SECONDS, self.transport.close)

        def _cancel_deadline(self) -> None:
            if self.deadline is not None:
                self.deadline.cancel()
                self.deadline = None

    return TimedProtocol
