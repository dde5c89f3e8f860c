"""Mostafazadeh et al. 2016, Story Cloze Evaluator: Table 2."""

from __future__ import annotations

from functools import partial

from fabula.bench.papers.measures.endings import EndingModel, contest
from fabula.bench.papers.shape import Need, Paper, Setting, Table

__all__ = ["PAPER"]

_TABLE2 = {
    "constant": (0.513,),
    "Word2Vec": (0.539,),
    "skip-thoughts": (0.552,),
    "DSSM": (0.585,),
    "human": (1.0,),
    "joint, MiniLM (ours)": (None,),
    "trajectory, MiniLM (ours)": (None,),
}
_NETWORK = {"hidden": "$hidden", "size": "$size", "epochs": "$epochs"}
_MODELS = (
    EndingModel("constant", "first"),
    EndingModel("Word2Vec", "word2vec"),
    EndingModel("skip-thoughts", "joint", {"encoder": "skip-thoughts"}, why=("skip",)),
    EndingModel("DSSM", "dssm", _NETWORK, "stories"),
    EndingModel("human", None, why=("human",)),
    EndingModel("joint, MiniLM (ours)", "joint"),
    EndingModel("trajectory, MiniLM (ours)", "trajectory"),
)

PAPER = Paper(
    title="Story Cloze Evaluator (2016)",
    cite="Mostafazadeh, Vanderwende, Yih, Kohli, Allen: Story Cloze Evaluator: Vector Space "
    "Representation Evaluation by Predicting What Happens Next. RepEval 2016",
    needs=(
        Need("test", "Story Cloze test items, 1,872 (CSV)", "sample-endings-1"),
        Need("stories", "ROCStories, 49,255 five-sentence stories (documents)", "sample-stories"),
    ),
    settings={
        "items": Setting(None, 110, 20, "items used at most; none: all"),
        "stories": Setting(49_255, 205, 20, "stories DSSM is trained on at most"),
        "vectors": Setting("glove", "minilm", "minilm", "vectors of Word2Vec"),
        "hidden": Setting(1000, 200, 8, "DSSM: inner layer"),
        "size": Setting(300, 60, 4, "DSSM: vectors"),
        "epochs": Setting(10, 10, 1, "DSSM: epochs"),
    },
    reasons={
        "vectors": "MiniLM sentence vectors stand in for averaged word2vec",
        "skip": "skip-thoughts are measured where $FABULA_SKIP_THOUGHTS names the folder of the "
        "published files, which are in no package registry",
        "seen": "the model was trained on items of this file; --force measures nevertheless",
        "human": "human performance was not measured",
        "untrained": "no corpus to train it on was given: --corpus stories=PATH",
    },
    tables={
        "table2": Table(
            "Table 2: accuracy on the Story Cloze Test",
            ("model",),
            ("test", "stories"),
            partial(
                contest,
                contenders=_MODELS,
                roles={"test": "test"},
                published=_TABLE2,
                columns=1,
            ),
            (
                "1,872 test items are stated, 1,871 are in the released file",
                "Word2Vec's context is read as the mean over all words of the paragraph; its "
                "vectors are not named",
                "constant takes the first ending as the file has it, so it measures the file",
            ),
        ),
    },
)
