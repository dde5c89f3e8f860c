"""What two units say about their order outright."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.ordering.features.discourse_cues import CUES, cue_signs


def said(first: str, second: str) -> dict[str, float]:
    """The clues that speak of two units, and what they say for "the first stands first"."""
    signs = cue_signs([first, second])[0, 1]
    return {kind: float(sign) for kind, sign in zip(CUES, signs, strict=True) if sign}


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ("We use support vector machines (SVMs).", "An SVM needs features.", "short form"),
        ("A graph neural network (GNN) is trained.", "GNNs are slow.", "short form"),
        ("The coxswain, Ruth Penhallow, waited.", "Then Penhallow saw a light.", "name"),
        ("A trawler was seen off the point.", "By dawn the trawler had sunk.", "article"),
        ("First, we collect texts.", "Second, we label them.", "counted"),
        ("Secondly, it is slow.", "Finally, it is wrong.", "counted"),
        ("At 11 p.m. the rain began.", "At 2 a.m. it stopped.", "hour"),
        ("At four in the afternoon it was calm.", "By dusk it blew.", "part of the day"),
        ("On Sunday it opened.", "By Tuesday noon it was shut.", "weekday"),
        ("At midnight on Monday it began.", "On Tuesday at 1 a.m. it ended.", "weekday"),
        ("At 10 on Tuesday morning it came.", "At 5 a.m. on Wednesday it went.", "weekday"),
        ("On Monday morning it rose.", "It fell on Monday evening.", "weekday"),
    ],
)
def test_each_kind_of_clue_speaks_both_ways(first: str, second: str, kind: str) -> None:
    assert said(first, second) == {kind: 1.0}
    assert said(second, first) == {kind: -1.0}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("We use trees (CARTs).", "We use (CART) trees."),  # both introduce it
        ("Ruth Penhallow waited.", "Ruth Penhallow left."),
        ("A dog barked.", "A dog and the cat ran."),
        ("At first it rained.", "Seconds later it stopped."),
        ("At 5 p.m. on 3 May he left.", "At 2 p.m. on 4 May he came back."),
        ("In the morning it rained.", "In the evening it stopped."),  # no hour: what day is it?
        ("On Monday it rained.", "At 7 p.m. on Monday it stopped."),
        ("On Monday it rained.", "It rained from Monday to Friday."),
        ("On Monday it began.", "On Friday it ended."),  # or the other way, over a week-end
        ("On Thursday 3 May it began.", "On Monday 14 May it ended."),  # dates say more
        ("She taught Sunday school.", "It rained on Monday."),
        ("", "The end."),
    ],
)
def test_nothing_is_said_where_nothing_is_known(first: str, second: str) -> None:
    assert said(first, second) == {}


def test_one_hour_alone_orders_nothing() -> None:
    assert said("At nine o'clock.", "Nobody came.") == {}


def test_an_order_of_several_points_is_found_from_any_two() -> None:
    units = ["Third, we measure.", "First, we read.", "We thank nobody.", "Second, we count."]
    signs = cue_signs(units)[:, :, CUES.index("counted")]
    assert signs[1, 3] == signs[3, 0] == signs[1, 0] == 1
    assert not signs[2].any()


@given(st.lists(st.text(), max_size=6))
def test_any_text_is_read_and_swapping_flips_every_sign(units: list[str]) -> None:
    signs = cue_signs(units)
    assert signs.shape == (len(units), len(units), len(CUES))
    assert (signs == -signs.transpose(1, 0, 2)).all()


def test_hours_of_unnamed_days_say_nothing_beside_several_days() -> None:
    units = ["At 5 p.m. on Monday it rose.", "At 2 p.m. it fell.", "On Wednesday it was dry."]
    assert not cue_signs(units)[0, 1].any()
