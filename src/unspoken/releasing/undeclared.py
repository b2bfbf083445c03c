"""What one more key column would tell that no context declares: measured, for the holder.

Keys stand in every released file. Given each value of a key (or its weekday, month or hour) the
odds are those of the rows that have it; only answers that LEAST rows give are looked at, and only
what is more than chance would show. So it is an estimate, and no bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from unspoken.adversary import Adversary
from unspoken.learning import Given
from unspoken.learning.by_key import by_key
from unspoken.mechanisms import Mechanism, OneSided
from unspoken.releasing.assessing.leaks import Leak
from unspoken.releasing.preparing import Prepared
from unspoken.types.bound import Estimate, exp_or_inf
from unspoken.views import FiniteView

__all__ = ["LEAST", "Undeclared", "undeclared"]

LEAST = 100  # rows that give an answer
SURE = 3.0  # standard errors, since many answers are looked at


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
    """What tells more than without it."""
    why = f"the largest factor of an answer of {LEAST} rows or more, where it is not by chance"
    for leak in without:
        looks = Adversary(
            leak.about, secret=secrets[leak.about], sees=leak.reads, knows=(given.name,)
        )
        view = mechanism.view(given.belief, looks)
        worst = _worst(view, given, leak.odds.nats) if isinstance(view, FiniteView) else None
        if worst is not None:
            value, odds, share = worst
            about = leak.who, leak.about, Estimate(odds, "odds", why), share / rows
            yield Undeclared(given.name, value, *about, leak)


def _worst(view: FiniteView, given: Given, least: float) -> tuple[str, float, float] | None:
    """The value of the key, the factor, and the rows that give the answer with the largest one.

    Of answers of LEAST rows whose log factor is above ``least`` by more than chance: with a and b
    rows of the answer that have the secret and have not, A and B of the value of the key,

        log (a B / b A) - SURE sqrt(1/a + 1/b + 1/A + 1/B)  >  least,    half a row added to each.
    """
    values = [str(context[given.name]) for context in view.contexts]
    total = np.array([[given.rows[value]] for value in values], np.float64)
    answered, after = total * view.lifts.mass, view.posteriors
    found: list[tuple[float, str, float]] = []
    for event in after.events():
        secret = total * after.prior[..., event].sum(-1)
        inside = answered * after.posterior[..., event].sum(-1)
        counts = [n + 0.5 for n in (inside, answered - inside, secret, total - secret)]
        a, b, all_a, all_b = (np.maximum(n, 0.5) for n in counts)
        chance = SURE * np.sqrt(1 / a + 1 / b + 1 / all_a + 1 / all_b)
        sure = np.log(a * all_b / (b * all_a)) - chance > least
        factor = np.where(sure & (answered >= LEAST), after.log_odds_factor(event), -np.inf)
        k, y = np.unravel_index(int(factor.argmax()), factor.shape)
        if factor[k, y] > least:
            found.append((float(factor[k, y]), values[int(k)], float(answered[k, y])))
    if not found:
        return None
    log, value, share = max(found)
    return value, exp_or_inf(log), share
