"""A cloud known only by how far any answer can move likelihoods apart: at most a factor e^E.

The posteriors that this allows form a polytope, {q : q_a / pi_a <= e^E q_b / pi_b for all a, b};
its corners have lifts with two values, e^E apart. A quasi-convex function is largest at a corner.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

from unspoken.core.errors import TooLarge
from unspoken.core.types.bound import Bound
from unspoken.core.types.domain import Value
from unspoken.core.types.posteriors import Functional, Posteriors
from unspoken.core.views.base import BaseView
from unspoken.core.views.finite import FiniteView
from unspoken.core.views.user_functions import concave_sup_refused

__all__ = ["BandView"]


@dataclass(frozen=True, repr=False, eq=False)
class BandView(BaseView):
    """``corners``: the extreme posteriors; ``parts``: what some of the outputs already tell, the
    first of them none; ``above``: the view of somebody told the secret itself.
    """

    corners: FiniteView
    parts: Sequence[BaseView]
    above: FiniteView
    ratio: float

    prior_known = True

    @property
    def events(self) -> list[tuple[Value, ...]]:
        return self.corners.events

    def _worst(self, f: Functional) -> None:
        """Nobody has listed the outcomes."""

    def samples(self) -> Iterator[Posteriors]:
        """The corners, what some answers tell, and the secret itself."""
        for view in (*self.parts, self.corners, self.above):
            yield from view.samples()

    def outcomes(self) -> NoReturn:
        """Refused: nobody has listed them."""
        raise TooLarge(f"answers about {self.corners.target}: more than can be listed; see fewer")

    def _sup(self, f: Functional) -> Bound:
        if f.curvature != "convex":
            raise concave_sup_refused()
        return self._between(f, [part.sup(f) for part in self.parts], [self.corners.sup(f)])

    def _mean(self, f: Functional) -> Bound:
        """A mean is at most the largest value, and at most that of whoever knows the secret."""
        if f.curvature == "concave":
            return self._mean_of_concave(f)
        above = [self.corners.sup(f), self.above.mean(f)]
        return self._between(f, [part.mean(f) for part in self.parts], above)

    def _mean_of_concave(self, f: Functional) -> Bound:
        """At least the least value, which is at a corner, and that of whoever knows the secret."""
        low = max(-self.corners.sup(f.negative).outward().high, self.above.mean(f).outward().low)
        high = min(part.mean(f).outward().high for part in self.parts)
        why = (
            f"the answers cannot be listed; at most: the best of {len(self.parts) - 1} alone; "
            f"at least: likelihoods {self.ratio:.4g} nat apart"
        )
        return Bound(min(low, high), high, "nat", self.corners.premise, why)

    def facts(self) -> list[tuple[str, str]]:
        return [
            ("about", self.corners.target),
            ("from above", f"no answer moves likelihoods further apart than {self.ratio:.4g} nat"),
            ("from below", f"{len(self.parts) - 1} of the answers alone"),
            ("premise", str(self.corners.premise)),
        ]

    def _between(self, f: Functional, parts: Sequence[Bound], above: Sequence[Bound]) -> Bound:
        why = (
            f"the answers cannot be listed; at least: the best of {len(parts) - 1} alone; "
            f"at most: likelihoods {self.ratio:.4g} nat apart"
        )
        low, high = max(part.low for part in parts), min(each.high for each in above)
        outer = None
        if f.outer:
            outer = (
                max(part.outward().low for part in parts),
                min(each.outward().high for each in above),
            )
        return Bound.rounded((min(low, high), high), outer, self.corners.premise, why)
