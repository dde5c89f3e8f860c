"""Story endings: biases of a data set, what ending-only features give away, models compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.bench.evaluate import evaluate
from fabula.bench.papers.shape import Found, Row
from fabula.bench.papers.work import Work
from fabula.core.stats import bootstrap, wilson
from fabula.endings.items import Ending
from fabula.registry import models

__all__ = ["Contender", "biases", "contest", "features", "spreads"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Contender:
    """A row of a table of accuracies. ``learns`` names the role a model is trained on."""

    label: str
    name: str | None  # "first" chooses the first option; None: cannot be run here
    options: Mapping[str, Any] = field(default_factory=dict)
    learns: str = ""
    why: tuple[str, ...] = ()


def _items(work: Work, *roles: str) -> list[Ending]:
    """The items of the roles there are, a part of them if the settings say so."""

    def read(role: str) -> list[Ending]:
        found = work.corpora[role].endings()
        most = work["items"]
        return found if most is None else found[:most]

    held = [work.once(role, partial(read, role)) for role in roles if work.has(role)]
    return [item for some in held for item in some]


def _unique(items: Sequence[Ending]) -> list[Ending]:
    from dataclasses import replace

    return [replace(item, id=f"{number} {item.id}") for number, item in enumerate(items, 1)]


# Table 2


def biases(
    work: Work, *, roles: Sequence[str], published: Mapping[str, tuple[float, float, float]]
) -> Found:
    """Means of right and wrong endings, the paper's two-sample test, and a paired one."""
    return work.found(f"biases {dict(published)}", lambda: _biases(work, roles, published))


def _biases(
    work: Work, roles: Sequence[str], published: Mapping[str, tuple[float, float, float]]
) -> Found:
    from fabula.audit.context import AuditContext
    from fabula.audit.item_table import ItemTable
    from fabula.audit.stats.contrast import contrast

    items = _unique(_items(work, *roles))
    context = AuditContext(all_items=ItemTable(items), seed=work.seed, parsed=2 * len(items))
    sheet, parsed = context.sheet, context.parses
    measures: dict[str, tuple[Floats, Any]] = {
        "tokens": (sheet.words.counts.astype(float), sheet),
        "VADER": (sheet.sentiment, sheet),
    }
    if parsed is not None:
        measures |= {"Frazier": (parsed[1].frazier, parsed[0])}
        measures |= {"Yngve": (parsed[1].yngve, parsed[0])}
    if work.has("stanford"):
        measures["Stanford"] = (_stanford(work, sheet.texts), sheet)
    rows, notes = [], []
    for name, theirs in published.items():
        values, of = measures[name]
        check = contrast(name, values, of, 1)
        why = ("trees",) if name in ("Frazier", "Yngve") else ()
        for what, some, value in (
            ("right", values[of.right], theirs[0]),
            ("wrong", values[~of.right], theirs[1]),
        ):
            low, high = bootstrap(some, seed=work.seed)
            rows.append(Row((name, what), value, float(some.mean()), low, high, why))
        p = check.detail["unpaired_p"]
        rows += [
            Row((name, "p"), theirs[2], p, why=why),
            Row((name, "right - wrong, paired"), None, check.value, check.low, check.high),
        ]
        notes.append(f"{name}: paired p {check.p:.2g}")
    notes.append(f"{len(sheet)} items: {', '.join(role for role in roles if work.has(role))}")
    return Found(tuple(rows), tuple(notes))


def _stanford(work: Work, texts: Sequence[str]) -> Floats:
    """CoreNLP's sentiment of each ending, 0 to 4, from a file of rows ``text, sentiment``."""
    from fabula.errors import InputError
    from fabula.text.io.records import read_records

    path = work.corpora["stanford"].source
    known = {str(r.data.get("text")): r.data.get("sentiment") for r in read_records(path)}
    missing = [text for text in texts if known.get(text) is None]
    if missing:
        problem = f"has no 'sentiment' for {len(missing)} endings, such as {missing[0]!r}"
        raise InputError(problem, path=path)
    try:
        return np.array([float(str(known[text])) for text in texts])
    except ValueError as error:
        raise InputError(f"a 'sentiment' is no number: {error}", path=path) from error


# Table 3


def features(work: Work, *, published: Mapping[str, float | None]) -> Found:
    """Accuracy of EndingReg on each group of features, by both ways to decide."""
    from fabula.endings.ablation import ROWS, ablation

    train, test = _items(work, "val"), _items(work, "test")
    chosen = {name: ROWS[name] for name in published}
    folds = 5 if len(train) >= 10 else 2

    def measure() -> dict[str, Any]:
        found = ablation(train, test, rows=chosen, folds=folds, seed=work.seed)
        return {
            f"{row.features}|{row.decision}": {
                "value": row.accuracy, "low": row.interval.low, "high": row.interval.high
            }
            for row in found
        }  # fmt: skip

    cell = work.cell("features", measure)
    rows = [
        Row.of((name, decision), theirs, cell[f"{name}|{decision}"], scale=100, digits=1)
        for name, theirs in published.items()
        for decision in ("pair", "independent")
    ]
    how = f"trained on {len(train)} items, tested on {len(test)}"
    if not test:
        how = f"{folds} folds over {len(train)} items: no test file was given"
    return Found(tuple(rows), (how,))


