from __future__ import annotations

from pathlib import Path

import pytest

from fabula import relate
from fabula.errors import FabulaError
from fabula.pairs.items import Pair
from fabula.pairs.models.combined import Combined

ALIKE = [
    ("The ferry sank off Dover on Monday.", "A ferry went down near Dover."),
    ("Police arrested John Hale in Rome.", "John Hale was arrested by police."),
    ("Fire destroyed the mill in Brindle.", "The Brindle mill burned down."),
]
UNLIKE = [
    ("The ferry sank off Dover on Monday.", "The council met in the town hall."),
    ("Police arrested John Hale in Rome.", "Shares of the bank fell."),
    ("Fire destroyed the mill in Brindle.", "A ferry went down near Dover."),
]
DOVER = "The ferry Rook sank off Dover on Monday.\nNine of the crew of the Rook were saved."
DOVER_TOO = "A ferry went down near Dover.\nNine people of the Rook are safe."
OSLO = "A ferry went down near Oslo on 3 May.\nThe Hakon had left Horten with 30 people."


def test_the_shipped_weights_tell_one_event_from_another() -> None:
    same = [relation.same for relation in relate([*ALIKE, *UNLIKE])]
    assert min(same[:3]) > max(same[3:])


def test_two_like_stories_are_two_events() -> None:
    a, b = "The ferry sank.", "The ferry went down."
    pairs = [
        Pair("1", a, b, context_a=DOVER, context_b=DOVER_TOO),
        Pair("2", a, b, context_a=DOVER, context_b=OSLO),
    ]
    one, two = Combined.shipped().relate(pairs)
    assert one.same > two.same
    assert one[:3] == two[:3], "documents do not change what the sentences say"


@pytest.mark.parametrize("documents", [(None, None), (DOVER, DOVER_TOO)])
def test_it_learns_saves_and_loads(tmp_path: Path, documents: tuple[str, str]) -> None:
    items = [
        Pair(str(i), a, b, None, i < 3, *documents) for i, (a, b) in enumerate([*ALIKE, *UNLIKE])
    ]
    model = Combined(c=10.0).fit(items)
    model.save(tmp_path)
    assert Combined.load(tmp_path).relate(items) == model.relate(items)
    same = [relation.same for relation in model.relate(items)]
    assert sum(same[:3]) > sum(same[3:])


def test_without_labels_it_answers_by_the_prior() -> None:
    pair = Pair("1", *ALIKE[0], label="entailment")
    assert Combined().fit([pair]).relate([pair])[0].same == 0.5


def test_weights_of_another_form_are_refused(tmp_path: Path) -> None:
    Combined().fit([Pair("1", *ALIKE[0], label="entailment")]).save(tmp_path)
    config = tmp_path / "config.json"
    config.write_text(config.read_text(encoding="utf-8").replace("sentences", "other"))
    with pytest.raises(FabulaError):
        Combined.load(tmp_path)
