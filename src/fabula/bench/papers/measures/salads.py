"""Story-salads tables: build the data sets, train and measure the models, draw attention."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fabula.bench.evaluate import evaluate
from fabula.bench.papers.shape import Row, TableResult
from fabula.bench.papers.work import Work
from fabula.registry import models
from fabula.salads.build.mix import Source, build_salads, read_sources
from fabula.salads.items import Salad
from fabula.text.io.splits import parse_split, split_by_document

__all__ = ["SaladModel", "SaladSet", "accuracies", "attention", "correlations", "sizes"]

_NETWORK = (
    "width", "hidden", "filters", "context", "rate", "epochs", "patience", "lemmas", "vocabulary"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SaladSet:
    """A data set of the paper: its corpus, its recipe, and the sets its models are trained on."""

    role: str
    recipe: str
    trained_on: tuple[str, ...]
    train: int  # salads to train on, in the paper
    pattern: bool = False  # keep only categories that match the setting "pattern"
    whole: bool = False  # test-only: no training part


@dataclass(frozen=True, slots=True)
class SaladModel:
    """A model row of a table; ``trained`` models take their layer sizes from the settings."""

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
        sources = _sample(sources, work["documents"], work.seed)
        sources = with_topics(sources, work["vectors"])
        shares = parse_split(work["split"])
        return split_by_document(sources, lambda s: s.document.id, shares, work.seed)

    sides = work.once(f"sources {role}", make)
    if not events:
        return sides
    return work.once(
        f"event sources {role}", lambda: {side: with_events(part) for side, part in sides.items()}
    )


def _sample(sources: list[Source], limit: int | None, seed: int) -> list[Source]:
    import random

    if limit is None or len(sources) <= limit:
        return sources
    chosen = sorted(random.Random(seed).sample(range(len(sources)), limit))
    return [sources[i] for i in chosen]


def _salads_of(work: Work, salad_set: SaladSet, side: str, events: bool = False) -> list[Salad]:
    """The salads of one side (train, dev, test) of a data set, built once."""
    from fabula.salads.build.hardest import hardest_salads

    def make() -> list[Salad]:
        sources = _sides(work, salad_set.role, events)[side]
        n = (work["train"] or salad_set.train) if side == "train" else work["test"]
        if salad_set.recipe == "hardest":
            pool = work["pool"]
            return hardest_salads(
                sources, base="same-month", n=work["hard"], pool=pool, seed=work.seed
            )
        pattern = work["pattern"] if salad_set.pattern else None
        return list(
            build_salads(sources, recipe=salad_set.recipe, n=n, pattern=pattern, seed=work.seed)
        )

    return work.once(f"salads {salad_set.role} {salad_set.recipe} {side} {events}", make)


# Table 1


def sizes(
    work: Work, *, sets: Mapping[str, SaladSet], published: Mapping[str, Sequence[float]]
) -> TableResult:
    """Numbers of salads and words, and mean topic cosine, of each data set with a corpus."""
    from fabula.core.stats import bootstrap
    from fabula.salads.stats import statistics

    rows = []
    for name, salad_set in sets.items():
        if not work.has(salad_set.role):
            continue
        tests = _salads_of(work, salad_set, "test")
        all_salads = tests if salad_set.whole else [*_salads_of(work, salad_set, "train"), *tests]
        counts = statistics(all_salads)
        salads, words, mean, cosine = published[name]
        rows += [
            Row((name, "salads"), salads, float(counts["salads"]), digits=0),
            Row((name, "words"), words, float(counts["words"]), digits=0),
            Row((name, "words a salad"), mean, counts["words_per_salad"], digits=1),
        ]
        why = () if work["vectors"] == "glove" else ("vectors",)
        for reading, topics in _topic_readings(work, salad_set.role).items():
            cosines = [_topic_cosine([topics[d] for d in salad.documents]) for salad in tests]
            low, high = bootstrap(cosines, seed=work.seed)
            value = sum(cosines) / len(cosines)
            rows.append(Row((name, f"cosine, test{reading}"), cosine, value, low, high, why=why))
    return TableResult(tuple(rows), tuple(_scale_notes(work, sets)))


def _topic_readings(work: Work, role: str) -> dict[str, dict[str, Any]]:
    """Topic vectors of the test documents by id, under each reading of equation 1."""
    from fabula.salads.build.topics import centred_topics, with_topics, without_stop_words

    def make() -> dict[str, dict[str, Any]]:
        plain = _sides(work, role, False)["test"]
        bare = with_topics([without_stop_words(source) for source in plain], work["vectors"])
        readings = {
            "": plain,
            ", no stop words": bare,
            ", no stop words, centred": centred_topics(bare),
        }
        return {
            reading: {source.document.id: source.topic for source in sources}
            for reading, sources in readings.items()
        }

    return work.once(f"topic readings {role}", make)


def _topic_cosine(topics: Sequence[Any]) -> float:
    """The mean cosine of the pairs of unit vectors."""
    rows = np.stack(topics).astype(np.float64)
    products = float((rows.sum(axis=0) ** 2).sum() - (rows**2).sum())
    return products / (len(rows) * (len(rows) - 1))


def _scale_notes(work: Work, sets: Mapping[str, SaladSet]) -> Iterator[str]:
    """Why the cosines of one reading are on another scale: those of two random documents."""
    for role in dict.fromkeys(
        salad_set.role for salad_set in sets.values() if work.has(salad_set.role)
    ):
        told = [
            f"{_topic_cosine(list(topics.values())):.2f}{reading or ' as equation 1 is written'}"
            for reading, topics in _topic_readings(work, role).items()
        ]
        yield (
            f"mean cosine of two random test documents of {role}: {'; '.join(told)}. A mean over "
            "all words is mostly the words that every text has, so that all documents point one "
            "way; the paper does not say what its mean leaves out"
        )


# Tables 2 to 4


def accuracies(
    work: Work,
    *,
    sets: Mapping[str, SaladSet],
    models: Sequence[SaladModel],
    published: Mapping[str, Sequence[float | None]],
    events: bool = False,
) -> TableResult:
    """Clustering accuracy of each model on each data set, in per cent."""
    rows = []
    for model in models:
        for name, theirs in zip(sets, published[model.label], strict=True):
            if work.has(sets[name].role):
                cell = _measure(work, model, name, sets, events)
                why = (*model.why, *(("vectors",) if _needs_glove(work, model) else ()))
                rows.append(
                    Row.of((model.label, name), theirs, cell["CA"], scale=100, why=why, digits=1)
                )
    counts = ", ".join(
        f"{name} {len(_salads_of(work, salad_set, 'test', events))}"
        for name, salad_set in sets.items()
        if work.has(salad_set.role)
    )
    return TableResult(tuple(rows), (f"test salads: {counts}",))


def correlations(
    work: Work,
    *,
    sets: Mapping[str, SaladSet],
    models: Sequence[SaladModel],
    published: Mapping[str, Sequence[float | None]],
) -> TableResult:
    """Spearman's rho between clustering accuracy and topic cosine, salad by salad."""
    rows, insignificant = [], []
    for model in models:
        for name, theirs in zip(sets, published[model.label], strict=True):
            if work.has(sets[name].role):
                cell = _measure(work, model, name, sets, False)
                rows.append(Row.of((model.label, name), theirs, cell["rho"], digits=2))
                if not cell["rho"]["p"] < 0.01:  # also where it is not a number
                    insignificant.append(f"{model.label} on {name} (p = {cell['rho']['p']:.2g})")
    note = (
        f"not significant at .01, as all are in the paper: {'; '.join(insignificant)}"
        if insignificant
        else ""
    )
    return TableResult(tuple(rows), (note,) if note else ())


