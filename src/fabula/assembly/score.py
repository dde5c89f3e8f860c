"""How near an assembly is to a known solution (the sample's, or the user's own)."""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from fabula.assembly import Assembly
from fabula.errors import InputError
from fabula.ordering.metrics import tau
from fabula.salads.metrics import clustering_accuracy, contingency

__all__ = ["score_assembly"]


def score_assembly(assembly: Assembly, solution: str | PathLike[str]) -> dict[str, float]:
    """CA of the stories, and tau within them, by line number.

    The solution is JSON: ``{"stories": [{"lines": [7, 2, ...]}, ...]}``, lines in right order.
    Where a story was not recovered whole, tau is over the sentences that are in the right one.
    """
    from scipy.optimize import linear_sum_assignment

    stories, planted = _read(solution)
    home = {line: number for number, lines in enumerate(stories) for line in lines}
    placed = [
        (p.sentence.line, narrative.id)
        for narrative in assembly.stories
        for p in narrative.sentences
    ]
    unknown = sorted({line for line, _ in placed if line not in home})
    if unknown:
        raise InputError(f"the solution does not know line {unknown[0]}", path=solution)
    gold = np.array([home[line] for line, _ in placed])
    found = np.array([number for _, number in placed])
    table = contingency(gold, found)
    homes, numbers = np.unique(gold), np.unique(found)
    taus = []
    for row, column in zip(*linear_sum_assignment(table, maximize=True), strict=True):
        lines = stories[homes[row]]
        told = [line for line, number in placed if number == numbers[column] and line in lines]
        right = [line for line in lines if line in told]
        if len(told) == len(set(told)) > 1:
            taus.append(tau(list(range(len(right))), [right.index(line) for line in told]))
    return {
        "CA": clustering_accuracy(gold, found),
        "tau": float(np.mean(taus)) if taus else 0.0,
        "stories": float(len(assembly.stories)),
        "stories_right": float(len(stories)),
        **_contradictions(assembly, planted),
    }


KindsAndLines = set[tuple[str, frozenset[int]]]


def _contradictions(assembly: Assembly, planted: KindsAndLines) -> dict[str, float]:
    """How many of the solution's contradictions were found, by kind and lines; and false ones."""
    if not planted:
        return {}
    lines = {
        (story.id, p.position): p.sentence.line
        for story in assembly.stories
        for p in story.sentences
    }
    found = {
        (clash.kind, frozenset(lines[side.story, side.position] for side in clash.sides))
        for clash in assembly.contradictions
    }
    return {
        "planted": float(len(planted)),
        "found": float(len(planted & found)),
        "false": float(len(found - planted)),
    }


def _read(solution: str | PathLike[str]) -> tuple[list[list[int]], KindsAndLines]:
    try:
        data: Any = json.loads(Path(solution).read_text(encoding="utf-8"))
        clashes = {
            (str(c["kind"]), frozenset(map(int, c["lines"])))
            for c in data.get("contradictions", [])
        }
        return [[int(line) for line in story["lines"]] for story in data["stories"]], clashes
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"not a solution file ({error})", path=solution) from error
