"""The order of happening: intervals, what a story decides, and the solver."""

from __future__ import annotations

import numpy as np
import pytest

import fabula
from fabula.errors import UsageError
from fabula.ordering.chronology.evidence import KINDS, weights
from fabula.ordering.chronology.sentence_times import StorySentence, read_times
from fabula.ordering.chronology.solver import Chronology, find_chronology
from fabula.ordering.chronology.story_time import edtf_when
from fabula.ordering.items import Order, Text


class NoOpinion:
    """A model to which every order is as good as any other."""

    def order(self, texts: list[Text], /) -> list[Order]:
        return [
            Order(tuple(range(len(t.units))), np.full((len(t.units),) * 2, 0.5, dtype=np.float32))
            for t in texts
        ]


def story(*texts: str, date: str | None = None) -> Chronology:
    """One document's sentences, in its order."""
    sentences = [StorySentence(text, "a", place, date) for place, text in enumerate(texts)]
    return find_chronology(sentences, NoOpinion())


def alone(*texts: str, date: str | None = None) -> Chronology:
    """Sentences without a document."""
    return find_chronology([StorySentence(text, date=date) for text in texts], NoOpinion())


def when(found: Chronology) -> list[str | None]:
    return [edtf_when(time) for time in found.times]


def test_every_kind_of_evidence_has_a_weight() -> None:
    for where in ("within", "across"):
        assert set(weights(where)) == set(KINDS)
    assert weights("within")["told time"] > weights("within")["document order"] > 0


def test_told_times_decide_and_the_rest_keeps_its_place() -> None:
    found = story(
        "The bridge fell on Friday.",
        "Nobody was hurt.",
        "It had been closed on Tuesday.",
        "The mayor praised the crew.",
        date="1999-06-20",
    )
    assert found.order.index(2) < found.order.index(0)
    assert found.order.index(0) < found.order.index(1) < found.order.index(3)
    assert when(found)[0] == "1999-06-18" and when(found)[2] == "1999-06-15"


def test_reports_of_other_years_are_kept_apart() -> None:
    """What tells no time is of its report's year where another report is of another one."""
    old = [
        StorySentence("The harbour can take larger ships.", "old", 0, "1990-03-05"),
        StorySentence("You will find that boats serve the island.", "old", 1, "1990-03-05"),
    ]
    new = [
        StorySentence("The company was sold.", "new", 0, "2011-06-14"),
        StorySentence("Nobody uses the ferry.", "new", 1, "2011-06-14"),
    ]
    assert when(find_chronology(old, NoOpinion())) == [None, None]
    assert find_chronology([*old, *new], NoOpinion()).order == (0, 1, 2, 3)
    assert find_chronology([*new, *old], NoOpinion()).order == (2, 3, 0, 1)


# What the former readers of time got wrong, one test each.
def test_a_stray_month_does_not_move_the_timeline() -> None:
    found = story(
        "On 3 June 1911 the dam broke.", "He had been dismissed in May.", "On 5 June it was closed."
    )
    assert when(found) == ["1911-06-03", "1911-05", "1911-06-05"]


def test_a_copyright_year_and_since_a_year_date_nothing() -> None:
    found = story("(c) 2024", "The plant has stood there since 1978.", "It burned on 3 June 1999.")
    assert when(found)[2] == "1999-06-03"
    assert when(found)[:2] == [None, None]


def test_gmt_hours_are_no_year() -> None:
    found = story("They searched until 1630 GMT.", date="1999-06-15")
    assert when(found)[0] in ("1999-06-15T16:30", "1999-06-15", "1999-06-15?")


def test_a_day_to_which_something_had_happened_has_no_hour() -> None:
    found = story("He died by 1 March.", date="1999-06-15")
    assert when(found) == ["1999-03-01"]


def test_the_next_morning_comes_after_the_crash() -> None:
    found = story(
        "The train crashed on 3 May 1911 at 10 pm.", "The next morning the line opened at 9."
    )
    assert found.order == (0, 1)
    assert when(found)[1] == "1911-05-04T09:00"


def test_two_days_later_and_a_week_after_are_counted() -> None:
    found = story(
        "The roof collapsed on 3 May 1911.",
        "Two days later the owner was arrested.",
        "A week after the collapse the hall was pulled down.",
    )
    assert when(found) == ["1911-05-03", "1911-05-05", "1911-05-10"]
    assert [time.source for time in found.times] == ["told", "relative", "relative"]


