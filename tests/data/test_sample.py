"""The packaged sample is data others will measure on: what is promised of it must hold."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from datetime import date
from typing import Any

import numpy as np
import pytest

from fabula.cli.inputs import PACKAGED, SAMPLE
from fabula.endings.formats.tables import read_endings
from fabula.endings.items import Ending
from fabula.text.segment.sentences import split_sentences
from fabula.types import Document


@pytest.fixture(scope="module")
def endings() -> list[Ending]:
    return list(read_endings(PACKAGED["sample-endings"]))


@pytest.fixture(scope="module")
def tangled() -> list[str]:
    return PACKAGED["tangled"].read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="module")
def solution() -> dict[str, Any]:
    return dict(json.loads((SAMPLE / "tangled.solution.json").read_text(encoding="utf-8")))


def test_eight_categories_of_six(articles: list[Document]) -> None:
    categories = Counter(article.category for article in articles)
    assert len(categories) >= 8 and set(categories.values()) == {6}
    assert len({article.id for article in articles}) == len(articles) >= 48
    assert all(article.title for article in articles)


def test_dates_are_real_and_no_month_stands_alone(articles: list[Document]) -> None:
    months: dict[str | None, set[str | None]] = defaultdict(set)
    for article in articles:
        assert article.date is not None and date.fromisoformat(article.date)
        months[article.month].add(article.id)
    assert min(len(ids) for ids in months.values()) >= 2


def test_articles_are_long_enough(articles: list[Document]) -> None:
    for article in articles:
        assert len(split_sentences(article)) >= 12, article.id
        assert len(article.paragraphs) >= 3, article.id


def test_no_sentence_stands_in_two_articles(articles: list[Document]) -> None:
    homes = Counter(s.text for article in articles for s in {*split_sentences(article)})
    assert [sentence for sentence, times in homes.items() if times > 1] == []


def test_the_articles_are_plain_english_text(articles: list[Document]) -> None:
    for article in articles:
        assert not re.search(r"[^\x20-\x7e\xa1-\u017f’‘“”–—]", "".join(article.paragraphs)), (
            article.id
        )
        assert not re.search(r"  |\s$|^\s", "\n".join(article.paragraphs)), article.id


def test_endings_are_many_balanced_and_distinct(endings: list[Ending]) -> None:
    assert len(endings) >= 200 and len({item.id for item in endings}) == len(endings)
    assert 0.45 <= np.mean([item.gold or 0 for item in endings]) <= 0.55
    for item in endings:
        assert item.gold is not None and len(item.options) == len(set(item.options)) == 2
        assert len(item.context) == 4, item.id
    assert len({item.context for item in endings}) == len(endings)


def test_no_ending_gives_itself_away_by_its_length(endings: list[Ending]) -> None:
    differences = []
    for item in endings:
        lengths = [len(option.split()) for option in item.options]
        right = lengths[item.gold or 0]
        differences.append(right - (sum(lengths) - right))
    assert max(map(abs, differences)) <= 3
    assert abs(np.mean(differences)) < 0.5


def test_no_ending_gives_itself_away_by_its_words(endings: list[Ending]) -> None:
    """A classifier that never sees the context is no better than a coin."""
    from scipy import sparse
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold

    options = [option for item in endings for option in item.options]
    right = np.array([place == item.gold for item in endings for place in range(2)])
    groups = np.repeat(np.arange(len(endings)), 2)
    hits = []
    for train, test in GroupKFold(5).split(options, right, groups):
        readers = [
            TfidfVectorizer(ngram_range=(1, 2)),
            TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), min_df=2),
        ]
        seen = sparse.hstack([r.fit_transform([options[i] for i in train]) for r in readers])
        model = LogisticRegression(max_iter=300).fit(seen.tocsr(), right[train])
        new = sparse.hstack([r.transform([options[i] for i in test]) for r in readers])
        margins = model.decision_function(new.tocsr())
        chosen = defaultdict(list)
        for i, margin in zip(test, margins, strict=True):
            chosen[groups[i]].append((margin, right[i]))
        hits += [max(pair)[1] for pair in chosen.values()]
    assert len(hits) == len(endings)
    assert 0.40 <= np.mean(hits) <= 0.60


def test_the_tangled_stories_have_one_solution(tangled: list[str], solution: Any) -> None:
    assert len(tangled) == 45 and len(set(tangled)) == 45
    for line in tangled:
        assert len(split_sentences(line)) == 1, line
    told = [line for story in solution["stories"] for line in story["lines"]]
    assert sorted(told) == list(range(1, 46))
    assert [story["lines"] for story in solution["stories"]] != [
        sorted(story["lines"]) for story in solution["stories"]
    ]


def test_five_contradictions_each_within_one_story(tangled: list[str], solution: Any) -> None:
    home = {line: s["id"] for s in solution["stories"] for line in s["lines"]}
    assert len(solution["contradictions"]) == 5
    for contradiction in solution["contradictions"]:
        one, other = contradiction["lines"]
        assert home[one] == home[other]
        assert len(contradiction["values"]) == 2 and contradiction["about"]


def test_a_contradiction_is_in_the_words(tangled: list[str], solution: Any) -> None:
    """Each value shares a telling word with one of the two lines it is about."""
    for contradiction in solution["contradictions"]:
        lines = " ".join(tangled[line - 1].lower() for line in contradiction["lines"])
        for value in contradiction["values"]:
            words = re.findall(r"[a-z]{3,}", value.lower())
            assert any(word in lines for word in words), (value, lines)
