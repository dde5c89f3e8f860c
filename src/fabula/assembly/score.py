"""Score: an assembly and its gold solution in, clustering accuracy, tau and counts out."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from fabula.assembly import Assembly
from fabula.core.safety.checked_json import parse_json
from fabula.errors import InputError
from fabula.ordering.metrics import tau
from fabula.salads.metrics import clustering_accuracy, contingency

__all__ = ["score_assembly"]


def score_assembly(assembly: Assembly, solution: str | PathLike[str]) -> dict[str, float]:
    """CA of the stories, and tau within them, by line number.

    The solution is JSON: ``{"stories": [{"lines": [7, 2, ...]}, ...]}``, lines in gold order.
    Stories are matched by the Hungarian algorithm; tau is over the sentences a matched pair shares.
    """
    from scipy.optimize import linear_sum_assignment

    stories, planted = _read(solution)
    gold_story = {line: number for number, lines in enumerate(stories) for line in lines}
    placed = [
        (p.sentence.line, narrative.id)
        for narrative in assembly.stories
        for p in narrative.sentences
    ]
    unknown = sorted({line for line, _ in placed if line not in gold_story})
    if unknown:
        raise InputError(f"the solution does not know line {unknown[0]}", path=solution)
    gold = np.array([gold_story[line] for line, _ in placed])
    predicted = np.array([number for _, number in placed])
    table = contingency(gold, predicted)
    gold_numbers, predicted_numbers = np.unique(gold), np.unique(predicted)
    taus = []
    for row, column in zip(*linear_sum_assignment(table, maximize=True), strict=True):
        lines = stories[gold_numbers[row]]
        story = predicted_numbers[column]
        order = [line for line, number in placed if number == story and line in lines]
        gold_order = [line for line in lines if line in order]
        if len(order) == len(set(order)) > 1:
            taus.append(
                tau(list(range(len(gold_order))), [gold_order.index(line) for line in order])
            )
    return {
        "CA": clustering_accuracy(gold, predicted),
        "tau": float(np.mean(taus)) if taus else 0.0,
        "stories": float(len(assembly.stories)),
        "stories_right": float(len(stories)),
        **_contradictions(assembly, planted),
    }


KindsAndLines = set[tuple[str, frozenset[int]]]


def _contradictions(assembly: Assembly, planted: KindsAndLines) -> dict[str, float]:
    """Counts of gold, found and false contradictions, matched by kind and lines."""
    if not planted:
        return {}
    lines = {
        (story.id, p.position): p.sentence.line
        for story in assembly.stories
        for p in story.sentences
    }
    reported = {
        (entry.kind, frozenset(lines[side.story, side.position] for side in entry.sides))
        for entry in assembly.contradictions
    }
    return {
        "planted": float(len(planted)),
        "found": float(len(planted & reported)),
        "false": float(len(reported - planted)),
    }


def _read(solution: str | PathLike[str]) -> tuple[list[list[int]], KindsAndLines]:
    try:
        data: Any = parse_json(Path(solution).read_text(encoding="utf-8"))
        contradictions = {
            (str(c["kind"]), frozenset(map(int, c["lines"])))
            for c in data.get("contradictions", [])
        }
        return [[int(line) for line in story["lines"]] for story in data["stories"]], contradictions
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"not a solution file ({error})", path=solution) from error
