from __future__ import annotations

from pathlib import Path

from fabula.assembly import assemble
from fabula.assembly.pile import read_pile

CHAT = """[2021-03-04 10:00:00] Ann Lee: I saw the thief. He took my bicycle.
[2021-03-04 10:01:00] Bob: Ann, did you call the police?
[2021-03-04 10:02:00] Ann Lee: Bob: I called them. The constable said "I know the man".
[2021-03-04 10:03:00] Bob: Did Ann catch him?
[2021-03-04 10:04:00] Ann Lee: Bob: no, he hit me.
"""


def test_senders_are_who_i_and_you_mean(tmp_path: Path) -> None:
    path = tmp_path / "chat.md"
    path.write_text(CHAT.replace("\n[", "\n\n["))
    (story,) = assemble(read_pile(path), stories=1).stories
    doers = {(deed.verb, deed.doer) for deed in story.deeds}
    assert {("see", "Ann Lee"), ("call", "Ann Lee"), ("catch", "Ann Lee")} <= doers
    assert ("know", "Ann Lee") not in doers  # somebody else's words
    assert any(d.verb == "hit" and d.undergoer == "Ann Lee" for d in story.deeds)
    assert "I" not in {actor.name for actor in story.actors}


def test_the_speaker_of_a_contradiction_is_the_sender(tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    path.write_text(
        "17/05/2021, 10:00 - Ann: The fire at the old mill in Lund killed three people.\n"
        "17/05/2021, 10:05 - Bob: The fire at the old mill in Lund killed seven people.\n"
    )
    (found,) = assemble(read_pile(path), stories=1).contradictions
    assert [side.speaker for side in found.sides] == ["Ann", "Bob"]
    assert found.relation == "attributed"
