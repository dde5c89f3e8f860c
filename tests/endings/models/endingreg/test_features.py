from __future__ import annotations

import numpy as np
import pytest

from fabula.endings.models.endingreg.features import (
    GROUPS,
    Annotated,
    EndingFeatures,
    Selection,
    annotate,
    check_groups,
    count,
)
from fabula.errors import UnknownName, UsageError

HAPPY = Annotated("He is happy now.", ("He", "is", "happy"), ("PRP", "VBZ", "JJ"), 0.75)
SAD = Annotated("He was not.", ("He", "was", "not"), ("PRP", "VBD", "RB"), 0.5)


def columns(group: str, *texts: Annotated, n: int = 2) -> dict[str, list[float]]:
    counts = count(texts, [group], n=n)
    return {
        name: counts.matrix[:, [place]].toarray().ravel().tolist()
        for place, (_, name) in enumerate(counts.columns)
    }


def test_each_group_counts_what_it_says() -> None:
    assert columns("length", HAPPY) == {"length": [3.0]}
    assert columns("yngve", HAPPY, SAD) == {"yngve": [0.75, 0.5]}
    (happy, sad) = columns("sentiment", HAPPY, Annotated("It was a terrible loss."))["sentiment"]
    assert sad < 0 < happy
    assert set(columns("pos", HAPPY)) == {"PRP", "VBZ", "JJ", "<s> PRP", "PRP VBZ", "VBZ JJ"}
    assert set(map(tuple, columns("pos", HAPPY).values())) == {(1.0,)}
    assert set(columns("token-pos", HAPPY)) == {
        "He/PRP", "is/VBZ", "happy/JJ", "<s> He/PRP", "He/PRP is/VBZ", "is/VBZ happy/JJ",
    }  # fmt: skip
    assert set(columns("chars", HAPPY)) == {"happ", "appy", "now."}
    assert len(columns("chars-across", HAPPY)) == len("He is happy now.") - 3


def test_n_grams_go_up_to_n() -> None:
    longest = max(columns("pos", HAPPY, n=5), key=len)
    assert longest == "<s> PRP VBZ JJ"


def test_rare_columns_fall_and_the_rest_are_divided_by_their_maximum() -> None:
    texts = [Annotated("aaaa bbbb bbbb"), Annotated("bbbb"), Annotated("aaaa"), Annotated("cccc")]
    counts = count(texts, ["chars"])
    selection = Selection(least=2).fit(counts, np.array([0, 1, 2]))
    matrix = selection.transform(counts)
    assert [counts.columns[i][1] for i in selection.kept_] == ["aaaa", "bbbb"]
    assert matrix.toarray().tolist() == [[1.0, 1.0], [0.0, 0.5], [1.0, 0.0], [0.0, 0.0]]


def test_new_texts_get_the_columns_of_training() -> None:
    features = EndingFeatures(groups=("sentiment", "chars"), least=1)
    first = features.fit_transform(["It rained a lot.", "They were happy."])
    assert np.allclose(first.toarray(), features.transform(["It rained a lot.", "They were happy."])
                       .toarray())  # fmt: skip
    assert features.transform(["zzzzzz"]).toarray().sum() == 0
    assert features.transform([]).shape == (0, first.shape[1])


def test_nothing_common_enough_leaves_the_numbers() -> None:
    features = EndingFeatures(groups=("sentiment", "chars")).fit(["Good.", "Bad."])
    assert [group for group, _ in features.columns_] == ["sentiment"]
    assert features.transform(["Good."]).shape == (1, 1)


def test_tags_come_from_the_tagger() -> None:
    texts = ["He didn't go.", "", "He didn't go."]
    first, empty, again = annotate(texts)
    assert first.tokens == ("He", "did", "n't", "go", ".") and first is again
    assert first.tags[0] == "PRP" and first.yngve > 0
    assert empty.tokens == () and empty.yngve == 0.0


def test_groups_are_checked() -> None:
    assert check_groups(["chars", "length"]) == ("length", "chars")
    with pytest.raises(UnknownName, match="unknown feature group 'char': did you mean 'chars'"):
        check_groups(["char"])
    with pytest.raises(UsageError, match="no feature group is chosen"):
        check_groups([])
    with pytest.raises(UsageError, match="call fit first"):
        EndingFeatures(groups=GROUPS).transform(["x"])
