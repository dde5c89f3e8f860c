"""Runs a step on an engine in a process of its own: ``child.py ENGINE SOURCE TARGET STEP OPTIONS``.

Says "ready" when the engine has answered once: before that, a failure is the machine's.
"""

from __future__ import annotations

import contextlib
import json
import sys
import tempfile

from fabula.scale import Engine, Shards, run_step, shard_rows


def listening() -> list[str]:
    """The addresses on which processes younger than this one, and this one, take connections."""
    import psutil

    me, addresses = psutil.Process(), set()
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.create_time() >= me.create_time() and process.ppid() != 2:
                line = " ".join(process.cmdline())
                if process == me or "ray" in line:
                    addresses |= {
                        connection.laddr.ip
                        for connection in process.net_connections(kind="inet")
                        if connection.status == psutil.CONN_LISTEN
                    }
    return sorted(addresses)


if __name__ == "__main__":
    name, source, target, step, options = sys.argv[1:]
    engine = Engine(name=name, workers=2)
    with tempfile.TemporaryDirectory() as folder:
        first = Shards(f"{folder}/in")
        shard_rows([{"id": "0", "value": 0}], first)
        run_step("tests.scale.steps:double", first, Shards(f"{folder}/out"), engine=engine)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    report = run_step(
        step, Shards(source), Shards(target), options=json.loads(options), engine=engine
    )
    row = report.to_row() | ({"listening": listening()} if name == "ray" else {})
    sys.stdout.write(json.dumps(row) + "\n")
