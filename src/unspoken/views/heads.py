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
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from unspoken.display import Shown
from unspoken.errors import TooLarge
from unspoken.numerics.rounding import gamma
from unspoken.types.bound import Bound
from unspoken.types.domain import Value
from unspoken.types.posteriors import Functional
from unspoken.types.premise import Premise
from unspoken.views.finite import FiniteView
from unspoken.views.view import Convex

__all__ = ["HeadsView"]


@dataclass(frozen=True, repr=False)
class HeadsView(Shown):
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

    def worst(self, f: Convex) -> None:
        """Nobody has listed the outcomes."""

    def outcomes(self) -> NoReturn:
        """Refused: nobody has listed them."""
        raise TooLarge(
            f"outcomes about {self.above[0].target}: more than can be listed, or than this belief "
            "knows jointly; name fewer in sees, or give a Joint"
        )

    def sup(self, f: Convex) -> Bound:
        """Some answer may be as telling as the secret itself, unless something shields it."""
        why = f"{self._at_least()}; at most: {self._at_most()}"
        below = [part.sup(f) for part in self.parts]
        above = [view.sup(f) for view in self.above]
        ends, outer = (
            (max(bound.low for bound in lows), min(bound.high for bound in highs))
            for lows, highs in ((below, above), (_outward(below), _outward(above)))
        )
        asked = outer if Functional.of(f).outer else None
        return Bound.rounded((ends[0], max(ends)), asked, self.premise, why)

    def mean(self, f: Convex) -> Bound:
        above = [view.mean(f) for view in self.above]
        heads = [view.mean(f) for _, view in self.heads]
        parts = [part.mean(f) for part in self.parts]
        by_sets = self._by_sets(above, heads, parts)
        low = max(part.low for part in parts)
        high = max(low, min(*(view.high for view in above), by_sets + 1e-12 * abs(by_sets)))
        shielded = f", or {self._at_most()}" if len(above) > 1 else ""
        why = f"{self._at_least()}; at most: told which coins showed heads{shielded}"
        outer = self._outer(above, heads, parts) if Functional.of(f).outer else None
        return Bound.rounded((low, high), outer, self.premise, why)

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
        shares = [
            share * leakage.high for (share, _), leakage in zip(self.heads, heads, strict=True)
        ]
        return math.fsum([*shares, silent * parts[0].high, self.rest * above[0].high])

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
