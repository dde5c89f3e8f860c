"""Counting chains: against a plain loop, in memory and on disk, killed, damaged, appended."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.core.files import write_text
from fabula.errors import DamagedFile, InputError, UsageError
from fabula.events.counts import encoding, store, store_build
from fabula.events.counts.arrays import ArrayWriter
from fabula.events.counts.counting import PairCounter, count
from fabula.events.counts.encoding import EncodedChains, Vocabulary, encode_events
from fabula.events.counts.event_counts import Counts
from fabula.events.counts.pairs import count_keys, merge_runs, pack
from fabula.events.counts.store import MANIFEST, is_store, open_counts, save_counts
from fabula.events.counts.store_build import count_to_store
from fabula.events.items import Chain, Event


def chain(document: str, text: str) -> Chain:
    return Chain(document, "1", tuple(Event(word, "subj") for word in text.split()))


CHAINS = [
    chain("one", "a b c a"),
    chain("two", "b a"),
    chain("one", "c c"),  # a document may come in pieces
    chain("three", "a"),  # too short to count
    chain("four", "d b a c b a d d"),
]


def plain(chains: list[Chain], skip: int) -> tuple[Counter[Any], Counter[Any], Counter[Any]]:
    skip_bigrams: Counter[Any] = Counter()
    chain_pairs: Counter[Any] = Counter()
    postings: Counter[Any] = Counter()
    for some in chains:
        types = [(event.verb, event.slot) for event in some.events]
        if len(types) < 2:
            continue
        postings.update((event_type, some.document) for event_type in types)
        for i, first in enumerate(types):
            for j in range(i + 1, len(types)):
                chain_pairs[first, types[j]] += 1
                skip_bigrams[first, types[j]] += j - i <= skip + 1
    return +skip_bigrams, chain_pairs, postings


def table(counts: Counts, name: str) -> Counter[Any]:
    found = getattr(counts, name)
    seconds: list[Any] = counts.documents if name == "postings" else counts.event_types
    return Counter(
        {
            (counts.event_types[first], seconds[second]): int(number)
            for first in range(counts.types)
            for second, number in zip(*found.row(first), strict=True)
        }
    )


def agrees(counts: Counts, chains: list[Chain], skip: int = 2) -> None:
    skip_bigrams, chain_pairs, postings = plain(chains, skip)
    assert table(counts, "skip_bigrams") == skip_bigrams
    assert table(counts, "chain_pairs") == chain_pairs
    assert table(counts, "postings") == postings
    long = [some for some in chains if len(some.events) >= 2]
    assert len(counts) == len(long)
    assert counts.unigrams.sum() == counts.tokens == sum(len(some.events) for some in long)
    read = Counter((c.document, tuple(map(str, c.events))) for c in counts.chains())
    assert read == Counter((c.document, tuple(map(str, c.events))) for c in long)


chains_of_letters = st.lists(
    st.tuples(st.sampled_from("xyz"), st.lists(st.sampled_from("abcdefg"), max_size=9)),
    min_size=1,
    max_size=12,
).map(lambda rows: [chain(name, " ".join(letters)) for name, letters in rows])


@given(chains_of_letters, st.integers(0, 4))
def test_counts_are_those_of_a_plain_loop(chains: list[Chain], skip: int) -> None:
    if all(len(some.events) < 2 for some in chains):
        with pytest.raises(UsageError, match="no chain of two events"):
            count(chains, skip=skip)
        return
    agrees(count(chains, skip=skip), chains, skip)


@given(st.lists(st.sampled_from("abcdefg"), max_size=40), st.booleans())
def test_ids_do_not_depend_on_which_objects_the_events_are(words: list[str], shared: bool) -> None:
    """Readers may give one object for many events, or one for each; also some of both."""
    one = {word: Event(word, "subj") for word in "abcdefg"}
    events = [one[word] if shared or word < "c" else Event(word, "subj") for word in words]
    known = Vocabulary({("x", "subj"): 0, ("c", "subj"): 1})
    found = encode_events(events, known)
    expected = [("x", "subj"), ("c", "subj")]
    expected += [word for word in dict.fromkeys((w, "subj") for w in words) if word[0] != "c"]
    assert list(known) == expected and list(known.values()) == list(range(len(expected)))
    assert [expected[number][0] for number in found.tolist()] == words


@given(chains_of_letters)
def test_transposed_and_symmetric_tables(chains: list[Chain]) -> None:
    if all(len(some.events) < 2 for some in chains):
        return
    counts = count(chains)
    ids = np.arange(counts.types)
    first, second = (side.ravel() for side in np.meshgrid(ids, ids))
    there, back = counts.chain_pairs.get(first, second), counts.chain_pairs.get(second, first)
    assert (counts.chain_pairs.transposed.get(second, first) == there).all()
    # Published baselines stored pairs under sorted keys and looked them up unsorted.
    assert (counts.chain_pairs.symmetric.get(first, second) == there + back).all()
    assert (
        counts.chain_pairs.symmetric.get(first, second)
        == counts.chain_pairs.symmetric.get(second, first)
    ).all()


def test_an_event_never_seen_is_asked_for() -> None:
    counts = count(CHAINS)
    assert counts.encode([Event("yodel", "subj"), Event("a", "subj")]).tolist() == [-1, 0]
    assert counts.chain_pairs.get(np.array([-1, 0]), np.array([0, -1])).tolist() == [0, 0]
    assert counts.support([1], 0)[0] in ("one", "two", "four")


@given(st.lists(st.lists(st.integers(0, 30), max_size=20), max_size=5), st.integers(1, 4))
def test_merging_in_pieces_is_adding(runs: list[list[int]], block: int) -> None:
    pairs = [count_keys(np.array(run, np.uint64)) for run in runs]
    pieces = list(merge_runs(pairs, block))
    keys = [int(key) for piece in pieces for key in piece[0]]
    assert keys == sorted(set(keys))
    sums = Counter({k: int(n) for piece in pieces for k, n in zip(*piece, strict=True)})
    assert sums == sum((Counter(run) for run in runs), Counter())


def test_small_and_large_vocabularies_reduce_alike() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.integers(0, 50, (2, 999)).astype(np.uint32)
    small = count_keys(first << np.uint32(16) | second)
    large = count_keys(pack(first, second))
    assert np.array_equal(small[0], large[0]) and np.array_equal(small[1], large[1])


def test_a_store_is_the_same_counts(tmp_path: Path) -> None:
    counts = count_to_store(tmp_path / "store", CHAINS)
    assert is_store(tmp_path / "store") and not (tmp_path / "store" / ".building").exists()
    agrees(counts, CHAINS)
    save_counts(count(CHAINS), tmp_path / "saved")
    agrees(open_counts(tmp_path / "saved"), CHAINS)
    save_counts(counts, tmp_path / "linked")
    agrees(open_counts(tmp_path / "linked", verify=False), CHAINS)


def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run for every chain: the real thing needs a hundred megabytes for its second run."""
    monkeypatch.setattr(encoding, "BATCH", 1)
    monkeypatch.setattr("os.fsync", lambda handle: None)  # slow, and no test pulls the plug


