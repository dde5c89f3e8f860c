"""Separate mixed reports, write them as Markdown, and put one sentence right.

Run: python untangle_a_pile.py [FILE ...]   (without files: a small pile of its own)
"""

from __future__ import annotations

import sys
from pathlib import Path

import fabula
from fabula.assembly.pile import read_pile
from fabula.assembly.render.formats import to_markdown

PILE = """\
The ferry Aurora left Brindle harbour in thick fog.
Nadia Osei lit the bakery's ovens before dawn.
Off Gull Point the Aurora struck a rock.
The first loaves came out of Nadia's oven at five.
Fishing boats took the passengers off the sinking ferry.
One side of every loaf was burnt black.
The Aurora sank within the hour.
Nadia sold the burnt loaves at half price.
"""


def main(files: list[str]) -> None:
    texts = list(read_pile(*files)) if files else [PILE]
    found = fabula.assemble(texts, stories=None if files else 2)
    Path("accounts.md").write_text(to_markdown(found), encoding="utf-8")
    print(f"{len(found.stories)} stories written to accounts.md")

    # The least sure sentence: what would it take to put it elsewhere?
    placed = min(
        (p for story in found.stories for p in story.sentences), key=lambda p: p.probability
    )
    print(f"least sure ({placed.probability:.2f}): {placed.sentence.text}")
    if placed.runner_up is not None:
        wish = {"do": "move", "sentence": placed.sentence.text, "to": placed.runner_up}
        corrections = {"fabula": "corrections", "version": 1, "corrections": [wish]}
        again = fabula.assemble(texts, stories=len(found.stories), corrections=corrections)
        print("moved:", [len(story.sentences) for story in again.stories], "sentences a story")


if __name__ == "__main__":
    main(sys.argv[1:])
