"""Story-cloze tables: data-set biases, ending-only feature ablation, model accuracies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.bench.contamination import SeenItems
from fabula.bench.evaluate import evaluate
from fabula.bench.papers.shape import Row, TableResult
from fabula.bench.papers.work import Work
from fabula.core.stats import bootstrap, wilson
from fabula.endings.items import Ending
from fabula.errors import MissingPart
from fabula.registry import models

__all__ = ["EndingModel", "biases", "contained_in", "contest", "features", "spreads"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class EndingModel:
    """A model row of an accuracy table. ``learns`` names the corpus role it is trained on."""

    label: str
    name: str | None  # "first" chooses the first option; None: cannot be run here
    options: Mapping[str, Any] = field(default_factory=dict)
    learns: str = ""
    why: tuple[str, ...] = ()


def _items(work: Work, *roles: str) -> list[Ending]:
    """The items of the given roles that have a corpus, cut to the setting ``items``."""

    def read(role: str) -> list[Ending]:
        items = work.corpora[role].endings()
        limit = work["items"]
        return items if limit is None else items[:limit]

    items_by_role = [work.once(role, partial(read, role)) for role in roles if work.has(role)]
    return [item for items in items_by_role for item in items]


def _unique(items: Sequence[Ending]) -> list[Ending]:
    from dataclasses import replace

    return [replace(item, id=f"{number} {item.id}") for number, item in enumerate(items, 1)]


# Table 2


def biases(
    work: Work, *, roles: Sequence[str], published: Mapping[str, tuple[float, float, float]]
) -> TableResult:
    """Means over right and wrong endings, a two-sample t-test (Welch), and a paired test."""
    return work.result(f"biases {dict(published)}", lambda: _biases(work, roles, published))


def _biases(
    work: Work, roles: Sequence[str], published: Mapping[str, tuple[float, float, float]]
) -> TableResult:
    from fabula.audit.context import AuditContext
    from fabula.audit.item_table import ItemTable
    from fabula.audit.stats.contrast import contrast

    items = _unique(_items(work, *roles))
    context = AuditContext(all_items=ItemTable(items), seed=work.seed, parsed=2 * len(items))
    table, parsed = context.table, context.parses
    measures: dict[str, tuple[Floats, Any]] = {
        "tokens": (table.words.counts.astype(float), table),
        "VADER": (table.sentiment, table),
    }
    if parsed is not None:
        measures |= {"Frazier": (parsed[1].frazier, parsed[0])}
        measures |= {"Yngve": (parsed[1].yngve, parsed[0])}
    if work.has("stanford"):
        measures["Stanford"] = (_stanford(work, table.texts), table)
    rows, notes = [], []
    for name, theirs in published.items():
        if name not in measures:
            notes.append(f"{name}: not measured, since the endings do not look English")
            continue
        values, table = measures[name]
        check = contrast(name, values, table, 1)
        why = ("trees",) if name in ("Frazier", "Yngve") else ()
        for side_name, side, value in (
            ("right", values[table.right], theirs[0]),
            ("wrong", values[~table.right], theirs[1]),
        ):
            low, high = bootstrap(side, seed=work.seed)
            rows.append(Row((name, side_name), value, float(side.mean()), low, high, why))
        p = check.detail["unpaired_p"]
        rows += [
            Row((name, "p"), theirs[2], p, why=why),
            Row((name, "right - wrong, paired"), None, check.value, check.low, check.high),
        ]
        notes.append(f"{name}: paired p {check.p:.2g}")
        if name in ("Frazier", "Yngve") and parsed is not None:
            lengths = table.words.counts.astype(float)
            told = f"correlation with the number of tokens {_correlation(values, lengths):.2f}"
            for taken, covariates in (
                ("length", [lengths]),
                ("length and coordination", [lengths, parsed[1].conjunctions]),
            ):
                apart = contrast(name, _residual(values, covariates), table, 1)
                label = (name, f"right - wrong, paired, {taken} taken out")
                rows.append(Row(label, None, apart.value, apart.low, apart.high))
                told += f"; with {taken} taken out (linear), paired p {apart.p:.2g}"
            notes.append(f"{name}: {told}")
    notes.append(f"{len(table)} items: {', '.join(role for role in roles if work.has(role))}")
    return TableResult(tuple(rows), tuple(notes))


def _correlation(values: Floats, others: Floats) -> float:
    if not np.ptp(values) or not np.ptp(others):
        return 0.0
    return float(np.corrcoef(values, others)[0, 1])


def _residual(values: Floats, covariates: Sequence[Floats]) -> Floats:
    """What linear regression on the covariates leaves of a measure."""
    design = np.column_stack([*covariates, np.ones_like(values)])
    return np.asarray(values - design @ np.linalg.lstsq(design, values, rcond=None)[0])


def _stanford(work: Work, texts: Sequence[str]) -> Floats:
    """CoreNLP's sentiment of each ending, 0 to 4, from a file of rows ``text, sentiment``."""
    from fabula.errors import InputError
    from fabula.text.io.records import read_records

    path = work.corpora["stanford"].source
    sentiment = {str(r.data.get("text")): r.data.get("sentiment") for r in read_records(path)}
    missing = [text for text in texts if sentiment.get(text) is None]
    if missing:
        problem = f"has no 'sentiment' for {len(missing)} endings, such as {missing[0]!r}"
        raise InputError(problem, path=path)
    try:
        return np.array([float(str(sentiment[text])) for text in texts])
    except ValueError as error:
        raise InputError(f"a 'sentiment' is no number: {error}", path=path) from error


