"""What key columns that no context declares would tell: measured, for the holder.

Keys stand in every released file. Given each value of a key (or its weekday, month or hour), or of
two of these together, the odds are those of the rows that have it; only answers that LEAST rows
give are looked at, and only what is more than chance would show, and more than one of the two shows
by itself. So it is an estimate, and no bound.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from unspoken.assessment.findings import readers
from unspoken.assessment.leaks import Leak
from unspoken.core.adversary import Adversary
from unspoken.core.mechanisms import Mechanism, OneSided
from unspoken.core.numerics.arrays import Array
from unspoken.core.types.bound import Estimate, exp_or_inf
from unspoken.core.views import FiniteView
from unspoken.tables.learning import ContextCounts, Learned
from unspoken.tables.learning.by_key import ByKey, by_key
from unspoken.workflows.release.preparing import Prepared

__all__ = ["LEAST", "Undeclared", "undeclared"]

LEAST = 100  # rows that give an answer
TINY = float(np.finfo(np.float64).tiny)
CHANCE = 0.01  # that any of the answers looked at, given one key, is there by chance


@dataclass(frozen=True)
class Undeclared:
    """What is ``given`` of the keys is known: ``odds`` of the most telling frequent answer, and the
    share of all rows that give it; ``without`` the keys.
    """

    given: Mapping[str, str]
    who: str
    about: str
    odds: Estimate
    share: float
    without: Leak


def undeclared(
    ready: Prepared, without: Sequence[Leak], mechanism: Mechanism | None = None
) -> tuple[Undeclared, ...]:
    """Of each key, and of each two, what tells the most more than ``without``; the worst first.

    ``mechanism``: what is released; None: everything that is not sensitive.
    """
    learned = ready.learned
    mechanism = mechanism or OneSided(
        dict.fromkeys(ready.project.reads, math.inf), learned.sensitive
    )
    if learned.tree is not None or not without:
        return ()
    alone: defaultdict[str, dict[tuple[str, str], float]] = defaultdict(dict)
    found, all_readers = [], readers(ready.project)
    without = [leak for leak in without if leak.who in all_readers]  # and knows nothing beside
    for by in by_key(ready.project, ready.table, learned, LEAST):
        entries = list(_more(by, mechanism, learned, without, alone))
        if len(by.parts) == 1:
            alone[by.parts[0]] = {(e.who, e.about): math.log(e.odds.value) for e in entries}
        if entries and not by.declared:
            found.append(max(entries, key=lambda entry: entry.odds.value))
    return tuple(sorted(found, key=lambda entry: -entry.odds.value))


def _more(
    by: ByKey,
    mechanism: Mechanism,
    learned: Learned,
    without: Sequence[Leak],
    alone: Mapping[str, Mapping[tuple[str, str], float]],
) -> Iterator[Undeclared]:
    """What tells more than without it, and than each part ``alone`` tells the same reader."""
    why = f"the largest factor of an answer of {LEAST} rows or more, where it is not by chance"
    for leak in without:
        looks = Adversary(
            leak.about,
            secret=learned.sensitive[leak.about],
            sees=leak.reads,
            knows=(by.given.name,),
        )
        view = mechanism.view(by.given.belief, looks)
        least = max(
            leak.odds.nats, *(alone[part].get((leak.who, leak.about), 0.0) for part in by.parts)
        )
        if not isinstance(view, FiniteView):
            continue
        worst = _worst(view, by.given, least, CHANCE / len(without))
        if worst is not None:
            value, odds, share = worst
            said = dict(zip(by.parts, by.values[value], strict=True))
            about = leak.who, leak.about, Estimate(odds, "odds", why), share / learned.rows
            yield Undeclared(said, *about, leak)


def _worst(
    view: FiniteView, given: ContextCounts, least: float, chance: float
) -> tuple[str, float, float] | None:
    """The value of the key, the factor, and the rows that give the answer with the largest one.

    Of answers of LEAST rows whose log factor is above ``least`` by more than ``chance``. Of the n
    rows of an answer a share q has the secret; of those of the value of the key, A have it and B
    have not, half a row added to each. If no factor were above ``least``, the share would be

        log q0 / (1 - q0) = least + log A / B + z sqrt(1/A + 1/B)

    at most but for half of that chance, and the n rows would show q > q0 with exp(-n KL(q || q0))
    at most (Chernoff), which all the answers looked at share the other half of. A standard error
    of log (a B / b A) would not do: it is infinite where all rows of the answer have the secret.
    """
    values = [str(context[given.name]) for context in view.contexts]
    total = np.array([[given.rows[value]] for value in values], np.float64)
    answered, after = total * view.lifts.mass, view.posteriors
    events = list(after.events())
    looked_at = answered >= LEAST
    looks = max(1, int(looked_at.sum()) * len(events))
    z = NormalDist().inv_cdf(1 - chance / 2 / looks)
    found: list[tuple[float, str, float]] = []
    for event in events:
        secret = total * after.prior[..., event].sum(-1)
        a, b = secret + 0.5, np.maximum(total - secret, 0.0) + 0.5
        most = 1 / (1 + b / a * np.exp(-least - z * np.sqrt(1 / a + 1 / b)))
        share = np.where(looked_at, after.posterior[..., event].sum(-1), 0.0)
        needed = math.log(2 * looks / chance)
        sure = looked_at & (share > most) & (answered * _divergence(share, most) > needed)
        factor = np.where(sure, after.log_odds_factor(event), -np.inf)
        k, y = np.unravel_index(int(factor.argmax()), factor.shape)
        if factor[k, y] > least:
            found.append((float(factor[k, y]), values[int(k)], float(answered[k, y])))
    if not found:
        return None
    log, value, rows = max(found)
    return value, exp_or_inf(log), rows


def _divergence(q: Array, p: Array) -> Array:
    """KL(q || p) of two coins, in nats; a p that was rounded to 1 is the double below."""
    p = np.minimum(p, 1 - 2.0**-53)
    first = q * np.log(np.maximum(q, TINY) / np.maximum(p, TINY))
    rest = np.maximum(1 - q, 0.0)
    return np.asarray(first + rest * np.log(np.maximum(rest, TINY) / (1 - p)))
