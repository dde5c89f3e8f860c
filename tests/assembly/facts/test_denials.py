"""What a sentence tells only to deny it is no claim of it."""

from __future__ import annotations

import pytest

from fabula.assembly.facts.reading import read_sentences

DENIED = [
    '"It is not true that nine men died," the manager said.',
    "The manager denied that nine men died in the shaft.",
    "It was false that nine men died.",
    "It is not the case that nine men died.",
    "He rejected the claim that nine men died.",
]
TOLD = [
    "Nine men died in the shaft.",
    "The manager did not deny that nine men died in the shaft.",
    "It is true that nine men died.",
    "The manager said that nine men died.",
    "He confirmed the claim that nine men died.",
]


@pytest.mark.parametrize(("text", "asserted"), [*((t, False) for t in DENIED),
                                                *((t, True) for t in TOLD)])  # fmt: skip
def test_what_is_denied_is_not_claimed(text: str, *, asserted: bool) -> None:
    (reading,) = read_sentences([text])
    (number,) = (claim for claim in reading.claims if claim.kind == "number")
    assert number.anchor.asserted == asserted
    assert [c.certain for c in reading.clauses if c.verb == "die"] == [asserted]
    assert any(state.kind == "life" for state in reading.states) == asserted
