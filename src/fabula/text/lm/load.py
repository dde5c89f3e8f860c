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
    """Raise ``MissingPart`` with the install line where torch or transformers is missing."""
    try:
        import torch  # noqa: F401
        import transformers  # noqa: F401
    except ImportError as error:
        raise MissingPart("the language model's software", 'pip install "fabula[lm]"') from error


# Code in a model's folder is never run; unless told so, transformers would ask on the terminal.
_DATA_ONLY: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}


@cache
def load(source: Path) -> tuple[Any, Any]:
    """Tokenizer and model, in single precision, loaded once per process."""
    need_transformers()
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = source
    if source.suffix == ".gguf":
        # Converted once (540 MB): that takes many times longer than loading the result.
        name = f"{source.stem}-{sha256_of(source)[:16]}"
        folder = built(cache_folder() / "lm" / name, lambda target: _convert_gguf(source, target))
    with _quiet(), foreign(folder, "a causal language model"):
        tokenizer = AutoTokenizer.from_pretrained(folder, **_DATA_ONLY)
        model = AutoModelForCausalLM.from_pretrained(
            folder,
            **_DATA_ONLY,
            use_safetensors=True,  # the other form is a pickle
        )
    return tokenizer, model.float().eval()


def _convert_gguf(source: Path, folder: Path) -> None:
    """Write a GGUF file as a transformers folder, its weights dequantised to float32."""
    try:
        import gguf  # noqa: F401
    except ImportError as error:
        raise MissingPart("gguf", 'pip install "fabula[lm]"') from error
    from safetensors.torch import save_file
    from transformers import AutoModelForCausalLM, AutoTokenizer

    gguf_options = {"gguf_file": source.name, **_DATA_ONLY}
    with _quiet(), foreign(source, "a GGUF language model"):
        AutoTokenizer.from_pretrained(source.parent, **gguf_options).save_pretrained(folder)
        model = AutoModelForCausalLM.from_pretrained(source.parent, **gguf_options)
        weights = model.state_dict()
        if model.config.tie_word_embeddings:
            weights.pop("lm_head.weight", None)  # the same tensor as the embeddings
        # save_pretrained refuses a quantised model; dequantised, it no longer is one.
        model.config.__dict__.pop("quantization_config", None)
        model.config.save_pretrained(folder)
        tensors = {name: tensor.float().contiguous() for name, tensor in weights.items()}
        save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence the progress bars and log lines of transformers."""
    from transformers.utils import logging

    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with redirect_stderr(StringIO()):  # the GGUF reader's bar has no switch
            yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()
