"""Chats: conversations on labelled IRC, in five export forms, and two incidents in one group."""

from __future__ import annotations

import json
import lzma
import random
import tempfile
import time
from datetime import datetime, timedelta
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.chat_forms import FORMS, write
from benchmarks.conversations_data import DATA, parts
from benchmarks.shared import measured
from fabula.assembly.api import assemble
from fabula.assembly.pile import read_pile
from fabula.bench.compare import compare
from fabula.bench.evaluate import evaluate
from fabula.conversations.api import thread
from fabula.conversations.build import messages_of
from fabula.conversations.items import Conversation, Grouping, Message, read_conversations
from fabula.conversations.metrics import vi_scaled
from fabula.conversations.models.links.model import Links
from fabula.core.stats import percentiles, resample
from fabula.salads.metrics import clustering_accuracy

BARS = {"one_to_one": 0.75, "VI_scaled": 0.91, "exact_f1": 0.36}
SENDERS = ("Ama", "Bjorn", "Chidi", "Dalia", "Emre", "Freya")


def run(quick: bool) -> list[dict[str, Any]]:
    if not DATA.is_dir():
        note = "skipped: ../shared/data is not here"
        return [{"name": "conversations", "ok": None, "note": note}]
    chats = list(read_conversations(DATA / "irc_dev.jsonl.xz"))
    rows = [*_quality(chats), _same_in_all_forms(chats[: 2 if quick else 10])]
    rows += [_speed(1_000 if quick else 10_000)]
    if not quick:
        rows += [_later_years(), *_two_incidents(20)]
    return rows


def _quality(chats: list[Conversation]) -> list[dict[str, Any]]:
    ours = evaluate("conversations", chats, "links")
    peers = {name: evaluate("conversations", chats, name) for name in ("time-gap", "single")}
    rows = []
    for metric, bar in BARS.items():
        found, gap, one = (run.metrics[metric] for run in (ours, *peers.values()))
        (pair,) = compare([ours, peers["time-gap"]], metric)
        note = (
            f"{len(chats)} sections, [{found.low:.3f}, {found.high:.3f}]; peer: time-gap "
            f"[{gap.low:.3f}, {gap.high:.3f}], single {one.value:.3f} [{one.low:.3f}, "
            f"{one.high:.3f}]; difference to time-gap [{pair.low:+.3f}, {pair.high:+.3f}]"
        )
        if metric == "VI_scaled":
            note += f"; over all sections at once, as published: {_vi_at_once(chats):.3f}"
        ok = found.value >= bar
        rows.append(measured(f"irc_dev, {metric}", found.value, gap.value, bar, ok, note))
    return rows


def _vi_at_once(chats: list[Conversation]) -> float:
    """Scaled VI as Kummerfeld et al. (2019) compute it: one chat of all sections."""
    answers = Links().thread(chats)
    gold, found = [], []
    for number, (chat, answer) in enumerate(zip(chats, answers, strict=True)):
        apart = number * 10_000  # conversations of different sections are different ones
        gold += [apart + (chat.labels or ())[i] for i in chat.spoken]
        found += [apart + answer.labels[i] for i in chat.spoken]
    messages = tuple(Message(i, "") for i in range(len(gold)))
    whole = Conversation("all", messages, tuple(gold))
    return vi_scaled(whole, Grouping(tuple(found), (1.0,) * len(found))).total


def _later_years() -> dict[str, Any]:
    """Trained without the years from 2013 on, measured on them."""
    data = parts()
    with tempfile.TemporaryDirectory() as folder:
        Links(networks=1).fit(data["earlier-train"]).save(folder)
        model = Links(networks=1, epochs=2, rate=1e-3, start=folder)
        model.fit(data["earlier-guideline"], data["earlier-tune"])
    found = evaluate("conversations", data["later"], model).metrics
    gap = evaluate("conversations", data["later"], "time-gap").metrics
    overlap = found["one_to_one"]
    others = ", ".join(f"{name} {found[name].value:.3f}" for name in ("VI_scaled", "exact_f1"))
    note = f"[{overlap.low:.3f}, {overlap.high:.3f}]; {others}; peer: time-gap"
    ok = overlap.value >= 0.68
    name = "years from 2013 on, left out, one_to_one"
    return measured(name, overlap.value, gap["one_to_one"].value, 0.68, ok, note)


