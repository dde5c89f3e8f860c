"""Put lines in order, then say what is known and see what that changes.

Run: python order_with_hints.py
"""

from __future__ import annotations

import fabula
from fabula.ordering.coherence import coherence
from fabula.ordering.moves import describe_moves

LINES = [
    "The jury needed four hours.",
    "In March a night watchman found the vault open and empty.",
    "She was sentenced to six years on 2 December.",
    "The trial of Vera Lindt began on 9 November.",
    "In May the police found the diamonds in her piano.",
]


def main() -> None:
    print(f"as it stands, coherence is {coherence(LINES).score:.2f} (a shuffled text has .50)")
    free = fabula.order(LINES)
    print(f"\nby itself, sure to {free.confidence:.2f}:")
    for place in free.order:
        print(" ", LINES[place])

    known = fabula.order(LINES, first=1, before=[(4, 3), (3, 0)])
    print(f"\nwith what is known, sure to {known.confidence:.2f}:")
    print(describe_moves(LINES, known.order))
    assert known.order[0] == 1


if __name__ == "__main__":
    main()
