"""The first date and clock time of a sentence."""

from __future__ import annotations

import pytest

from fabula.text.temporal.expressions import Moment, moment_of


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("In 1911 it rained.", Moment(year=1911)),
        ("On 3 May 1911 it rained.", Moment(1911, 5, 3)),
        ("On March 14 the river rose.", Moment(month=3, day=14)),
        ("You may march in.", Moment()),
        ("At half past two in the morning they left.", Moment(clock=150, half="am")),
        ("At twenty minutes to eight the line failed.", Moment(clock=460)),
        ("By ten past nine that evening all was dark.", Moment(clock=550 + 720, half="pm")),
        ("It was five o'clock.", Moment(clock=300)),
        ("The night of the ninth of November was loud.", Moment(month=11, day=9, half=None)),
        ("On May 3rd, or May the twenty-first.", Moment(month=5, day=3)),
        ("On 12th March 1911 he went.", Moment(1911, 3, 12)),
        ("At eight Doctor Vane left.", Moment(clock=480)),
        ("The water stopped at two, a hand below.", Moment(clock=120)),
        ("He put the damage at one roof, carried by six men.", Moment()),
        ("The train left at 17:45.", Moment(clock=17 * 60 + 45, half="pm")),
        ("She woke at 6 a.m. to rain.", Moment(clock=360, half="am")),
        ("They ate at noon.", Moment(clock=720, half="pm")),
        ("Towards midnight an oak fell.", Moment(clock=1440, half="pm")),
        ("Nobody saw anything.", Moment()),
        ("It ran until 10:30 PM or so.", Moment(clock=22 * 60 + 30, half="pm")),
        ("By 9.15 the hall was empty.", Moment(clock=555)),
        ("The last bus left at 7.30 p.m. sharp.", Moment(clock=19 * 60 + 30, half="pm")),
        ("Perplexity falls to 2.47 bits, by 1.20 points, or by 2.47.", Moment(clock=167)),
        ("At 14.05 baggage staff saw it.", Moment(clock=14 * 60 + 5, half="pm")),
        ("04.10, motor barge in fog.", Moment(clock=250, half="am")),
        ("17.24, brown dog on the taxiway.", Moment(clock=17 * 60 + 24, half="pm")),
        ("9 June, 16.20: found all three.", Moment(month=6, day=9, clock=16 * 60 + 20, half="pm")),
        ("It stands at 4.1 per cent, at 2.10 metres, at 23.45 BLEU.", Moment()),
        ("The score was 12.10, then 13.45, then 9,300.", Moment()),
        ("At 9:30am it opened.", Moment(clock=570, half="am")),
        ("It shut at 7.30pm.", Moment(clock=19 * 60 + 30, half="pm")),
        ("At 15.00 GMT the whistle blew.", Moment(clock=900, half="pm")),
        ("It was ten o’clock.", Moment(clock=600)),
        ("A bond of 45 pm, by 10.10.2010.", Moment(year=2010)),
        ("Ten To Nine was the title.", Moment(clock=530)),
    ],
)
def test_moments(text: str, moment: Moment) -> None:
    assert moment_of(text) == moment


def test_a_text_is_read_once() -> None:
    text = "At five past nine on 3 May 1911 the boat left the harbour of Skelhaven."
    moment_of(text)
    before = moment_of.cache_info()
    assert moment_of(text).year == 1911
    assert moment_of.cache_info().hits == before.hits + 1
