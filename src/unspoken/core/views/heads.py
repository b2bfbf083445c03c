"""A cloud too large to list, bounded from both sides.

Every channel is a coin whose tails tell nothing (types/channel.py). An adversary who is told, in
addition, which coins showed heads knows more, so for a mean measure (data processing)

    mean_f(Y) <= sum over sets S of P(exactly S shows heads) mean_f(what S shows on heads).

Small sets are listed (the empty one shows nothing: the prior); for the rest the adversary is told
the secret itself. Where the belief knows what shields the target from the rest (a window of a chain
and the two values beside it), telling that bounds every measure from above, too. From below:
whatever a part of the coalition learns. Nothing here adds up pairwise leakages, which bound nothing
(V1, V2 fair, S = V1 xor V2: every pairwise term is 0).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

from unspoken.core.errors import TooLarge
from unspoken.core.numerics.rounding import gamma
from unspoken.core.types.bound import Bound
from unspoken.core.types.domain import Value
from unspoken.core.types.posteriors import Functional, Posteriors
from unspoken.core.types.premise import Premise
from unspoken.core.views.base import BaseView
from unspoken.core.views.finite import FiniteView
from unspoken.core.views.user_functions import concave_sup_refused

__all__ = ["HeadsView"]


@dataclass(frozen=True, repr=False, eq=False)
class HeadsView(BaseView):
    """``parts``: views of parts of the coalition, the first of nobody.

    ``heads``: (probability, view) of each listed set of coins showing heads; with probability
    ``rest`` it is another set of the ``coins`` that is not empty. ``above``: views of somebody who
    is told more, the secret itself first, then what shields it from what is not listed.
    """

    parts: Sequence[FiniteView]
    heads: Sequence[tuple[float, FiniteView]]
    rest: float
    coins: int
    above: Sequence[FiniteView]
    premise: Premise

    @property
    def prior_known(self) -> bool:
        return True

    @property
    def events(self) -> list[tuple[Value, ...]]:
        return self.above[0].events

    def _worst(self, f: Functional) -> None:
        """Nobody has listed the outcomes."""

    def samples(self) -> Iterator[Posteriors]:
        """What parts of the coalition learn, and what it would if it were told more."""
        views = [*self.parts, *(view for _, view in self.heads), *self.above]
        return (view.posteriors for view in views)

    def outcomes(self) -> NoReturn:
        """Refused: nobody has listed them."""
        raise TooLarge(
            f"outcomes about {self.above[0].target}: more than can be listed, or than this belief "
            "knows jointly; name fewer in sees, or give a Joint"
        )

    def _sup(self, f: Functional) -> Bound:
        """Some answer may be as telling as the secret itself, unless something shields it."""
        if f.curvature != "convex":
            raise concave_sup_refused()
        why = f"{self._at_least()}; at most: {self._at_most()}"
        below = [part.sup(f) for part in self.parts]
        above = [view.sup(f) for view in self.above]
        ends, outer = (
            (max(bound.low for bound in lows), min(bound.high for bound in highs))
            for lows, highs in ((below, above), (_outward(below), _outward(above)))
        )
        asked = outer if f.outer else None
        return Bound.rounded((ends[0], max(ends)), asked, self.premise, why)

    def _mean(self, f: Functional) -> Bound:
        if f.curvature == "concave":
            return self._mean_of_concave(f)
        above = [view.mean(f) for view in self.above]
        heads = [view.mean(f) for _, view in self.heads]
        parts = [part.mean(f) for part in self.parts]
        by_sets = self._by_sets(above, heads, parts)
        low = max(part.low for part in parts)
        high = max(low, min(*(view.high for view in above), by_sets + 1e-12 * abs(by_sets)))
        shielded = f", or {self._at_most()}" if len(above) > 1 else ""
        why = f"{self._at_least()}; at most: told which coins showed heads{shielded}"
        outer = self._outer(above, heads, parts) if f.outer else None
        return Bound.rounded((low, high), outer, self.premise, why)

    def _mean_of_concave(self, f: Functional) -> Bound:
        """Who learns more has a smaller mean of f, so that the ends change places.

        That of -f is the largest over contexts, so the least of f, which no context's is below.
        """
        least = -self._mean(f.negative).outward().high
        low = max(least, *(view.mean(f).outward().low for view in self.above))
        high = min(part.mean(f).outward().high for part in self.parts)
        why = (
            f"not every outcome can be listed; at most: the best of {len(self.parts)} parts; at "
            f"least: told which coins showed heads, or {self._at_most()}"
        )
        return Bound(min(low, high), high, "nat", self.premise, why)

    def _outer(
        self, above: Sequence[Bound], heads: Sequence[Bound], parts: Sequence[Bound]
    ) -> tuple[float, float]:
        # A share is a product of p and 1 - p of n coins; all that these leave is 4 n u at most,
        # since the shares of all sets add up to 1, and as much is the secret's, at most.
        above, heads, parts = (_outward(bounds) for bounds in (above, heads, parts))
        high = self._by_sets(above, heads, parts)
        off = gamma(4.0 * (len(heads) + self.coins + 4.0)) * (abs(high) + abs(above[0].high))
        return max(part.low for part in parts), min(*(view.high for view in above), high + off)

    def _by_sets(
        self, above: Sequence[Bound], heads: Sequence[Bound], parts: Sequence[Bound]
    ) -> float:
        """The mean of somebody who is told which coins showed heads, at most."""
        silent = max(0.0, 1.0 - math.fsum([self.rest, *(share for share, _ in self.heads)]))
        highs = [leakage.high for leakage in (*heads, parts[0], above[0])]
        shares = [*(share for share, _ in self.heads), silent, self.rest]
        # An infinite value of what never happens counts for nothing.
        parts_of_mean = [p * high for p, high in zip(shares, highs, strict=True) if p > 0]
        return math.fsum(parts_of_mean)

    def facts(self) -> list[tuple[str, str]]:
        above = f"{len(self.heads)} sets of coins, the rest has mass {self.rest:.4g}"
        return [
            ("about", self.above[0].target),
            ("from below", f"{len(self.parts)} parts of the coalition"),
            ("from above", f"{above}; {self._at_most()}"),
            ("premise", str(self.premise)),
        ]

    def _at_most(self) -> str:
        return "the secret itself" if len(self.above) == 1 else "what shields it from the rest"

    def _at_least(self) -> str:
        return f"not every outcome can be listed; at least: the best of {len(self.parts)} parts"


def _outward(bounds: Sequence[Bound]) -> list[Bound]:
    return [bound.outward() for bound in bounds]
