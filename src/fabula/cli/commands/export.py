"""fabula export"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fabula.cli.common import Reply, command
from fabula.cli.inputs import packaged
from fabula.cli.tables import ContextOption, GoldOption, IdOption, OptionsOption

InputArgument = Annotated[
    list[str],
    typer.Argument(metavar="ITEMS|RUN", help="Items, or the folder of a run on endings."),
]
ToOption = Annotated[
    str, typer.Option("--to", help="lm-eval (lm-evaluation-harness), or datasets: Parquet, a card.")
]
TaskOption = Annotated[str, typer.Option("--task", help="What the items are, for datasets.")]
GoldAsOption = Annotated[
    str | None,
    typer.Option("--gold-as", help="index (from 0, the default), number (from 1), letter or text."),
]
FolderOption = Annotated[Path, typer.Option("--output", "-o", help="Folder to write into.")]
NameOption = Annotated[str, typer.Option("--name", help="What the task is called there.")]


@command
def export(
    input_: InputArgument,
    output: FolderOption,
    name: NameOption = "fabula_endings",
    to: ToOption = "lm-eval",
    task: TaskOption = "endings",
    context: ContextOption = None,
    options: OptionsOption = None,
    gold: GoldOption = None,
    gold_as: GoldAsOption = None,
    id_: IdOption = None,
) -> Reply:
    """Write endings as a task of lm-evaluation-harness, a run in its shape, or a data set.

    Items become NAME.yaml and NAME.jsonl, for lm_eval --include_path FOLDER --tasks NAME; a run
    becomes results_NAME.json and samples_NAME.jsonl. With --to datasets the items of any task
    become Parquet files and a card: datasets.load_dataset("FOLDER"). Files called x.train.jsonl,
    x.dev.jsonl and x.test.jsonl become its splits.
    """
    from functools import partial

    from fabula.bench.dataset_folder import export_dataset
    from fabula.endings.formats.columns import Columns
    from fabula.endings.formats.lm_eval_harness import export_task
    from fabula.endings.formats.tables import read_endings
    from fabula.errors import UsageError

    columns = Columns.parse(context, options, gold, gold_as, id_)
    if to not in ("lm-eval", "datasets"):
        raise UsageError(f"--to {to}: use lm-eval or datasets")
    if to == "datasets":
        if columns is not None and task != "endings":
            raise UsageError(f"--task {task}: columns are named for endings alone")
        read = None if columns is None else partial(read_endings, columns=columns)
        name = f"fabula {task}" if name == "fabula_endings" else name
        written = export_dataset(task, [*map(packaged, input_)], output, name, read=read)
    elif len(input_) > 1:
        raise UsageError(f"{len(input_)} inputs; a task of the harness is made of one")
    elif (Path(input_[0]) / "run.json").is_file():
        written = _export_run(Path(input_[0]), output, name)
    else:
        written = export_task(read_endings(packaged(input_[0]), columns), output, name)
    data: dict[str, Any] = {"name": name, "files": [str(path) for path in written]}
    return Reply(data, "\n".join(data["files"]))


def _export_run(folder: Path, output: Path, name: str) -> list[Path]:
    import json

    from fabula.bench.runs.store import load_run
    from fabula.core.files import make_folder, write_text
    from fabula.endings import TASK
    from fabula.endings.formats.lm_eval_harness import results, samples
    from fabula.errors import UsageError
    from fabula.text.io.records import write_records

    run = load_run(folder)
    if run.task != "endings" or "accuracy" not in run.metrics:
        raise UsageError(f"{folder} is not a run on endings with an accuracy")
    make_folder(output)
    accuracy = run.metrics["accuracy"]
    # Half a 95 % interval, in standard errors.
    deviation = (accuracy.high - accuracy.low) / (2 * 1.96)
    count = int(run.data["items"])
    summary = results(name, run.model, accuracy.value, deviation, count, run.versions)
    written = [output / f"results_{name}.json"]
    write_text(written[0], json.dumps(summary, indent=1) + "\n")
    path = run.data.get("path")
    if path and Path(path).is_file():
        by_id = {item.id: item for item in TASK.read(path)}
        if set(run.items.ids) <= set(by_id):
            items = [by_id[i] for i in run.items.ids]
            scores = [TASK.from_row(json.loads(answer)) for answer in run.items.answers]
            written.append(output / f"samples_{name}.jsonl")
            write_records(written[1], samples(items, scores))
    return written


def add_to(app: typer.Typer) -> None:
    app.command("export")(export)
