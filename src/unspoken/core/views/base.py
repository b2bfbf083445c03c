"""What all views have in common: they answer for our own measures and for a user's function."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace

from unspoken.core.display import Shown
from unspoken.core.errors import InputError
from unspoken.core.types.bound import Bound
from unspoken.core.types.posteriors import Functional, Posteriors
from unspoken.core.views.segments import Segments
from unspoken.core.views.user_functions import (
    Over,
    check_unit,
    find_curvature,
    function_of_user,
    in_unit,
    segments_between,
)
from unspoken.core.views.view import Convex, Outcome, View

__all__ = ["BaseView"]


class BaseView(Shown, View):
    """``sup``, ``mean`` and ``worst`` of any function, from those of one whose curvature is known.

    Two views are equal if they are the same object.
    """

    lists_all_outcomes = False

    def sup(self, f: Convex, unit: str = "nat") -> Bound:
        """The largest value of ``f`` over contexts and possible outcomes, in the given unit.

        ``f`` takes `Posteriors` (``.posterior`` and ``.prior``, classes along the last axis) and
        returns one number for each. Where outcomes are listed, any function is answered exactly.
        Elsewhere it must be quasi-convex, or for one noisy answer concave, which is checked on
        segments between posteriors of this cloud; anything else is refused.
        """
        if isinstance(f, Functional):
            return self._sup(f)
        return self._of_user(f, "sup", unit)

    def mean(self, f: Convex, unit: str = "nat") -> Bound:
        """The mean of ``f`` over outcomes in the context where it is largest, in the given unit.

        As `sup`; where outcomes are not listed, ``f`` must be convex or concave. Whether it is
        is checked on segments between posteriors of this cloud, which is no proof: ``why`` says
        on how many.
        """
        if isinstance(f, Functional):
            return self._mean(f)
        return self._of_user(f, "mean", unit)

    def worst(self, f: Convex) -> Outcome | None:
        """The outcome where ``f`` is largest; None where outcomes cannot be listed."""
        if isinstance(f, Functional):
            return self._worst(f)
        function, _ = self._with_curvature(f, "sup")
        if function.curvature == "piecewise":
            raise InputError(
                "view.worst: a concave function is largest between outcomes that are "
                "listed; give a quasi-convex one, or ask for sup"
            )
        return self._worst(function)

    def _of_user(self, f: Convex, over: Over, unit: str) -> Bound:
        check_unit(unit)
        function, words = self._with_curvature(f, over)
        bound = self._sup(function) if over == "sup" else self._mean(function)
        if words and bound.status == "ok":
            bound = replace(bound, why=f"{bound.why}; {words}")
        return in_unit(bound, unit)

    def _with_curvature(self, f: Convex, over: Over) -> tuple[Functional, str]:
        """The function, with its curvature where that matters, and how it was found."""
        function = function_of_user(f, over, self.samples())
        if self.lists_all_outcomes:
            return function, ""
        return find_curvature(function, over, self.segments())

    def segments(self) -> Segments:
        """Segments between posteriors of this cloud, along which a function is examined."""
        return segments_between(self.samples())

    @abstractmethod
    def samples(self) -> Iterator[Posteriors]:
        """Posteriors of this cloud: the ones that answers are computed from."""

    @abstractmethod
    def _sup(self, f: Functional) -> Bound: ...

    @abstractmethod
    def _mean(self, f: Functional) -> Bound: ...

    @abstractmethod
    def _worst(self, f: Functional) -> Outcome | None: ...
