"""The main actors of an article, what each did, and whom they met.

Run: python who_did_what.py [FILE]   (without a file: an article of the packaged sample)
"""

from __future__ import annotations

import sys
from collections import Counter
from itertools import islice

import fabula


def main(files: list[str]) -> None:
    documents = islice(fabula.read_documents(*(files or ["sample"])), 1)
    (found,) = fabula.extract_events(documents)
    for chain in found.chains[:3]:
        print(f"{chain.entity}:")
        for event in chain.events:
            said = found.sentences[event.sentence or 0].text
            print(f"  {'not ' * event.negated}{event.verb} ({event.slot}): {said[:60]}")

    met = Counter(
        tuple(sorted((chain.entity, other)))
        for chain in found.chains
        for event in chain.events
        for other in (event.args or {}).values()
        if other != chain.entity
    )
    print("\nmost often in one event:")
    for (one, other), times in met.most_common(3):
        print(f"  {one} and {other}: {times}")


if __name__ == "__main__":
    main(sys.argv[1:])
