"""Chains from other people's parses: CoNLL-U and CoreNLP's JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.errors import InputError
from fabula.events.formats.sources import read_chains
from fabula.text.parse.parsed import has_cycle
from fabula.text.parse.universal import to_clearnlp

# Labels of Universal Dependencies, as stanza or UDPipe give them.
CONLLU = """# newdoc id = arrest
# text = Jon was arrested by the police in Rome. He fled.
1\tJon\tJon\tPROPN\tNNP\t_\t3\tnsubj:pass\t_\t_
2\twas\tbe\tAUX\tVBD\t_\t3\taux:pass\t_\t_
3\tarrested\tarrest\tVERB\tVBN\t_\t0\troot\t_\t_
4\tby\tby\tADP\tIN\t_\t6\tcase\t_\t_
5\tthe\tthe\tDET\tDT\t_\t6\tdet\t_\t_
6\tpolice\tpolice\tNOUN\tNN\t_\t3\tobl:agent\t_\t_
7\tin\tin\tADP\tIN\t_\t8\tcase\t_\t_
8\tRome\tRome\tPROPN\tNNP\t_\t3\tobl\t_\tSpaceAfter=No
9\t.\t.\tPUNCT\t.\t_\t3\tpunct\t_\t_

1\tHe\the\tPRON\tPRP\t_\t2\tnsubj\t_\t_
2\tfled\tflee\tVERB\tVBD\t_\t0\troot\t_\tSpaceAfter=No
3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

