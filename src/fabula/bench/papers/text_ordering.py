"""Liu, Zeng and Li 2020, Evaluating Text Coherence at Sentence and Paragraph Levels.

Tables 1-3 and Figures 1-3.
"""

from __future__ import annotations

from functools import partial

from fabula.bench.papers.measures.ordering import (
    OrderingModel,
    OrderingSet,
    cross,
    learning,
    main,
    noise,
    statistics_table,
)
from fabula.bench.papers.measures.ratings import judged
from fabula.bench.papers.shape import Need, Paper, Setting, Table

__all__ = ["PAPER"]

SENTENCE = {
    "arXiv": OrderingSet("arxiv", "sentence"),
    "AAN": OrderingSet("aan", "sentence"),
    "NIPS": OrderingSet("nips", "sentence"),
    "SIND": OrderingSet("sind", "sentence"),
}
PARAGRAPH = {
    "News": OrderingSet("news", "paragraph", dated=True),
    "Statements": OrderingSet("statements", "paragraph", dated=True),
    "Economist": OrderingSet("economist", "paragraph", dated=True),
    "Lyrics": OrderingSet("lyrics", "paragraph"),
}
_ABSTRACTS = {name: SENTENCE[name] for name in ("arXiv", "AAN", "NIPS")}
_ARTICLES = {name: PARAGRAPH[name] for name in ("News", "Statements", "Economist")}
_INSIDE = {
    name: OrderingSet(source.role, "sentence", dated=True, apart=True)
    for name, source in _ARTICLES.items()
}
_CURVES = {"arXiv": SENTENCE["arXiv"], "Economist": PARAGRAPH["Economist"]}

NETWORKS = (
    OrderingModel("LSTM+PtrNet", "lstm-ptr", {"width": 100}),
    OrderingModel("V-LSTM+PtrNet", "vlstm-ptr", {"width": 300}),
    OrderingModel(
        "ATTOrderNet",
        "attorder",
        {"width": 300, "layers": 2},
        {"hidden": 512},
        {"aan": {"layers": 6}, "arxiv": {"layers": 4}, "economist": {"layers": 4}},
    ),
    OrderingModel("SE-Graph", "se-graph", {"width": 100}),
)

