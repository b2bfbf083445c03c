"""The views of finitely many beliefs, any of which may be true: the worst of them counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from unspoken.core.display import Shown
from unspoken.core.errors import NotKnown
from unspoken.core.types.bound import Bound
from unspoken.core.types.domain import Value
from unspoken.core.types.premise import weakest
from unspoken.core.views.view import Convex, Outcome, View

__all__ = ["MembersView"]


@dataclass(frozen=True, repr=False, eq=False)
class MembersView(Shown):
    """``views``: one for each belief."""

    views: tuple[View, ...]

    @property
    def prior_known(self) -> bool:
        return all(view.prior_known for view in self.views)

    @property
    def events(self) -> list[tuple[Value, ...]]:
        return self.views[0].events

    def sup(self, f: Convex, unit: str = "nat") -> Bound:
        """The largest over the beliefs, each answering for itself (views/base.py)."""
        return _worst([view.sup(f, unit) for view in self.views])

    def mean(self, f: Convex, unit: str = "nat") -> Bound:
        """The largest of the beliefs' means, whether f is convex or concave."""
        return _worst([view.mean(f, unit) for view in self.views])

    def worst(self, f: Convex) -> Outcome | None:
        """The outcome of the belief under which f is largest."""
        return max(self.views, key=lambda view: _high(view.sup(f))).worst(f)

    def outcomes(self) -> NoReturn:
        """Refused: every member has its own."""
        raise NotKnown("outcomes: each belief of a set has its own; ask the view of one of them")

    def facts(self) -> list[tuple[str, str]]:
        return [("views", f"of {len(self.views)} beliefs; the worst of them counts")]


def _worst(bounds: Sequence[Bound]) -> Bound:
    """The largest of these, on the weakest of their premises: high holds for all, low for one."""
    premise = weakest(bound.premise for bound in bounds)
    possible = [bound for bound in bounds if bound.status == "ok"]
    if not possible:
        return replace(bounds[0], premise=premise)
    at = max(range(len(bounds)), key=lambda k: _high(bounds[k]))
    why = f"worst of {len(bounds)} beliefs, number {at}: {bounds[at].why}"
    low = max(bound.low for bound in possible)
    outer = None
    if any(bound.outer is not None for bound in possible):
        ends = [bound.outer or (bound.low, bound.high) for bound in possible]
        outer = max(below for below, _ in ends), max(above for _, above in ends)
    return replace(bounds[at], low=low, premise=premise, why=why, outer=outer)


def _high(bound: Bound) -> float:
    return bound.high if bound.status == "ok" else float("-inf")
