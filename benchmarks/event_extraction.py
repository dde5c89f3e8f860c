"""Events from text: precision and recall on hand-made labels, and what it adds to parsing.

The labels (``labels/wiki_events.jsonl``) are places in ``wiki_conflict`` sentences of the test
part, drawn at random among those of 5 to 40 words, one a document: the offset of each event's verb
and of the head of each argument. They were made by one reader from the sentences alone.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from benchmarks.shared import DATA, measured
from fabula.core.stats import wilson
from fabula.events.extract.chains import extract_events
from fabula.events.extract.extraction import extract
from fabula.text.coref import resolvers
from fabula.text.coref.measure import measure
from fabula.text.coref.sieve import Sieve
from fabula.text.io.documents import read_documents
from fabula.text.parse.parsed import Parsed
from fabula.text.parse.pipeline import Parser
from fabula.text.segment.sentences import split_sentences

LABELS = Path(__file__).parent / "labels" / "wiki_events.jsonl"
Fact = tuple[int, int, str, int]  # label, offset of the verb, slot, offset of the head


def run(quick: bool) -> list[dict[str, Any]]:
    rows = [*_quality(quick), *([] if quick else _coreference()), _overhead(quick)]
    return rows if quick else [*rows, _long_sentence(1_000_000)]


def _quality(quick: bool) -> list[dict[str, Any]]:
    path = DATA / "wiki_conflict.jsonl.xz"
    if not path.is_file():
        return [measured("events on wiki_conflict", None, note="needs ../shared/data")]
    labels = [json.loads(line) for line in LABELS.read_text(encoding="utf-8").splitlines()]
    gold, found = compare(labels[:60] if quick else labels)
    rows = []
    for name, wanted in (
        ("verbs", lambda fact: fact[2] == "verb"),
        ("subjects", lambda fact: fact[2] == "subj"),
        ("objects", lambda fact: fact[2] in ("obj", "iobj")),
        ("prepositions", lambda fact: fact[2].startswith("prep")),
        ("all arguments", lambda fact: fact[2] != "verb"),
    ):
        right = len({f for f in gold & found if wanted(f)})
        for what, among in (("precision", found), ("recall", gold)):
            total = len({f for f in among if wanted(f)})
            low, high = wilson(right, total)
            note = f"[{low:.3f}, {high:.3f}], {right} of {total}"
            rows.append(measured(f"events: {name}, {what}", right / total, note=note))
    return rows


def compare(labels: list[dict[str, Any]]) -> tuple[set[Fact], set[Fact]]:
    """The facts labelled and the facts found in the same sentences."""
    wanted = {label["document"] for label in labels}
    path = DATA / "wiki_conflict.jsonl.xz"
    texts = {d.id: split_sentences(d) for d in read_documents(path) if d.id in wanted}
    sentences = [[texts[label["document"]][label["sentence"]]] for label in labels]
    gold: set[Fact] = set()
    found: set[Fact] = set()
    for number, (label, doc) in enumerate(
        zip(labels, Parser().parse_sentences(sentences), strict=True)
    ):
        for event in label["events"]:
            gold.add((number, event["verb"], "verb", event["verb"]))
            for slot, heads in event["roles"].items():
                gold |= {(number, event["verb"], slot, head) for head in heads}
        parsed = Parsed.of(doc)
        at = parsed.offsets
        for frame in extract(parsed):
            found.add((number, at[frame.token], "verb", at[frame.token]))
            for slot, tokens in frame.roles.items():
                found |= {(number, at[frame.token], slot, at[token]) for token in tokens}
    return gold, found


def _overhead(quick: bool) -> dict[str, Any]:
    """Processor time of events and coreference over that of the parser, in one run."""
    documents = list(read_documents("sample"))[: 12 if quick else 60]
    parsing = reading = 0.0
    words = 0
    sources = [split_sentences(document) for document in documents]
    list(Parser().parse_sentences(sources[:2]))  # load and warm up
    docs, started = [], time.process_time()
    docs = list(Parser().parse_sentences(sources))
    parsing = time.process_time() - started
    started = time.process_time()
    for doc in docs:
        parsed = Parsed.of(doc)
        words += len(parsed)
        extract(parsed)
        Sieve().clusters(parsed)
    reading = time.process_time() - started
    row = measured("events and coreference, time over parsing", reading, note=f"{words:,} tokens")
    ratio = reading / parsing
    return row | {"peer": parsing, "ratio": ratio, "bar": "<= 0.25", "ok": ratio <= 0.25}


def _long_sentence(characters: int) -> dict[str, Any]:
    """One "sentence" of so many characters, from text to chains: it is to end, and in one piece."""
    clause = "Ann met the old captain of the ship in the town and told him what Bo had seen, and "
    text = clause * (characters // len(clause)) + "they left."
    started = time.process_time()
    (found,) = extract_events(text)
    taken = time.process_time() - started
    good = len(found.sentences) == 1 and found.verbs > characters // 40 and bool(found.chains)
    row = measured(
        f"a sentence of {len(text):,} characters, s", taken, note=f"{found.verbs:,} events"
    )
    return row | {"bar": "ends, one sentence", "ok": good}


COREFERENCE = Path(__file__).parent / "labels" / "coreference.jsonl"


def _coreference() -> list[dict[str, Any]]:
    """The resolver against entities labelled by hand, by places of heads; singletons left out."""
    rows = []
    for corpus, source in (("sample", "sample"), ("wiki", DATA / "wiki_conflict.jsonl.xz")):
        if isinstance(source, Path) and not source.is_file():
            continue
        key, answer = coreference(corpus, source)
        heads = len({head for group in key for head in group})
        for name, (recall, precision, f) in measure(key, answer).items():
            note = f"recall {recall:.3f}, precision {precision:.3f}, {heads} labelled mentions"
            rows.append(measured(f"coreference, {corpus}, {name} F1", f, note=note))
    return rows


def coreference(corpus: str, source: str | Path) -> tuple[list[set[Any]], list[set[Any]]]:
    """Labelled and found entities of one corpus; a mention is label, sentence and offset."""
    lines = COREFERENCE.read_text(encoding="utf-8").splitlines()
    labels = [label for label in map(json.loads, lines) if label["corpus"] == corpus]
    wanted = {label["document"] for label in labels}
    texts = {d.id: split_sentences(d) for d in read_documents(source) if d.id in wanted}
    parts = [
        texts[label["document"]][label["first"] : label["first"] + label["sentences"]]
        for label in labels
    ]
    key, answer = [], []
    for number, (label, doc) in enumerate(
        zip(labels, Parser().parse_sentences(parts), strict=True)
    ):
        key += [{(number, *place) for place in entity} for entity in label["entities"]]
        parsed = Parsed.of(doc)
        for cluster in resolvers.get("best")().clusters(parsed):
            heads = {
                (number, here, parsed.offsets[head] - parsed.offsets[parsed.starts[here]])
                for head in (span.head for span in cluster)
                for here in (parsed.sentence[head],)
            }
            if len(heads) > 1:
                answer.append(heads)
    return key, answer
