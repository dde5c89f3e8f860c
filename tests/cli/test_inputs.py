from __future__ import annotations

from pathlib import Path

from fabula.assembly.pile import read_pile
from fabula.cli.inputs import PACKAGED, as_named, packaged


def test_packaged_inputs_are_named_as_the_user_named_them() -> None:
    documents = list(as_named(read_pile(packaged("case")), ["case"]))
    root = str(PACKAGED["case"])
    assert all(str(document.source).startswith("case/") for document in documents)
    told = [str(value) for d in documents for value in (d.id, d.source, *d.extra.values())]
    assert not any(root in value for value in told)
    messages = [document for document in documents if document.extra.get("chat")]
    assert messages[0].extra["conversation_source"] == messages[0].source
    (tangled,) = as_named(read_pile(packaged("tangled")), ["tangled"])
    assert tangled.source == "tangled.txt"


def test_other_inputs_keep_their_names(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("One came. Two went.")
    (document,) = as_named(read_pile(file), [str(file)])
    assert document.source == str(file)
