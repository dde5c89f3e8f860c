"""Random and mutated inputs for every reader: one error at most, and never a foreign one."""

from __future__ import annotations

import json
import random
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.attacks.crafted import SUFFIXES, TEXTS, crafted

from fabula.errors import FabulaError
from fabula.text.io.documents import read_documents
from fabula.text.segment.sentences import split_sentences

SLOW = 30.0  # seconds


def seeds() -> list[tuple[str, bytes]]:
    """Small files of every kind, whole, crafted or wrong."""
    small = [(name, data) for name, data in crafted(1) if len(data) < 3000]
    return small + [(f"x{suffix}", TEXTS["plain"]) for suffix in SUFFIXES]


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


def fuzz(seconds: float, seed: int = 0, most: int | None = None) -> tuple[int, Counter[str]]:
    """How many inputs were read, and what went wrong: foreign exceptions and hangs, by kind."""
    generator, problems, count = random.Random(seed), Counter[str](), 0
    files, end = seeds(), time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end and (most is None or count < most):
            name, data = generator.choice(files)
            path = Path(folder, name)
            path.write_bytes(mutate(data, generator))
            started, count = time.process_time(), count + 1
            try:
                for document in read_documents(path):
                    json.dumps(document.to_row(), ensure_ascii=False, default=str).encode()
                    for sentence in split_sentences(document):
                        sentence.text.encode()
            except FabulaError as error:
                str(error)
            except Exception as error:
                problems[f"{path.suffix}: {type(error).__name__}: {str(error)[:80]}"] += 1
            if time.process_time() - started > SLOW:
                problems[f"{path.suffix}: longer than {SLOW:.0f} s"] += 1
            path.unlink()
    return count, problems