# Train, dev, test; the paper's number of sentences a paragraph stands in parentheses there.
_TABLE1 = {
    "NIPS": ((6.40, 6.66, 6.48), (25.92, 26.93, 26.40), (3519, 196, 195), 19957, ()),
    "AAN": ((5.08, 5.31, 5.51), (24.56, 24.51, 24.47), (15961, 892, 893), 55588, ()),
    "arXiv": ((6.69, 6.98, 7.23), (25.19, 25.69, 25.17), (36652, 2045, 2044), 97305, ()),
    "SIND": ((5.00, 5.00, 5.00), (11.49, 11.62, 11.42), (40155, 4990, 5055), 30952, ()),
    "News": ((7.97, 7.96, 8.07), (77.45, 77.46, 75.78), (12634, 720, 707), 87067,
             (3.16, 3.16, 3.15)),
    "Statements": ((5.58, 5.47, 4.85), (66.30, 86.99, 85.76), (12530, 712, 715), 53708,
                   (3.23, 3.54, 3.65)),
    "Economist": ((9.73, 10.04, 9.94), (94.81, 97.53, 97.36), (70728, 3929, 3929), 535345,
                  (4.31, 4.69, 4.78)),
    "Lyrics": ((29.51, 29.42, 29.51), (7.28, 7.27, 7.27), (43858, 2436, 2436), 77021,
               (2.21, 2.23, 2.25)),
}  # fmt: skip
_STATISTICS = {
    name: {
        "units a text": units,
        "words a unit": words,
        "texts": texts,
        "vocabulary": (vocabulary,),
        "sentences a unit": sentences,
    }
    for name, (units, words, texts, vocabulary, sentences) in _TABLE1.items()
}
# PMR in per cent, WLCS-l, parameters in millions. The paper calls News Press, Economist Journal.
_TABLE2 = {
    "LSTM+PtrNet": {
        "arXiv": (22.17, 0.6002, 11.0), "AAN": (35.65, 0.6575, 6.8),
        "NIPS": (19.79, 0.5839, 3.2), "SIND": (13.61, 0.5756, 4.2),
        "News": (42.33, 0.6543, 10.0), "Statements": (43.12, 0.6582, 6.6),
        "Economist": (5.24, 0.4549, 11.2), "Lyrics": (0.26, 0.1765, 8.9),
    },
    "V-LSTM+PtrNet": {
        "arXiv": (21.36, 0.5934, 66.9), "AAN": (35.62, 0.6564, 54.5),
        "NIPS": (17.95, 0.5620, 43.6), "SIND": (13.13, 0.5703, 46.5),
        "News": (35.04, 0.6304, 64.1), "Statements": (33.01, 0.6346, 53.7),
        "Economist": (4.85, 0.4424, 67.6), "Lyrics": (0.66, 0.1891, 60.7),
    },
    "ATTOrderNet": {
        "arXiv": (25.73, 0.6122, 40.9), "AAN": (40.00, 0.6763, 32.6),
        "NIPS": (29.17, 0.6200, 13.4), "SIND": (13.57, 0.5733, 16.3),
        "News": (42.57, 0.6555, 55.4), "Statements": (45.79, 0.6692, 45.0),
        "Economist": (5.27, 0.4595, 41.6), "Lyrics": (0.49, 0.1751, 52.1),
    },
    "SE-Graph": {
        "arXiv": (26.73, 0.6251, 12.4), "AAN": (45.97, 0.6995, 11.4),
        "NIPS": (27.55, 0.6282, 4.5), "SIND": (15.07, 0.5838, 11.6),
        "News": (46.90, 0.6749, 13.3), "Statements": (42.66, 0.6704, 12.0),
        "Economist": (5.29, 0.4618, 20.02), "Lyrics": (0.0, 0.1719, 12.4),
    },
}  # fmt: skip
# Trained on: model: tested on arXiv, AAN, NIPS.
_TABLE3A = {
    "arXiv": {
        "LSTM+PtrNet": (0.73, 0.77, 0.81), "V-LSTM+PtrNet": (0.77, 0.80, 0.83),
        "ATTOrderNet": (0.75, 0.79, 0.81), "SE-Graph": (0.78, 0.80, 0.80),
    },
    "AAN": {
        "LSTM+PtrNet": (0.64, 0.74, 0.65), "V-LSTM+PtrNet": (0.73, 0.81, 0.75),
        "ATTOrderNet": (0.64, 0.76, 0.65), "SE-Graph": (0.72, 0.81, 0.80),
    },
    "NIPS": {
        "LSTM+PtrNet": (0.62, 0.65, 0.70), "V-LSTM+PtrNet": (0.64, 0.64, 0.70),
        "ATTOrderNet": (0.66, 0.70, 0.73), "SE-Graph": (0.66, 0.71, 0.75),
    },
}  # fmt: skip
# Tested on News, Statements, Economist: whole articles by paragraph, paragraphs by sentence.
_TABLE3B = {
    "paragraph": {
        "News": {
            "LSTM+PtrNet": (69.33, 28.42, 9.68), "V-LSTM+PtrNet": (61.48, 25.26, 4.77),
            "ATTOrderNet": (70.19, 39.37, 13.64), "SE-Graph": (66.22, 31.72, 12.69),
        },
        "Statements": {
            "LSTM+PtrNet": (24.96, 61.66, 14.50), "V-LSTM+PtrNet": (17.86, 52.67, 8.55),
            "ATTOrderNet": (23.54, 63.41, 16.11), "SE-Graph": (22.71, 48.50, 15.88),
        },
        "Economist": {
            "LSTM+PtrNet": (25.74, 36.96, 37.42), "V-LSTM+PtrNet": (18.75, 39.67, 31.44),
            "ATTOrderNet": (23.60, 36.15, 37.80), "SE-Graph": (21.78, 20.14, 32.69),
        },
    },
    "sentence": {
        "News": {
            "LSTM+PtrNet": (76.04, 40.81, 26.77), "V-LSTM+PtrNet": (74.55, 40.64, 25.62),
            "ATTOrderNet": (77.78, 44.82, 26.90), "SE-Graph": (69.80, 45.42, 24.29),
        },
        "Statements": {
            "LSTM+PtrNet": (49.98, 60.14, 29.44), "V-LSTM+PtrNet": (51.12, 59.19, 27.44),
            "ATTOrderNet": (52.77, 59.83, 30.06), "SE-Graph": (39.84, 55.68, 27.35),
        },
        "Economist": {
            "LSTM+PtrNet": (52.08, 50.81, 45.64), "V-LSTM+PtrNet": (45.03, 44.69, 39.75),
            "ATTOrderNet": (52.64, 49.55, 46.71), "SE-Graph": (38.61, 40.16, 36.28),
        },
    },
}  # fmt: skip
# All that the text says of the curves in numbers.
_FIGURE2 = {
    ("Economist", "WLCS-l", "se-graph", 100): "above 0.40",
    ("Economist", "WLCS-l", "lstm-ptr", 100): "below 0.35",
    ("Economist", "WLCS-l", "vlstm-ptr", 100): "below 0.35",
    ("Economist", "WLCS-l", "attorder", 100): "below 0.35",
}
_FIGURE3 = {
    "pearson": 0.85, "alpha": 0.53, "tau": 0.571, "Acc": 0.618, "WLCS-l": 0.665,
    "SE-Graph": 3.0, "ATTOrderNet": 3.3,
}  # fmt: skip
_DATA = ("documents", "texts", "shares", "window", "words")
_NETS = (*_DATA, "network", "vectors", "vectors_300", "beam", "epochs", "patience")
_TRAINING = "what a network needs beyond its sizes (start of weights, clipping) is not said"