def _needs_glove(work: Work, model: SaladModel) -> bool:
    return model.name == "kmedoids" and work["vectors"] != "glove"


def _create(work: Work, model: SaladModel, events: bool) -> Any:
    options = dict(model.options)
    if model.trained:
        options |= {name: work[name] for name in _NETWORK} | {"seed": work.seed}
    elif model.name == "kmedoids":
        options |= {"encoder": work["vectors"] + (",events" if events else ""), "seed": work.seed}
    return models.get(f"salads/{model.name}")(**options)


def _measure(
    work: Work, model: SaladModel, name: str, sets: Mapping[str, SaladSet], events: bool
) -> dict[str, Any]:
    """Clustering accuracy and Spearman's rho of a model on one data set.

    A trained model is fitted once and measured on every set that shares its training data.
    """
    form = "events" if events else "sentences"
    salad_set = sets[name]
    if not model.trained:
        key = f"{form} {model.label} {name}"
        test = _salads_of(work, salad_set, "test", events)
        return work.cell(key, lambda: _scores(_create(work, model, events), test, work.seed))
    tested_sets = [other for other in sets if sets[other].trained_on == salad_set.trained_on]

    def measure() -> dict[str, Any]:
        training = [
            salad
            for other in salad_set.trained_on
            for salad in _salads_of(work, sets[other], "train", events)
        ]
        trained = _create(work, model, events).fit(training)
        tests = {other: _salads_of(work, sets[other], "test", events) for other in tested_sets}
        cell_values: dict[str, Any] = {
            other: _scores(trained, tests[other], work.seed) for other in tested_sets
        }
        cell_values["trained"] = {"salads": len(training), "epochs": len(trained.accuracies_)}
        if trained.attends:
            cell_values["attention"] = _attention_weights(trained, tests[tested_sets[0]][0])
        return cell_values

    cell = work.cell(f"{form} {model.label} on {salad_set.trained_on}", measure)
    return dict(cell[name])


