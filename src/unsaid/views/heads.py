"""A cloud too large to list, bounded from both sides.

Every channel is a coin whose tails tell nothing (types/channel.py). An adversary who is told, in
addition, which coins showed heads knows more, so for a mean measure (data processing)

    mean_f(Y) <= sum over sets S of P(exactly S shows heads) mean_f(what S shows on heads).

Small sets are listed; for the rest the adversary is told the secret itself. From below: whatever a
part of the coalition learns. Nothing here adds up pairwise leakages, which bound nothing
(V1, V2 fair, S = V1 xor V2: every pairwise term is 0).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from unsaid.display import Shown
from unsaid.errors import TooLarge
from unsaid.types.bound import Bound, Premise
from unsaid.types.domain import Value
from unsaid.views.finite import FiniteView
from unsaid.views.view import Convex

__all__ = ["HeadsView"]


@dataclass(frozen=True, repr=False)
class HeadsView(Shown):
    """``parts``: views of parts of the coalition. ``heads``: (probability, view) of each listed set

    of coins showing heads; with probability ``rest`` it is another set, and ``revealed`` is the
    view of somebody told the secret.
    """

    parts: Sequence[FiniteView]
    heads: Sequence[tuple[float, FiniteView]]
    rest: float
    revealed: FiniteView
    premise: Premise

    @property
    def events(self) -> list[tuple[Value, ...]]:
        return self.revealed.events

    def worst(self, f: Convex) -> None:
        """Nobody has listed the outcomes."""

    def outcomes(self) -> NoReturn:
        """Refused: nobody has listed them."""
        raise TooLarge(
            f"outcomes about {self.revealed.target}: more than can be listed, or than this belief "
            "knows jointly; name fewer in sees, or give a Joint"
        )

    def sup(self, f: Convex) -> Bound:
        """Some answer may be as telling as the secret itself: only the ceiling is certain."""
        low = max(part.sup(f).low for part in self.parts)
        high = max(low, self.revealed.sup(f).high)
        return Bound(low, high, "nat", self.premise, f"{self._found()}; at most: the secret itself")

    def mean(self, f: Convex) -> Bound:
        ceiling = self.revealed.mean(f).high
        listed = math.fsum(share * view.mean(f).high for share, view in self.heads)
        low = max(part.mean(f).low for part in self.parts)
        high = max(low, min(ceiling, (listed + self.rest * ceiling) * (1 + 1e-12)))
        why = f"{self._found()}; at most: told which coins showed heads"
        return Bound(low, high, "nat", self.premise, why)

    def facts(self) -> list[tuple[str, str]]:
        return [
            ("about", self.revealed.target),
            ("from below", f"{len(self.parts)} parts of the coalition"),
            ("from above", f"{len(self.heads)} sets of coins, the rest has mass {self.rest:.4g}"),
            ("premise", str(self.premise)),
        ]

    def _found(self) -> str:
        return f"not every outcome can be listed; at least: the best of {len(self.parts)} parts"