def _speed(n: int) -> dict[str, Any]:
    messages = [m for chat in parts()["train"] for m in chat.messages if not m.system][:n]
    thread(messages[:10])  # loads the weights
    started = time.process_time()  # one thread: on a free core this is the time it takes
    thread(messages)
    seconds = time.process_time() - started
    name = f"{n:,} messages, processor seconds"
    return measured(name, seconds, None, 20.0, seconds <= 20.0, "")


def _same_in_all_forms(chats: list[Conversation]) -> dict[str, Any]:
    """Whether every section, written in each form and read, has the conversations of the log."""
    same = total = 0
    with tempfile.TemporaryDirectory() as folder:
        for chat in chats:
            said = [m for m in chat.messages if m.system or m.text.strip()]
            labels = _spoken_labels(said)
            for form in FORMS:
                read = messages_of(read_pile(write(form, said, Path(folder))))
                same += _spoken_labels(read) == labels
                total += 1
    name = "irc_dev in five export forms, same conversations"
    return measured(name, same / total, None, 1.0, same == total, f"{same} of {total}")


def _spoken_labels(messages: list[Message]) -> list[int]:
    """The conversations of the messages that people sent, in the order they begin."""
    labels = thread(messages).labels
    numbers: dict[int, int] = {}
    spoken = [label for label, m in zip(labels, messages, strict=True) if not m.system]
    return [numbers.setdefault(label, len(numbers)) for label in spoken]


def incident_chats(n: int, seed: int = 0) -> list[tuple[list[Message], list[int]]]:
    """Chats of two ECB+ events of different topics, their sentences dealt to invented senders.

    Of each event ten sentences of its first documents, in their order; which event a message is of
    is drawn anew for each, a minute or three apart.
    """
    with lzma.open(DATA / "ecb_docs.jsonl.xz", "rt", encoding="utf-8") as stream:
        documents = [json.loads(line) for line in stream]
    events: dict[tuple[str, str], list[str]] = {}
    for document in documents:
        if int(document["topic"]) % 4 == 0:
            sentences = events.setdefault((document["topic"], document["event"]), [])
            sentences += [s for s in document["sentences"] if len(s.split()) >= 6]
    rng = random.Random(seed)
    chats = []
    while len(chats) < n:
        one, other = rng.sample(sorted(events), 2)
        if one[0] == other[0]:
            continue
        labels = [*repeat(0, 10), *repeat(1, 10)]
        rng.shuffle(labels)
        following = [iter(events[one][:10]), iter(events[other][:10])]
        at = datetime(2021, 5, 17, 9, 0)
        messages = []
        for number, label in enumerate(labels, 1):
            at += timedelta(minutes=rng.randint(0, 3))
            sender = rng.choice(SENDERS)
            messages.append(Message(number, next(following[label]), sender, at.isoformat()))
        chats.append((messages, labels))
    return chats


def _two_incidents(n: int) -> list[dict[str, Any]]:
    """Stories that ``assemble`` finds in such chats, a form each in turn."""
    accuracies, right = [], []
    with tempfile.TemporaryDirectory() as folder:
        for (messages, labels), form in zip(
            incident_chats(n), chain.from_iterable(repeat(list(FORMS))), strict=False
        ):
            documents = list(read_pile(write(form, messages, Path(folder))))
            label_of = dict(zip((d.id for d in documents), labels, strict=True))
            account = assemble(documents)
            gold, found = [], []
            for story in account.stories:
                for placed in story.sentences:
                    gold.append(label_of[placed.sentence.document or ""])
                    found.append(story.id)
            accuracies.append(clustering_accuracy(np.array(gold), np.array(found)))
            right.append(float(len(account.stories) == 2))
    rows = []
    for name, values, bar in (("CA", accuracies, 0.85), ("number right", right, 0.70)):
        value = float(np.mean(values))
        low, high = percentiles(resample(values, [1.0] * len(values))[:, 0], value)
        note = f"{n} chats, [{low:.3f}, {high:.3f}]"
        full = f"two incidents in one group chat, {name}"
        rows.append(measured(full, value, 0.5, bar, value >= bar, note))
    return rows