# Table 5


def spreads(
    work: Work,
    *,
    sets: Mapping[str, Sequence[str]],
    published: Mapping[str, Mapping[str, float]],
) -> Found:
    """SD over n-grams of count in right minus count in wrong endings; its ratio to chance."""
    return work.found(f"spreads {dict(published)}", lambda: _spreads(work, sets, published))


def _spreads(
    work: Work,
    sets: Mapping[str, Sequence[str]],
    published: Mapping[str, Mapping[str, float]],
) -> Found:
    from fabula.audit.context import AuditContext
    from fabula.audit.item_table import ItemTable
    from fabula.audit.probes.ngrams import ngrams

    theirs_of = {
        "word": "n-gram",
        "word pairs and triples": "n-gram",
        "character 4-grams": "char-gram",
        "parts of speech, up to 3": "POS",
    }
    rows, notes = [], []
    for name, roles in sets.items():
        items = _unique(_items(work, *roles))
        if not items:
            notes.append(f"{name}: no corpus")
            continue
        context = AuditContext(all_items=ItemTable(items), seed=work.seed, parsed=2 * len(items))
        for check in ngrams(context).checks:
            theirs = published[name].get(theirs_of[check.name])
            shown = {"word": "words", "word pairs and triples": "words, up to 3"}.get(
                check.name, check.name
            )
            rows += [
                Row((name, shown, "SD"), theirs, check.detail["sd"], digits=1),
                Row((name, shown, "SD over chance"), None, check.value, check.low, check.high,
                    digits=2),
            ]  # fmt: skip
        notes.append(f"{name}: {len(context.sheet)} items")
    return Found(tuple(rows), tuple(notes))


# Table 6, and Table 2 of the evaluator


def contest(
    work: Work,
    *,
    contenders: Sequence[Contender],
    roles: Mapping[str, str],
    published: Mapping[str, Sequence[float | None]],
    columns: int = 2,
) -> Found:
    """Accuracy of each model on each file; ``roles`` are the columns of the paper's table.

    What a model is trained on cannot test it: there it is measured by folds.
    """
    rows = []
    for one in contenders:
        for (column, role), theirs in zip(roles.items(), published[one.label], strict=True):
            label = (one.label, column)[:columns]
            if not work.has(role):
                continue
            untrained = bool(one.learns) and not work.has(one.learns)
            if one.name is None or untrained:
                rows.append(Row(label, theirs, None, why=("untrained",) if untrained else one.why))
                continue
            cell = work.cell(f"{one.label} on {role}", partial(_accuracy, work, one, role))
            rows.append(Row.of(label, theirs, cell, why=(*one.why, *_standing(work, one))))
    sizes = ", ".join(
        f"{column} {len(_items(work, role))}" for column, role in roles.items() if work.has(role)
    )
    left = [column for column, role in roles.items() if not work.has(role)]
    notes = [f"items: {sizes}", *([f"no corpus for {', '.join(left)}"] if left else [])]
    return Found(tuple(rows), tuple(notes))


def _standing(work: Work, one: Contender) -> tuple[str, ...]:
    return ("vectors",) if one.name == "word2vec" and work["vectors"] != "glove" else ()


def _made(work: Work, one: Contender) -> Any:
    if one.name == "word2vec" and work["vectors"] != "glove":
        return models.get("endings/joint")(encoder=work["vectors"], context="paragraph")
    options = {key: work[value[1:]] if str(value).startswith("$") else value
               for key, value in one.options.items()}  # fmt: skip
    return models.get(f"endings/{one.name}")(**options)


def _accuracy(work: Work, one: Contender, role: str) -> dict[str, Any]:
    items = _unique(_items(work, role))
    if one.name == "first":
        firsts = sum(item.gold == 0 for item in items)
        low, high = wilson(firsts, len(items))
        return {"value": firsts / len(items), "low": low, "high": high}
    if one.learns == role:
        return _by_folds(work, one, items)
    model = _made(work, one)
    if one.learns:
        model = model.fit(_unique(_training(work, one.learns)))
    run = evaluate("endings", items, model, name=one.label, metrics=["accuracy"], seed=work.seed)
    e = run.metrics["accuracy"]
    return {"value": float(e.value), "low": float(e.low), "high": float(e.high)}


def _training(work: Work, role: str) -> list[Ending]:
    """Endings, or plain stories, of which the last sentence is the ending."""
    if role != "stories":
        return _items(work, role)
    from fabula.endings.build import build_endings

    return list(build_endings(work.corpora[role].documents(), n=work["stories"], seed=work.seed))


def _by_folds(work: Work, one: Contender, items: list[Ending], folds: int = 5) -> dict[str, Any]:
    from fabula.endings.folds import item_folds
    from fabula.endings.metrics import accuracy

    sides, right = item_folds(len(items), folds, work.seed), 0.0
    for fold in range(folds):
        rest = [item for item, side in zip(items, sides, strict=True) if side != fold]
        held = [item for item, side in zip(items, sides, strict=True) if side == fold]
        scores = _made(work, one).fit(rest).score(held)
        right += sum(accuracy(i, s).total for i, s in zip(held, scores, strict=True))
    low, high = wilson(right, len(items))
    return {"value": right / len(items), "low": low, "high": high}