def test_runs_are_merged_and_more_is_appended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_batches(monkeypatch)
    counts = count_to_store(tmp_path / "s", CHAINS[:2], source=["first"], memory=0)
    agrees(counts, CHAINS[:2])
    more = count_to_store(tmp_path / "s", CHAINS[2:], source=["second"], memory=0, append=True)
    agrees(more, CHAINS)
    # The command that was killed just before it could say so is given again.
    again = count_to_store(tmp_path / "s", CHAINS[2:], source=["second"], memory=0, append=True)
    agrees(again, CHAINS)
    with pytest.raises(UsageError, match="append with the same"):
        count_to_store(tmp_path / "s", CHAINS, append=True, skip=5)
    agrees(count_to_store(tmp_path / "s", CHAINS[:2]), CHAINS[:2])  # replaced
    assert len(list((tmp_path / "s").glob("flat-*"))) == 1


class Killed(BaseException):
    """As a signal: nothing catches it."""


# A process that is killed closes nothing either.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("append", [False, True])
def test_killed_at_any_write_it_leaves_the_old_store_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, append: bool
) -> None:
    small_batches(monkeypatch)
    close, write = ArrayWriter.close, write_text
    count_to_store(tmp_path / "old", CHAINS[:2], source=["old"], memory=0)
    moments = 0
    for deadline in range(1, 200, 3):
        place = tmp_path / f"s{deadline}"
        shutil.copytree(tmp_path / "old", place)
        left = [deadline]

        def tick(left: list[int] = left) -> None:
            left[0] -= 1
            if not left[0]:
                raise Killed

        def dying_close(writer: ArrayWriter, tick: Any = tick) -> Any:
            tick()
            return close(writer)

        def dying_write(path: Any, text: str, tick: Any = tick) -> None:
            tick()
            write(path, text)

        monkeypatch.setattr(ArrayWriter, "close", dying_close)
        monkeypatch.setattr(store_build, "write_text", dying_write)
        monkeypatch.setattr(store, "write_text", dying_write)
        killed = False
        try:
            count_to_store(place, CHAINS[2:], source=["new"], memory=0, append=append)
        except Killed:
            killed = True
        monkeypatch.undo()
        small_batches(monkeypatch)
        if not killed:
            break
        moments += 1
        agrees(open_counts(place), CHAINS[:2])
        done = count_to_store(place, CHAINS[2:], source=["new"], memory=0, append=append)
        agrees(done, CHAINS if append else CHAINS[2:])
        assert len(list(place.glob("flat-*"))) == 1
    assert moments > 6


