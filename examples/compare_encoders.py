"""Which of three encoders knows best what comes next, and is the difference real?

Run: python compare_encoders.py
"""

from __future__ import annotations

import zlib

import fabula
from fabula.bench.compare import compare
from fabula.endings.build import build_endings


class Hashed:
    """Words hashed into 64 counts: an encoder in four lines."""

    def encode(self, texts: list[str]) -> list[list[int]]:
        rows = [[0] * 64 for _ in texts]
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().split():
                row[zlib.crc32(word.encode()) % 64] += 1
        return rows


def main() -> None:
    items = list(build_endings(fabula.read_documents("sample"), seed=1))
    models = {"minilm": "joint:minilm", "tfidf": "joint:tfidf", "hashed": Hashed()}
    runs = [fabula.evaluate("endings", items, model, name=name) for name, model in models.items()]
    for run in runs:
        right, gain = run.metrics["accuracy"], run.metrics["context_gain"]
        print(f"{run.model:7} right in {right.value:.2f} [{right.low:.2f}, {right.high:.2f}], "
              f"of which the story is worth {gain.value:+.2f}")  # fmt: skip
    for pair in compare(runs):
        verdict = "differ" if pair.significant else "not shown to differ"
        print(f"{pair.first} - {pair.second}: {pair.difference:+.2f} "
              f"[{pair.low:+.2f}, {pair.high:+.2f}], {verdict}")  # fmt: skip


if __name__ == "__main__":
    main()
