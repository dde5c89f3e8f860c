"""Plant a leak in clean items, see the audit find it, and mend the data set.

Run: python audit_a_leak.py
"""

from __future__ import annotations

from dataclasses import replace
from importlib import resources

import fabula
from fabula.audit.balance import balance
from fabula.endings.formats.tables import read_endings
from fabula.endings.items import Ending

PROBES = ["position", "surface", "tokens", "options-only"]


def planted(item: Ending, number: int) -> Ending:
    """Every second wrong ending gets a telling word."""
    if number % 2 or item.gold is None:
        return item
    options = [
        text if place == item.gold else "Sadly, " + text[0].lower() + text[1:]
        for place, text in enumerate(item.options)
    ]
    return replace(item, options=tuple(options))


def main() -> None:
    items = list(read_endings(str(resources.files("fabula") / "data" / "sample" / "endings.jsonl")))
    leaky = [planted(item, number) for number, item in enumerate(items)]
    for name, some in (("as written", items), ("with a leak", leaky)):
        done = fabula.audit(some, probes=PROBES)
        print(f"{name}: {done.verdict}")
        for finding in done.leaks:
            print(f"  {finding.name}: {finding.finding}")

    kept = balance(leaky, keep=0.5)
    print(f"balanced: {len(kept.kept)} of {len(leaky)} items kept; rewrite first:")
    for row in kept.rewrite[:3]:
        print(" ", row.id, row.words)


if __name__ == "__main__":
    main()