def killed_after_four(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build that ends after four chains, with small runs."""
    small_batches(monkeypatch)

    def broken() -> Any:
        yield from CHAINS[:4]
        raise Killed

    with pytest.raises(Killed):
        count_to_store(folder, broken(), source=["x"], memory=0)


def test_a_build_goes_on_from_its_last_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    killed_after_four(tmp_path / "s", monkeypatch)
    assert not is_store(tmp_path / "s")
    counted: list[int] = []
    add = PairCounter.add

    def counting_add(counter: PairCounter, batch: EncodedChains) -> None:
        counted.append(len(batch))
        add(counter, batch)

    monkeypatch.setattr(PairCounter, "add", counting_add)
    agrees(count_to_store(tmp_path / "s", CHAINS, source=["x"], memory=0), CHAINS)
    assert sum(counted) == 1  # only what was not spilled before


def test_a_build_goes_on_inside_a_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    killed_after_four(tmp_path / "s", monkeypatch)
    whole = [EncodedChains.of([chain for chain in CHAINS if len(chain.events) >= 2])]
    agrees(count_to_store(tmp_path / "s", whole, source=["x"], memory=0), CHAINS)


def test_other_chains_start_afresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_batches(monkeypatch)

    def broken() -> Any:
        yield CHAINS[0]
        yield CHAINS[1]
        raise Killed

    with pytest.raises(Killed):
        count_to_store(tmp_path / "s", broken(), source=["x"], memory=0)
    agrees(count_to_store(tmp_path / "s", CHAINS[1:], source=["y"], memory=0), CHAINS[1:])


def damaged(tmp_path: Path, name: str, change: Any) -> str:
    place = tmp_path / f"store-{name}"
    count_to_store(place, CHAINS)
    path = next(place.glob(f"{name}*"))
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(DamagedFile) as problem:
        open_counts(place)
    return str(problem.value)


@pytest.mark.parametrize("name", ["near_keys", "whole_counts", "posting_keys", "flat", "lengths"])
def test_a_truncated_or_altered_array_is_refused(tmp_path: Path, name: str) -> None:
    assert "truncated" in damaged(tmp_path / "a", name, lambda data: data[:-4])
    said = damaged(tmp_path / "b", name, lambda data: data[:-1] + bytes([data[-1] ^ 1]))
    assert "altered since it was written; build it again" in said and name in said


@pytest.mark.parametrize("name", ["words", "documents"])
def test_altered_names_are_refused(tmp_path: Path, name: str) -> None:
    assert "altered" in damaged(tmp_path, name, lambda data: data.replace(b'"', b"'", 1))


def test_an_altered_manifest_is_refused(tmp_path: Path) -> None:
    said = damaged(tmp_path / "a", MANIFEST, lambda data: data.replace(b'"skip": 2', b'"skip": 3'))
    assert "altered" in said
    assert "not a counts store" in damaged(tmp_path / "b", MANIFEST, lambda data: data[:50])
    with pytest.raises(InputError, match="is no counts store"):
        open_counts(tmp_path)


def test_a_missing_array_is_refused(tmp_path: Path) -> None:
    count_to_store(tmp_path / "s", CHAINS)
    next((tmp_path / "s").glob("flat*")).unlink()
    with pytest.raises(DamagedFile, match="cannot be read"):
        open_counts(tmp_path / "s")


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(InputError, match="folder of something else"):
        count_to_store(tmp_path, CHAINS)
    assert [p.name for p in tmp_path.iterdir()] == ["letter.txt"]


def test_the_arrays_are_safetensors(tmp_path: Path) -> None:
    from safetensors.numpy import load_file

    counts = count_to_store(tmp_path / "s", CHAINS)
    flat = load_file(next((tmp_path / "s").glob("flat*")))["data"]
    assert np.array_equal(flat, counts.event_ids)
