"""Small data sets: clean by construction, or with one leak."""

from __future__ import annotations

import random

from fabula.endings.items import Ending

NOUNS = "boat lamp river horse cellar garden letter bridge candle window kettle barn".split()
VERBS = "found left painted carried opened lost watched mended sold hid".split()
NAMES = "Ida Paul Greta Tom Nell Amos Ruth Walter".split()


def sentence(rng: random.Random, least: int = 1) -> str:
    tail = " ".join(f"and the {rng.choice(NOUNS)}" for _ in range(rng.randrange(least, least + 3)))
    return f"{rng.choice(NAMES)} {rng.choice(VERBS)} the {rng.choice(NOUNS)} {tail}."


def make(n: int, options: int = 2, seed: int = 0) -> list[Ending]:
    rng = random.Random(seed)
    return [
        Ending(
            f"i{number}",
            (f"{number}: {sentence(rng)}", sentence(rng)),
            tuple(f"{sentence(rng)} {place}{number}" for place in range(options)),
            rng.randrange(options),
        )
        for number in range(n)
    ]
