"""Tampered configurations of model folders: one error of ours, or a model; never a foreign one."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fabula.core.model_store import CHECKSUMS, shipped_folder
from fabula.errors import FabulaError
from fabula.registry import create_model

VALUES: tuple[Any, ...] = (None, -1, 1e308, "x", [], {}, [[1]], True)
MODELS = ("ordering/linear", "pairs/lexical", "pairs/combined", "salads/documents",
          "conversations/links")  # fmt: skip


def tampered(config: Any) -> Iterator[Any]:
    """The configuration with one value at a time changed, removed or added."""
    if not isinstance(config, dict):
        return
    for name, value in list(config.items())[:12]:
        yield from ({**config, name: other} for other in VALUES)
        yield {key: kept for key, kept in config.items() if key != name}
        yield from ({**config, name: inner} for inner in tampered(value))
    yield {**config, "auto_map": {"AutoModel": "evil.Model"}, "parameters": {"evil": 1}}


@pytest.mark.parametrize("name", MODELS)
def test_a_tampered_configuration_is_one_error(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(shipped_folder(name), folder)
    (folder / CHECKSUMS).unlink(missing_ok=True)  # whoever tampers renews or removes them
    path = folder / "config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    task, refused = name.partition("/")[0], 0
    for number, changed in enumerate(tampered(config)):
        if number >= 60:
            break
        path.write_text(json.dumps(changed), encoding="utf-8")
        try:
            create_model(task, str(folder))
        except FabulaError:
            refused += 1
    assert refused > 0


@pytest.mark.slow  # transformers is imported
def test_a_language_model_folder_runs_no_code(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    from fabula.text.lm.load import load

    mark = tmp_path / "ran"
    (tmp_path / "evil.py").write_text(f"open({str(mark)!r}, 'w')\nclass Model: pass\n")
    code = {"AutoConfig": "evil.Model", "AutoModelForCausalLM": "evil.Model"}
    given = {"model_type": "evil", "auto_map": {**code, "AutoTokenizer": ["evil.Model", None]}}
    configs: list[Any] = [given, {**given, "model_type": "gpt2"}, [], {"model_type": None}, {}]
    for config in configs:
        (tmp_path / "config.json").write_text(json.dumps(config))
        (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
        load.cache_clear()
        with pytest.raises(FabulaError, match="cannot be read as a causal language model"):
            load(tmp_path)
    assert not mark.exists()
