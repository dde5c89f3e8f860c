"""Small stand-ins for the files that the documentation's examples name."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from fabula.conversations import TASK as conversations
from fabula.endings.formats.tables import read_endings
from fabula.endings.items import Ending
from fabula.text.io.documents import read_documents

__all__ = ["stock"]

SAMPLE = Path(__file__).parents[1] / "src" / "fabula" / "data" / "sample"

PILE = """\
The ferry Aurora left Brindle harbour in thick fog.
Nadia Osei lit the bakery's ovens before dawn.
Off Gull Point the Aurora struck a rock.
The first loaves came out of Nadia's oven at five.
Fishing boats took the passengers off the sinking ferry.
One side of every loaf was burnt black.
The Aurora sank within the hour.
Nadia sold the burnt loaves at half price.
"""
FERRY, BAKERY = PILE.splitlines()[::2], PILE.splitlines()[1::2]
SHUFFLED = """\
The cup was soon empty.
Mara came home from work at six.
Then she drank the tea by the window.
She boiled some water and made tea.
At seven she washed the cup.
In the evening she read a book.
"""
STORY = """\
The police arrested Jon Hale in Rome. He escaped from the prison, and the police did not find him.
Hale fled to Malta, where a friend hid him. Later he wrote a book about his escape.
"""


def stock(folder: Path) -> None:
    """Write every file that a page names; a reader has their own of that name."""
    _texts(folder)
    _endings(folder)
    _chains(folder / "chains.jsonl")
    _ratings(folder)
    articles = [
        document.to_row()
        for name in ("floods", "heists", "trials")
        for document in read_documents(SAMPLE / "articles" / f"{name}.jsonl")
    ]
    keys = ("id", "title", "date", "category", "paragraphs")
    for name in ("corpus", "news", "articles"):
        _rows(folder / f"{name}.jsonl", [{key: row[key] for key in keys} for row in articles])


def _texts(folder: Path) -> None:
    for name in ("reports", "corpus"):
        (folder / name).mkdir()
    files = {
        "pile.txt": PILE,
        "longer.txt": PILE + "Divers found the bell of the Aurora.\n",
        "more.txt": "A week later divers found the bell of the Aurora.\n",
        "reports/ferry.txt": "\n".join(FERRY) + "\n",
        "reports/bakery.txt": "\n".join(BAKERY) + "\n",
        "corpus/ferry.txt": " ".join(FERRY) + "\n",
        "corpus/bakery.txt": " ".join(BAKERY) + "\n",
        "shuffled.txt": SHUFFLED,
        "notes.txt": SHUFFLED,
        "story.txt": STORY,
        "report.txt": STORY,
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    chat = [
        {"sender": "Ida", "time": f"2021-03-04T09:{10 + n}", "text": line}
        for n, line in enumerate(PILE.splitlines())
    ]
    _table(folder / "chat.csv", chat)
    examples = conversations.examples()
    _rows(folder / "conversations.jsonl", [example.to_row() for example in examples])
    export = [f"31/12/2020, {m.time} - {m.sender}: {m.text}\n" for m in examples[0].messages]
    (folder / "whatsapp.txt").write_text("".join(export), encoding="utf-8")


def _endings(folder: Path) -> None:
    items = list(read_endings(SAMPLE / "endings.jsonl"))
    for name, count in (("endings", 40), ("benchmark", 110), ("data", 110)):
        _rows(folder / f"{name}.jsonl", [item.to_row() for item in items[:count]])
    for name, some in (("val", items[:60]), ("test", items[60:100]), ("v1", items[100:140])):
        _table(folder / f"{name}.csv", [_story_cloze(item) for item in some])
    blind = [_story_cloze(item) for item in items[140:150]]
    _table(folder / "blind.csv", [{k: v for k, v in r.items() if "Answer" not in k} for r in blind])
    rng = random.Random(0)
    quiz = []
    for item in items[:40]:
        options = [*item.options, *rng.choice(items[40:]).options]
        answer = "AB"[item.gold or 0]
        row = {"question": " ".join(item.context), **dict(zip("ABCD", options, strict=True))}
        quiz.append({**row, "key": answer, "topic": rng.choice(["home", "work"])})
    _table(folder / "quiz.csv", quiz)


def _story_cloze(item: Ending) -> dict[str, Any]:
    sentences = {f"InputSentence{n}": text for n, text in enumerate(item.context, 1)}
    options = {f"RandomFifthSentenceQuiz{n}": text for n, text in enumerate(item.options, 1)}
    answer = {"AnswerRightEnding": (item.gold or 0) + 1}
    return {"InputStoryid": item.id, **sentences, **options, **answer}


def _chains(path: Path) -> None:
    """Forty documents of three arrests, escapes and sales each."""
    plots = (
        "arrest:obj charge:obj try:obj convict:obj sentence:obj",
        "arrest:obj escape:subj flee:subj hide:subj return:subj",
        "open:subj bake:subj sell:subj earn:subj close:subj",
    )
    rng = random.Random(0)
    rows = []
    for number in range(40):
        for entity, plot in enumerate(plots):
            events = [event.split(":") for event in plot.split()]
            kept = sorted(rng.sample(range(5), 4))
            told = [{"verb": events[k][0], "slot": events[k][1]} for k in kept]
            rows.append({"document": f"d{number}", "entity": f"e{entity}", "events": told})
    _rows(path, rows)


def _ratings(folder: Path) -> None:
    rng = random.Random(0)
    ratings = []
    for item in range(24):
        quality = rng.random()
        for judge in "ABC":
            rating = round(min(5.0, max(1.0, 1 + 4 * quality + rng.gauss(0, 0.5))), 1)
            row = {"item": f"i{item}", "judge": judge, "rating": rating, "text": f"t{item // 2}"}
            ratings.append({**row, "n": 5 + item % 4, "tau": round(2 * quality - 1, 3)})
    _table(folder / "ratings.csv", ratings)
    judged = [
        {
            "id": f"i{item}",
            "ending": ending,
            "rater": rater,
            "rating": 1 if ending == "right" else -1,
        }
        for item in range(6)
        for ending in ("right", "wrong")
        for rater in "ABC"
    ]
    judged[0]["rating"] = 0
    _table(folder / "judged.csv", judged)


def _rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def _table(path: Path, rows: list[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