# Table 3


def features(work: Work, *, published: Mapping[str, float | None]) -> TableResult:
    """Accuracy of EndingReg per feature group, by pairwise and by independent decision."""
    from fabula.endings.models.endingreg.ablation import ROWS, ablation

    train, test = _items(work, "val"), _items(work, "test")
    chosen = {name: ROWS[name] for name in published}
    folds = 5 if len(train) >= 10 else 2

    def measure() -> dict[str, Any]:
        results = ablation(train, test, rows=chosen, folds=folds, seed=work.seed)
        return {
            f"{row.features}|{row.decision}": {
                "value": row.accuracy, "low": row.interval.low, "high": row.interval.high
            }
            for row in results
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
    return TableResult(tuple(rows), (how,))


# Table 5


def spreads(
    work: Work,
    *,
    sets: Mapping[str, Sequence[str]],
    published: Mapping[str, Mapping[str, float]],
) -> TableResult:
    """SD over n-grams of count in right minus count in wrong endings; its ratio to chance."""
    return work.result(f"spreads {dict(published)}", lambda: _spreads(work, sets, published))


def _spreads(
    work: Work,
    sets: Mapping[str, Sequence[str]],
    published: Mapping[str, Mapping[str, float]],
) -> TableResult:
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
        given = {role: None for other in sets if other != name for role in sets[other]}
        notes += filter(
            None, [contained_in(work, role, [*given]) for role in roles if role == "new"]
        )
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
        notes.append(f"{name}: {len(context.table)} items")
    return TableResult(tuple(rows), tuple(notes))


def contained_in(work: Work, role: str, others: Sequence[str]) -> str:
    """A note if items of a file stand in other files that were given; empty if none does."""

    def key(item: Ending) -> tuple[str, ...]:
        texts = (" ".join(item.context), *sorted(item.options))
        return tuple(" ".join(text.casefold().split()) for text in texts)

    if not work.has(role) or role in others:
        return ""
    items = _items(work, role)
    told = []
    for other in others:
        known = {key(item) for item in _items(work, other)} if work.has(other) else set()
        shared = sum(key(item) in known for item in items)
        if shared:
            told.append(f"{shared} of them stand in {work.corpora[other].label} ({other})")
    if not told:
        return ""
    label = work.corpora[role].label
    return f"{label} ({role}) is not new data: of its {len(items)} items, {'; '.join(told)}"


# Table 6, and Table 2 of the evaluator


def contest(
    work: Work,
    *,
    contenders: Sequence[EndingModel],
    roles: Mapping[str, str],
    published: Mapping[str, Sequence[float | None]],
    columns: int = 2,
) -> TableResult:
    """Accuracy of each model on each file; ``roles`` are the columns of the paper's table.

    On the file a model is trained on, accuracy comes from cross-validation.
    """
    rows, seen = [], []
    older = [role for role in roles.values() if role != "new"]
    contained = contained_in(work, "new", older) if "new" in roles.values() else ""
    for model in contenders:
        for (column, role), theirs in zip(roles.items(), published[model.label], strict=True):
            label = (model.label, column)[:columns]
            if not work.has(role):
                continue
            untrained = bool(model.learns) and not work.has(model.learns)
            if model.name is None or untrained:
                rows.append(
                    Row(label, theirs, None, why=("untrained",) if untrained else model.why)
                )
                continue
            if model.name == "joint" and not _has_encoder(str(model.options.get("encoder", ""))):
                rows.append(Row(label, theirs, None, why=model.why))
                continue
            try:
                cell = work.cell(f"{model.label} on {role}", partial(_accuracy, work, model, role))
            except SeenItems as error:
                rows.append(Row(label, theirs, None, why=("seen",)))
                seen.append(str(error))
                continue
            reasons = (*model.why, *_vector_reason(work, model))
            reasons += ("contained",) if contained and role == "new" else ()
            rows.append(Row.of(label, theirs, cell, why=reasons))
    sizes = ", ".join(
        f"{column} {len(_items(work, role))}" for column, role in roles.items() if work.has(role)
    )
    without_corpus = [column for column, role in roles.items() if not work.has(role)]
    notes = [
        f"items: {sizes}",
        *([f"no corpus for {', '.join(without_corpus)}"] if without_corpus else []),
        *([contained] if contained else []),
        *seen,
    ]
    return TableResult(tuple(rows), tuple(notes))


def _has_encoder(name: str) -> bool:
    """Whether an encoder that needs the user's files has them; others always do."""
    from fabula.text.encoders.sentence import find_encoder

    if name != "skip-thoughts":
        return True
    try:
        find_encoder(name)
    except MissingPart:
        return False
    return True


def _vector_reason(work: Work, model: EndingModel) -> tuple[str, ...]:
    return ("vectors",) if model.name == "word2vec" and work["vectors"] != "glove" else ()


def _create(work: Work, model: EndingModel) -> Any:
    if model.name == "word2vec" and work["vectors"] != "glove":
        return models.get("endings/joint")(encoder=work["vectors"], context="paragraph")
    options = {key: work[value[1:]] if str(value).startswith("$") else value
               for key, value in model.options.items()}  # fmt: skip
    if model.name == "endingreg":
        options["seed"] = work.seed  # the tuning folds of Table 3: one model, one value
    return models.get(f"endings/{model.name}")(**options)


def _accuracy(work: Work, model: EndingModel, role: str) -> dict[str, Any]:
    items = _unique(_items(work, role))
    if model.name == "first":
        firsts = sum(item.gold == 0 for item in items)
        low, high = wilson(firsts, len(items))
        return {"value": firsts / len(items), "low": low, "high": high}
    if model.learns == role:
        return _by_folds(work, model, items)
    fitted = _create(work, model)
    if model.learns:
        fitted = fitted.fit(_unique(_training(work, model.learns)))
    run = evaluate(
        "endings",
        items,
        fitted,
        name=model.label,
        metrics=["accuracy"],
        seed=work.seed,
        force=work.force,
    )
    estimate = run.metrics["accuracy"]
    return {
        "value": float(estimate.value),
        "low": float(estimate.low),
        "high": float(estimate.high),
    }


def _training(work: Work, role: str) -> list[Ending]:
    """Training items: labelled endings, or stories whose last sentence is the right ending."""
    if role != "stories":
        return _items(work, role)
    from fabula.endings.build import build_endings

    return list(build_endings(work.corpora[role].documents(), n=work["stories"], seed=work.seed))


def _by_folds(
    work: Work, model: EndingModel, items: list[Ending], folds: int = 5
) -> dict[str, Any]:
    from fabula.endings.folds import item_folds
    from fabula.endings.metrics import accuracy

    fold_of, right = item_folds(len(items), folds, work.seed), 0.0
    for fold in range(folds):
        rest = [item for item, item_fold in zip(items, fold_of, strict=True) if item_fold != fold]
        held = [item for item, item_fold in zip(items, fold_of, strict=True) if item_fold == fold]
        scores = _create(work, model).fit(rest).score(held)
        right += sum(accuracy(i, s).total for i, s in zip(held, scores, strict=True))
    low, high = wilson(right, len(items))
    return {"value": right / len(items), "low": low, "high": high}
