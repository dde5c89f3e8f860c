"""Names to things, loaded only when asked for.

A registry maps a name to a ``"module:attribute"`` string. Nothing is imported until ``get``.
Other packages add to it through entry points of the registry's group, or with ``register``.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import entry_points
from typing import Any

from fabula.errors import UnknownName, UsageError

__all__ = [
    "Registry",
    "adapters",
    "create_model",
    "encoders",
    "metrics",
    "models",
    "probes",
    "tasks",
]


class Registry:
    """Lazy names of one kind.

    >>> roots = Registry("root", {"square": "math:sqrt"})
    >>> roots.get("square")(9.0)
    3.0
    """

    def __init__(
        self, kind: str, builtin: Mapping[str, str] | None = None, group: str | None = None
    ) -> None:
        self.kind = kind
        self.group = group
        self._targets: dict[str, Any] = dict(builtin or {})
        self._discovered = False

    def register(self, name: str, target: Any) -> None:
        """Add an object, or a ``"module:attribute"`` string, under a new name."""
        self._discover()
        if name in self._targets and self._targets[name] != target:
            raise UsageError(
                f"{self.kind} {name!r} is registered already, as {self._targets[name]}; "
                "choose another name"
            )
        self._targets[name] = target

    @contextmanager
    def restored(self) -> Iterator[None]:
        """What is registered inside the ``with`` block is forgotten after it."""
        before = dict(self._targets)
        try:
            yield
        finally:
            self._targets = before

    @contextmanager
    def override(self, name: str, target: Any) -> Iterator[None]:
        """For the length of a ``with`` block, a name, new or known, stands for another target."""
        with self.restored():
            self._targets[name] = target
            yield

    def get(self, name: str) -> Any:
        """The thing behind a name; an unknown name says which known one is near."""
        if name not in self._targets:
            self._discover()
        if name not in self._targets:
            raise UnknownName(self.kind, name, self._targets)
        target = self._targets[name]
        if not isinstance(target, str):
            return target
        module, _, attribute = target.partition(":")
        return getattr(importlib.import_module(module), attribute)

    def names(self) -> list[str]:
        self._discover()
        return sorted(self._targets)

    def __contains__(self, name: object) -> bool:
        self._discover()
        return name in self._targets

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def _discover(self) -> None:
        if self._discovered or self.group is None:
            return
        self._discovered = True
        for point in entry_points(group=self.group):
            if point.name in self._targets:
                raise UsageError(
                    f"{self.kind} {point.name!r} of {point.value} is registered already, "
                    f"as {self._targets[point.name]}; uninstall one of the two"
                )
            self._targets[point.name] = point.value


tasks = Registry(
    "task",
    {
        "salads": "fabula.salads:TASK",
        "ordering": "fabula.ordering:TASK",
        "endings": "fabula.endings:TASK",
        "events": "fabula.events:TASK",
        "coreference": "fabula.coreference:TASK",
        "conversations": "fabula.conversations:TASK",
        "pairs": "fabula.pairs:TASK",
    },
    group="fabula.tasks",
)

models = Registry(
    "model",
    {
        "salads/bilstm": "fabula.salads.models.bilstm.model:Bilstm",
        "salads/bilstm-ctx": "fabula.salads.models.bilstm.model:BilstmCtx",
        "salads/bilstm-mt": "fabula.salads.models.bilstm.model:BilstmMt",
        "salads/bilstm-mt-ctx": "fabula.salads.models.bilstm.model:BilstmMtCtx",
        "salads/centred": "fabula.salads.models.centred:Centred",
        "salads/context": "fabula.salads.models.context.model:Context",
        "salads/documents": "fabula.salads.models.documents.model:Documents",
        "salads/ffnn-bilstm": "fabula.salads.models.bilstm.ffnn:FfnnBilstm",
        "salads/ffnn-bilstm-mt-ctx": "fabula.salads.models.bilstm.ffnn:FfnnBilstmMtCtx",
        "salads/ffnn-bilstm-mt-ctx-pretrain": (
            "fabula.salads.models.bilstm.ffnn:FfnnBilstmMtCtxPretrain"
        ),
        "salads/hac": "fabula.salads.models.hac:Hac",
        "salads/kmeans": "fabula.salads.models.kmeans:KMeans",
        "salads/kmedoids": "fabula.salads.models.kmedoids:KMedoids",
        "salads/reader": "fabula.salads.models.joint_encoder.model:Reader",
        "salads/spectral": "fabula.salads.models.spectral:Spectral",
        "salads/unif": "fabula.salads.models.unif:Unif",
        "ordering/attorder": "fabula.ordering.models.attorder:Attorder",
        "ordering/linear": "fabula.ordering.models.linear:Linear",
        "ordering/lstm-ptr": "fabula.ordering.models.lstm_ptr:LstmPtr",
        "ordering/pairwise": "fabula.ordering.models.pairwise.model:Pairwise",
        "ordering/random": "fabula.ordering.models.random:Random",
        "ordering/se-graph": "fabula.ordering.models.se_graph:SeGraph",
        "ordering/vlstm-ptr": "fabula.ordering.models.vlstm_ptr:VlstmPtr",
        "events/bigram": "fabula.events.models.bigram:Bigram",
        "events/instance-bigram": "fabula.events.models.instance.bigram:InstanceBigram",
        "events/instance-unigram": "fabula.events.models.instance.unigram:InstanceUnigram",
        "events/learned": "fabula.events.models.learned.model:Learned",
        "events/multi-bigram": "fabula.events.models.multi_argument.bigram:MultiBigram",
        "events/multi-instance-bigram": (
            "fabula.events.models.multi_argument.instance:MultiInstanceBigram"
        ),
        "events/multi-instance-unigram": (
            "fabula.events.models.multi_argument.instance:MultiInstanceUnigram"
        ),
        "events/multi-pmi": "fabula.events.models.multi_argument.pmi:MultiPmi",
        "events/multi-unigram": "fabula.events.models.multi_argument.unigram:MultiUnigram",
        "events/ordered-pmi": "fabula.events.models.ordered_pmi:OrderedPmi",
        "events/pmi": "fabula.events.models.pmi:Pmi",
        "events/unigram": "fabula.events.models.unigram:Unigram",
        "coreference/learned": "fabula.coreference.models.resolvers:Learned",
        "coreference/parallelism": "fabula.coreference.models.parallelism:Parallelism",
        "coreference/sieve": "fabula.coreference.models.resolvers:Sieve",
        "conversations/by-sender": "fabula.conversations.models.by_sender:BySender",
        "conversations/links": "fabula.conversations.models.links.model:Links",
        "conversations/single": "fabula.conversations.models.single:Single",
        "conversations/time-gap": "fabula.conversations.models.time_gap:TimeGap",
        "endings/average-sentiment": "fabula.endings.models.average_sentiment:AverageSentiment",
        "endings/coherence": "fabula.endings.models.coherence:Coherence",
        "endings/cogcomp": "fabula.endings.models.cogcomp.model:CogComp",
        "endings/constant": "fabula.endings.models.constant:Constant",
        "endings/dssm": "fabula.endings.models.dssm:Dssm",
        "endings/endingreg": "fabula.endings.models.endingreg.model:EndingReg",
        "endings/joint": "fabula.endings.models.joint:Joint",
        "endings/last-sentiment": "fabula.endings.models.last_sentiment:LastSentiment",
        "endings/fine-tuned": "fabula.endings.models.fine_tuned.model:FineTuned",
        "endings/lm": "fabula.endings.models.lm:Lm",
        "endings/trajectory": "fabula.endings.models.trajectory:Trajectory",
        "endings/word2vec": "fabula.endings.models.word2vec:Word2Vec",
        "pairs/lexical": "fabula.pairs.models.lexical:Lexical",
        "pairs/overlap": "fabula.pairs.models.overlap:Overlap",
        "pairs/combined": "fabula.pairs.models.combined:Combined",
        "pairs/cross-encoder": "fabula.pairs.models.cross_encoder.model:CrossEncoder",
    },
    group="fabula.models",
)

# Models that are nothing without their argument: NAME:ARGUMENT. Those without a task serve every
# task and are made of the task and the argument.
adapters = Registry(
    "adapter",
    {
        "answers": "fabula.bench.adapters:from_answers",
        "coreference/resolver": "fabula.coreference.models.resolvers:from_resolver",
        "endings/chat": "fabula.endings.adapters.openai:from_chat",
        "endings/completions": "fabula.endings.adapters.openai:from_completions",
        "endings/embeddings": "fabula.endings.adapters.openai:from_embeddings",
        "endings/predictions": "fabula.endings.adapters.predictions:from_predictions",
        "endings/samples": "fabula.endings.adapters.predictions:from_samples",
        "pairs/chat": "fabula.pairs.adapters:from_chat",
        "python": "fabula.bench.adapters:from_python",
    },
    group="fabula.adapters",
)

encoders = Registry(
    "encoder",
    {
        "minilm": "fabula.text.encoders.sentence:minilm",
        "minilm-fp32": "fabula.text.encoders.sentence:minilm_fp32",
        "minilm-st": "fabula.text.encoders.sentence:sentence_transformers_minilm",
        "tfidf": "fabula.text.encoders.sentence:Tfidf",
        "glove": "fabula.text.encoders.wordvectors:glove_encoder",
        "scdv": "fabula.text.encoders.scdv:scdv_encoder",
        "skip-thoughts": "fabula.text.encoders.skip_thoughts:skip_thoughts_encoder",
    },
    group="fabula.encoders",
)

probes = Registry(
    "probe",
    {
        "complexity": "fabula.audit.probes.complexity:complexity",
        "duplicates": "fabula.audit.probes.duplicates:duplicates",
        "filtered": "fabula.audit.probes.filtered:filtered",
        "ngrams": "fabula.audit.probes.ngrams:ngrams",
        "options-only": "fabula.audit.probes.options_only:options_only",
        "overlap": "fabula.audit.probes.overlap:overlap",
        "position": "fabula.audit.probes.position:position",
        "schema": "fabula.audit.probes.schema:schema",
        "sentiment": "fabula.audit.probes.sentiment:sentiment",
        "shuffled-context": "fabula.audit.probes.shuffled_context:shuffled_context",
        "slices": "fabula.audit.probes.slices:slices",
        "surface": "fabula.audit.probes.surface:surface",
        "tokens": "fabula.audit.probes.tokens:tokens",
    },
    group="fabula.probes",
)

# Metrics beyond the tasks' own, as TASK/NAME: functions (item, answer) -> Score.
metrics = Registry("metric", group="fabula.metrics")

BEST = {
    "salads": "documents",
    "ordering": "pairwise",
    "endings": "coherence",
    "events": "bigram",
    "coreference": "learned",
    "conversations": "links",
    "pairs": "combined",
}


def create_model(task: str, spec: Any) -> Any:
    """A model from what the command line says; an object is a model already.

    ``spec`` is a name (``centred``), a name with its argument (``joint:minilm``), ``best``, a
    folder written by ``save``, or an adapter with what it adapts (``answers:FILE``,
    ``python:MODULE:NAME``).
    """
    from pathlib import Path  # not at the top: most callers never come here

    if isinstance(spec, Path):
        spec = str(spec)
    if not isinstance(spec, str):
        return tasks.get(task).as_model(spec) if task in tasks else spec
    tasks.get(task)  # an unknown task is the first thing to say
    name, _, argument = spec.partition(":")
    known = [key.split("/", 1)[1] for key in models if key.startswith(f"{task}/")]
    if name == "best":
        name = BEST.get(task, name)  # a task from outside has no best of ours
    if name in known:
        if (Path(spec) / "config.json").is_file():
            import warnings

            text = f"{spec!r} is the registered model; for the folder of that name, write ./{spec}"
            warnings.warn(text, stacklevel=2)
        factory = models.get(f"{task}/{name}")
        if not argument:
            return factory()
        if not hasattr(factory, "from_argument"):
            raise UsageError(f"the {task} model {name!r} takes no argument; it is {argument!r}")
        return factory.from_argument(argument)
    if (Path(spec) / "config.json").is_file():
        return _load(task, Path(spec))
    if argument and f"{task}/{name}" in adapters:
        return adapters.get(f"{task}/{name}")(argument)
    if argument and "/" not in name and name in adapters:
        return adapters.get(name)(tasks.get(task), argument)
    others = [
        f"{key.rpartition('/')[2]}:..." for key in adapters if key.rpartition("/")[0] in ("", task)
    ]
    raise UnknownName(f"{task} model", spec, [*known, *others, "best", "FOLDER of a trained model"])


def _load(task: str, folder: Any) -> Any:
    """A trained model from its folder; the folder's ``config.json`` names the model."""
    import json

    from fabula.errors import InputError

    path = folder / "config.json"
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
        name = config["model"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"not a saved fabula model ({error})", path=path) from error
    if not str(name).startswith(f"{task}/"):
        raise UsageError(f"{folder} holds {name!r}, which is not a model of the task {task!r}")
    factory = models.get(name)
    if not hasattr(factory, "load"):
        raise InputError(f"names {name!r}, which cannot be loaded: it learns nothing", path=path)
    return factory.load(folder)
