"""Text-ordering tables: build data sets, run the ordering experiments, cells to rows."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

from fabula.bench.experiments.cells import Cells, Data, Spec, read_data
from fabula.bench.papers.shape import Row, TableResult
from fabula.bench.papers.work import Work
from fabula.errors import UsageError
from fabula.ordering.build import build_texts
from fabula.ordering.items import Text, read_texts
from fabula.text.io.records import read_records
from fabula.text.io.splits import parse_split, side_path, split_by_date, split_by_document
from fabula.text.io.streams import split_name
from fabula.types import Document

__all__ = [
    "OrderingModel",
    "OrderingSet",
    "cross",
    "data_of",
    "learning",
    "main",
    "noise",
    "statistics_table",
]

_MEASURES = {"PMR": ("pmr", 100.0, 2), "WLCS-l": ("wlcs-l", 1.0, 4)}


@dataclass(frozen=True, slots=True)
class OrderingSet:
    """A data set of the paper: its corpus and level, and whether it is split by date."""

    role: str
    level: str
    dated: bool = False
    apart: bool = False  # each paragraph is its own text, ordered by sentence


@dataclass(frozen=True, slots=True)
class OrderingModel:
    """A model of the paper; ``sizes`` are parameters that settings of the same name override."""

    label: str
    name: str
    sizes: Mapping[str, Any] = field(default_factory=dict)
    paragraph: Mapping[str, Any] = field(default_factory=dict)  # overrides at paragraph level
    by_role: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def spec(self, work: Work, source: OrderingSet) -> Spec:
        chosen = dict(self.sizes)
        if source.level == "paragraph":
            chosen |= self.paragraph
        chosen |= self.by_role.get(source.role, {})
        chosen |= {"beam": work["beam"], "epochs": work["epochs"], "patience": work["patience"]}
        if work["network"] is not None:  # quick runs: every layer size derives from this one
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


def data_of(work: Work, name: str, source: OrderingSet) -> Data:
    """The texts of a data set, split by date or document as in the paper, cut to ``texts``."""
    return work.once(f"data {name} {source}", lambda: _build_data(work, name, source))


def _build_data(work: Work, name: str, source: OrderingSet) -> Data:
    given = _given_texts(work, name, source)
    if given is not None:
        return given
    documents = list(work.corpora[source.role].documents())
    documents = _sample(documents, work["documents"], work.seed)
    shares = parse_split(work["shares"])
    if source.dated and all(document.date for document in documents):
        sides = split_by_date(documents, lambda d: d.id, lambda d: d.date, shares)
    else:
        sides = split_by_document(documents, lambda d: d.id, shares, work.seed)
    limit = work["texts"]
    texts: dict[str, tuple[Text, ...]] = {}
    for side, side_documents in sides.items():
        # After the split: paragraphs of one document must not leak into two sides.
        whole = list(_paragraphs(side_documents)) if source.apart else side_documents
        built = list(_texts(work, source, whole))
        side_limit = None if limit is None else max(2, round(limit * shares[side]))
        texts[side] = tuple(_sample(built, side_limit, work.seed))
    if not (texts["train"] and texts["test"]):
        raise UsageError(f"{work.corpora[source.role].label}: too few texts to train and to test")
    return Data(name, source.level, texts["train"], texts.get("dev", ()), texts["test"])


def _given_texts(work: Work, name: str, source: OrderingSet) -> Data | None:
    """Ordering items (``units``, ``gold``) given as a corpus: split already, or split here by id.

    ``x.jsonl`` stands for ``x.train.jsonl`` and ``x.test.jsonl`` where those are.
    """
    corpus = work.corpora[source.role]
    path = Path(corpus.source)
    if corpus.stands_in:
        return None
    if all(side_path(path, side).is_file() for side in ("train", "test")):
        data = read_data(path)
        if data.level != source.level:
            raise UsageError(f"{corpus.label} is of the {data.level} level, {name} is not")
        texts = {"train": data.train, "dev": data.dev, "test": data.test}
    else:
        if split_name(path)[1] not in (".jsonl", ".parquet") or not path.is_file():
            return None
        first = next(iter(read_records(path)), None)
        if first is None or "units" not in first.data:
            return None
        sides = split_by_document(
            list(read_texts(path)), lambda text: text.id, parse_split(work["shares"]), work.seed
        )
        texts = {side: tuple(some) for side, some in sides.items()}
    limit = work["texts"]
    shares = parse_split(work["shares"])
    cut = {
        side: tuple(
            _sample(
                list(some),
                None if limit is None else max(2, round(limit * shares.get(side, 1.0))),
                work.seed,
            )
        )
        for side, some in texts.items()
    }
    return Data(name, source.level, cut["train"], cut.get("dev", ()), cut["test"])


def _texts(work: Work, source: OrderingSet, documents: Sequence[Document]) -> Iterator[Text]:
    """Documents to texts; stand-in corpora are cut into windows and their paragraphs truncated."""
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


def _sample(items: list[Any], limit: int | None, seed: int) -> list[Any]:
    if limit is None or len(items) <= limit:
        return items
    return [items[i] for i in sorted(random.Random(seed).sample(range(len(items)), limit))]


def _available(work: Work, sources: Mapping[str, OrderingSet]) -> dict[str, OrderingSet]:
    return {name: source for name, source in sources.items() if work.has(source.role)}


def _missing_note(work: Work, sources: Mapping[str, OrderingSet]) -> tuple[str, ...]:
    missing = [name for name, source in sources.items() if not work.has(source.role)]
    return (f"no corpus, so not run: {', '.join(missing)}",) if missing else ()


# Table 1


def statistics_table(
    work: Work,
    *,
    sources: Mapping[str, OrderingSet],
    published: Mapping[str, Mapping[str, Sequence[float]]],
) -> TableResult:
    """Units, words and texts of each side, and the vocabulary."""
    return work.result(f"statistics {published}", lambda: _statistics(work, sources, published))


def _statistics(
    work: Work,
    sources: Mapping[str, OrderingSet],
    published: Mapping[str, Mapping[str, Sequence[float]]],
) -> TableResult:
    from fabula.ordering.stats import statistics

    quantities = {
        "units a text": ("units_per_text", 2),
        "words a unit": ("words_per_unit", 2),
        "texts": ("texts", 0),
        "sentences a unit": ("sentences_per_unit", 2),
    }
    rows = []
    for name, source in _available(work, sources).items():
        data = data_of(work, name, source)
        by_side = {side: statistics(getattr(data, side)) for side in ("train", "dev", "test")}
        for quantity, (key, digits) in quantities.items():
            for side, theirs in zip(by_side, published[name].get(quantity, ()), strict=False):
                value = float(by_side[side][key])
                rows.append(Row((name, quantity, side), theirs, value, digits=digits))
        overall = statistics((*data.train, *data.dev, *data.test))
        vocabulary = float(overall["vocabulary"])
        theirs = published[name]["vocabulary"][0]
        rows.append(Row((name, "vocabulary", "all"), theirs, vocabulary, digits=0))
    return TableResult(tuple(rows), _missing_note(work, sources))


# Tables 2 and 3


def _measure(work: Work, own: Data, target: Data, spec: Spec) -> dict[str, Any]:
    """Metrics of one (training set, test set, model) cell; trained models are stored."""

    def training() -> tuple[Sequence[Text], Sequence[Text]]:
        return own.train, own.dev

    key = {"train": own.name, "test": target.name, "level": own.level, "texts": own.key}
    cells = Cells(work.subfolder("ordering"))
    return cells.measure(key, spec, training, target.test, seed=work.seed)


def main(
    work: Work,
    *,
    sources: Mapping[str, OrderingSet],
    networks: Sequence[OrderingModel],
    published: Mapping[str, Mapping[str, tuple[float, float, float]]],
) -> TableResult:
    """PMR, WLCS-l and the number of parameters, trained and tested on one data set."""
    rows: list[Row] = []
    for name, source in _available(work, sources).items():
        data = data_of(work, name, source)
        for network in networks:
            cell = _measure(work, data, data, network.spec(work, source))
            *scores, size = published[network.label][name]
            rows += _scores((name, network.label), cell, scores)
            if cell.get("all_parameters") is not None:
                rows.append(
                    Row(
                        (name, network.label, "parameters, M"),
                        size,
                        cell["all_parameters"] / 1e6,
                        why=("parameters",),
                        digits=2,
                    )
                )
        chance = _measure(work, data, data, Spec("random"))
        rows += _scores((name, "random (chance)"), chance, (None, None))
    return TableResult(tuple(rows), _missing_note(work, sources))


def _scores(
    labels: tuple[str, str], cell: Mapping[str, Any], published: Sequence[float | None]
) -> Iterator[Row]:
    for (metric, (shown, scale, digits)), theirs in zip(_MEASURES.items(), published, strict=True):
        estimate = cell["metrics"][metric]
        yield Row.of((*labels, shown), theirs, estimate, scale=scale, digits=digits)


def cross(
    work: Work,
    *,
    levels: Mapping[str, Mapping[str, OrderingSet]],
    networks: Sequence[OrderingModel],
    published: Mapping[str, Mapping[str, Mapping[str, Sequence[float]]]],
    metric: str,
    scale: float = 1.0,
) -> TableResult:
    """Trained on one data set, tested on each of its level.

    ``published`` by level, training set and model, one number for each data set of ``levels``.
    """
    rows = []
    for level, sources in levels.items():
        available = _available(work, sources)
        for (name, source), network in product(available.items(), networks):
            own, spec = data_of(work, name, source), network.spec(work, source)
            for (target, other), theirs in zip(
                sources.items(), published[level][name][network.label], strict=True
            ):
                if target in available:
                    cell = _measure(work, own, data_of(work, target, other), spec)
                    labels = (f"{level}: {name}", network.label, target)
                    estimate = cell["metrics"][metric]
                    rows.append(Row.of(labels, theirs, estimate, scale=scale, digits=2))
    notes = {note for sources in levels.values() for note in _missing_note(work, sources)}
    return TableResult(tuple(rows), tuple(sorted(notes)))


# Figures 1 and 2


def learning(
    work: Work, *, sources: Mapping[str, OrderingSet], networks: Sequence[OrderingModel]
) -> TableResult:
    """WLCS-l and Acc by the number of training texts."""
    from fabula.bench.experiments.learnability import learnability, summary

    sizes, draws = _numbers(work["sizes"]), _numbers(work["draws"])
    points: list[dict[str, Any]] = []
    for name, source in _available(work, sources).items():
        cells = learnability(
            data_of(work, name, source),
            [network.spec(work, source) for network in networks],
            work.subfolder("ordering"),
            sizes=sizes,
            draws=draws,
            seed=work.seed,
        )
        points += [{**point, "data": name, "at": point["size"]} for point in summary(cells)]
    return _curves(work, sources, networks, points, "training texts", {})


def noise(
    work: Work,
    *,
    sources: Mapping[str, OrderingSet],
    networks: Sequence[OrderingModel],
    published: Mapping[tuple[str, str, str, int], str],
) -> TableResult:
    """WLCS-l and Acc by the share of units with noise added."""
    from fabula.bench.experiments.robustness import robustness

    points: list[dict[str, Any]] = []
    for name, source in _available(work, sources).items():
        cells = robustness(
            data_of(work, name, source),
            [network.spec(work, source) for network in networks],
            work.subfolder("ordering"),
            levels=[level / 100 for level in _numbers(work["levels"])],
            seed=work.seed,
        )
        points += [{**cell, "data": name, "at": round(100 * cell["level"])} for cell in cells]
    return _curves(work, sources, networks, points, "per cent of units hit", published)


def _curves(
    work: Work,
    sources: Mapping[str, OrderingSet],
    networks: Sequence[OrderingModel],
    points: Sequence[Mapping[str, Any]],
    along: str,
    published: Mapping[tuple[str, str, str, int], str],
) -> TableResult:
    from fabula.bench.experiments.figures import lines

    labels = {network.name: network.label for network in networks}
    rows, figures = [], {}
    for name in dict.fromkeys(point["data"] for point in points):
        of_data = [point for point in points if point["data"] == name]
        for metric in ("WLCS-l", "Acc"):
            series: dict[str, list[tuple[float, float, float, float]]] = {}
            for point in of_data:
                label, estimate = labels[point["model"]], point["metrics"][metric]
                theirs = published.get((name, metric, point["model"], point["at"]))
                rows.append(Row.of((name, metric, label, f"{point['at']}"), theirs, estimate))
                value, low, high = (float(estimate[part]) for part in ("value", "low", "high"))
                series.setdefault(label, []).append((float(point["at"]), value, low, high))
            figures[f"{name}-{metric}"] = lines(series, along, f"{metric}, {name}")
    notes = ("the paper prints curves without numbers", *_missing_note(work, sources))
    return TableResult(tuple(rows), notes, figures)


def _numbers(text: str) -> list[int]:
    return [int(part) for part in str(text).split(",")]
