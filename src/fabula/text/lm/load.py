"""Loading causal language models: transformers folders and GGUF files, never from the network."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

from fabula.core.build_once import built
from fabula.core.files import cache_folder, sha256_of
from fabula.errors import MissingPart
from fabula.text.io.streams import foreign

__all__ = ["load", "need_transformers"]


def need_transformers() -> None:
    """Say how to get the software, where it is not there."""
    try:
        import torch  # noqa: F401
        import transformers  # noqa: F401
    except ImportError as error:
        raise MissingPart("the language model's software", 'pip install "fabula[lm]"') from error


@cache
def load(source: Path) -> tuple[Any, Any]:
    """Tokenizer and model, in single precision, loaded once per process."""
    need_transformers()
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = source
    if source.suffix == ".gguf":
        # Unpacked once (540 MB): it takes many times longer than loading what was unpacked.
        name = f"{source.stem}-{sha256_of(source)[:16]}"
        folder = built(cache_folder() / "lm" / name, lambda place: _unpack(source, place))
    with _quiet(), foreign(folder, "a causal language model"):
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        model = AutoModelForCausalLM.from_pretrained(
            folder,
            local_files_only=True,
            use_safetensors=True,  # the other form is a pickle
        )
    return tokenizer, model.float().eval()


def _unpack(source: Path, folder: Path) -> None:
    """Write a GGUF file in transformers' form, its weights as they are, in single precision."""
    try:
        import gguf  # noqa: F401
    except ImportError as error:
        raise MissingPart("gguf", 'pip install "fabula[lm]"') from error
    from safetensors.torch import save_file
    from transformers import AutoModelForCausalLM, AutoTokenizer

    packed = {"gguf_file": source.name, "local_files_only": True}
    with _quiet(), foreign(source, "a GGUF language model"):
        AutoTokenizer.from_pretrained(source.parent, **packed).save_pretrained(folder)
        model = AutoModelForCausalLM.from_pretrained(source.parent, **packed)
        weights = model.state_dict()
        if model.config.tie_word_embeddings:
            weights.pop("lm_head.weight", None)  # the same tensor as the embeddings
        # save_pretrained refuses a model that was quantised; unpacked, it is not any more.
        model.config.__dict__.pop("quantization_config", None)
        model.config.save_pretrained(folder)
        plain = {name: tensor.float().contiguous() for name, tensor in weights.items()}
        save_file(plain, folder / "model.safetensors", metadata={"format": "pt"})


@contextmanager
def _quiet() -> Iterator[None]:
    """transformers without its bars and notices, which are not ours to show."""
    from transformers.utils import logging

    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with redirect_stderr(StringIO()):  # the bar of the GGUF reader knows no switch
            yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()
