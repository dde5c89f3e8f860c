"""Text ordering: corpora cut into texts, the experiments of the library, their cells as rows."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from fabula.bench.experiments.cells import Cells, Data, Spec
from fabula.bench.papers.shape import Found, Row
from fabula.bench.papers.work import Work
from fabula.errors import UsageError
from fabula.ordering.build import build_texts
from fabula.ordering.items import Text
from fabula.text.io.splits import parse_split, split_by_date, split_by_document
from fabula.types import Document

__all__ = ["Network", "Source", "cross", "learning", "main", "noise", "statistics_table"]

_MEASURES = {"PMR": ("pmr", 100.0, 2), "WLCS-l": ("wlcs-l", 1.0, 4)}


@dataclass(frozen=True, slots=True)
class Source:
    """A data set of the paper: its corpus and level, and whether it is split by date."""

    role: str
    level: str
    dated: bool = False
    apart: bool = False  # every paragraph is a text of its own, to be ordered by sentence


@dataclass(frozen=True, slots=True)
class Network:
    """A model of the paper; ``sizes`` are its parameters that settings of the same name shrink."""

    label: str
    name: str
    sizes: Mapping[str, Any] = field(default_factory=dict)
    paragraph: Mapping[str, Any] = field(default_factory=dict)  # what differs for paragraphs
    by_role: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def spec(self, work: Work, source: Source) -> Spec:
        chosen = dict(self.sizes)
        if source.level == "paragraph":
            chosen |= self.paragraph
        chosen |= self.by_role.get(source.role, {})
        chosen |= {"beam": work["beam"], "epochs": work["epochs"], "patience": work["patience"]}
        if work["network"] is not None:  # a small one: all sizes are multiples of this
            chosen |= _small(self.name, work["network"])
        elif work["vectors"] and chosen["width"] == 100:
            chosen["vectors"] = work["vectors"]
        elif work["vectors_300"] and chosen["width"] == 300:
            chosen["vectors"] = work["vectors_300"]
        return Spec(self.name, tuple(chosen.items()))


def _small(name: str, size: int) -> dict[str, Any]:
    small: dict[str, Any] = {"width": size, "hidden": size}
    if name == "attorder":
        small |= {"layers": 1, "attention": 2}
    if name == "se-graph":
        small |= {"entity": size, "role": max(2, size // 4)}
    return small


# Data


def _data_of(work: Work, name: str, source: Source) -> Data:
    """The texts of a data set, split as the paper splits it, as many as the settings say."""
    return work.once(f"data {name} {source}", lambda: _cut(work, name, source))


def _cut(work: Work, name: str, source: Source) -> Data:
    documents = list(work.corpora[source.role].documents())
    documents = _some(documents, work["documents"], work.seed)
    shares = parse_split(work["shares"])
    if source.dated and all(document.date for document in documents):
        sides = split_by_date(documents, lambda d: d.id, lambda d: d.date, shares)
    else:
        sides = split_by_document(documents, lambda d: d.id, shares, work.seed)
    limit = work["texts"]
    texts: dict[str, tuple[Text, ...]] = {}
    for side, some in sides.items():
        # Only now: the paragraphs of one document must not stand on two sides.
        built = list(_texts(work, source, list(_paragraphs(some)) if source.apart else some))
        most = None if limit is None else max(2, round(limit * shares[side]))
        texts[side] = tuple(_some(built, most, work.seed))
    if not (texts["train"] and texts["test"]):
        raise UsageError(f"{work.corpora[source.role].label}: too few texts to train and to test")
    return Data(name, source.level, texts["train"], texts.get("dev", ()), texts["test"])


def _texts(work: Work, source: Source, documents: Sequence[Document]) -> Iterator[Text]:
    """Whole documents; a stand-in's are cut into windows, and its paragraphs to so many words."""
    stands_in = work.corpora[source.role].stands_in
    windows = work["window"] if stands_in and not source.apart else None
    if stands_in and source.level == "paragraph" and work["words"]:
        documents = [_shortened(document, work["words"]) for document in documents]
    least, _, most = str(windows or "").partition("-")
    bounds = (int(least), int(most)) if windows else None
    return build_texts(documents, level=source.level, window=bounds, seed=work.seed)


