"""A cloud that can be listed: every outcome of every context, exactly."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from unspoken.core.errors import InputError
from unspoken.core.numerics.arrays import Array, Mask
from unspoken.core.numerics.rounding import gamma, pairwise
from unspoken.core.types.bound import Bound
from unspoken.core.types.channel import Output
from unspoken.core.types.domain import Value
from unspoken.core.types.likelihood import Lifts
from unspoken.core.types.posteriors import Functional, Off, Posteriors
from unspoken.core.types.premise import Premise
from unspoken.core.views.base import BaseView
from unspoken.core.views.user_functions import refuse_nan
from unspoken.core.views.view import Outcome

__all__ = ["FiniteView", "Seen"]

# Rows of the cloud are looked at in blocks, so that a function that compares every two classes
# takes at most this many numbers at a time.
PAIRS = 2**23
# How many of the variables seen are written out.
NAMED = 12
Block = tuple[slice, slice]
# A variable; or several, whose outputs are listed together.
Seen = str | tuple[str, ...]
# So much rounding is worth a look at what can be learned at all.
LOST = 1e-6
WHOLE: Block = slice(None), slice(None)


@dataclass(frozen=True, repr=False, eq=False)
class FiniteView(BaseView):
    """``lifts`` over ``contexts`` (what is known), outcomes (what is seen) and ``classes``.

    ``seen`` lists, for each variable seen, the outputs it can show, for several seen at once what
    they can show together; outcomes are their product, the last one fastest. ``secret`` marks the
    classes nobody is to learn of; ``class_seen``: whether the class itself is seen.
    """

    target: str
    classes: tuple[Value, ...]
    secret: Mask
    contexts: tuple[Mapping[str, Value], ...]
    seen: Mapping[Seen, Sequence[Output]]
    lifts: Lifts
    premise: Premise
    class_seen: bool = False
    lists_all_outcomes = True

    @property
    def prior_known(self) -> bool:
        return True

    @property
    def events(self) -> list[tuple[Value, ...]]:
        """The classes of each secret event (types/posteriors.py)."""
        return [
            tuple(itertools.compress(self.classes, event)) for event in self.posteriors.events()
        ]

    @cached_property
    def posteriors(self) -> Posteriors:
        return Posteriors(self.lifts.prior[:, None, :], self.lifts.log_lift, self.secret)

    def samples(self) -> Iterator[Posteriors]:
        """All posteriors."""
        yield self.posteriors

    def _sup(self, f: Functional) -> Bound:
        if not self._possible.any():
            return Bound.impossible("nat", self.premise, "no such outcome is possible")
        values, context, outcome = self._top(f)
        shown = self._in_words(self._outcome(outcome))
        why = f"{self._listed()}: {shown}{self._given(context)}"
        top = float(values.max())
        outer = self._outer(f, values, top) if f.outer else None
        return Bound.rounded((top, top), outer, self.premise, why)

    def _outer(self, f: Functional, values: Array, top: float) -> tuple[float, float]:
        """The largest of these values as far down and up as rounding may have moved each."""
        with np.errstate(invalid="ignore", over="ignore"):
            moved = f.moves(values[..., None], self._off(), self.posteriors).max(-1)
        moved = np.where(np.isfinite(values), moved, 0.0)
        low, high = float((values - moved).max()), float((values + moved).max())
        if high - top > LOST and not self.class_seen and f.curvature == "convex":
            high = min(high, self.revealed().sup(f).outward().high)
        return max(low, f.least), high

    def _worst(self, f: Functional) -> Outcome:
        _, context, outcome = self._top(f)
        return self._point(context, outcome)

    def _mean(self, f: Functional) -> Bound:
        means, off = self.means(f)
        if np.isnan(means).any() and f.noise is not None:
            raise InputError("view.mean: the function is infinite both ways, so it has no mean")
        context = int(means.max(-1).argmax())
        why = f"the mean over all {self._size()}{self._given(context)}"
        top = float(means.max())
        if not f.outer:
            return Bound.rounded((top, top), None, self.premise, why)
        off = np.where(np.isfinite(means), off, 0.0)
        low, high = float((means - off).max()), float((means + off).max())
        if high - top > LOST and not self.class_seen:
            high = self.at_most(f, high)
        return Bound.rounded((top, top), (max(low, f.least), high), self.premise, why)

    def outcomes(self) -> list[Outcome]:
        """Every possible point of the cloud, context by context."""
        return [self._point(context, y) for context, y in np.argwhere(self._possible).tolist()]

    def at_most(self, f: Functional, high: float) -> float:
        """Nobody learns more than who is told the secret itself: of use where digits are lost."""
        if f.curvature != "convex":
            return high
        return min(high, self.revealed().mean(f).outward().high)

    def revealed(self) -> FiniteView:
        """The view of somebody who learns the class itself."""
        seen: dict[Seen, Sequence[Output]] = {self.target: self.classes}
        return replace(self, seen=seen, lifts=self.lifts.revealed(), class_seen=True)

    def never(self) -> FiniteView:
        """The view of an event that turned out impossible."""
        impossible = np.full_like(self.lifts.log_mass, -np.inf)
        return replace(self, lifts=replace(self.lifts, log_mass=impossible))

    def facts(self) -> list[tuple[str, str]]:
        secret = [str(name) for name, hide in zip(self.classes, self.secret, strict=True) if hide]
        shown = sorted(self.outcomes(), key=lambda point: -point.mass)[:8]
        rows = [("about", f"{self.target}; secret: {', '.join(secret) or 'nothing'}")]
        names = ", ".join(name for names in self.seen for name in _names(names))
        rows += [("seen", f"{names or 'nothing'}; {self._size()}")]
        for point in shown:
            believed = ", ".join(f"{name} {p:.4g}" for name, p in point.posterior.items())
            rows.append((self._in_words(point.outcome), f"mass {point.mass:.4g}: {believed}"))
        return [*rows, ("premise", str(self.premise))]

    @property
    def _possible(self) -> Mask:
        return self.lifts.log_mass > -np.inf

    def _top(self, f: Functional) -> tuple[Array, int, int]:
        """The values of f, and context and outcome of the largest: of several the likeliest."""
        values = np.empty(self.lifts.log_mass.shape)
        for block, after in self._blocks():
            values[block] = self._values(f, after, block).max(-1)
        ends = self._possible
        if self.lifts.ends is not None and f.curvature == "convex":
            ends = ends & self.lifts.ends
        values[~ends] = -np.inf
        likeliest = np.where(values == values.max(), self.lifts.log_mass, -np.inf)
        context, outcome = np.unravel_index(int(np.argmax(likeliest)), values.shape)
        return values, int(context), int(outcome)

    def means(self, f: Functional) -> tuple[Array, Array]:
        """The mean of f in each context, of several functions of each, and how far it is off.

        Which is left out (0) where outer ends are not asked for.
        """
        mass, parts = self.lifts.mass, []
        for block, after, values in self._all_values(f):
            with np.errstate(invalid="ignore"):  # of infinities both ways; who asked is told
                weighted = values * mass[block][..., None]
                weighted[mass[block] == 0] = 0.0
                sums = _sum(weighted)
            moved = self.off(f, values, after, block) if f.outer else np.zeros(1)
            parts.append((block[0], sums, moved))
        _, means, off = parts[0]
        if len(parts) > 1:
            means, off = (np.zeros((len(mass), means.shape[1])) for _ in range(2))
            for contexts, sums, moved in parts:
                means[contexts] += sums
                off[contexts] += moved + gamma(len(parts)) * np.abs(sums)
        return means, off

    def _all_values(self, f: Functional) -> Iterator[tuple[Block, Posteriors, Array]]:
        """f of every block; divergences, of which the prior is all that is left to ask, at once."""
        quick = self.lifts.divergences if f.reads == "divergence" else None
        if quick is not None:
            before = self.lifts.prior[:, None, :]
            yield WHOLE, Posteriors(before, np.zeros_like(before), self.secret), quick[..., None]
            return
        for block, after in self._blocks():
            yield block, after, self._values(f, after, block)

    def _values(self, f: Functional, after: Posteriors, block: Block) -> Array:
        values = _values(f, after)
        if f.noise is not None:
            refuse_nan(values, after, self._possible[block])
        return values

    def _off(self, block: Block = WHOLE) -> Off:
        """What rounding did, with an axis for functions."""
        off = self.lifts.off
        parts = (off.lifts, off.furthest, off.masses)
        lifts, furthest, masses = (part[block][..., None] for part in parts)
        return replace(off, lifts=lifts, furthest=furthest, masses=masses)

    def off(self, f: Functional, values: Array, after: Posteriors, block: Block = WHOLE) -> Array:
        """By how much sum_y P(y) f(y) over a block may be off, in each context:

        sum_y P(y) (what f(y) may be off) + gamma_m sum_y P(y) |f(y)|, m operations behind each term
        and the sum.
        """
        mass, at = self.lifts.mass[block][..., None], self._off(block)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            moved = f.moves(values, at, after)
            moved = _sum(np.where(mass > 0, moved * mass, 0.0))
            mass = mass * (at.masses + gamma(_depth(values)))
            size = _sum(np.where(mass > 0, np.abs(values) * mass, 0.0))
        moved = 1.01 * moved.max(-1, keepdims=True)  # of several functions, the most
        total: Array = moved + size
        return total

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

    def _blocks(self) -> Iterator[tuple[Block, Posteriors]]:
        """The contexts and outcomes, in blocks of about PAIRS pairs of classes."""
        contexts, outcomes, classes = self.lifts.log_lift.shape
        rows = max(1, PAIRS // classes**2)
        if contexts * outcomes <= rows:
            yield WHOLE, self.posteriors
            return
        wide, tall = min(outcomes, rows), max(1, rows // outcomes)
        starts = itertools.product(range(0, contexts, tall), range(0, outcomes, wide))
        for context, outcome in starts:
            block = slice(context, context + tall), slice(outcome, outcome + wide)
            prior = self.posteriors.prior[block[0]]
            yield block, Posteriors(prior, self.lifts.log_lift[block], self.secret)

    def _outcome(self, index: int) -> dict[str, Output]:
        outcome: list[tuple[str, Output]] = []
        for names, outputs in reversed(list(self.seen.items())):  # unravel_index knows 64 axes only
            index, code = divmod(index, len(outputs))
            each: Any = (outputs[code],) if isinstance(names, str) else outputs[code]
            outcome += reversed([*zip(_names(names), each, strict=True)])
        return dict(reversed(outcome))

    def _listed(self) -> str:
        several = self.lifts.log_mass.shape[1] > 1
        return f"all {self._size()} listed; the worst" if several else "after"

    def _size(self) -> str:
        outcomes = self.lifts.log_mass.shape[1]
        return f"{outcomes} outcome{'s' if outcomes > 1 else ''}"

    def _given(self, context: int) -> str:
        known = self.contexts[context]
        return f", knowing {self._in_words(known)}" if known else ""

    @staticmethod
    def _in_words(symbols: Mapping[str, object]) -> str:
        words = [f"{name} {symbol}" for name, symbol in itertools.islice(symbols.items(), NAMED)]
        if len(symbols) > NAMED:
            words.append(f"... ({len(symbols)} in all)")
        return ", ".join(words) or "nothing seen"


def _names(names: Seen) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else names


def _sum(terms: Array) -> Array:
    """Over the outcomes; of one function they lie side by side, and are added pairwise."""
    total: Array = terms[..., 0].sum(1)[:, None] if terms.shape[-1] == 1 else terms.sum(1)
    return total


def _depth(terms: Array) -> float:
    """The operations behind that sum, and one for the product."""
    outcomes = terms.shape[1]
    return 1.0 + (pairwise(outcomes) if terms.shape[-1] == 1 else outcomes)


def _values(f: Functional, after: Posteriors) -> Array:
    """f for each context and outcome; along the last axis each of several, or the only one."""
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.asarray(f(after))
    shape = after.log_lift.shape[:-1]
    fits = values.shape in ((), shape, (*shape, *values.shape[2:]))
    if not fits or values.dtype.kind not in "biuf":
        raise InputError(
            f"view: a function of posteriors gives a number for each of {shape[0]} x {shape[1]}"
        )
    if values.ndim == 3:
        return values
    return (values if values.shape == shape else np.broadcast_to(values, shape))[..., None]
