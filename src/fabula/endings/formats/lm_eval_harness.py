"""lm-evaluation-harness: items as a task of it, and results in its shape."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from fabula.core.files import make_folder, write_text
from fabula.endings.items import Ending, with_gold
from fabula.endings.prompts import phrase
from fabula.errors import UsageError
from fabula.text.io.records import write_records

__all__ = ["export_task", "results", "samples"]


def export_task(items: Iterable[Ending], folder: str | PathLike[str], name: str) -> list[Path]:
    """Write ``NAME.yaml`` and ``NAME.jsonl``; run it with ``lm_eval --include_path FOLDER``."""
    if not re.fullmatch(r"[A-Za-z0-9_-]+", name):
        raise UsageError(f"a task's name has letters, digits, - and _; it is {name!r}")
    found = with_gold(items, "cannot be a task of the harness")
    if not found:
        raise UsageError("there are no items to export")
    place = Path(folder)
    make_folder(place)
    data, task = place / f"{name}.jsonl", place / f"{name}.yaml"
    write_records(data, (_document(item) for item in found))
    write_text(task, _yaml(name, data.resolve()))
    return [task, data]


def _document(item: Ending) -> dict[str, Any]:
    """The item, and as ``query`` and ``choices`` what fabula's own ``lm`` reads."""
    prompt = phrase(item)
    return {**item.to_row(), "query": prompt.context, "choices": list(prompt.options)}


def _yaml(name: str, data: Path) -> str:
    # JSON is YAML: quoting a path this way holds for any path.
    metrics = "".join(
        f"  - metric: {metric}\n    aggregation: mean\n    higher_is_better: true\n"
        for metric in ("acc", "acc_norm")
    )
    return (
        f"task: {name}\n"
        "dataset_path: json\n"
        "dataset_kwargs:\n"
        "  data_files:\n"
        f"    test: {json.dumps(str(data))}\n"
        "test_split: test\n"
        "output_type: multiple_choice\n"
        'doc_to_text: "{{query}}"\n'
        "doc_to_target: gold\n"
        "doc_to_choice: choices\n"
        'target_delimiter: " "\n'
        f"metric_list:\n{metrics}"
        "metadata:\n"
        "  version: 1.0\n"
    )


def samples(items: Sequence[Ending], scores: Sequence[Sequence[float]]) -> list[dict[str, Any]]:
    """One row an item, as ``--log_samples`` writes them; ``scores`` stand for the sums."""
    rows = []
    for number, (item, values) in enumerate(zip(items, scores, strict=True)):
        prompt = phrase(item)
        best = max(range(len(values)), key=lambda place: values[place])
        # The harness writes numbers as texts, with whether the option would have been generated.
        answers = [[repr(float(value)), str(place == best)] for place, value in enumerate(values)]
        rows.append(
            {
                "doc_id": number,
                "doc": _document(item),
                "target": str(item.gold),
                "arguments": {
                    f"gen_args_{place}": {"arg_0": prompt.context, "arg_1": f" {option}"}
                    for place, option in enumerate(prompt.options)
                },
                "resps": [[answer] for answer in answers],
                "filtered_resps": answers,
                "filter": "none",
                "metrics": ["acc"],
                "acc": float(item.gold == best),
            }
        )
    return rows


def results(
    name: str,
    model: str,
    accuracy: float,
    error: float,
    count: int,
    versions: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A summary as ``lm_eval --output_path`` writes it."""
    return {
        "results": {
            name: {"alias": name, "acc,none": accuracy, "acc_stderr,none": error},
        },
        "group_subtasks": {name: []},
        "configs": {name: {"task": name, "output_type": "multiple_choice", "test_split": "test"}},
        "versions": {name: 1.0},
        "n-shot": {name: 0},
        "higher_is_better": {name: {"acc": True}},
        "n-samples": {name: {"original": count, "effective": count}},
        "config": {"model": "fabula", "model_args": model, "limit": None},
        "model_name": model,
        "fabula": dict(versions or {}),
    }