def _scores(model: Any, test: Sequence[Salad], seed: int) -> dict[str, Any]:
    from fabula.core.stats import Interval

    run = evaluate("salads", list(test), model, metrics=["CA"], seed=seed)
    estimate = run.metrics["CA"]
    pairs = [
        (score, salad.cosine)
        for score, salad in zip(run.items.scores("CA"), test, strict=True)
        if salad.cosine is not None
    ]
    rho, p, interval = _spearman(pairs) if pairs else (math.nan, math.nan, Interval(0.0, 0.0))
    return {
        "CA": {
            "value": float(estimate.value),
            "low": float(estimate.low),
            "high": float(estimate.high),
        },
        "rho": {"value": rho, "low": interval.low, "high": interval.high, "p": p},
    }


def _spearman(pairs: Sequence[tuple[float, float]]) -> tuple[float, float, Any]:
    """Spearman's rho, p, and Fisher z interval with Bonett and Wright's (2000) variance."""
    from scipy import stats

    from fabula.core.stats import Interval

    scores, cosines = zip(*pairs, strict=True)
    if len(pairs) < 5 or len(set(scores)) < 2 or len(set(cosines)) < 2:
        return math.nan, math.nan, Interval(math.nan, math.nan)
    correlation = stats.spearmanr(scores, cosines)
    rho = max(-0.999999, min(0.999999, float(correlation.statistic)))
    half_width = 1.959964 * math.sqrt((1 + rho**2 / 2) / (len(pairs) - 3))
    centre = math.atanh(rho)
    return (
        rho,
        float(correlation.pvalue),
        Interval(math.tanh(centre - half_width), math.tanh(centre + half_width)),
    )


# Figure 4


def attention(
    work: Work, *, sets: Mapping[str, SaladSet], model: SaladModel, captions: tuple[str, str]
) -> TableResult:
    """Attention heat maps for a same-story and a different-story sentence pair."""
    from fabula.salads.models.bilstm.attention_map import heat_map

    first = next(
        name for name, salad_set in sets.items() if work.has(salad_set.role) and not salad_set.whole
    )
    _measure(work, model, first, sets, False)
    cell = work.cell(f"sentences {model.label} on {sets[first].trained_on}", dict)
    rows, figures = [], {}
    for caption, strips in zip(captions, cell["attention"], strict=True):
        title = f"{model.label} on {first}: {caption}"
        figures[caption.replace(" ", "-")] = heat_map(
            [(words, np.array(weights)) for words, weights in strips], title
        )
        for words, weights in strips:
            top = sorted(zip(weights, words, strict=True), reverse=True)[:3]
            top_words = ", ".join(f"{word} {weight:.2f}" for weight, word in top)
            rows.append(Row((caption, " ".join(words)[:60]), None, top_words))
    notes = ("the paper prints pictures: video game and sega attended to in one pair, family "
             "station wagon and sega group in the other",)  # fmt: skip
    return TableResult(tuple(rows), notes, figures)


def _attention_weights(model: Any, salad: Salad) -> list[list[Any]]:
    """Words with attention weights for a same-story pair and a different-story pair."""
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
