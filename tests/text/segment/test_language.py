"""The check for English: right on prose of several languages, silent on little text."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.text.segment.language import looks_english

ENGLISH = [
    "The lamp was lit at six. By then most of the boats had come in, and only two were missing.",
    "ann: where are you? bob: at the shop. ann: did you get the bread? bob: no, they had none left "
    "so i got some cake",
    "In this paper we present a method for ordering sentences. Results on four corpora show that "
    "it outperforms earlier models by a wide margin.",
    "Jean Dupont and Zoë Müller met at the café in São Paulo, where they talked about Dvořák and "
    "the price of coffee until it was dark.",
]
OTHERS = {
    "German": "Der Hafenmeister zündete die Lampen an, und dann wartete er auf die Boote, die noch "
    "nicht zurück waren. Am Morgen war nur noch eines auf See.",
    "French": "Le maître du port alluma les lampes, puis il attendit les bateaux qui n'étaient pas "
    "encore rentrés. Au matin, il n'en manquait plus qu'un seul.",
    "Spanish": "El jefe del puerto encendió las lámparas y luego esperó a los barcos que todavía "
    "no habían vuelto. Por la mañana solo faltaba uno.",
    "Dutch": "De havenmeester stak de lampen aan en wachtte daarna op de boten die nog niet terug "
    "waren. In de ochtend was er nog maar een op zee.",
    "Polish": "Kapitan portu zapalił lampy, a potem czekał na łodzie, które jeszcze nie wróciły. "
    "Rano na morzu została już tylko jedna i nikt nie wiedział dlaczego.",
    "Swedish": "Hamnkaptenen tände lamporna och väntade sedan på båtarna som ännu inte hade kommit "
    "tillbaka. På morgonen var det bara en kvar ute på havet.",
    "Indonesian": "Kepala pelabuhan menyalakan lampu lalu menunggu perahu yang belum kembali. Pada "
    "pagi hari hanya satu yang masih berada di laut dan tidak ada yang tahu mengapa.",
    "Russian": "Начальник порта зажёг лампы и стал ждать лодки.",
    "Arabic": "أشعل مدير الميناء المصابيح وانتظر القوارب.",
    "Chinese": "港务长点亮了灯,然后等待还没有回来的船。",
    "Greek": "Ο λιμενάρχης άναψε τις λάμπες και περίμενε τις βάρκες.",
}


@pytest.mark.parametrize("text", ENGLISH)
def test_english_is_english(text: str) -> None:
    assert looks_english(text)


@pytest.mark.parametrize("language", OTHERS)
def test_other_languages_are_not(language: str) -> None:
    assert not looks_english(OTHERS[language])


@pytest.mark.parametrize("text", ["", "42", "Bonjour!", "Anna Schmidt, Berlin", "😀😀", "ok merci"])
def test_little_text_has_the_benefit_of_the_doubt(text: str) -> None:
    assert looks_english(text)


@given(st.text())
def test_any_text_has_an_answer(text: str) -> None:
    assert looks_english(text) in (True, False)


def test_real_english_raises_no_alarm() -> None:
    path = Path(__file__).parents[4] / "shared" / "data" / "speeches.jsonl.xz"
    if not path.exists():
        pytest.skip("../shared/data is not here")
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        assert all(looks_english(line) for line, _ in zip(lines, range(50), strict=False))
