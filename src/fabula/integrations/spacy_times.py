"""The spaCy component ``fabula_times``: time expressions of a ``Doc`` as a span group.

Found by spaCy through its entry points: ``nlp.add_pipe("fabula_times")``. It needs a tagger and a
parser before it.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from fabula.errors import UsageError
from fabula.text.parse.parsed import Parsed
from fabula.text.parse.pipeline import import_spacy
from fabula.text.temporal.tagger import tag_times
from fabula.text.times import STRATEGIES, check_date

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

__all__ = ["TimesComponent", "create_times"]

import_spacy()

from spacy.language import Language as _Language  # noqa: E402
from spacy.tokens import Doc as _Doc  # noqa: E402
from spacy.tokens import Span as _Span  # noqa: E402
from spacy.tokens import Token as _Token  # noqa: E402

_log = logging.getLogger("fabula.integrations")


class TimesComponent:
    """Adds ``doc.spans[spans_key]``, labelled DATE, TIME, DURATION or SET.

    Each span has ``span._.time_value`` and ``span._.time_role``, each of its tokens
    ``token._.time_value``. The document's date is ``doc._.date``, else the component's ``date``.
    """

    def __init__(self, date: str | None, strategy: str, spans_key: str) -> None:
        if strategy not in STRATEGIES:
            raise UsageError(f"strategy takes {', '.join(STRATEGIES)}; it is {strategy!r}")
        self.date = check_date(date)
        self.strategy = strategy
        self.spans_key = spans_key
        for owner, names in (
            (_Doc, ("date",)),
            (_Span, ("time_value", "time_role")),
            (_Token, ("time_value",)),
        ):
            for name in names:
                if not owner.has_extension(name):
                    owner.set_extension(name, default=None)

    def __call__(self, doc: Doc) -> Doc:
        if len(doc) and not (doc.has_annotation("DEP") and doc.has_annotation("TAG")):
            _log.warning("fabula_times: no tagger or parser before it; tenses are not known")
        spans = []
        date = check_date(doc._.date) or self.date
        for timex in tag_times(Parsed.of(doc), date, self.strategy):
            span = doc.char_span(timex.start, timex.end, label=timex.type, alignment_mode="expand")
            if span is None:
                continue
            span._.time_value, span._.time_role = timex.value, timex.role
            for token in span:
                token._.time_value = timex.value
            spans.append(span)
        doc.spans[self.spans_key] = spans
        return doc


@_Language.factory(  # type: ignore[untyped-decorator]
    "fabula_times",
    assigns=["doc.spans"],
    requires=["token.tag", "token.dep"],
    default_config={"date": None, "strategy": "auto", "spans_key": "times"},
)
def create_times(
    nlp: Language, name: str, date: str | None, strategy: str, spans_key: str
) -> TimesComponent:
    """The component, as spaCy makes it."""
    return TimesComponent(date, strategy, spans_key)
