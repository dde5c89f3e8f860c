"""Story salads: data sets by recipe, models trained and measured once, attention drawn."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fabula.bench.evaluate import evaluate
from fabula.bench.papers.shape import Found, Row
from fabula.bench.papers.work import Work
from fabula.registry import models
from fabula.salads.build.mix import Source, build_salads, read_sources
from fabula.salads.items import Salad
from fabula.text.io.splits import parse_split, split_by_document

__all__ = ["Model", "SaladSet", "accuracies", "attention", "correlations", "sizes"]

_NETWORK = ("width", "hidden", "filters", "rate", "epochs", "patience")


@dataclass(frozen=True, slots=True)
class SaladSet:
    """A data set of the paper: its corpus, its recipe, and the sets its models are trained on."""

    role: str
    recipe: str
    trained_on: tuple[str, ...]
    train: int  # salads to train on, in the paper
    pattern: bool = False  # only categories of the setting "pattern"
    whole: bool = False  # all of it is for testing


@dataclass(frozen=True, slots=True)
class Model:
    """A row of a table; a neural one is trained, with the sizes of the settings."""

    label: str
    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    trained: bool = False
    why: tuple[str, ...] = ()


# Data


def _sides(work: Work, role: str, events: bool) -> dict[str, list[Source]]:
    """The usable documents of a corpus with their topics, split by document."""
    from fabula.salads.build.event_form import with_events
    from fabula.salads.build.topics import with_topics

    def make() -> dict[str, list[Source]]:
        sources, _ = read_sources(work.corpora[role].documents())
        sources = _some(sources, work["documents"], work.seed)
        sources = with_topics(sources, work["vectors"])
        shares = parse_split(work["split"])
        return split_by_document(sources, lambda s: s.document.id, shares, work.seed)

    sides = work.once(f"sources {role}", make)
    if not events:
        return sides
    return work.once(
        f"event sources {role}", lambda: {side: with_events(some) for side, some in sides.items()}
    )


def _some(sources: list[Source], most: int | None, seed: int) -> list[Source]:
    import random

    if most is None or len(sources) <= most:
        return sources
    chosen = sorted(random.Random(seed).sample(range(len(sources)), most))
    return [sources[i] for i in chosen]


def _salads_of(work: Work, one: SaladSet, side: str, events: bool = False) -> list[Salad]:
    """The salads of one side of a data set."""
    from fabula.salads.build.hardest import hardest_salads

    def make() -> list[Salad]:
        sources = _sides(work, one.role, events)[side]
        n = (work["train"] or one.train) if side == "train" else work["test"]
        if one.recipe == "hardest":
            pool = work["pool"]
            return hardest_salads(
                sources, base="same-month", n=work["hard"], pool=pool, seed=work.seed
            )
        pattern = work["pattern"] if one.pattern else None
        return list(build_salads(sources, recipe=one.recipe, n=n, pattern=pattern, seed=work.seed))

    return work.once(f"salads {one.role} {one.recipe} {side} {events}", make)


# Table 1


def sizes(
    work: Work, *, sets: Mapping[str, SaladSet], published: Mapping[str, Sequence[float]]
) -> Found:
    """Salads, words and topic cosine of every data set there is a corpus for."""
    from fabula.core.stats import bootstrap
    from fabula.salads.stats import statistics

    rows = []
    for name, one in sets.items():
        if not work.has(one.role):
            continue
        tests = _salads_of(work, one, "test")
        every = tests if one.whole else [*_salads_of(work, one, "train"), *tests]
        told = statistics(every)
        cosines = [salad.cosine for salad in tests if salad.cosine is not None]
        low, high = bootstrap(cosines, seed=work.seed)
        salads, words, mean, cosine = published[name]
        rows += [
            Row((name, "salads"), salads, float(told["salads"]), digits=0),
            Row((name, "words"), words, float(told["words"]), digits=0),
            Row((name, "words a salad"), mean, told["words_per_salad"], digits=1),
            Row((name, "cosine, test"), cosine, sum(cosines) / len(cosines), low, high,
                why=() if work["vectors"] == "glove" else ("vectors",)),
        ]  # fmt: skip
    return Found(tuple(rows))


# Tables 2 to 4


def accuracies(
    work: Work,
    *,
    sets: Mapping[str, SaladSet],
    models: Sequence[Model],
    published: Mapping[str, Sequence[float | None]],
    events: bool = False,
) -> Found:
    """Clustering accuracy of each model on each data set, in per cent."""
    rows = []
    for model in models:
        for name, theirs in zip(sets, published[model.label], strict=True):
            if work.has(sets[name].role):
                cell = _measured(work, model, name, sets, events)
                why = (*model.why, *(("vectors",) if _needs_glove(work, model) else ()))
                rows.append(
                    Row.of((model.label, name), theirs, cell["CA"], scale=100, why=why, digits=1)
                )
    counts = ", ".join(
        f"{name} {len(_salads_of(work, one, 'test', events))}"
        for name, one in sets.items()
        if work.has(one.role)
    )
    return Found(tuple(rows), (f"test salads: {counts}",))


def correlations(
    work: Work,
    *,
    sets: Mapping[str, SaladSet],
    models: Sequence[Model],
    published: Mapping[str, Sequence[float | None]],
) -> Found:
    """Spearman's rho between clustering accuracy and topic cosine, salad by salad."""
    rows, silent = [], []
    for model in models:
        for name, theirs in zip(sets, published[model.label], strict=True):
            if work.has(sets[name].role):
                cell = _measured(work, model, name, sets, False)
                rows.append(Row.of((model.label, name), theirs, cell["rho"], digits=2))
                if not cell["rho"]["p"] < 0.01:  # also where it is not a number
                    silent.append(f"{model.label} on {name} (p = {cell['rho']['p']:.2g})")
    said = f"not significant at .01, as all are in the paper: {'; '.join(silent)}" if silent else ""
    return Found(tuple(rows), (said,) if said else ())


