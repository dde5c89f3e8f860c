"""Synthetic noise for robustness tests: the ordering paper's Insert, Remove and Modify.

Each unit is perturbed with a given probability, by one of the three at random:

- insert: an advertising line is put in front of the unit (the lines below were written for this);
- remove: the unit is taken out of the text;
- modify: half of its tokens are joined with the next one, split in two, or have one character
  replaced, as by poor OCR.
"""

from __future__ import annotations

import random
import string
from collections.abc import Iterable, Sequence

from fabula.errors import UnknownName, UsageError
from fabula.ordering.items import Text

__all__ = ["ADVERTISEMENTS", "KINDS", "add_noise", "modify"]

KINDS = ("insert", "remove", "modify")
_CHARACTERS = string.ascii_letters + string.digits + string.punctuation

ADVERTISEMENTS = (
    "Brightwater Tea: one cup and the day can start.",
    "Sleep like a stone on a Larkspur mattress.",
    "Hollis & Daughter, locksmiths since your grandmother's time.",
    "Why walk? Rent a Pedalo bicycle for the price of a sandwich.",
    "Marrow's Marmalade: thick where it matters.",
    "Your roof called. It wants Tiptop Slates.",
    "Two for one on all Ferngate boots, this weekend only.",
    "Try the new Quill 5: the pen that never says no.",
    "Dentist on Dock Street. We are gentle. Ask the children.",
    "Call Nimble Removals before you lift that piano.",
    "Oatfield Biscuits: the last one in the tin is yours.",
    "Winter is long. Woolhouse socks are longer.",
    "Subscribe now and read the first month free.",
    "Sunny Acres: sea view from every second window.",
    "Drop by Petra's for the soup your doctor would order.",
    "Lost your keys again? Tag them with Beepo.",
    "Save a third on Cobalt paint when you buy three tins.",
    "The Grand Reopening of the Little Theatre. Bring a cushion.",
    "Fresh bread at six, gone by nine. Miller Lane Bakery.",
    "Driving lessons with patience included. Ring Ahmed.",
    "Glide: the razor that remembers your face.",
    "A garden in a box, delivered on Fridays by Sprout & Co.",
    "Learn Portuguese in the bath with Aqualingua tapes.",
    "Harbour Insurance. Because tides turn.",
    "Fifty kinds of cheese and one kind of welcome: Dell's.",
    "Ironclad Safes: sleep on your savings no longer.",
    "Click here to claim your free umbrella.",
    "Dust? What dust? Whisper vacuum cleaners.",
    "Your wedding, our tents. Canvas King.",
    "Rosewood Radio, all the old songs and none of the talk.",
    "Kids eat free at the Copper Kettle on Sundays.",
    "New knees, new life: the Alder Clinic.",
    "Pigeon Post delivers by noon or you pay nothing.",
    "Maple syrup straight from the tree, well, nearly.",
    "Stop squinting. Eye tests at Halloway's, no appointment.",
    "Lantern Lodge: five rooms, four seasons, no television.",
    "Hire a choir for any occasion, even a small one.",
    "Batteries that outlast the toy. Everbright.",
    "The Big Book of Small Repairs, now in paperback.",
    "Download the Fareshare app and never wait for a bus again.",
)


def add_noise(
    texts: Iterable[Text], level: float, *, kinds: Sequence[str] = KINDS, seed: int = 0
) -> tuple[list[Text], int]:
    """The texts with each unit perturbed with probability ``level``, and how many were dropped.

    A text with fewer than two units left cannot be ordered and is dropped. The noise of a text
    depends on its id and the seed alone.
    """
    if not 0 <= level <= 1:
        raise UsageError(f"a noise level is a share between 0 and 1, not {level}")
    for kind in kinds:
        if kind not in KINDS:
            raise UnknownName("kind of noise", kind, KINDS)
    noisy, dropped = [], 0
    for text in texts:
        perturbed = _perturb(text, level, kinds, random.Random(f"{seed} {text.id}"))
        if len(perturbed.units) < 2:
            dropped += 1
        else:
            noisy.append(perturbed)
    return noisy, dropped


def _perturb(text: Text, level: float, kinds: Sequence[str], rng: random.Random) -> Text:
    units: list[str | None] = []
    for unit in text.units:
        kind = rng.choice(kinds) if rng.random() < level else None
        if kind == "insert":
            units.append(f"{rng.choice(ADVERTISEMENTS)} {unit}")
        elif kind == "remove":
            units.append(None)
        else:
            units.append(modify(unit, rng) if kind == "modify" else unit)
    kept = [index for index, unit in enumerate(units) if unit is not None]
    place = {old: new for new, old in enumerate(kept)}
    gold = None if text.gold is None else tuple(place[g] for g in text.gold if g in place)
    return Text(text.id, tuple(unit for unit in units if unit is not None), gold)


def modify(unit: str, rng: random.Random, share: float = 0.5) -> str:
    """A unit with ``share`` of its tokens joined, split or misspelt."""
    tokens = unit.split()
    number = min(len(tokens), max(1, round(share * len(tokens))))
    hit = set(rng.sample(range(len(tokens)), number))
    out: list[str] = []
    glue = False
    for index, token in enumerate(tokens):
        changed, joins = token, False
        if index in hit:
            ways = ["replace"]
            ways += ["split"] if len(token) > 1 else []
            ways += ["glue"] if index + 1 < len(tokens) else []
            way = rng.choice(ways)
            if way == "split":
                at = rng.randrange(1, len(token))
                changed = f"{token[:at]} {token[at:]}"
            elif way == "replace":
                at = rng.randrange(len(token))
                changed = token[:at] + rng.choice(_CHARACTERS) + token[at + 1 :]
            joins = way == "glue"
        if glue:
            out[-1] += changed
        else:
            out.append(changed)
        glue = joins
    return " ".join(out)
