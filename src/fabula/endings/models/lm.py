"""lm: the ending with the largest (normalised) log-likelihood or PMI by a language model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from os import PathLike
from pathlib import Path

from fabula.core.files import fingerprint, sha256_of
from fabula.endings.answer_cache import AnswerCache
from fabula.endings.items import Ending, Scores
from fabula.endings.prompts import phrase
from fabula.errors import UnknownName
from fabula.text.lm.branches import branch_likelihoods
from fabula.text.lm.likelihood import LanguageModel, Likelihood

__all__ = ["SCORES", "Lm", "combine", "revision"]

SCORES = ("sum", "per-token", "per-character", "per-byte", "pmi")


@dataclass(kw_only=True, eq=False, repr=False)
class Lm:
    """log P(ending | context), by a causal model: the packaged one, a folder or a ``.gguf`` file.

    ``by`` is ``sum``, the same ``per-token``, ``per-character`` or ``per-byte``, or ``pmi``: how
    much likelier the context makes the ending, log P(ending | context) - log P(ending). The
    options of an item share the reading of its context. Likelihoods are kept in the cache.
    """

    without_context = "empty"

    by: str = "pmi"
    model: str | PathLike[str] | None = None
    cached: bool = True

    @classmethod
    def from_argument(cls, argument: str) -> Lm:
        """``pmi``, ``per-byte@FOLDER``, ``@FOLDER``."""
        by, _, model = argument.partition("@")
        made = cls(by=by or "pmi", model=model or None)
        made._check()
        return made

    def score(self, items: Sequence[Ending]) -> list[Scores]:
        self._check()
        prompts = [phrase(item) for item in items]
        options = [prompt.options for prompt in prompts]
        likely = self.likelihoods([prompt.context for prompt in prompts], options)
        if self.by != "pmi":
            return combine(self.by, likely)
        neutral = [prompt.neutral for prompt in prompts]
        return combine(self.by, likely, self.likelihoods(neutral, options))

    def likelihoods(
        self, contexts: Sequence[str], options: Sequence[Sequence[str]]
    ) -> list[list[Likelihood]]:
        """Each option's ``Likelihood`` after its context, cached on disk."""
        if not contexts:
            return []
        reader = LanguageModel(self.model)
        if not self.cached:
            return branch_likelihoods(reader, contexts, options)
        store = AnswerCache("lm", revision(reader), {"window": reader.window})
        keys = [
            [[context, option] for option in of_item]
            for context, of_item in zip(contexts, options, strict=True)
        ]
        stored = store.get([key for of_item in keys for key in of_item])
        missing = [
            i
            for i, of_item in enumerate(keys)
            if any(store.key(key) not in stored for key in of_item)
        ]
        made = branch_likelihoods(
            reader, [contexts[i] for i in missing], [options[i] for i in missing]
        )
        fresh = {}
        for i, likelihoods in zip(missing, made, strict=True):
            for key, likelihood in zip(keys[i], likelihoods, strict=True):
                fresh[store.key(key)] = [
                    likelihood.total,
                    likelihood.tokens,
                    likelihood.characters,
                    likelihood.bytes,
                    likelihood.cut,
                ]
        store.put(fresh)
        # A stored likelihood wins over a fresh one: it must not change with its batch.
        stored = {**fresh, **stored}
        return [[Likelihood(*stored[store.key(key)]) for key in of_item] for of_item in keys]

    def _check(self) -> None:
        if self.by not in SCORES:
            raise UnknownName("score of the language model", self.by, SCORES)


def combine(
    by: str, likely: Sequence[Sequence[Likelihood]], without: Sequence[Sequence[Likelihood]] = ()
) -> list[Scores]:
    """Scores from the likelihoods of options; ``without`` are those in no context, for ``pmi``.

    >>> combine("per-token", [[Likelihood(-6.0, 3, 10, 10)]])
    [(-2.0,)]
    """
    if by == "pmi":
        return [
            tuple(after.total - alone.total for after, alone in zip(*pair, strict=True))
            for pair in zip(likely, without, strict=True)
        ]
    lengths = {"per-token": "tokens", "per-character": "characters", "per-byte": "bytes"}
    return [
        tuple(
            likelihood.total / max(getattr(likelihood, lengths[by]), 1)
            if by in lengths
            else likelihood.total
            for likelihood in likelihoods
        )
        for likelihoods in likely
    ]


def revision(reader: LanguageModel) -> str:
    """What a model's likelihoods depend on: its weights, by their hash."""
    source = reader.source()
    files = [source] if source.is_file() else sorted(source.glob("*.safetensors"))
    stamps = [(file, file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    return _hash(tuple(stamps))


@cache
def _hash(stamps: tuple[tuple[Path, int, int], ...]) -> str:
    return fingerprint([sha256_of(path) for path, _, _ in stamps])
