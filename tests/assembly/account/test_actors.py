from __future__ import annotations

from fabula.assembly.account.actors import actors_of, deeds_of
from fabula.assembly.facts.reading import read_sentences


def test_actors_and_deeds() -> None:
    readings = read_sentences(
        [
            "Doctor Edith Vane drove to London.",
            "Edith Vane did not find Owen Pike.",
            "Owen Pike left.",
        ]
    )
    actors = {a.name: a.positions for a in actors_of(readings)}
    assert actors["Edith Vane"] == (1, 2)
    assert actors["Owen Pike"] == (2, 3)
    deeds = deeds_of(readings)
    assert ("drive", 1, False) in [(d.verb, d.position, d.negated) for d in deeds]
    assert any(d.verb == "find" and d.negated and d.object == "Owen Pike" for d in deeds)
