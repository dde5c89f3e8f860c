"""Nobody's files but fabula's are ever removed: random folders, random names."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.scale.test_scale import DOUBLE, ROWS, Here

from fabula.core.build_once import built
from fabula.core.safety.ownership import MARK, claim, damage, is_claimed, remove_sealed, seal
from fabula.errors import FabulaError, InputError
from fabula.events.counts.store_build import count_to_store
from fabula.events.items import Chain, Event
from fabula.scale import Plan
from fabula.text.encoders.cache import clear

# Names a user may have: any, and those that look most like ours.
NAMES = st.sampled_from(
    ["000000.parquet", "000001.json", "all.json", "plan.json", "counts.json", "notes-1.txt", "lock",
     "documents", "double", "vectors", "answers", "lm", "scdv", ".building", ".writing-poem",
     "words-0123.json", "flat-01.txt", "my-thesis.docx", "journal.json", "answers.sqlite", "work"]
)  # fmt: skip
FOLDERS = st.dictionaries(
    st.lists(NAMES, min_size=1, max_size=2).map("/".join), st.binary(max_size=20), max_size=6
)
CHAIN = Chain("d", "e", (Event("buy", "subject"), Event("pay", "subject")))


def lay(folder: Path, files: dict[str, bytes]) -> dict[Path, bytes]:
    """Write the user's files, as far as one path is not both file and folder."""
    laid: dict[Path, bytes] = {}
    for name, data in files.items():
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        except OSError:
            continue
        laid[path] = data
    return laid


def plan_here(folder: Path) -> Plan:
    plan = Plan(str(folder), identity=["x"], engine=Here(), size=4)
    plan.run(DOUBLE, plan.read(ROWS[:6]))
    return plan


def run_plan(folder: Path) -> None:
    plan_here(folder).clear()


def run_counts(folder: Path) -> None:
    count_to_store(folder, [CHAIN])
    count_to_store(folder, [CHAIN, CHAIN])


def run_build(folder: Path) -> None:
    for data in (b"1", b"2"):
        target = folder / "lm"
        built(target, lambda new, data=data: (new / "a").write_bytes(data) and None)  # type: ignore[misc]


def run_claim(folder: Path) -> None:
    claim(folder)


WRITERS: list[Callable[[Path], object]] = [run_plan, run_counts, run_build, run_claim, clear]


@pytest.mark.parametrize("write", WRITERS, ids=lambda write: write.__name__)
@settings(max_examples=40, deadline=None)
@given(files=FOLDERS)
def test_the_users_files_stay(write: Callable[[Path], object], files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as name:
        laid = lay(Path(name), files)
        with suppress(FabulaError):
            write(Path(name))
        assert {path: path.read_bytes() for path in laid} == laid


@settings(max_examples=25, deadline=None)
@given(files=FOLDERS)
def test_files_that_come_later_stay(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as name:
        plan = plan_here(Path(name) / "work")
        ours = {path.relative_to(name).as_posix() for path in Path(name).rglob("*")}
        laid = lay(
            Path(name), {f"work/{k}": v for k, v in files.items() if f"work/{k}" not in ours}
        )
        plan.clear()
        assert {path: path.read_bytes() for path in laid} == laid
        assert laid or not (Path(name) / "work").exists()


def test_a_folder_made_by_the_user_stays_when_it_is_empty(tmp_path: Path) -> None:
    run_plan(tmp_path)
    assert tmp_path.is_dir() and not list(tmp_path.iterdir())
    run_plan(tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_claimed_folder_is_private_and_a_foreign_one_is_refused(tmp_path: Path) -> None:
    assert is_claimed(claim(tmp_path / "new")) and claim(tmp_path / "new")
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "thesis.txt").write_text("x")
    with pytest.raises(InputError, match=r"did not write \(thesis.txt\)"):
        claim(tmp_path / "old")


def test_a_sealed_folder_knows_what_changed(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a").write_bytes(b"one")
    seal(tmp_path)
    assert damage(tmp_path) == ""
    (tmp_path / "mine").write_text("x")
    (tmp_path / "in" / "a").write_bytes(b"two")
    assert "is not what was written" in damage(tmp_path)
    assert not remove_sealed(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
    (tmp_path / MARK).write_text('{"kind": "x", "files": {"../x": ""}}')
    assert not remove_sealed(tmp_path)