def test_minutes_after_an_alarm_are_counted() -> None:
    found = alone(
        "The engine came four minutes after the alarm.",
        "The alarm sounded at 10.02 on Friday morning.",
    )
    assert found.order == (1, 0)
    assert found.times[0].value == "XXXX-WXX-5T10:06"


def test_an_hour_of_a_morning_is_no_evening() -> None:
    found = alone(
        "The van stopped at 9.55 on Friday morning.",
        "Roadblocks stood by 10.20 on Friday morning.",
    )
    assert found.times[1].value == "XXXX-WXX-5T10:20"


def test_two_in_the_morning_of_a_saturday_stays_saturday() -> None:
    found = alone("At 2 am on Saturday the police came.")
    assert found.times[0].value == "XXXX-WXX-6T02:00"


def test_the_night_to_friday_is_thursdays() -> None:
    found = alone("The van was stolen during the night to Friday.", "It was found on Friday noon.")
    assert found.order == (0, 1)
    assert found.times[0].value.startswith("XXXX-WXX-4")


def test_the_day_of_saying_is_not_the_day_of_happening() -> None:
    found = story("The man was killed, police said on Friday.", date="1999-06-20")
    assert found.times[0].value != "1999-06-18"


def test_a_deadline_is_no_event() -> None:
    found = story("The bridge must be repaired by Friday.", date="1999-06-15")
    assert "1999-06-18" not in (when(found)[0] or "")


def test_hours_of_unrelated_stories_are_not_shared() -> None:
    one = alone("They left at 9.", "They came back at 5 pm on Monday.")
    two = alone("They left at 9.")
    assert edtf_when(two.times[0]) is None
    assert one.times[0].value != "" and two.times[0].half_known is False


def test_unknown_order_is_said() -> None:
    found = alone("The dog barked.", "The cat slept.")
    assert found.unknown == ((0, 2),)
    told = alone("It fell on 3 May 1911.", "It rose on 4 May 1911.")
    assert told.unknown == ()


def test_messages_stand_in_the_order_they_were_sent() -> None:
    sentences = [
        StorySentence("on my way", "m1", 0, timestamp="2024-03-12T10:30:00"),
        StorySentence("where are you", "m2", 0, timestamp="2024-03-12T10:29:00"),
    ]
    assert find_chronology(sentences, NoOpinion()).order == (1, 0)


def chat(*messages: tuple[str, str]) -> list[StorySentence]:
    """Messages of one chat, as (time sent, text)."""
    return [
        StorySentence(text, f"m{place}", place, timestamp=sent, sequence="chat")
        for place, (sent, text) in enumerate(messages)
    ]


def test_a_message_is_of_the_minute_it_was_sent_whatever_it_speaks_of() -> None:
    sentences = [
        StorySentence("An inquiry began on Wednesday.", "paper", 0, "2024-03-15"),
        *chat(
            ("2024-03-11T20:06", "I can see the lights."),
            ("2024-03-11T20:31", "Who is bringing the cake on Saturday?"),
            ("2024-03-11T20:52", "The helicopter is here."),
        ),
        StorySentence("The ferry hit a reef at 8.15 p.m. on Monday.", "paper", 1, "2024-03-15"),
    ]
    found = find_chronology(sentences, NoOpinion())
    assert found.order == (1, 4, 2, 3, 0)
    assert when(found)[2] == "2024-03-11T20:31"


def test_a_chat_out_of_order_stays_as_it_is() -> None:
    sentences = [
        *chat(("2024-03-11T20:31", "Second."), ("2024-03-11T20:06", "First.")),
        StorySentence("The ferry hit a reef at 8.15 p.m. on 11 March 2024.", "paper", 0),
    ]
    order = find_chronology(sentences, NoOpinion()).order
    assert order.index(0) < order.index(1)


def test_what_was_published_earlier_stands_before_later_events() -> None:
    sentences = [
        StorySentence("The museum was robbed on Sunday.", "monday", 0, "2024-03-11"),
        StorySentence("The police are looking for a van.", "monday", 1, "2024-03-11"),
        StorySentence("Two men were arrested on Thursday.", "friday", 0, "2024-03-15"),
    ]
    assert find_chronology(sentences, NoOpinion()).order == (0, 1, 2)


