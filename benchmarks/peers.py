"""What people would use instead: each peer on the same input, in the same run, with its version.

    python -m benchmarks peers

Times are of the processor and in turns, since on a shared machine the clock says little. A peer
that is not installed is named as such (``pip install -e ".[bench]"``; the ``kmedoids`` package is
GPL, and so only ever beside us here). Ratios are speeds, ours over the peer's.

A long file, because it is a list: one function a peer, and none of them needs another.
"""

from __future__ import annotations

import random
import statistics
import time
import warnings
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from benchmarks.shared import measured, wiki_salads

# Every peer of any benchmark, by the name it is installed under.
PEERS = (
    "sentence-transformers",
    "scikit-learn",
    "scipy",
    "py-rouge",
    "kmedoids",
    "duckdb",
    "nltk",
    "textacy",
    "bertopic",
)


def versions() -> dict[str, str | None]:
    """The version of every peer; None for one that is not installed."""
    found: dict[str, str | None] = {}
    for name in PEERS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    return found


def run(quick: bool) -> list[dict[str, Any]]:
    parts: list[tuple[str, Callable[[bool], list[dict[str, Any]]]]] = [
        ("scikit-learn", _spectral),
        ("kmedoids", _medoids),
        ("duckdb", _pairs),
        ("nltk", _agreement),
        ("scipy", _tau),
        ("scikit-learn", _features),
    ]
    if not quick:
        parts += [("textacy", _triples), ("bertopic", _topics)]
    known = versions()
    rows = []
    for name, part in parts:
        if known[name] is None:
            rows.append(measured(f"peer {name}", None, note="not installed"))
        else:
            rows += [_named(row, f"{name} {known[name]}") for row in part(quick)]
    return rows


def _named(row: dict[str, Any], peer: str) -> dict[str, Any]:
    return {**row, "note": f"peer: {peer}; {row['note']}"}


def _rates(
    ours: Callable[[], Any], peer: Callable[[], Any], rounds: int = 3
) -> tuple[float, float]:
    """Times a second of both, in turns; the median round."""
    ours()
    peer()
    pairs = [(_rate(ours), _rate(peer)) for _ in range(rounds)]
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)


def _rate(work: Callable[[], Any]) -> float:
    started = time.process_time()
    times = 0
    while time.process_time() - started < 0.05:
        work()
        times += 1
    return times / (time.process_time() - started)


def _similar(sentences: int, stories: int, seed: int = 0) -> tuple[Any, Any]:
    """Similarities of made-up sentences in as many groups, and the groups."""
    rng = np.random.default_rng(seed)
    gold = np.arange(sentences) % stories
    rows = rng.normal(size=(stories, 384))[gold] + 2.0 * rng.normal(size=(sentences, 384))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return np.maximum(rows @ rows.T, 0.0), gold


def _spectral(quick: bool) -> list[dict[str, Any]]:
    from sklearn.cluster import SpectralClustering
    from threadpoolctl import threadpool_limits

    from fabula.salads.clustering.vectors import spectral
    from fabula.salads.metrics import clustering_accuracy

    rows = []
    for sentences, stories in ((40, 2), (200, 5)):
        similar, gold = _similar(sentences, stories)

        def peer(similar: Any = similar, stories: int = stories) -> Any:
            model = SpectralClustering(stories, affinity="precomputed", random_state=0)
            return model.fit_predict(similar)

        def own(similar: Any = similar, stories: int = stories) -> Any:
            return spectral(similar.copy(), stories)

        with threadpool_limits(1):
            ours, theirs = _rates(own, peer)
            right = [clustering_accuracy(gold, found().astype(np.int64)) for found in (own, peer)]
        note = f"SpectralClustering, {stories} stories; CA {right[0]:.3f}, peer {right[1]:.3f}"
        rows.append(
            measured(f"spectral, {sentences} sentences, times/s", ours, theirs, None, None, note)
        )
    return rows


