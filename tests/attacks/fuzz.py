"""Random and mutated inputs for every reader: one error at most, and never a foreign one.

``python -m tests.attacks.fuzz SECONDS`` runs in a process of its own, whose peak of memory counts.
"""

from __future__ import annotations

import copy
import json
import logging
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.attacks.crafted import SUFFIXES, TEXTS, WRONG, crafted
from tests.attacks.small_files import JSON_FILES, small_files

from fabula.assembly.pile import read_pile
from fabula.conversations.build import build_conversations
from fabula.errors import FabulaError
from fabula.text.segment.sentences import split_sentences

SLOW = 30.0  # seconds
LARGE = 1024.0  # megabytes


def seeds() -> list[tuple[str, bytes]]:
    """Small files of every kind, whole, crafted or wrong."""
    small = [(name, data) for name, data in crafted(1) if len(data) < 3000]
    # Each kind people export counts as often as a family of crafted files.
    return small + [(f"x{suffix}", TEXTS["plain"]) for suffix in SUFFIXES] + 3 * small_files()


def mutate(data: bytes, generator: random.Random) -> bytes:
    """A few random edits: flips, cuts, copies, and bytes that matter to some format."""
    result = bytearray(data or b"x")
    for _ in range(generator.randint(1, 6)):
        at = generator.randrange(len(result) + 1)
        kind = generator.randrange(5)
        if kind == 0 and at < len(result):
            result[at] ^= 1 << generator.randrange(8)
        elif kind == 1:
            del result[at : at + generator.randint(1, 40)]
        elif kind == 2:
            result[at:at] = result[at : at + generator.randint(1, 40)] * generator.randint(1, 9)
        elif kind == 3:
            result[at:at] = generator.choice(
                [b"\0", b"\xff", b"\xed\xa0\x80", b"\n\n", b"<", b'"', b"&#xD800;", b"{", b"\x1b["]
            )
        else:
            result[at:at] = generator.randbytes(generator.randint(1, 12))
        result = result or bytearray(b"x")
    return bytes(result)


def retyped(data: Any, generator: random.Random) -> Any:
    """JSON of the same shape with one value of another type, or one key gone."""
    changed = copy.deepcopy(data)
    node, depth = changed, generator.randint(0, 4)
    while isinstance(node, dict | list) and node:
        key = generator.choice(list(node) if isinstance(node, dict) else range(len(node)))
        if depth == 0 or not isinstance(node[key], dict | list) or not node[key]:
            if isinstance(node, dict) and generator.random() < 0.2:
                del node[key]
            else:
                node[key] = generator.choice([*WRONG, -1, 1e300, 10**30, "9" * 40, "\x1b[2J"])
            break
        node, depth = node[key], depth - 1
    return changed


def read(path: Path) -> None:
    """All that reading a pile does: documents, conversations of chats, sentences, JSON."""
    documents = list(read_pile(path))
    for document in documents:
        json.dumps(document.to_row(), ensure_ascii=False, default=str).encode()
        for sentence in split_sentences(document):
            sentence.text.encode()
    if any(document.extra.get("chat") for document in documents):
        for chat in build_conversations([path]):
            json.dumps(chat.to_row(), ensure_ascii=False).encode()


def fuzz(seconds: float, seed: int = 0, most: int | None = None) -> tuple[int, Counter[str]]:
    """How many inputs were read, and what went wrong: foreign exceptions and hangs, by kind."""
    generator, problems, count = random.Random(seed), Counter[str](), 0
    files, end = seeds(), time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end and (most is None or count < most):
            if generator.random() < 0.2:
                name = generator.choice(list(JSON_FILES))
                data = json.dumps(retyped(JSON_FILES[name], generator)).encode()
            else:
                name, data = generator.choice(files)
                data = mutate(data, generator)
            path = Path(folder, name)
            path.write_bytes(data)
            started, count = time.process_time(), count + 1
            try:
                read(path)
            except FabulaError as error:
                str(error)
            except Exception as error:
                problems[f"{path.name}: {type(error).__name__}: {str(error)[:80]}"] += 1
            if time.process_time() - started > SLOW:
                problems[f"{path.name}: longer than {SLOW:.0f} s"] += 1
            path.unlink()
    return count, problems


def fuzz_apart(seconds: float) -> tuple[int, Counter[str], int]:
    """``fuzz`` in a process of its own, and its peak in megabytes; over 1 GB is a problem."""
    line = [sys.executable, "-m", "tests.attacks.fuzz", str(seconds)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode:
        return 0, Counter({f"the process ended with {done.returncode}: {done.stderr[-300:]}": 1}), 0
    found = json.loads(done.stdout)
    return found["count"], Counter(found["problems"]), found["megabytes"]


def _main(seconds: float) -> None:
    logging.disable(logging.CRITICAL)
    count, problems = fuzz(seconds)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if peak > LARGE:
        problems[f"{peak:.0f} MB at the peak"] += 1
    sys.stdout.write(json.dumps({"count": count, "problems": problems, "megabytes": round(peak)}))


if __name__ == "__main__":
    _main(float(sys.argv[1]))
