"""Conversion of Universal Dependencies to ClearNLP labels, so that one set of rules reads both.

In UD a preposition depends on its noun and a copula on its predicate; in ClearNLP it is the
other way round. Unknown labels are unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence

from fabula.text.lexicon import NEGATION_PARTICLES

__all__ = ["is_universal", "to_clearnlp"]

_CLEARNLP_LABEL = {
    "root": "ROOT", "obj": "dobj", "iobj": "dative", "nsubj:pass": "nsubjpass",
    "csubj:pass": "csubjpass", "aux:pass": "auxpass", "acl:relcl": "relcl", "nmod:poss": "poss",
    "compound:prt": "prt", "det:predet": "predet", "cc:preconj": "preconj", "nsubj:outer": "nsubj",
    "advmod:neg": "neg", "nsubj:xsubj": "nsubj", "obl:tmod": "npadvmod", "nmod:tmod": "npadvmod",
    "obl:npmod": "npadvmod", "nmod:npmod": "npadvmod", "obl:unmarked": "npadvmod",
}  # fmt: skip
_UD_ONLY = frozenset(
    """root obj obl case cop nmod acl:relcl nsubj:pass aux:pass compound:prt flat fixed
    nmod:poss obl:agent iobj""".split()
)
_CLAUSE_LABELS = frozenset(
    """nsubj nsubjpass aux auxpass mark advmod neg cc punct expl csubj obl advcl prep
    parataxis conj""".split()
)


def is_universal(labels: Sequence[str]) -> bool:
    """Whether any label occurs in Universal Dependencies only."""
    return bool(set(labels) & (_UD_ONLY - {"case", "nmod", "root"}))


def to_clearnlp(
    words: Sequence[str], tags: Sequence[str], heads: Sequence[int], labels: Sequence[str]
) -> tuple[list[int], list[str]]:
    """Heads and labels by ClearNLP's conventions; ClearNLP input is returned unchanged."""
    new_heads = list(heads)
    if not is_universal(labels):
        return new_heads, ["ROOT" if label == "root" else label for label in labels]
    new_labels = [_CLEARNLP_LABEL.get(label, label) for label in labels]
    new_labels = [
        "neg" if w.lower() in NEGATION_PARTICLES else x
        for w, x in zip(words, new_labels, strict=True)
    ]
    children: list[list[int]] = [[] for _ in words]
    for token, head in enumerate(heads):
        if head != token:
            children[head].append(token)
    for token, label in enumerate(labels):
        base = label.split(":")[0]
        if base in ("obl", "nmod") and new_labels[token] not in ("poss", "npadvmod"):
            _invert_case(token, label, children, labels, new_heads, new_labels)
        if base == "flat":
            new_labels[token] = "compound"
        if label == "cop":
            _invert_copula(token, heads[token], tags, children, new_heads, new_labels)
    return new_heads, new_labels


def _invert_case(
    noun: int,
    label: str,
    children: list[list[int]],
    labels: Sequence[str],
    heads: list[int],
    new_labels: list[str],
) -> None:
    """Make the preposition the noun's head: "in" depends on "lived", "Rome" on "in"."""
    cases = [child for child in children[noun] if labels[child] == "case"]
    if not cases:
        new_labels[noun] = "npadvmod"
        return
    first = cases[0]
    heads[first], new_labels[first] = heads[noun], "agent" if label.endswith(":agent") else "prep"
    inner = first
    fixed = [child for child in children[first] if labels[child] == "fixed"]
    for further in sorted([*cases[1:], *fixed]):  # "out of", "because of"
        heads[further], new_labels[further] = inner, "prep"
        inner = further
    heads[noun], new_labels[noun] = inner, "pobj"


def _invert_copula(
    copula: int,
    predicate: int,
    tags: Sequence[str],
    children: list[list[int]],
    heads: list[int],
    new_labels: list[str],
) -> None:
    """Make the copula the head of the predicate and of the clause's other dependents."""
    heads[copula] = copula if heads[predicate] == predicate else heads[predicate]
    new_labels[copula] = new_labels[predicate]
    heads[predicate] = copula
    new_labels[predicate] = "acomp" if tags[predicate].startswith("JJ") else "attr"
    for child in children[predicate]:
        if child != copula and heads[child] == predicate and new_labels[child] in _CLAUSE_LABELS:
            heads[child] = copula