def _medoids(quick: bool) -> list[dict[str, Any]]:
    import kmedoids

    from fabula.salads.clustering.kmedoids import best_medoids
    from fabula.salads.clustering.kmedoids import kmedoids as alternating

    distance = 1.0 - _similar(100, 3)[0]
    np.fill_diagonal(distance, 0.0)
    ours, theirs = _rates(
        lambda: alternating(distance, 3, random.Random(0)),
        lambda: kmedoids.alternating(distance, 3, random_state=0),
    )
    note = "alternating, one random start: the paper's algorithm in both"
    rows = [measured("k-medoids, 100 sentences, times/s", ours, theirs, None, None, note)]
    for sentences, stories in ((40, 2), (100, 3)):
        distance = 1.0 - _similar(sentences, stories)[0]
        np.fill_diagonal(distance, 0.0)

        def own(distance: Any = distance, stories: int = stories) -> Any:
            return best_medoids(distance, stories)

        def peer(distance: Any = distance, stories: int = stories) -> Any:
            return kmedoids.fasterpam(distance, stories, random_state=0).labels.astype(np.int64)

        ours, theirs = _rates(own, peer)
        costs = [_cost(distance, found(), stories) for found in (own, peer)]
        better = bool(costs[0] <= costs[1] + 1e-6)
        note = f"fasterpam, one start, without proof; distance {costs[0]:.4f}, peer {costs[1]:.4f}"
        name = f"best medoids, {sentences} sentences, times/s"
        rows.append(measured(name, ours, theirs, "distance <= peer's", better, note))
    return rows


def _cost(distance: Any, labels: Any, stories: int) -> float:
    groups = [np.flatnonzero(labels == story) for story in range(stories)]
    return float(sum(distance[np.ix_(g, g)].sum(axis=0).min() for g in groups if len(g)))