def _shortened(document: Document, words: int) -> Document:
    short = tuple(" ".join(paragraph.split()[:words]) for paragraph in document.paragraphs)
    return replace(document, paragraphs=short, lines=())


def _paragraphs(documents: Sequence[Document]) -> Iterator[Document]:
    for document in documents:
        for number, paragraph in enumerate(document.paragraphs, 1):
            yield Document(f"{document.id}#{number}", (paragraph,), date=document.date)


def _some(items: list[Any], most: int | None, seed: int) -> list[Any]:
    if most is None or len(items) <= most:
        return items
    return [items[i] for i in sorted(random.Random(seed).sample(range(len(items)), most))]


def _here(work: Work, sources: Mapping[str, Source]) -> dict[str, Source]:
    return {name: source for name, source in sources.items() if work.has(source.role)}


def _absent(work: Work, sources: Mapping[str, Source]) -> tuple[str, ...]:
    left = [name for name, source in sources.items() if not work.has(source.role)]
    return (f"no corpus, so not run: {', '.join(left)}",) if left else ()


# Table 1


def statistics_table(
    work: Work,
    *,
    sources: Mapping[str, Source],
    published: Mapping[str, Mapping[str, Sequence[float]]],
) -> Found:
    """Units, words and texts of each side, and the vocabulary."""
    return work.found(f"statistics {published}", lambda: _statistics(work, sources, published))


def _statistics(
    work: Work,
    sources: Mapping[str, Source],
    published: Mapping[str, Mapping[str, Sequence[float]]],
) -> Found:
    from fabula.ordering.stats import statistics

    quantities = {
        "units a text": ("units_per_text", 2),
        "words a unit": ("words_per_unit", 2),
        "texts": ("texts", 0),
        "sentences a unit": ("sentences_per_unit", 2),
    }
    rows = []
    for name, source in _here(work, sources).items():
        data = _data_of(work, name, source)
        told = {side: statistics(getattr(data, side)) for side in ("train", "dev", "test")}
        for quantity, (key, digits) in quantities.items():
            for side, theirs in zip(told, published[name].get(quantity, ()), strict=False):
                value = float(told[side][key])
                rows.append(Row((name, quantity, side), theirs, value, digits=digits))
        every = statistics((*data.train, *data.dev, *data.test))
        vocabulary = float(every["vocabulary"])
        theirs = published[name]["vocabulary"][0]
        rows.append(Row((name, "vocabulary", "all"), theirs, vocabulary, digits=0))
    return Found(tuple(rows), _absent(work, sources))


# Tables 2 and 3


def _measured(work: Work, own: Data, target: Data, spec: Spec) -> dict[str, Any]:
    """A cell of the matrix: trained on one data set, tested on another; models are kept."""

    def training() -> tuple[Sequence[Text], Sequence[Text]]:
        return own.train, own.dev

    key = {"train": own.name, "test": target.name, "level": own.level, "texts": own.key}
    cells = Cells(work.place("ordering"))
    return cells.measure(key, spec, training, target.test, seed=work.seed)


def main(
    work: Work,
    *,
    sources: Mapping[str, Source],
    networks: Sequence[Network],
    published: Mapping[str, Mapping[str, tuple[float, float, float]]],
) -> Found:
    """PMR, WLCS-l and the number of parameters, trained and tested on one data set."""
    rows: list[Row] = []
    for name, source in _here(work, sources).items():
        data = _data_of(work, name, source)
        for one in networks:
            cell = _measured(work, data, data, one.spec(work, source))
            *scores, size = published[one.label][name]
            rows += _scores((name, one.label), cell, scores)
            if cell.get("all_parameters") is not None:
                rows.append(
                    Row(
                        (name, one.label, "parameters, M"),
                        size,
                        cell["all_parameters"] / 1e6,
                        why=("parameters",),
                        digits=2,
                    )
                )
        chance = _measured(work, data, data, Spec("random"))
        rows += _scores((name, "random (chance)"), chance, (None, None))
    return Found(tuple(rows), _absent(work, sources))


