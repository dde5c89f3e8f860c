from __future__ import annotations

from pathlib import Path

from fabula import relate
from fabula.pairs.items import Pair
from fabula.pairs.models.lexical import Lexical
from fabula.testing import check_model

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


def test_the_shipped_weights_tell_one_event_from_another() -> None:
    same = [relation.same for relation in relate([*ALIKE, *UNLIKE], model="lexical")]
    assert min(same[:3]) > max(same[3:])


def test_documents_count_where_they_are_given() -> None:
    a, b = "He was arrested on Monday.", "The man was arrested."
    one = "John Hale robbed a bank in Rome. " + a
    other = "Police in Oslo hold Nils Berg for theft. " + b
    pairs = [
        Pair("1", a, b, context_a=one, context_b=one),
        Pair("2", a, b, context_a=one, context_b=other),
    ]
    near, far = Lexical().relate(pairs)
    assert near.same > far.same


def test_it_learns_saves_and_loads(tmp_path: Path) -> None:
    check_model("pairs", Lexical())
    items = [Pair(str(i), a, b, same=i < 3) for i, (a, b) in enumerate([*ALIKE, *UNLIKE])]
    model = Lexical(c=10.0).fit(items)
    model.save(tmp_path)
    assert Lexical.load(tmp_path).relate(items) == model.relate(items)
    assert [r.same > 0.5 for r in model.relate(items)] == [True] * 3 + [False] * 3