PAPER = Paper(
    title="Evaluating Text Coherence at Sentence and Paragraph Levels (2020)",
    cite="Liu, Zeng, Li: Evaluating Text Coherence at Sentence and Paragraph Levels. LREC 2020",
    needs=(
        Need("arxiv", "arXiv abstracts (documents of one paragraph)", "sotu-spoken"),
        Need("aan", "abstracts of the ACL Anthology Network", "sample"),
        Need("nips", "abstracts of NIPS papers", "sotu-written"),
        Need("sind", "SIND stories of five sentences", "sample-stories"),
        Need("news", "press releases of the US Department of Justice, dated", "sample"),
        Need("statements", "written statements of US presidents, dated", "sotu-written"),
        Need("economist", "articles of the Economist, dated", "sotu-spoken"),
        Need("lyrics", "song lyrics, a line a paragraph"),
        Need("ratings", "ratings of ordered passages: item, judge, rating, metrics", "simulated"),
    ),
    settings={
        "documents": Setting(None, 60, 24, "documents of each corpus used at most; none: all"),
        "texts": Setting(None, 48, 24, "texts of each data set at most; none: all"),
        "shares": Setting("90/5/5", "60/15/25", "50/20/30", "per cent to train, tune and test on"),
        "window": Setting(None, "3-5", "3-4", "units a text is cut to, of stand-ins alone"),
        "words": Setting(None, 40, 20, "words a paragraph is cut to, of stand-ins alone"),
        "network": Setting(None, 16, 4, "size of every layer; none: the paper's"),
        "vectors": Setting(None, None, None, "word vectors of 100 dimensions to start from"),
        "vectors_300": Setting(None, None, None, "word vectors of 300 dimensions"),
        "beam": Setting(32, 2, 2, "beam width"),
        "epochs": Setting(100, 2, 1, "epochs at most"),
        "patience": Setting(5, 2, 1, "epochs without a gain before training ends"),
        "sizes": Setting("1000,3000,5000,8000,10000", "12,24", "8", "Figure 1: training texts"),
        "draws": Setting("20,10,5,5,5", "1,1", "1", "Figure 1: draws of each size"),
        "levels": Setting("0,20,50,80,100", "0,100", "100", "Figure 2: per cent hit"),
        "passages": Setting(40, 40, 12, "Figure 3: simulated passages of each system"),
    },
    reasons={
        "parameters": "the vocabulary, and so most of the parameters, is that of the texts at "
        "hand; without word vectors the paper's sizes do not always add up to its numbers",
    },
    tables={
        "table1": Table(
            "Table 1: the data sets",
            ("data", "quantity", "side"),
            tuple(source.role for source in (*SENTENCE.values(), *PARAGRAPH.values())),
            partial(statistics_table, sources=SENTENCE | PARAGRAPH, published=_STATISTICS),
            (
                "words are counted by spaces here and by the NLTK tokenizer there",
                "texts of one unit are left out, as in the paper",
            ),
            uses=_DATA,
        ),
        "table2": Table(
            "Table 2: PMR and WLCS-l within a data set",
            ("data", "model", "metric"),
            tuple(source.role for source in (*SENTENCE.values(), *PARAGRAPH.values())),
            partial(main, sources=SENTENCE | PARAGRAPH, networks=NETWORKS, published=_TABLE2),
            (
                "WLCS-l as py-rouge computes it, with f(f(n)) in the recall; equation 7 as printed "
                "is something else",
                _TRAINING,
                "Table 2 calls News Press and Economist Journal",
            ),
            uses=_NETS,
        ),
        "table3a": Table(
            "Table 3a: tau across abstracts",
            ("trained on", "model", "tested on"),
            ("arxiv", "aan", "nips"),
            partial(
                cross,
                levels={"sentence": _ABSTRACTS},
                networks=NETWORKS,
                published={"sentence": _TABLE3A},
                metric="tau",
            ),
            (_TRAINING,),
            uses=_NETS,
        ),
        "table3b": Table(
            "Table 3b: Acc across articles, per cent",
            ("trained on", "model", "tested on"),
            ("news", "statements", "economist"),
            partial(
                cross,
                levels={"paragraph": _ARTICLES, "sentence": _INSIDE},
                networks=NETWORKS,
                published=_TABLE3B,
                metric="Acc",
                scale=100,
            ),
            (
                "whether Acc is pooled over units or a mean over texts is not said; pooled here",
                "at sentence level every paragraph is a text; that models are trained so, too, is "
                "our reading",
            ),
            uses=_NETS,
        ),
        "figure1": Table(
            "Figure 1: few training texts",
            ("data", "metric", "model", "texts"),
            ("arxiv", "economist"),
            partial(learning, sources=_CURVES, networks=NETWORKS),
            ("texts are drawn with replacement; dev texts keep their ratio to training texts",),
            uses=(*_NETS, "sizes", "draws"),
        ),
        "figure2": Table(
            "Figure 2: noisy texts",
            ("data", "metric", "model", "per cent hit"),
            ("arxiv", "economist"),
            partial(noise, sources=_CURVES, networks=NETWORKS, published=_FIGURE2),
            (
                "training and test texts are noisy alike; the three kinds of noise are drawn with "
                "equal chances; the advertising lines are ours",
                "removal shortens texts, and short texts score higher by chance",
            ),
            uses=(*_NETS, "levels"),
        ),
        "figure3": Table(
            "Figure 3: human ratings",
            ("quantity",),
            ("ratings",),
            partial(judged, published=_FIGURE3),
            (
                "each judge is correlated with a mean that holds the judge, which flatters: the "
                "mean of the others is given beside",
            ),
            uses=("passages",),
        ),
    },
)
