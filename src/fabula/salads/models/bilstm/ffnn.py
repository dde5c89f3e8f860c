"""FFNN-BILSTM, -MT-CTX and -MT-CTX-PRETRAIN (section 4, event-based models).

A sentence is the sequence of its events, not of its words. A feedforward layer with tanh maps the
words of an event, [verb; subject; object; prepositions; their objects], to an event vector, which
takes the place of the word vector in the BiLSTM, in mutual attention and in the context reader;
``model.py`` says the rest. Where an event has several prepositions, the mean of their vectors and
the mean of their objects' stand in; where a slot is empty, nothing does. A sentence without an
event is one null event, which has a vector of its own: it stays in the salad and in the score.

-PRETRAIN starts from event vectors trained as in word2vec: ``event_pretraining.py``.

The events are those of the salad (``fabula build salads --form events``), else they are extracted
from its sentences. k-medoids on the same events is ``kmedoids:glove,events``.
"""

from __future__ import annotations

from collections.abc import Sequence

from fabula.salads.build.event_form import events_of
from fabula.salads.items import Salad
from fabula.salads.models.bilstm.data import Numbers, encode_events
from fabula.salads.models.bilstm.model import PairClassifier

__all__ = ["FfnnBilstm", "FfnnBilstmMtCtx", "FfnnBilstmMtCtxPretrain"]


class FfnnBilstm(PairClassifier):
    """Events, x = z."""

    registered = "salads/ffnn-bilstm"
    events = True

    def _words(self, salads: Sequence[Salad]) -> list[list[str]]:
        return [
            [word.lower() for event in events for word in event if word]
            for salad in events_of(salads)
            for events in salad
        ]

    def read(self, salads: Sequence[Salad]) -> list[Numbers]:
        return [
            [encode_events(self.vocabulary_, events) for events in salad]
            for salad in events_of(salads)
        ]

    def shown(self, salad: Salad) -> list[list[str]]:
        (by_sentence,) = events_of([salad])
        return [
            [" ".join(filter(None, event)) for event in events] or ["-"] for events in by_sentence
        ]


class FfnnBilstmMtCtx(FfnnBilstm):
    """Events, x = [z; m; c]."""

    registered = "salads/ffnn-bilstm-mt-ctx"
    attends = reads = True


class FfnnBilstmMtCtxPretrain(FfnnBilstmMtCtx):
    """Events, x = [z; m; c], from pretrained event vectors."""

    registered = "salads/ffnn-bilstm-mt-ctx-pretrain"
    pretraining = 3
