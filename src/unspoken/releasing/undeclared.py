"""What one more key column would tell that no context declares: measured, for the holder.

Keys stand in every released file. Given each value of a key (or its weekday, month or hour) the
odds are those of the rows that have it; only answers that LEAST rows give are looked at, so that
what a few rows show by chance is not taken for what is told. So it is an estimate, and no bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from unspoken.adversary import Adversary
from unspoken.learning import Given, by_key
from unspoken.measures import MEASURES
from unspoken.mechanisms import Mechanism, OneSided
from unspoken.releasing.flow import Prepared
from unspoken.releasing.leaks import Leak, most_telling
from unspoken.types.bound import Estimate
from unspoken.views import FiniteView

__all__ = ["LEAST", "Undeclared", "undeclared"]

LEAST = 100  # rows that give an answer


@dataclass(frozen=True)
class Undeclared:
    """``value`` of a ``key`` is known: ``odds`` of the most telling frequent answer, and the share

    of all rows that give it; ``without`` the key.
    """

    key: str
    value: str
    who: str
    about: str
    odds: Estimate
    share: float
    without: Leak


def undeclared(
    ready: Prepared, without: Sequence[Leak], mechanism: Mechanism | None = None
) -> tuple[Undeclared, ...]:
    """Of each key what tells the most more than ``without`` it, the largest odds first.

    ``mechanism``: what is released; None: everything that is not sensitive.
    """
    learned = ready.learned
    mechanism = mechanism or OneSided(
        dict.fromkeys(ready.project.reads, math.inf), learned.sensitive
    )
    if learned.tree is not None or not without:
        return ()
    given = by_key(ready.project, ready.table, learned, LEAST)
    worst = [
        max(found, key=lambda entry: entry.odds.value)
        for each in given.values()
        if (found := list(_more(each, mechanism, learned.sensitive, without, learned.rows)))
    ]
    return tuple(sorted(worst, key=lambda entry: -entry.odds.value))


def _more(
    given: Given,
    mechanism: Mechanism,
    secrets: Mapping[str, Sequence[str]],
    without: Sequence[Leak],
    rows: int,
) -> Iterator[Undeclared]:
    """What tells more than without."""
    least = {value: LEAST / each for value, each in given.rows.items()}
    for leak in without:
        looks = Adversary(
            leak.about, secret=secrets[leak.about], sees=leak.reads, knows=(given.name,)
        )
        view = mechanism.view(given.belief, looks)
        often = view.often(least, given.name) if isinstance(view, FiniteView) else None
        answer = None if often is None else most_telling(often)
        if often is None or answer is None:
            continue
        odds = MEASURES["odds"].of(often).odds
        if odds > leak.odds.odds:
            value = str(answer.known[given.name])
            why = f"the largest factor of an answer that {LEAST} rows give, as they are"
            share = answer.mass * given.rows[value] / rows
            yield Undeclared(
                given.name, value, leak.who, leak.about, Estimate(odds, "odds", why), share, leak
            )
