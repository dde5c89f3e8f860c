"""Human verification of items (Sharma et al. 2018, section 5): keep those all raters agree on."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

from fabula.errors import InputError, UsageError
from fabula.text.io.records import read_records

__all__ = ["Rated", "Verified", "read_ratings", "verify"]


@dataclass(frozen=True, slots=True)
class Rated:
    """The ratings of one item: 1 makes sense, -1 does not make sense at the end, 0 else."""

    id: str
    right: tuple[int, ...]
    wrong: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Verified:
    """The items kept, why others were dropped, and the agreement between raters."""

    kept: tuple[str, ...]
    dropped: Mapping[str, str]
    agreement: float  # of two raters on a story, on average
    kappa: float  # Fleiss (1971): agreement corrected for chance
    stories: int
    reasons: Mapping[str, int] = field(default_factory=dict)

    def to_row(self) -> dict[str, Any]:
        return {
            "items": len(self.kept) + len(self.dropped),
            "kept": list(self.kept),
            "dropped": dict(self.dropped),
            "reasons": dict(self.reasons),
            "stories": self.stories,
            "agreement": self.agreement,
            "kappa": self.kappa,
        }


def verify(rated: Sequence[Rated], *, raters: int = 3) -> Verified:
    """Keep an item only if every rater gave 1 to the right story and -1 to the wrong one.

    >>> verify([Rated("a", (1, 1, 1), (-1, -1, -1)), Rated("b", (1, 1, 0), (-1, -1, -1))]).kept
    ('a',)
    """
    if not rated:
        raise UsageError("there are no ratings")
    if raters < 1:
        raise UsageError(f"raters must be 1 or more, not {raters}")
    kept, dropped = [], {}
    for item in rated:
        why = _why_not(item, raters)
        if why is None:
            kept.append(item.id)
        else:
            dropped[item.id] = why
    stories = [ratings for item in rated for ratings in (item.right, item.wrong) if ratings]
    agreement, kappa = _fleiss(stories)
    return Verified(tuple(kept), dropped, agreement, kappa, len(stories), Counter(dropped.values()))


def _why_not(item: Rated, raters: int) -> str | None:
    if len(item.right) < raters or len(item.wrong) < raters:
        return f"fewer than {raters} ratings"
    if any(rating != 1 for rating in item.right):
        return "the right ending is doubted"
    if any(rating != -1 for rating in item.wrong):
        return "the wrong ending is not plainly wrong"
    return None


def _fleiss(stories: Sequence[tuple[int, ...]]) -> tuple[float, float]:
    """Mean pairwise agreement and Fleiss's kappa (1971); stories with one rating do not count."""
    several = [ratings for ratings in stories if len(ratings) > 1]
    if not several:
        return float("nan"), float("nan")
    agreed, marks = 0.0, Counter[int]()
    for ratings in several:
        n, counts = len(ratings), Counter(ratings)
        agreed += sum(c * (c - 1) for c in counts.values()) / (n * (n - 1))
        marks.update(counts)
    agreement = agreed / len(several)
    total = marks.total()
    chance = sum((count / total) ** 2 for count in marks.values())
    return agreement, 1.0 if chance == 1 else (agreement - chance) / (1 - chance)


def read_ratings(path: str | PathLike[str]) -> list[Rated]:
    """Rows ``id, ending (right or wrong), rater, rating`` or ``id, right: [..], wrong: [..]``."""
    right: defaultdict[str, list[int]] = defaultdict(list)
    wrong: defaultdict[str, list[int]] = defaultdict(list)
    seen: set[tuple[str, str, str]] = set()
    for record in read_records(path):
        row = record.data
        try:
            name = str(row["id"])
            if "ending" not in row:
                right[name] += [_rating(value) for value in row["right"]]
                wrong[name] += [_rating(value) for value in row["wrong"]]
                continue
            side = str(row["ending"]).strip().lower()
            if side not in ("right", "wrong"):
                raise ValueError(f"'ending' must be right or wrong; it is {row['ending']!r}")
            who = str(row.get("rater", ""))
            if who and (name, side, who) in seen:
                raise ValueError(f"rater {who!r} rated the {side} ending of {name!r} twice")
            seen.add((name, side, who))
            (right if side == "right" else wrong)[name].append(_rating(row["rating"]))
            (wrong if side == "right" else right)[name] += []
        except (KeyError, TypeError, ValueError) as error:
            problem = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            raise InputError(problem, path=path, line=record.line) from error
    return [Rated(name, tuple(right[name]), tuple(wrong[name])) for name in right]


def _rating(value: Any) -> int:
    text = str(value).strip().lstrip("+")
    if text not in ("1", "0", "-1", "1.0", "0.0", "-1.0"):
        raise ValueError(f"a rating must be 1, 0 or -1; it is {value!r}")
    return int(float(text))