def _pairs(quick: bool) -> list[dict[str, Any]]:
    import duckdb
    import pyarrow as pa

    from benchmarks.event_models import made_up
    from fabula.events.counts.encoding import EncodedChains
    from fabula.events.counts.pairs import count_keys, pair_keys

    numbered = EncodedChains.of(list(made_up(5_000 if quick else 50_000)))
    lengths = numbered.lengths.astype(np.int64)

    def own() -> int:
        narrow = len(numbered.event_types) <= 1 << 16
        keys = [keys for keys, _ in pair_keys(numbered.event_ids, lengths, narrow=narrow)]
        return len(count_keys(np.concatenate(keys))[0])

    starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
    table = {
        "chain": pa.array(np.repeat(np.arange(len(lengths)), lengths)),
        "place": pa.array(np.arange(len(numbered.event_ids)) - starts),
        "event": pa.array(numbered.event_ids),
    }
    base = duckdb.connect()
    base.execute("SET threads = 1")
    base.register("given", pa.table(table))
    base.execute("CREATE TABLE events AS SELECT * FROM given")
    query = """SELECT count(*) FROM (SELECT a.event, b.event AS after, count(*) AS n
        FROM events a JOIN events b ON a.chain = b.chain AND a.place < b.place GROUP BY ALL)"""

    def peer() -> int:
        found = base.execute(query).fetchone()
        assert found is not None
        return int(found[0])

    assert own() == peer()
    pairs = float((lengths * (lengths - 1) // 2).sum()) / 1e6
    ours, theirs = _rates(own, peer)
    note = f"self-join and group by, one thread; {pairs:.2f} M pairs, the same number of kinds"
    return [measured("pair counts, M pairs/s", ours * pairs, theirs * pairs, None, None, note)]


def _agreement(quick: bool) -> list[dict[str, Any]]:
    from nltk.metrics.agreement import AnnotationTask
    from nltk.metrics.distance import interval_distance

    from fabula.bench.agreement import krippendorff_alpha

    rng = np.random.default_rng(0)
    items, judges = (60, 4) if quick else (200, 5)
    values = rng.integers(1, 6, (items, 1)) + rng.integers(-1, 2, (items, judges))
    rows = [(f"j{j}", i, int(values[i, j])) for i in range(items) for j in range(judges)]

    def peer() -> float:
        return float(AnnotationTask(rows, distance=interval_distance).alpha())

    def own() -> float:
        return krippendorff_alpha(values)

    same = bool(abs(own() - peer()) < 1e-9)
    ours, theirs = _rates(own, peer)
    note = f"Krippendorff's alpha of {items} items and {judges} judges, {own():.4f} in both"
    return [measured("agreement, times/s", ours, theirs, "same number", same, note)]


def _tau(quick: bool) -> list[dict[str, Any]]:
    from scipy.stats import kendalltau

    from fabula.ordering.metrics import MEASURES, ranks_of, tau

    rng = random.Random(0)
    texts = [rng.sample(range(10), 10) for _ in range(200)]
    gold = [list(range(10))] * len(texts)

    def own() -> Any:
        return MEASURES["tau"](ranks_of(gold, texts))[0]

    def peer() -> Any:
        return [kendalltau(range(10), found).statistic for found in texts]

    same = bool(np.allclose(own(), peer())) and bool(abs(tau(gold[0], texts[0]) - peer()[0]) < 1e-9)
    ours, theirs = _rates(own, peer)
    note = f"kendalltau, {len(texts)} texts of 10 units, the same numbers"
    scale = len(texts)
    return [measured("tau, texts/s", ours * scale, theirs * scale, "same numbers", same, note)]


def _features(quick: bool) -> list[dict[str, Any]]:
    """The tags are given to both: what is compared is reading features off tagged endings."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.pipeline import FeatureUnion

    from fabula.endings.models.endingreg.features import count
    from fabula.text.io.documents import read_documents
    from fabula.text.segment.sentences import split_sentences

    number = 200 if quick else 800
    found = [s.text for d in read_documents("sample") for s in split_sentences(d)][:number]
    texts = [_tagged(" ".join(text.split())) for text in found]
    tagged = [" ".join(f"{w}/{t}" for w, t in zip(x.tokens, x.tags, strict=True)) for x in texts]
    union = FeatureUnion([
        ("token-pos", CountVectorizer(tokenizer=str.split, token_pattern=None, lowercase=False,
                                      ngram_range=(1, 5))),
        ("chars", CountVectorizer(analyzer="char_wb", ngram_range=(4, 4), lowercase=False)),
    ])  # fmt: skip

    def own() -> Any:
        return count(texts, ("token-pos", "chars")).matrix

    def peer() -> Any:
        return union.fit_transform(tagged)

    ours, theirs = _rates(own, peer)
    note = f"FeatureUnion of two CountVectorizers; {len(texts)} endings, {own().shape[1]:,} columns"
    rate = len(texts)
    return [measured("ending features, endings/s", ours * rate, theirs * rate, None, None, note)]


def _tagged(text: str) -> Any:
    from fabula.endings.models.endingreg.features import Annotated

    words = tuple(text.split())
    return Annotated(text, words, tuple("NVADP"[len(word) % 5] for word in words))


def _triples(quick: bool) -> list[dict[str, Any]]:
    """SVO triples beside our events: speed, and what is missed of hand labels."""
    import json

    from textacy.extract.triples import subject_verb_object_triples

    from benchmarks.event_extraction import LABELS
    from benchmarks.shared import DATA
    from fabula.events.extract.extraction import extract
    from fabula.text.io.documents import read_documents
    from fabula.text.parse.parsed import Parsed
    from fabula.text.parse.pipeline import Parser
    from fabula.text.segment.sentences import split_sentences

    labels = [json.loads(line) for line in LABELS.read_text(encoding="utf-8").splitlines()][:120]
    path = DATA / "wiki_conflict.jsonl.xz"
    if not path.is_file():
        note = "needs ../shared/data"
        return [measured("events, sentences/s", None, note=note)]
    wanted = {label["document"] for label in labels}
    split = {d.id: split_sentences(d) for d in read_documents(path) if d.id in wanted}
    given = [[split[label["document"]][label["sentence"]]] for label in labels]
    docs = list(Parser().parse_sentences(given))
    slots = {"subjects": ("subj",), "objects": ("obj", "iobj"), "verbs": ()}
    gold, own, theirs = (dict.fromkeys(slots, 0) for _ in range(3))
    for label, doc in zip(labels, docs, strict=True):
        parsed = Parsed.of(doc)
        at = parsed.offsets
        mine = {(at[f.token], s, at[h]) for f in extract(parsed) for s, hs in f.roles.items()
                for h in hs} | {(at[f.token], "", 0) for f in extract(parsed)}  # fmt: skip
        found = set()
        for triple in subject_verb_object_triples(doc):
            verbs = [token.idx for token in triple.verb]
            for verb in verbs:
                found.add((verb, "", 0))
                found |= {(verb, "subj", token.idx) for token in triple.subject}
                found |= {(verb, "obj", token.idx) for token in triple.object}
        for event in label["events"]:
            for name, which in slots.items():
                facts = {(event["verb"], slot, head) for slot in which
                         for head in event["roles"].get(slot, ())}  # fmt: skip
                facts = facts or ({(event["verb"], "", 0)} if name == "verbs" else set())
                gold[name] += len(facts)
                own[name] += len(facts & mine)
                theirs[name] += len({f for f in facts if (f[0], f[1].removeprefix("i"), f[2])
                                     in found})  # fmt: skip
    rows = [
        measured(
            f"events: {name} found",
            own[name] / gold[name],
            theirs[name] / gold[name],
            None,
            None,
            f"share of {gold[name]} labelled by hand in {len(labels)} sentences",
        )
        for name in slots
    ]

    def ours() -> None:
        for doc in docs:
            extract(Parsed.of(doc))

    def peer() -> None:
        for doc in docs:
            list(subject_verb_object_triples(doc))

    a, b = _rates(ours, peer)
    note = "subject_verb_object_triples; the same parses, parsing not counted"
    return [measured("events, sentences/s", a * len(docs), b * len(docs), None, None, note), *rows]


def _topics(quick: bool) -> list[dict[str, Any]]:
    """BERTopic as a user would bend it to untangling: the same vectors, and the number told."""
    from bertopic import BERTopic
    from sklearn.cluster import KMeans

    from fabula.salads.items import Salad
    from fabula.salads.metrics import clustering_accuracy
    from fabula.salads.models.context.model import Context
    from fabula.text.encoders.sentence import MiniLM

    rows = []
    for documents, number in (((2, 2), 30), ((16, 16), 5)):
        salads = wiki_salads("random", number, documents=documents)
        if salads is None:
            return [measured("untangle beside BERTopic", None, note="needs ../shared/data")]
        what = f"{round(np.mean([len(salad.sentences) for salad in salads]))} sentences"
        encoder, model = MiniLM(), Context()
        model.group([Salad(id="warm", sentences=salads[0].sentences, stories=2)])
        right: dict[str, list[float]] = {"ours": [], "told": [], "alone": []}
        clock = dict.fromkeys(right, 0.0)
        for salad in salads:
            gold, texts = np.array(salad.labels), list(salad.sentences)
            vectors = np.asarray(encoder.encode(texts))  # cached from here on, for both

            def told(
                texts: list[str] = texts, vectors: Any = vectors, k: int = documents[0]
            ) -> Any:
                clusters = KMeans(k, random_state=0, n_init=10)
                return _bertopic(BERTopic, texts, vectors, hdbscan_model=clusters)

            def alone(texts: list[str] = texts, vectors: Any = vectors) -> Any:
                return _bertopic(BERTopic, texts, vectors, min_topic_size=5)

            def own(salad: Salad = salad, model: Context = model) -> Any:
                blind = Salad(id=salad.id, sentences=salad.sentences, stories=salad.stories)
                return model.group([blind])[0].labels

            for name, work in (("ours", own), ("told", told), ("alone", alone)):
                started = time.process_time()
                found = np.array(work(), dtype=np.int64)
                clock[name] += time.process_time() - started
                right[name].append(clustering_accuracy(gold, found))
        mean = {name: float(np.mean(values)) for name, values in right.items()}
        size = f"{len(salads)} random salads of {documents[0]} documents, test part"
        note = f"{size}; number of stories told to both (peer with k-means)"
        rows.append(measured(f"untangle {what}, CA", mean["ours"], mean["told"], None, None, note))
        note = f"{size}; as it comes: it finds the number itself and leaves sentences out"
        rows.append(measured(f"untangle {what}, CA", mean["ours"], mean["alone"], None, None, note))
        rates = [len(salads) / max(clock[name], 1e-9) for name in ("ours", "told")]
        note = "vectors made before; the first of the peer's runs compiles"
        rows.append(measured(f"untangle {what}, salads/s", rates[0], rates[1], None, None, note))
    return rows


def _bertopic(make: Any, texts: list[str], vectors: Any, **options: Any) -> Any:
    from umap import UMAP

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        near = UMAP(n_neighbors=min(15, len(texts) - 1), n_components=5, min_dist=0.0,
                    metric="cosine", random_state=0)  # fmt: skip
        model = make(embedding_model=None, umap_model=near, **options)
        return model.fit_transform(texts, vectors)[0]