def _scores(
    labels: tuple[str, str], cell: Mapping[str, Any], published: Sequence[float | None]
) -> Iterator[Row]:
    for (metric, (shown, scale, digits)), theirs in zip(_MEASURES.items(), published, strict=True):
        found = cell["metrics"][metric]
        yield Row.of((*labels, shown), theirs, found, scale=scale, digits=digits)


def cross(
    work: Work,
    *,
    levels: Mapping[str, Mapping[str, Source]],
    networks: Sequence[Network],
    published: Mapping[str, Mapping[str, Mapping[str, Sequence[float]]]],
    metric: str,
    scale: float = 1.0,
) -> Found:
    """Trained on one data set, tested on each of its level.

    ``published`` by level, training set and model, one number for each data set of ``levels``.
    """
    rows = []
    for level, sources in levels.items():
        here = _here(work, sources)
        for (name, source), one in product(here.items(), networks):
            own, spec = _data_of(work, name, source), one.spec(work, source)
            for (target, other), theirs in zip(
                sources.items(), published[level][name][one.label], strict=True
            ):
                if target in here:
                    cell = _measured(work, own, _data_of(work, target, other), spec)
                    labels = (f"{level}: {name}", one.label, target)
                    found = cell["metrics"][metric]
                    rows.append(Row.of(labels, theirs, found, scale=scale, digits=2))
    notes = {note for sources in levels.values() for note in _absent(work, sources)}
    return Found(tuple(rows), tuple(sorted(notes)))


# Figures 1 and 2


def learning(work: Work, *, sources: Mapping[str, Source], networks: Sequence[Network]) -> Found:
    """WLCS-l and Acc by the number of training texts."""
    from fabula.bench.experiments.learnability import learnability, summary

    sizes, draws = _numbers(work["sizes"]), _numbers(work["draws"])
    points: list[dict[str, Any]] = []
    for name, source in _here(work, sources).items():
        cells = learnability(
            _data_of(work, name, source),
            [one.spec(work, source) for one in networks],
            work.place("ordering"),
            sizes=sizes,
            draws=draws,
            seed=work.seed,
        )
        points += [{**told, "data": name, "at": told["size"]} for told in summary(cells)]
    return _curves(work, sources, networks, points, "training texts", {})


def noise(
    work: Work,
    *,
    sources: Mapping[str, Source],
    networks: Sequence[Network],
    published: Mapping[tuple[str, str, str, int], str],
) -> Found:
    """WLCS-l and Acc by the share of units hit."""
    from fabula.bench.experiments.robustness import robustness

    points: list[dict[str, Any]] = []
    for name, source in _here(work, sources).items():
        cells = robustness(
            _data_of(work, name, source),
            [one.spec(work, source) for one in networks],
            work.place("ordering"),
            levels=[level / 100 for level in _numbers(work["levels"])],
            seed=work.seed,
        )
        points += [{**cell, "data": name, "at": round(100 * cell["level"])} for cell in cells]
    return _curves(work, sources, networks, points, "per cent of units hit", published)


def _curves(
    work: Work,
    sources: Mapping[str, Source],
    networks: Sequence[Network],
    points: Sequence[Mapping[str, Any]],
    along: str,
    published: Mapping[tuple[str, str, str, int], str],
) -> Found:
    from fabula.bench.experiments.figures import lines

    labels = {one.name: one.label for one in networks}
    rows, figures = [], {}
    for name in dict.fromkeys(point["data"] for point in points):
        here = [point for point in points if point["data"] == name]
        for metric in ("WLCS-l", "Acc"):
            series: dict[str, list[tuple[float, float, float, float]]] = {}
            for point in here:
                label, told = labels[point["model"]], point["metrics"][metric]
                theirs = published.get((name, metric, point["model"], point["at"]))
                rows.append(Row.of((name, metric, label, f"{point['at']}"), theirs, told))
                value, low, high = (float(told[part]) for part in ("value", "low", "high"))
                series.setdefault(label, []).append((float(point["at"]), value, low, high))
            figures[f"{name}-{metric}"] = lines(series, along, f"{metric}, {name}")
    notes = ("the paper prints curves without numbers", *_absent(work, sources))
    return Found(tuple(rows), notes, figures)


def _numbers(text: str) -> list[int]:
    return [int(part) for part in str(text).split(",")]
