"""The spaCy component ``fabula_coref``: the entities of a ``Doc`` as span groups.

Found by spaCy through its entry points: ``nlp.add_pipe("fabula_coref")``. It needs a tagger, a
parser and an entity recogniser before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabula.errors import UsageError
from fabula.text.coref import resolve, resolvers
from fabula.text.parse.parsed import Parsed
from fabula.text.parse.pipeline import import_spacy

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

__all__ = ["CorefComponent", "check_parsed", "create_coref"]

import_spacy()

from spacy.language import Language as _Language  # noqa: E402
from spacy.tokens import Span as _Span  # noqa: E402


def check_parsed(doc: Doc, component: str) -> None:
    """Raise where nothing was parsed: the answer would be empty, and nobody would know why."""
    if len(doc) and not (doc.has_annotation("DEP") and doc.has_annotation("TAG")):
        raise UsageError(f"{component} needs a tagger and a parser before it in the pipeline")


class CorefComponent:
    """Adds ``doc.spans["coref_1"]``, ``"coref_2"`` ...: the mentions of each entity.

    An entity has two mentions or more. ``span._.coref_certainty`` is the probability that a
    mention is of its entity.
    """

    def __init__(self, resolver: str, prefix: str) -> None:
        self.resolver = resolvers.get(resolver)()
        self.prefix = prefix
        if not _Span.has_extension("coref_certainty"):
            _Span.set_extension("coref_certainty", default=1.0)

    def __call__(self, doc: Doc) -> Doc:
        check_parsed(doc, "fabula_coref")
        clusters, certainty = resolve(self.resolver, Parsed.of(doc))
        several = [cluster for cluster in clusters if len(cluster) > 1]
        for number, cluster in enumerate(several, 1):
            spans = []
            for mention in cluster:
                span = doc[mention.start : mention.end]
                span._.coref_certainty = float(certainty.get(mention.head, 1.0))
                spans.append(span)
            doc.spans[f"{self.prefix}_{number}"] = spans
        return doc


@_Language.factory(  # type: ignore[untyped-decorator]
    "fabula_coref",
    assigns=["doc.spans"],
    requires=["token.tag", "token.dep", "token.ent_type"],
    default_config={"resolver": "best", "prefix": "coref"},
)
def create_coref(nlp: Language, name: str, resolver: str, prefix: str) -> CorefComponent:
    """The component, as spaCy makes it."""
    return CorefComponent(resolver, prefix)
