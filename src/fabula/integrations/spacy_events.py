"""The spaCy component ``fabula_events``: the event chains of a ``Doc``.

Found by spaCy through its entry points: ``nlp.add_pipe("fabula_events")``. It needs a tagger, a
parser and an entity recogniser before it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from fabula.errors import UsageError
from fabula.events.extract.chains import Extraction, entity_chains
from fabula.events.extract.extraction import extract
from fabula.events.extract.rules import ExtractionRules
from fabula.events.items import Chain, chain_from_record
from fabula.integrations.spacy_coref import check_parsed
from fabula.text.coref import resolve, resolvers
from fabula.text.io.records import Record
from fabula.text.parse.parsed import Parsed
from fabula.text.parse.pipeline import import_spacy

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

__all__ = ["EventsComponent", "create_events"]

import_spacy()

from spacy.language import Language as _Language  # noqa: E402
from spacy.tokens import Doc as _Doc  # noqa: E402
from spacy.tokens import Span as _Span  # noqa: E402

_KEY = "fabula_event_chains"  # of doc.user_data: rows as JSON, which spaCy stores as it is


def _chains(doc: Doc) -> tuple[Chain, ...]:
    rows = json.loads(doc.user_data.get(_KEY, "[]"))
    return tuple(chain_from_record(Record(n, row), "doc") for n, row in enumerate(rows, 1))


class EventsComponent:
    """Adds ``doc._.event_chains``, and ``doc.spans[spans_key]``, a span for each predicate.

    The document can be stored (``to_bytes``, ``DocBin``) and come from other processes
    (``nlp.pipe(..., n_process=2)``); the chains go with it.

    A chain is a ``fabula.events.items.Chain``; a predicate's span is labelled with its lemma and
    has ``span._.event_negated`` and ``span._.event_modality`` (possible, planned or empty).
    """

    def __init__(self, resolver: str, least: int, spans_key: str) -> None:
        if least < 1:
            raise UsageError(f"least is the fewest events of a chain, from 1; it is {least}")
        self.resolver = resolvers.get(resolver)()
        self.least = least
        self.spans_key = spans_key
        if not _Doc.has_extension("event_chains"):
            _Doc.set_extension("event_chains", getter=_chains)
        for name in ("event_negated", "event_modality"):
            if not _Span.has_extension(name):
                _Span.set_extension(name, default=None)

    def __call__(self, doc: Doc) -> Doc:
        check_parsed(doc, "fabula_events")
        parsed = Parsed.of(doc)
        clusters, certainty = resolve(self.resolver, parsed)
        predicates = extract(parsed, ExtractionRules())
        found = Extraction(parsed, predicates, clusters, certainty)
        chains = entity_chains(found, "doc", least=self.least)
        doc.user_data[_KEY] = json.dumps([chain.to_row() for chain in chains])
        spans = []
        for predicate in predicates:
            span = _Span(doc, predicate.token, predicate.token + 1, label=predicate.verb)
            span._.event_negated = predicate.negated
            span._.event_modality = predicate.standing.modality
            spans.append(span)
        doc.spans[self.spans_key] = spans
        return doc


@_Language.factory(  # type: ignore[untyped-decorator]
    "fabula_events",
    assigns=["doc.spans"],
    requires=["token.tag", "token.dep", "token.ent_type"],
    default_config={"resolver": "best", "least": 2, "spans_key": "events"},
)
def create_events(
    nlp: Language, name: str, resolver: str, least: int, spans_key: str
) -> EventsComponent:
    """The component, as spaCy makes it."""
    return EventsComponent(resolver, least, spans_key)