"""


def chains(path: Path) -> dict[str, list[str]]:
    return {chain.entity: [str(event) for event in chain.events] for chain in read_chains(path)}


def test_conllu(tmp_path: Path) -> None:
    path = tmp_path / "parse.conllu"
    path.write_text(CONLLU.replace("PROPN\tNNP\t_\t3\tnsubj", "PROPN\tNNP\t_\t3\tnsubj"))
    found = list(read_chains(path))
    assert {chain.document for chain in found} == {"arrest"}
    assert chains(path) == {
        "Jon": ["arrest->obj", "flee->subj"],
        "the police": ["arrest->subj"],
        "Rome": ["arrest->prep_in"],
    }
    jon = next(chain for chain in found if chain.entity == "Jon")
    assert jon.events[0].args == {"subj": "the police", "obj": "Jon", "prep_in": "Rome"}
    assert [(event.sentence, event.line) for event in jon.events] == [(0, 3), (1, 13)]


def test_conllu_without_penn_tags_and_with_features(tmp_path: Path) -> None:
    path = tmp_path / "parse.conllu"
    lines = []
    for line in CONLLU.splitlines():
        columns = line.split("\t")
        if len(columns) == 10:
            columns[4] = "_"
            features = {"arrested": "Tense=Past|VerbForm=Part", "fled": "Tense=Past|VerbForm=Fin"}
            columns[5] = features.get(columns[1], "_")
        lines.append("\t".join(columns))
    path.write_text("\n".join(lines) + "\n")
    assert chains(path)["Jon"] == ["arrest->obj", "flee->subj"]


def test_two_documents_and_no_final_blank_line(tmp_path: Path) -> None:
    path = tmp_path / "parse.conllu.gz"
    import gzip

    both = CONLLU + CONLLU.replace("newdoc id = arrest", "newdoc").rstrip()
    path.write_bytes(gzip.compress(both.encode()))
    assert [chain.document for chain in read_chains(path, least=2)] == ["arrest", "parse-2"]


def test_the_copula_of_universal_dependencies_is_no_event() -> None:
    # Jon is a baker in Rome.
    words = ["Jon", "is", "a", "baker", "in", "Rome", "."]
    tags = ["NNP", "VBZ", "DT", "NN", "IN", "NNP", "."]
    heads, labels = to_clearnlp(
        words, tags, [3, 3, 3, 3, 5, 3, 3], ["nsubj", "cop", "det", "root", "case", "nmod", "punct"]
    )
    assert labels == ["nsubj", "ROOT", "det", "attr", "prep", "pobj", "punct"]
    assert heads == [1, 1, 3, 1, 3, 4, 1]


def test_clearnlp_labels_stay() -> None:
    heads, labels = to_clearnlp(["a"] * 3, ["NN"] * 3, [1, 1, 1], ["nsubj", "root", "dobj"])
    assert (heads, labels) == ([1, 1, 1], ["nsubj", "ROOT", "dobj"])


names = st.sampled_from("root obl nmod case cop nsubj fixed obj flat conj what:ever".split())


@given(st.lists(st.tuples(names, st.integers(0, 20)), max_size=9))
def test_a_tree_stays_a_tree(rows: list[tuple[str, int]]) -> None:
    heads = [head % (i + 1) for i, (_, head) in enumerate(rows)]
    labels = [label for label, _ in rows]
    assert not has_cycle(heads)
    new, _ = to_clearnlp(["x"] * len(rows), ["NN"] * len(rows), heads, labels)
    assert not has_cycle(new)


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("1\tJon\n", 1, "columns"),
        (CONLLU.replace("3\tnsubj:pass", "33\tnsubj:pass"), 3, "no token of the sentence"),
        (CONLLU.replace("0\troot\t_\t_\n4", "1\troot\t_\t_\n4"), 3, "run in a circle"),
    ],
)
def test_a_wrong_conllu_line_is_named(tmp_path: Path, text: str, line: int, problem: str) -> None:
    path = tmp_path / "parse.conllu"
    path.write_text(text)
    with pytest.raises(InputError, match=problem) as caught:
        list(read_chains(path))
    assert caught.value.line == line


def test_unknown_labels_are_borne(tmp_path: Path) -> None:
    path = tmp_path / "parse.conllu"
    path.write_text(CONLLU.replace("obl:agent", "weird").replace("\tobl\t", "\tsomething:else\t"))
    assert chains(path)["Jon"] == ["arrest->obj", "flee->subj"]


def token(index: int, word: str, lemma: str, pos: str, ner: str = "O") -> dict[str, Any]:
    return {"index": index, "word": word, "lemma": lemma, "pos": pos, "ner": ner}


CORENLP: dict[str, Any] = {
    "docId": "theirs",
    "sentences": [
        {
            "tokens": [
                token(1, "Ann", "Ann", "NNP", "PERSON"),
                token(2, "sold", "sell", "VBD"),
                token(3, "boats", "boat", "NNS"),
                token(4, "in", "in", "IN"),
                token(5, "Hull", "Hull", "NNP", "CITY"),
            ],
            "basicDependencies": [
                {"dep": "ROOT", "governor": 0, "dependent": 2},
                {"dep": "nsubj", "governor": 2, "dependent": 1},
                {"dep": "obj", "governor": 2, "dependent": 3},
                {"dep": "case", "governor": 5, "dependent": 4},
                {"dep": "obl", "governor": 2, "dependent": 5},
            ],
        },
        {
            "tokens": [token(1, "She", "she", "PRP"), token(2, "left", "leave", "VBD")],
            "basicDependencies": [
                {"dep": "ROOT", "governor": 0, "dependent": 2},
                {"dep": "nsubj", "governor": 2, "dependent": 1},
            ],
        },
    ],
    "corefs": {
        "1": [
            {"sentNum": 1, "startIndex": 1, "endIndex": 2, "text": "Ann"},
            {"sentNum": 2, "startIndex": 1, "endIndex": 2, "text": "She"},
        ]
    },
}


def test_corenlp_with_its_own_coreference(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    path.write_text(json.dumps(CORENLP))
    (chain,) = read_chains(path, least=2)
    assert (chain.document, chain.entity) == ("theirs", "Ann")
    assert [str(event) for event in chain.events] == ["sell->subj", "leave->subj"]
    assert chain.events[0].args == {"subj": "Ann", "obj": "boats", "prep_in": "hull"}


def test_corenlp_without_coreference_uses_ours(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    path.write_text(json.dumps([{k: v for k, v in CORENLP.items() if k == "sentences"}] * 2))
    found = list(read_chains(path, least=2))
    assert [(chain.document, chain.entity) for chain in found] == [("out", "Ann"), ("out-2", "Ann")]


def test_chains_may_be_plain_json(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    row = {"document": "d", "entity": "e", "events": [{"verb": "go", "slot": "subj"}]}
    path.write_text(json.dumps([row]))
    assert next(read_chains(path)).entity == "e"


@pytest.mark.parametrize(
    "change",
    [
        {"sentences": [{"tokens": [{"word": "a"}]}]},
        {"sentences": [{**CORENLP["sentences"][1], "basicDependencies": [
            {"dep": "x", "governor": 9, "dependent": 1}]}]},
        {"sentences": [{**CORENLP["sentences"][1], "basicDependencies": [
            {"dep": "x", "governor": 2, "dependent": 1},
            {"dep": "x", "governor": 1, "dependent": 2},
        ]}]},
        {"corefs": {"1": [{"sentNum": 9, "startIndex": 1, "endIndex": 2}]}},
        {"sentences": 3},
        {"sentences": [{"tokens": [token(1, "a", "a", "NN")]}]},
    ],
)  # fmt: skip
def test_damaged_corenlp_is_named(tmp_path: Path, change: dict[str, Any]) -> None:
    path = tmp_path / "out.json"
    path.write_text(json.dumps({**CORENLP, **change}))
    with pytest.raises(InputError, match="not CoreNLP's JSON"):
        list(read_chains(path))
