"""Universal Dependencies as ClearNLP's labels, so that one set of rules reads both.

In UD a preposition hangs from its noun and a copula from its predicate; in ClearNLP it is the
other way round. Labels that neither knows are left as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

from fabula.text.lexicon import NEGATION_PARTICLES

__all__ = ["is_universal", "to_clearnlp"]

_SAME = {
    "root": "ROOT", "obj": "dobj", "iobj": "dative", "nsubj:pass": "nsubjpass",
    "csubj:pass": "csubjpass", "aux:pass": "auxpass", "acl:relcl": "relcl", "nmod:poss": "poss",
    "compound:prt": "prt", "det:predet": "predet", "cc:preconj": "preconj", "nsubj:outer": "nsubj",
    "advmod:neg": "neg", "nsubj:xsubj": "nsubj", "obl:tmod": "npadvmod", "nmod:tmod": "npadvmod",
    "obl:npmod": "npadvmod", "nmod:npmod": "npadvmod", "obl:unmarked": "npadvmod",
}  # fmt: skip
_MARKS = frozenset(
    """root obj obl case cop nmod acl:relcl nsubj:pass aux:pass compound:prt flat fixed
    nmod:poss obl:agent iobj""".split()
)
_MOVED = frozenset(
    """nsubj nsubjpass aux auxpass mark advmod neg cc punct expl csubj obl advcl prep
    parataxis conj""".split()
)


def is_universal(labels: Sequence[str]) -> bool:
    """Whether labels are of Universal Dependencies: ClearNLP has none of its own."""
    return bool(set(labels) & (_MARKS - {"case", "nmod", "root"}))


def to_clearnlp(
    words: Sequence[str], tags: Sequence[str], heads: Sequence[int], labels: Sequence[str]
) -> tuple[list[int], list[str]]:
    """Heads and labels in ClearNLP's manner; ClearNLP's own come back unchanged."""
    new_heads = list(heads)
    if not is_universal(labels):
        return new_heads, ["ROOT" if label == "root" else label for label in labels]
    new = [_SAME.get(label, label) for label in labels]
    new = ["neg" if w.lower() in NEGATION_PARTICLES else x for w, x in zip(words, new, strict=True)]
    children: list[list[int]] = [[] for _ in words]
    for token, head in enumerate(heads):
        if head != token:
            children[head].append(token)
    for token, label in enumerate(labels):
        base = label.split(":")[0]
        if base in ("obl", "nmod") and new[token] not in ("poss", "npadvmod"):
            _turn_case(token, label, children, labels, new_heads, new)
        if base == "flat":
            new[token] = "compound"
        if label == "cop":
            _turn_copula(token, heads[token], tags, children, new_heads, new)
    return new_heads, new


def _turn_case(
    noun: int,
    label: str,
    children: list[list[int]],
    labels: Sequence[str],
    heads: list[int],
    new: list[str],
) -> None:
    """The preposition comes between the verb and the noun: "in" < "lived", "Rome" < "in"."""
    cases = [child for child in children[noun] if labels[child] == "case"]
    if not cases:
        new[noun] = "npadvmod"
        return
    first = cases[0]
    heads[first], new[first] = heads[noun], "agent" if label.endswith(":agent") else "prep"
    inner = first
    fixed = [child for child in children[first] if labels[child] == "fixed"]
    for further in sorted([*cases[1:], *fixed]):  # "out of", "because of"
        heads[further], new[further] = inner, "prep"
        inner = further
    heads[noun], new[noun] = inner, "pobj"


def _turn_copula(
    copula: int,
    predicate: int,
    tags: Sequence[str],
    children: list[list[int]],
    heads: list[int],
    new: list[str],
) -> None:
    """The copula takes the predicate's place and all that belongs to the clause."""
    heads[copula] = copula if heads[predicate] == predicate else heads[predicate]
    new[copula] = new[predicate]
    heads[predicate] = copula
    new[predicate] = "acomp" if tags[predicate].startswith("JJ") else "attr"
    for child in children[predicate]:
        if child != copula and heads[child] == predicate and new[child] in _MOVED:
            heads[child] = copula