def test_a_day_after_publication_is_planned() -> None:
    found = story("The museum reopens on Thursday.", date="2024-03-12")
    assert found.times[0].planned and when(found) == ["2024-03-14?"]


def test_a_past_event_is_of_the_day_its_passage_tells() -> None:
    texts = ("A man came on 2 March 2024.", "He asked to be shown the roof.")
    sentences = [StorySentence(t, "a", place, "2024-03-13") for place, t in enumerate(texts)]
    found = find_chronology(sentences, NoOpinion())
    assert when(found) == ["2024-03-02", "2024-03-02?"]


def test_one_document_of_forty_sentences_keeps_its_order() -> None:
    found = story(*(f"Point {number} was noted." for number in range(40)))
    assert found.order == tuple(range(40))


def test_order_by_time_is_the_solver() -> None:
    units = ["It broke on 3 May 1938.", "Work began in 1913.", "The dam was finished in 1921."]
    found = fabula.order(units, by="time", model=NoOpinion())
    assert found.order == (1, 2, 0)
    weekdays = ["They left on Tuesday.", "They came on Monday."]
    dated = fabula.order(weekdays, by="time", date="1999-06-18", model=NoOpinion())
    assert dated.order == (1, 0)


def test_order_and_assemble_give_one_answer() -> None:
    from fabula.assembly import assemble

    units = [
        "The dam at Marwick broke on 3 May 1938.",
        "Work on the dam at Marwick began in 1913.",
        "The dam at Marwick was finished in 1921.",
    ]
    account = assemble(units, stories=1).stories[0]
    ordered = [units[i] for i in fabula.order(units, by="time").order]
    assert [placed.sentence.text for placed in account.sentences] == ordered
    assert [placed.when for placed in account.sentences] == ["1913", "1921", "1938-05-03"]


def test_what_order_by_time_cannot_take_is_refused() -> None:
    with pytest.raises(UsageError, match="telling, time"):
        fabula.order(["A.", "B."], by="luck")
    with pytest.raises(UsageError, match="by="):
        fabula.order(["A.", "B."], date="1999-06-18")
    with pytest.raises(UsageError, match="YYYY"):
        fabula.order(["A.", "B."], by="time", date="soon")


def test_the_times_of_a_document_are_read_in_its_order() -> None:
    sentences = [
        StorySentence("Two days later it reopened.", "a", 1),
        StorySentence("It closed on 3 May 1911.", "a", 0),
    ]
    assert [time.event.value for time in read_times(sentences)] == ["1911-05-05", "1911-05-03"]


def test_mails_of_one_thread_stand_as_they_were_sent() -> None:
    def mail(text: str, name: str, thread: str, sent: str) -> StorySentence:
        return StorySentence(text, name, 0, "2024-06-05", mail=(thread, sent))

    answer = mail("They have stopped a van.", "b", "t", "2024-06-05T20:41:00+01:00")
    question = mail("Did you hear anything from them?", "a", "t", "2024-06-05")
    assert find_chronology([answer, question], None).order == (1, 0)
    earlier = mail("Did you hear anything from them?", "a", "t", "2024-06-05T21:00:00+02:00")
    assert find_chronology([answer, earlier], None).order == (1, 0)


def test_a_day_that_few_years_have_is_no_trouble() -> None:
    found = story("He left on 29 February.", "He came back.", date="2010-06-16")
    assert when(found)[0] == "2008-02-29"


def test_days_counted_from_an_hour_have_none() -> None:
    found = story(
        "The thieves came on Sunday morning.",
        "The bag was bought two days before the thieves came.",
        date="2024-03-12",
    )
    assert when(found)[1] == "2024-03-08"
    assert found.times[1].interval is not None and found.times[1].interval.level == "day"


def test_a_length_in_what_is_said_of_today_dates_nothing() -> None:
    found = story(
        "Apple launched the phone today.",
        "He said that just one year after launching the phone, they're launching a new one.",
        date="2008-06-09",
    )
    assert found.times[1].value != "2009-06-09"


def test_a_month_before_the_one_last_told_is_a_guess() -> None:
    found = story("He retook the city on July 8, 1912.", "The coup came in February.")
    assert found.times[1].source == "guess"