def _needs_glove(work: Work, model: Model) -> bool:
    return model.name == "kmedoids" and work["vectors"] != "glove"


def _made(work: Work, model: Model, events: bool) -> Any:
    options = dict(model.options)
    if model.trained:
        options |= {name: work[name] for name in _NETWORK} | {"seed": work.seed}
    elif model.name == "kmedoids":
        options |= {"encoder": work["vectors"] + (",events" if events else ""), "seed": work.seed}
    return models.get(f"salads/{model.name}")(**options)


def _measured(
    work: Work, model: Model, name: str, sets: Mapping[str, SaladSet], events: bool
) -> dict[str, Any]:
    """CA and rho of a model on a set; a model trained once is measured on all sets it serves."""
    form = "events" if events else "sentences"
    one = sets[name]
    if not model.trained:
        key = f"{form} {model.label} {name}"
        test = _salads_of(work, one, "test", events)
        return work.cell(key, lambda: _scores(_made(work, model, events), test, work.seed))
    served = [other for other in sets if sets[other].trained_on == one.trained_on]

    def measure() -> dict[str, Any]:
        training = [
            salad
            for other in one.trained_on
            for salad in _salads_of(work, sets[other], "train", events)
        ]
        trained = _made(work, model, events).fit(training)
        tests = {other: _salads_of(work, sets[other], "test", events) for other in served}
        found: dict[str, Any] = {
            other: _scores(trained, tests[other], work.seed) for other in served
        }
        found["trained"] = {"salads": len(training), "epochs": len(trained.accuracies_)}
        if trained.attends:
            found["attention"] = _attended(trained, tests[served[0]][0])
        return found

    cell = work.cell(f"{form} {model.label} on {one.trained_on}", measure)
    return dict(cell[name])


def _scores(model: Any, test: Sequence[Salad], seed: int) -> dict[str, Any]:
    from fabula.core.stats import Interval

    run = evaluate("salads", list(test), model, metrics=["CA"], seed=seed)
    e = run.metrics["CA"]
    pairs = [
        (score, salad.cosine)
        for score, salad in zip(run.items.scores("CA"), test, strict=True)
        if salad.cosine is not None
    ]
    rho, p, interval = _spearman(pairs) if pairs else (math.nan, math.nan, Interval(0.0, 0.0))
    return {
        "CA": {"value": float(e.value), "low": float(e.low), "high": float(e.high)},
        "rho": {"value": rho, "low": interval.low, "high": interval.high, "p": p},
    }


def _spearman(pairs: Sequence[tuple[float, float]]) -> tuple[float, float, Any]:
    """Spearman's rho, its p, and Fisher's interval with Bonett and Wright's variance."""
    from scipy import stats

    from fabula.core.stats import Interval

    scores, cosines = zip(*pairs, strict=True)
    if len(pairs) < 5 or len(set(scores)) < 2 or len(set(cosines)) < 2:
        return math.nan, math.nan, Interval(math.nan, math.nan)
    found = stats.spearmanr(scores, cosines)
    rho = max(-0.999999, min(0.999999, float(found.statistic)))
    reach = 1.959964 * math.sqrt((1 + rho**2 / 2) / (len(pairs) - 3))
    centre = math.atanh(rho)
    return rho, float(found.pvalue), Interval(math.tanh(centre - reach), math.tanh(centre + reach))


# Figure 4


def attention(
    work: Work, *, sets: Mapping[str, SaladSet], model: Model, captions: tuple[str, str]
) -> Found:
    """What two sentences of one story, and of two, attend to in each other."""
    import numpy as np

    from fabula.salads.models.bilstm.attention_map import heat_map

    first = next(name for name, one in sets.items() if work.has(one.role) and not one.whole)
    _measured(work, model, first, sets, False)
    whole = work.cell(f"sentences {model.label} on {sets[first].trained_on}", dict)
    rows, figures = [], {}
    for caption, strips in zip(captions, whole["attention"], strict=True):
        title = f"{model.label} on {first}: {caption}"
        figures[caption.replace(" ", "-")] = heat_map(
            [(words, np.array(weights)) for words, weights in strips], title
        )
        for words, weights in strips:
            top = sorted(zip(weights, words, strict=True), reverse=True)[:3]
            said = ", ".join(f"{word} {weight:.2f}" for weight, word in top)
            rows.append(Row((caption, " ".join(words)[:60]), None, said))
    notes = ("the paper prints pictures: video game and sega attended to in one pair, family "
             "station wagon and sega group in the other",)  # fmt: skip
    return Found(tuple(rows), notes, figures)


def _attended(model: Any, salad: Salad) -> list[list[Any]]:
    """Strips of words and weights for a pair of one story and a pair of two."""
    from fabula.salads.models.bilstm.attention_map import attention_weights

    labels = salad.labels or ()
    first = 0
    same = next(i for i in range(1, len(labels)) if labels[i] == labels[first])
    other = next(i for i in range(1, len(labels)) if labels[i] != labels[first])
    return [
        [
            [list(words), [round(float(w), 4) for w in weights]]
            for words, weights in attention_weights(model, salad, first, second)
        ]
        for second in (same, other)
    ]
