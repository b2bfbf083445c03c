"""A cloud that can be listed: every outcome of every context, exactly."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unsaid.display import Shown
from unsaid.numerics.arrays import Array, Mask
from unsaid.types.bound import Bound, Premise
from unsaid.types.channel import Output
from unsaid.types.domain import Value
from unsaid.types.likelihood import Lifts
from unsaid.types.posteriors import Posteriors
from unsaid.views.view import Convex, Outcome

__all__ = ["FiniteView"]


@dataclass(frozen=True, repr=False)
class FiniteView(Shown):
    """``lifts`` over ``contexts`` (what is known), outcomes (what is seen) and ``classes``.

    ``seen`` lists, for each variable seen, the outputs it can show; outcomes are their product,
    the last one fastest. ``secret`` marks the classes nobody is to learn of.
    """

    target: str
    classes: tuple[Value, ...]
    secret: Mask
    contexts: tuple[Mapping[str, Value], ...]
    seen: Mapping[str, tuple[Output, ...]]
    lifts: Lifts
    premise: Premise

    @property
    def events(self) -> list[tuple[Value, ...]]:
        """The classes of each secret event (types/posteriors.py)."""
        return [tuple(itertools.compress(self.classes, own)) for own in self.posteriors.events()]

    @cached_property
    def posteriors(self) -> Posteriors:
        return Posteriors(self.lifts.prior[:, None, :], self.lifts.log_lift, self.secret)

    def sup(self, f: Convex) -> Bound:
        if not self._possible.any():
            return Bound.impossible("nat", self.premise, "no such outcome is possible")
        top, context, outcome = self._top(f)
        seen = self._in_words(self._outcome(outcome))
        why = f"all {self._size()} listed; the worst: {seen}{self._given(context)}"
        return Bound(top, top, "nat", self.premise, why)

    def worst(self, f: Convex) -> Outcome:
        _, context, outcome = self._top(f)
        return self._point(context, outcome)

    def mean(self, f: Convex) -> Bound:
        values = self._values(f)
        weighted = np.where(self.lifts.mass > 0, values * self.lifts.mass, 0.0)
        means = weighted.sum(axis=1)
        context = int(np.argmax(means))
        top = float(means[context])
        why = f"the mean over all {self._size()}{self._given(context)}"
        return Bound(top, top, "nat", self.premise, why)

    def outcomes(self) -> list[Outcome]:
        """Every possible point of the cloud, context by context."""
        return [self._point(context, y) for context, y in np.argwhere(self._possible).tolist()]

    def told_all(self) -> FiniteView:
        """The view of somebody told the class itself."""
        return replace(self, seen={self.target: self.classes}, lifts=self.lifts.revealed())

    def never(self) -> FiniteView:
        """The view of an event that turned out impossible."""
        impossible = np.full_like(self.lifts.log_mass, -np.inf)
        return replace(self, lifts=replace(self.lifts, log_mass=impossible))

    def facts(self) -> list[tuple[str, str]]:
        secret = [str(name) for name, hide in zip(self.classes, self.secret, strict=True) if hide]
        shown = sorted(self.outcomes(), key=lambda point: -point.mass)[:8]
        rows = [("about", f"{self.target}; secret: {', '.join(secret) or 'nothing'}")]
        rows += [("seen", f"{', '.join(self.seen) or 'nothing'}; {self._size()}")]
        for point in shown:
            believed = ", ".join(f"{name} {p:.4g}" for name, p in point.posterior.items())
            rows.append((self._in_words(point.outcome), f"mass {point.mass:.4g}: {believed}"))
        return [*rows, ("premise", str(self.premise))]

    @property
    def _possible(self) -> Mask:
        return self.lifts.log_mass > -np.inf

    def _top(self, f: Convex) -> tuple[float, int, int]:
        """The largest value of f, with its context and outcome: of several the likeliest."""
        values = np.where(self._possible, self._values(f), -np.inf)
        likeliest = np.where(values == values.max(), self.lifts.log_mass, -np.inf)
        context, outcome = np.unravel_index(int(np.argmax(likeliest)), values.shape)
        return float(values[context, outcome]), int(context), int(outcome)

    def _point(self, context: int, outcome: int) -> Outcome:
        prior = self.lifts.prior[context]
        posterior = prior * np.exp(self.lifts.log_lift[context, outcome])
        return Outcome(
            outcome=self._outcome(outcome),
            mass=float(self.lifts.mass[context, outcome]),
            prior=dict(zip(self.classes, prior.tolist(), strict=True)),
            posterior=dict(zip(self.classes, posterior.tolist(), strict=True)),
            known=self.contexts[context],
        )

    def _values(self, f: Convex) -> Array:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.broadcast_to(np.asarray(f(self.posteriors)), self.lifts.log_mass.shape)

    def _outcome(self, index: int) -> dict[str, Output]:
        sizes = [len(outputs) for outputs in self.seen.values()]
        codes = np.unravel_index(index, sizes) if sizes else ()
        return {
            name: own[int(code)] for (name, own), code in zip(self.seen.items(), codes, strict=True)
        }

    def _size(self) -> str:
        outcomes = self.lifts.log_mass.shape[1]
        return f"{outcomes} outcome{'s' if outcomes > 1 else ''}"

    def _given(self, context: int) -> str:
        known = self.contexts[context]
        return f", knowing {self._in_words(known)}" if known else ""

    @staticmethod
    def _in_words(symbols: Mapping[str, object]) -> str:
        return ", ".join(f"{name} {symbol}" for name, symbol in symbols.items()) or "nothing seen"
