"""The adapters against small stand-ins that answer as the real packages do."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from fabula.errors import InputError, MissingPart
from fabula.text.coref import resolvers
from fabula.text.coref.adapters import Coreferee, FastCoref, Xrenner, conll_lines
from fabula.text.parse.parsed import Parsed

WORDS = ["The", "police", "saw", "Jon", "Hale", ".", "He", "fled", "."]


def parsed() -> Parsed:
    offsets = [0, 4, 11, 15, 19, 23, 25, 28, 32]
    return Parsed(
        text="The police saw Jon Hale. He fled.",
        words=WORDS,
        lemmas=[word.lower() for word in WORDS],
        tags=["DT", "NNS", "VBD", "NNP", "NNP", ".", "PRP", "VBD", "."],
        labels=["det", "nsubj", "ROOT", "compound", "dobj", "punct", "nsubj", "ROOT", "punct"],
        heads=[1, 2, 2, 4, 2, 2, 7, 7, 7],
        starts=[0, 6],
        names=[""] * 9,
        begins=[False] * 9,
        offsets=offsets,
    )


EXPECTED = [((3, 5, 4), (6, 7, 6))]


class FakeFastCoref:
    def predict(self, texts: list[str]) -> list[Any]:
        assert texts == ["The police saw Jon Hale. He fled."]
        return [self]

    def get_clusters(self, as_strings: bool) -> list[list[tuple[int, int]]]:
        assert not as_strings
        return [[(15, 23), (25, 27)]]


def test_fastcoref_answers_in_characters() -> None:
    found = FastCoref(model=FakeFastCoref()).clusters(parsed())
    assert [tuple(map(tuple, cluster)) for cluster in found] == EXPECTED


class FakeToken:
    def __init__(self, idx: int, text: str) -> None:
        self.idx, self.text = idx, text


class FakeDoc(list[FakeToken]):
    @property
    def _(self) -> Any:
        def mention(*places: int) -> Any:
            return type("Mention", (), {"token_indexes": list(places)})

        chain = type("Chain", (), {"mentions": [mention(4), mention(6)]})
        return type("Underscore", (), {"coref_chains": [chain]})


def test_coreferee_answers_in_tokens_of_its_own() -> None:
    def pipeline(text: str) -> FakeDoc:
        assert text == "The police saw Jon Hale. He fled."
        ours = parsed()
        return FakeDoc(map(FakeToken, ours.offsets, ours.words))

    found = Coreferee(model=pipeline).clusters(parsed())
    assert [[span.head for span in cluster] for cluster in found] == [[4, 6]]


# What xrenner 2.2.1.1 prints: the number of the token, the word, and the entities.
ANSWER = """# begin document untitled
0\tThe\t_
1\tpolice\t
2\tsaw\t_
3\tJon\t(4
4\tHale\t4)
5\t.\t_
6\tHe\t(4)
7\tfled\t_
8\t.\t_
# end document
"""


class FakeXrenner:
    def __init__(self, answer: str) -> None:
        self.answer = answer

    def analyze(self, lines: str, kind: str) -> str:
        assert kind == "conll"
        assert lines.count("\n\n") == 2
        return self.answer


def test_xrenner_answers_in_brackets() -> None:
    found = Xrenner(model=FakeXrenner(ANSWER)).clusters(parsed())
    assert [tuple(map(tuple, cluster)) for cluster in found] == EXPECTED


def test_xrenner_is_given_ten_columns() -> None:
    rows = [line.split("\t") for line in conll_lines(parsed()).splitlines() if line]
    assert {len(row) for row in rows} == {10}
    assert rows[4] == ["5", "Hale", "hale", "NNP", "NNP", "_", "3", "dobj", "_", "_"]
    assert rows[7][6:8] == ["0", "root"]


def test_an_answer_that_does_not_fit() -> None:
    with pytest.raises(InputError, match="more tokens"):
        Xrenner(model=FakeXrenner(ANSWER * 2)).clusters(parsed())


@pytest.mark.parametrize(
    ("name", "package", "install"),
    [
        ("fastcoref", "fastcoref", "pip install fastcoref"),
        ("coreferee", "coreferee", "pip install coreferee && python -m coreferee install en"),
        ("xrenner", "xrenner", "pip install --no-build-isolation --no-deps xrenner"),
    ],
)
def test_a_missing_package_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, name: str, package: str, install: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingPart) as caught:
        resolvers.get(name)().clusters(parsed())
    assert install in str(caught.value)


def test_describing() -> None:
    for name in resolvers:
        assert resolvers.get(name)().describe()
