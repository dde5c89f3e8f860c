"""fabula attention"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fabula.cli.common import Reply, command

ModelArgument = Annotated[str, typer.Argument(help="Folder of a trained model with attention.")]
SaladsArgument = Annotated[Path, typer.Argument(help="Salads: JSONL or Parquet.")]
ItemOption = Annotated[
    str | None, typer.Option("--item", help="Which salad, by id; else the first.")
]
PairOption = Annotated[
    list[str] | None,
    typer.Option("--pair", help="Two sentences by number, such as 3,5; else drawn at random."),
]
PictureOption = Annotated[Path, typer.Option("--output", "-o", help="The SVG to write.")]


@command
def attention(
    model: ModelArgument,
    salads: SaladsArgument,
    output: PictureOption,
    item: ItemOption = None,
    pair: PairOption = None,
    seed: int = 0,
) -> Reply:
    """Draw which words the sentences of a salad attend to in each other."""
    import random

    from fabula.cli.inputs import parse_pair
    from fabula.cli.outputs import check_output
    from fabula.core.files import write_text
    from fabula.errors import InputError
    from fabula.registry import create_model
    from fabula.salads.items import read_salads
    from fabula.salads.models.bilstm.attention_map import attention_weights, heat_map

    check_output(output, [".svg"])
    chosen = next((s for s in read_salads(salads) if item is None or s.id == item), None)
    if chosen is None:
        raise InputError(f"holds no salad {item!r}" if item else "holds no salad", path=salads)
    drawn = random.Random(seed).sample(range(1, len(chosen.sentences) + 1), k=2) if not pair else []
    pairs = [parse_pair(text, "--pair") for text in pair or []] or [(drawn[0], drawn[1])]
    trained = create_model("salads", model)
    strips = [s for i, j in pairs for s in attention_weights(trained, chosen, i - 1, j - 1)]
    write_text(output, heat_map(strips, f"{trained.name} on {chosen.id}"))
    data = {
        "salad": chosen.id,
        "pairs": pairs,
        "weights": [[[w, round(float(a), 4)] for w, a in zip(*s, strict=True)] for s in strips],
    }
    return Reply(data, f"{len(strips)} sentences drawn to {output}")


def add_to(app: typer.Typer) -> None:
    app.command("attention")(attention)
