"""What an adversary may believe afterwards: the points that measures are taken over."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from unspoken.core.errors import InputError
from unspoken.core.numerics.arrays import Array, Mask
from unspoken.core.numerics.rounding import UNIT

__all__ = [
    "Curvature",
    "Functional",
    "Moves",
    "Off",
    "Posteriors",
    "Reads",
    "by_lifts",
    "by_log_odds",
    "by_two_lifts",
    "secret_events",
]

Reads = Literal["pairs", "events", "secret", "divergence", "prior"]
# What is known of a function of posteriors. Where the largest value is asked for, "convex" ones are
# quasi-convex at least, "piecewise" ones that or concave on each segment; "any" is not known.
Curvature = Literal["convex", "concave", "piecewise", "any"]


@dataclass(frozen=True)
class Posteriors:
    """Posteriors over the secret's classes (last axis), one for each context and outcome.

    ``log_lift`` = log posterior / prior = log P(y|s) / P(y). It is the primary form: next to 0 it
    keeps the digits of a tiny leakage, and far below it does not underflow. A class the prior
    rules out, and every class after an impossible outcome, has log_lift 0: over all classes the
    largest is >= 0 and the least <= 0 anyway. Whoever compares some of them asks ``possible``.
    ``secret`` marks the classes that nobody is to learn of.
    """

    prior: Array
    log_lift: Array
    secret: Mask

    @property
    def lift(self) -> Array:
        return np.exp(self.log_lift)

    @property
    def posterior(self) -> Array:
        return self.prior * self.lift

    @property
    def moved(self) -> Array:
        """posterior - prior, with the digits of a tiny move."""
        return self.prior * np.expm1(self.log_lift)

    @cached_property
    def standing(self) -> Array:
        """log posterior / P(r), r the likeliest class beforehand: who leads, and by how much."""
        with np.errstate(divide="ignore"):
            standing: Array = self.log_lift + np.log(self.prior / self.prior.max(-1, keepdims=True))
        return standing

    @property
    def possible(self) -> Mask:
        """Which classes the prior does not rule out."""
        possible: Mask = self.prior > 0
        return possible

    def __array__(self, dtype: object = None, copy: bool | None = None) -> Array:
        """As an array, the posteriors themselves: any convex function of them is a measure."""
        return self.posterior

    def events(self) -> list[Mask]:
        """What nobody is to learn."""
        return secret_events(self.secret)

    @classmethod
    def of_two(cls, log_ratio: float, secret: tuple[bool, bool] = (True, True)) -> Posteriors:
        """Two classes whose log-lifts are so far apart: [context, outcome, class] = [1, 1, 2].

        Next to 0 the ratio keeps its digits, far from it no lift leaves the range of floats.
        """
        top = math.log(2) - math.log1p(math.exp(-abs(log_ratio))) if abs(log_ratio) > 1 else 0.0
        lifts = [top, top - log_ratio] if log_ratio > 0 else [top + log_ratio, top]
        return cls(np.full((1, 1, 2), 0.5), np.array([[lifts]]), np.array(secret))

    def log_lift_of(self, event: Mask) -> Array:
        """log P(y|E) / P(y) for the event "the class is in E"; 0 where the prior rules it out.

        P(y|E) / P(y) = 1 + x with pi(E) x = sum_{s in E} pi_s x_s = -sum_{s not in E} pi_s x_s, so
        the rarer side is summed: log1p of x near 0, the sum of lifts (all terms >= 0) elsewhere.
        """
        inside = np.where(event, self.prior, 0.0)
        outside = np.where(event, 0.0, self.prior)
        share = inside.sum(-1)
        deviation = np.expm1(self.log_lift)
        rarer = np.where((share <= 0.5)[..., None], inside, -outside)
        with np.errstate(divide="ignore", invalid="ignore"):
            x = (rarer * deviation).sum(-1) / share
            far = np.logaddexp.reduce(np.log(inside) + self.log_lift, axis=-1) - np.log(share)
        near = np.abs(x) < 0.5
        log_lift = np.where(near, np.log1p(np.where(near, x, 0.0)), far)
        return np.where(share > 0, log_lift, 0.0)

    def log_odds_factor(self, event: Mask) -> Array:
        """log of posterior / prior odds of E; 0 where E was certain or ruled out before."""
        inside, outside = self.log_lift_of(event), self.log_lift_of(~event)
        certain = (np.where(event, self.prior, 0.0).sum(-1) == 0) | (
            np.where(event, 0.0, self.prior).sum(-1) == 0
        )
        return np.where(certain, 0.0, inside - np.where(certain, 0.0, outside))


def secret_events(secret: Mask) -> list[Mask]:
    """Each secret class, and that it is any of them (the bit X = 0).

    "Any of them" can be worse than each: two secrets that are equally likely to be seen hide one
    another, not what they have in common.
    """
    each = list(np.eye(secret.size, dtype=bool)[secret])
    return [*each, secret] if len(each) > 1 else each


@dataclass(frozen=True)
class Off:
    """What rounding may have done to posteriors, for each context and outcome.

    ``lifts``: how far log lifts may be off, absolutely; ``furthest``: the largest |lift - 1|;
    ``shares``: how far priors may be off, relatively; ``masses``: how far outcomes' may be;
    ``logs``: how far log lifts may be off relatively, besides.
    """

    lifts: Array
    furthest: Array
    shares: float
    masses: Array
    logs: float


# From the values of a function, what rounding may have done, and the posteriors.
Moves = Callable[[Array, Off, Posteriors], Array]


def by_lifts(value: Array, off: Off, after: Posteriors) -> Array:
    """How far a function may be off that moves no faster than twice the log lifts, or itself."""
    size = np.abs(value)
    moved: Array = 2.0 * off.lifts * (1.0 + size) + (off.shares + 8.0 * UNIT) * size
    return moved


def by_two_lifts(value: Array, off: Off, after: Posteriors) -> Array:
    """The same of a difference of two log lifts, or of one of them."""
    moved: Array = 2.0 * off.lifts + (off.logs + 4.0 * UNIT) * np.abs(value)
    return moved


def by_log_odds(value: Array, off: Off, after: Posteriors) -> Array:
    """The same of `log_odds_factor`.

    The log lift of an event moves by at most four times those of its classes: the rarer side, at
    most half, is summed, and the quotient is at least 1/2 where log1p is taken. Far from there
    logarithms of priors are added, which are off by u of themselves.
    """
    rarest = np.log(after.prior.min(where=after.prior > 0, initial=1.0))
    size = off.logs + (6.0 - 10.0 * rarest) * UNIT
    moved: Array = 10.0 * off.lifts + size * np.abs(value)
    return moved


@dataclass(frozen=True)
class Functional:
    """A convex function of posteriors, and what of them it ``reads``.

    pairs: the likelihoods of two classes at a time; events: those of each secret event and of the
    rest; secret: of any secret class and of the rest; divergence: its mean is mutual information;
    prior: the prior too. Where many beliefs may be true, that says what to look for among them.
    ``moves``: how far its value, as computed, may be off where the posteriors are. ``least``: what
    it never falls below. ``outer``: whether that is asked for: bounds then say what rounding is
    behind their ends (`Bound.outer`), which takes a while and which no plan or calibration reads.
    ``curvature``: which end of a bound is which (views/user_functions.py). ``noise``: what rounding
    does to a function that a user gave, None for our own, which are not checked.
    """

    f: Callable[[Posteriors], npt.ArrayLike]
    reads: Reads = "prior"
    name: str = "this function"
    moves: Moves = by_lifts
    least: float = -math.inf
    outer: bool = False
    curvature: Curvature = "convex"
    noise: float | None = None

    @property
    def negative(self) -> Functional:
        """-f of a concave f, which is convex."""

        def negated(after: Posteriors) -> npt.ArrayLike:
            return -np.asarray(self.f(after))

        def moves(value: Array, off: Off, after: Posteriors) -> Array:
            return self.moves(-value, off, after)

        return replace(self, f=negated, moves=moves, least=-math.inf, curvature="convex")

    @classmethod
    def of(cls, f: Callable[[Posteriors], npt.ArrayLike]) -> Functional:
        """Of a plain function nothing is known."""
        if not callable(f):
            raise InputError("view: sup and mean take a function of posteriors")
        return f if isinstance(f, Functional) else cls(f)

    def __call__(self, after: Posteriors) -> npt.ArrayLike:
        return self.f(after)
