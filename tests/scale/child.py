"""Runs a step on an engine in a process of its own: ``child.py ENGINE SOURCE TARGET STEP OPTIONS``.

Says "ready" when the engine has answered once: before that, a failure is the machine's.
"""

from __future__ import annotations

import json
import sys
import tempfile

from fabula.scale import Engine, Shards, run_step, shard_rows

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
    sys.stdout.write(json.dumps(report.to_row()) + "\n")
