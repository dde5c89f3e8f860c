"""Answers on disk: a model is asked once, whichever process asks.

The key of an answer is a hash of the model's name, its revision, the options it was asked with and
the text. Keys of services are no part of it and are stored nowhere. Like every cache of fabula it
is never a reason to fail: where it cannot be read or written, the model is asked.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from fabula.core.files import cache_folder
from fabula.core.kv_cache import Shelf

__all__ = ["AnswerCache"]


class AnswerCache:
    """JSON values of one model, at one revision, asked with one set of options."""

    def __init__(
        self,
        model: str,
        revision: str,
        options: Mapping[str, Any],
        *,
        folder: Path | None = None,
    ) -> None:
        self.who = [model, revision, dict(options)]
        self.path = (folder or cache_folder() / "answers") / "answers.sqlite"
        self._shelf = Shelf(self.path, "answers")

    def key(self, text: Any) -> bytes:
        """The name of the answer to a text, or to any JSON value that says what was asked."""
        asked = json.dumps([*self.who, text], sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(asked.encode()).digest()[:20]

    def get(self, texts: Iterable[Any]) -> dict[bytes, Any]:
        """The answers that are known, by key."""
        found = {}
        for key, answer in self._shelf.get(self.key(text) for text in texts).items():
            with suppress(ValueError):  # damaged: it will be asked again
                found[key] = json.loads(answer)
        return found

    def put(self, answers: Mapping[bytes, Any]) -> None:
        """Keep answers; the first one kept stays."""
        self._shelf.put({key: json.dumps(answer).encode() for key, answer in answers.items()})
