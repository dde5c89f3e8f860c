"""A cache of model answers on disk, shared by all processes.

The key of an answer is a hash of the model's name, its revision, the options of the request and the
text. API keys are no part of it and are stored nowhere. The cache is never a reason to fail: where
it cannot be read or written, the model is called.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from fabula.core.files import cache_folder
from fabula.core.kv_cache import KeyValueCache

__all__ = ["AnswerCache"]

_log = logging.getLogger("fabula.endings")


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
        self._cache = KeyValueCache(self.path, "answers")

    def key(self, text: Any) -> bytes:
        """The name of the answer to a text, or to any JSON value that says what was asked."""
        asked = json.dumps([*self.who, text], sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(asked.encode()).digest()[:20]

    def get(self, texts: Iterable[Any]) -> dict[bytes, Any]:
        """The stored answers to these texts, by key."""
        answers = {}
        for key, stored in self._cache.get(self.key(text) for text in texts).items():
            try:
                answers[key] = json.loads(stored)
            except ValueError:
                _log.info("%s has an unreadable answer; the model is called again", self.path)
        return answers

    def put(self, answers: Mapping[bytes, Any]) -> None:
        """Store answers; an answer stored before stays."""
        self._cache.put({key: json.dumps(answer).encode() for key, answer in answers.items()})
