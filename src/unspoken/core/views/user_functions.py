"""Functions of posteriors that a user gives: what they return, and which end of a bound is which.

A view that lists all outcomes answers for any function. Every other view encloses its cloud between
two clouds that can be listed, one that tells at least as much and one that tells at most as much.
The mean of a convex function over the first is too large and over the second too small, that of a
concave function the other way round (Jensen's inequality). So a function is first examined on
segments between posteriors of this very cloud, and refused where it is neither.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
import numpy.typing as npt

from unspoken.core.errors import InputError, quoted
from unspoken.core.numerics.arrays import Array, Mask
from unspoken.core.types.bound import Bound
from unspoken.core.types.kinds import expect
from unspoken.core.types.posteriors import Curvature, Functional, Off, Posteriors
from unspoken.core.views.segments import (
    JITTER,
    POINTS,
    RELATIVE,
    Evaluation,
    Segments,
    numerical_noise,
    scattered,
)

__all__ = [
    "AT_ONCE",
    "Over",
    "check_unit",
    "concave_sup_refused",
    "find_curvature",
    "function_of_user",
    "in_unit",
    "refuse_nan",
    "segments_between",
    "some_of",
    "values_of",
]

Over = Literal["sup", "mean"]

# Numbers evaluated at a time, and the most segments that are examined.
AT_ONCE, EXAMINED = 2**21, 2**13
# Contexts, outcomes of each, and further segments between any of these or their mixtures.
CONTEXTS, OUTCOMES, DRAWN = 32, 48, 64
# Up to so many outcomes all pairs of them are examined.
ALL_PAIRS = 12
# How much further the worst direction moves a function of few classes than those that are drawn.
MOVED = 3.0
# By how much values of single posteriors may differ from those of many at once.
ALONE = 1e-9
# A function that changes by more than this part of itself, where a posterior changes in its last
# places, jumps there.
JUMP = 1e-6
# Ends of an answer that is exact but for rounding are no further apart, relatively.
NEAR = 1e-6
LONGEST_UNIT = 40
ONE_EACH = "return one number for each posterior, reducing the last axis, as in posterior.max(-1)"


@dataclass(frozen=True)
class UserFunction:
    """A user's function, with its results checked: (context, outcome, function).

    ``where``: "view.mean", for messages.
    """

    f: Callable[[Posteriors], npt.ArrayLike]
    where: str

    def __call__(self, after: Posteriors) -> Array:
        shape = after.log_lift.shape[:-1]
        with np.errstate(all="ignore"):
            returned = self.f(_read_only(after))
        try:
            masked = "numpy.ma" in sys.modules and np.ma.is_masked(returned)
            values = np.asarray(None if masked else returned)
        except ValueError:  # lists of different lengths
            values = np.asarray(None)
        if values.dtype.kind not in "biuf":
            raise InputError(f"{self.where}: the function returns no real numbers; {ONE_EACH}")
        if values.dtype.kind == "f" and values.dtype.itemsize < 8:
            raise InputError(
                f"{self.where}: the function returns {values.dtype} numbers, whose rounding no "
                "bound covers; compute in float64"
            )
        if values.shape != shape:
            raise InputError(
                f"{self.where}: the function returns shape {values.shape} for {shape[0]} x "
                f"{shape[1]} posteriors; {ONE_EACH}"
            )
        return values.astype(np.float64)[..., None]

    def check_each_alone(self, after: Posteriors) -> None:
        """Refuse a function whose result for one posterior depends on the others beside it."""
        values = self(after)
        scale = np.abs(values[np.isfinite(values)]).max(initial=0.0)
        for context, outcome in np.ndindex(after.log_lift.shape[:2]):
            log_lift = after.log_lift[context, outcome][None, None]
            alone = self(Posteriors(after.prior[context][None], log_lift, after.secret))[0, 0]
            beside = values[context, outcome]
            if alone.shape != beside.shape or not np.allclose(
                alone, beside, rtol=ALONE, atol=ALONE * scale, equal_nan=True
            ):
                raise InputError(
                    f"{self.where}: the function's result for one posterior depends on the others "
                    f"evaluated with it ({_short(beside)}, alone {_short(alone)}); {ONE_EACH}"
                )

    def moves(self, value: Array, off: Off, after: Posteriors) -> Array:
        """How far values may be off where posteriors are off by rounding.

        It is measured by moving posteriors in their last places, in a few directions. The more
        classes there are, the further another direction may move the function.
        """
        classes = after.log_lift.shape[-1]
        values = self(after)
        noise = numerical_noise(self, after, values)
        times = MOVED * max(1.0, classes**0.5 / 4) * (1 + (off.lifts + off.shares) / JITTER)
        jumps = noise > JUMP * largest(values)  # a jump is as large however far posteriors move
        moved: Array = np.where(jumps, noise, times * noise) + RELATIVE * np.abs(value)
        return moved


def largest(values: Array) -> float:
    """The largest finite size of values."""
    return float(np.abs(values[np.isfinite(values)]).max(initial=0.0))


def refuse_jumps(evaluation: Evaluation, size: float, over: Over) -> None:
    """Refuse a function of a user's that jumps: where it does, the last digits of a posterior
    decide its value. ``size``: how large the function is anywhere.
    """
    jumps = evaluation.noise > JUMP * max(size, largest(evaluation.values))
    if jumps.any():
        segment, point, _ = np.argwhere(jumps)[0]
        at = _words(evaluation.segments.points().posterior[segment, point])
        raise InputError(
            f"view.{over}: the function jumps at the posterior {at}, so it is neither convex nor "
            "concave there; give a continuous one, such as a ramp between its two values"
        )


def refuse_nan(values: Array, after: Posteriors, possible: Mask) -> None:
    """Refuse a function of a user's that is NaN at a posterior that is possible."""
    wrong = np.isnan(values).any(-1) & possible
    if wrong.any():
        context, outcome = np.argwhere(wrong)[0]
        at = _words(after.posterior[context, outcome])
        raise InputError(
            f"view: the function is NaN at the posterior {at}"
            "; define it there, such as 0 log 0 = 0 by np.where(q > 0, q, 1) inside the logarithm"
        )


def function_of_user(
    f: Callable[[Posteriors], npt.ArrayLike], over: Over, samples: Iterable[Posteriors]
) -> Functional:
    """The function, checked on a small batch of posteriors, as one of which nothing is known."""
    if not callable(f):
        raise InputError("view: sup and mean take a function of posteriors")
    function = UserFunction(f, f"view.{over}")
    function.check_each_alone(_batch(next(iter(samples))))
    return Functional(function, moves=function.moves, outer=True, curvature="any", noise=0.0)


def find_curvature(f: Functional, over: Over, segments: Segments) -> tuple[Functional, str]:
    """The function with the curvature found on these segments, and how that was found, in words."""
    found, size = _Findings(), _size(f, segments)
    for part in segments.chunks(AT_ONCE):
        evaluation = Evaluation.of(partial(values_of, f), part)
        refuse_jumps(evaluation, size, over)
        possible = np.ones(evaluation.values.shape[:2], dtype=bool)
        refuse_nan(evaluation.values, part.points(), possible)
        found.add(evaluation)
    curvature = found.curvature(over)
    if curvature is None:
        raise InputError(found.refusal(over))
    words = (
        f"checked on {len(segments)} segments of this cloud, the function is {found.shape(over)}"
    )
    words += "; this is no proof, a bend between the checked points would go unnoticed"
    return replace(f, curvature=curvature, noise=found.noise), words


def values_of(f: Functional, after: Posteriors, k: int | None = None) -> Array:
    """The values of a user's function, which have an axis for functions; or those of number k."""
    values = np.asarray(f(after), dtype=np.float64)
    return values if k is None else values[..., k : k + 1]


def in_unit(bound: Bound, unit: str) -> Bound:
    """The bound with the rounding behind its ends, in the unit that the user says."""
    bound = bound.outward()
    if unit == "odds" and bound.low < 0:
        raise InputError('view: a factor on odds is at least 0; choose another unit than "odds"')
    near = bound.high - bound.low <= NEAR * max(abs(bound.high), abs(bound.low))
    return replace(bound, unit=unit, logs=None, exact=bound.exact and near)


def concave_sup_refused() -> InputError:
    """Where a concave function is largest depends on outcomes that nobody has listed."""
    return InputError(
        "view.sup: the function is concave, and where it is largest depends on outcomes that are "
        "too many to list; give a convex function, or ask for its mean"
    )


def check_unit(unit: str) -> None:
    """Refuse a unit that is no word."""
    hint = 'write a word, such as "nat" or "probability"'
    expect(unit, str, "view.unit", hint)
    if not unit.isprintable() or not unit.strip() or len(unit) > LONGEST_UNIT:
        raise InputError(f"view.unit: {quoted(unit)} is no word; {hint}")


def segments_between(samples: Iterable[Posteriors]) -> Segments:
    """Segments between posteriors of the same context: of neighbours, from the prior, of all pairs
    where they are few, and between mixtures of three.
    """
    rows: list[tuple[Array, Array, Array]] = []
    secret = None
    for after in samples:
        secret = after.secret
        contexts = np.unique(np.linspace(0, len(after.log_lift) - 1, CONTEXTS).astype(int))
        for context in contexts:
            prior = after.prior[context, 0]
            ends = _pairs(_some(after.log_lift[context]))
            rows += [(np.broadcast_to(prior, start.shape), start, end) for start, end in ends]
    assert secret is not None, "a view has at least one posterior"
    prior, start, end = (np.concatenate(part) for part in zip(*rows, strict=True))
    return some_of(Segments(prior, start, end, secret))


def some_of(segments: Segments) -> Segments:
    """All segments, or as many of them, scattered, as are examined at most."""
    most = min(EXAMINED, max(8 * AT_ONCE // (POINTS * segments.prior.shape[1]), 32))
    if len(segments) <= most:
        return segments
    chosen = np.zeros(len(segments), dtype=bool)
    chosen[np.argsort(scattered((len(segments),), 0))[:most]] = True
    return segments.part(chosen)


@dataclass
class _Findings:
    """How far the function fails to be convex, concave or quasi-convex on the segments so far."""

    convex: float = 0.0
    concave: float = 0.0
    quasi: float = 0.0
    neither: float = 0.0  # quasi-convex nor concave, on the same segment
    noise: float = 0.0
    at: tuple[str, str] = ("", "")

    def add(self, evaluation: Evaluation) -> None:
        convex, concave = evaluation.excess("convex"), evaluation.excess("concave")
        quasi = evaluation.excess("quasi-convex")
        worst = int(convex.max(-1).argmax())
        if convex.max() > self.convex:
            points = evaluation.segments.points().posterior[worst]
            self.at = _words(points[0]), _words(points[-1])
        self.convex = max(self.convex, float(convex.max()))
        self.concave = max(self.concave, float(concave.max()))
        self.quasi = max(self.quasi, float(quasi.max()))
        self.neither = max(self.neither, float(np.minimum(quasi, concave).max()))
        finite = evaluation.noise[np.isfinite(evaluation.noise)]
        self.noise = max(self.noise, float(finite.max(initial=0.0)))

    def curvature(self, over: Over) -> Curvature | None:
        """None where there is none that answers."""
        if over == "mean":
            return "convex" if self.convex == 0 else "concave" if self.concave == 0 else None
        if self.quasi == 0:
            return "convex"
        return "piecewise" if self.neither == 0 else None

    def shape(self, over: Over) -> str:
        if over == "sup":
            return "quasi-convex" if self.quasi == 0 else "quasi-convex or concave"
        if self.convex == 0:
            return "affine" if self.concave == 0 else "convex"
        return "concave"

    def refusal(self, over: Over) -> str:
        start, end = self.at
        between = f"between the posteriors {start} and {end}"
        if over == "mean":
            return (
                f"view.mean: the function is neither convex nor concave on this cloud: {between} "
                f"it lies {self.convex:.3g} above a chord, and {self.concave:.3g} below one there "
                "or elsewhere; give a convex or a concave function, or both parts of a difference "
                "one by one"
            )
        return (
            f"view.sup: the function is neither quasi-convex nor concave on this cloud: {between} "
            f"it rises and falls again (by {self.quasi:.3g}, there or elsewhere); give a convex "
            "function"
        )


def _some(log_lift: Array) -> Array:
    """At most OUTCOMES of these posteriors, those that are furthest for any class among them."""
    if len(log_lift) <= OUTCOMES:
        return log_lift
    extreme = np.concatenate([log_lift.argmax(0), log_lift.argmin(0)])[:OUTCOMES]
    drawn = np.argsort(scattered((len(log_lift),), 0))[:OUTCOMES]
    chosen: Array = log_lift[np.unique(np.concatenate([extreme, drawn]))]
    return chosen


def _pairs(points: Array) -> list[tuple[Array, Array]]:
    """Both ends of segments: [segment, class] each."""
    points = np.concatenate([np.zeros((1, points.shape[1])), points])  # the prior first
    if len(points) <= ALL_PAIRS:
        first, second = np.array(list(itertools.combinations(range(len(points)), 2))).T
    else:
        drawn = (scattered((2, DRAWN), 1) * len(points)).astype(int)
        order = np.arange(len(points) - 1)
        first = np.concatenate([order, np.zeros_like(order), drawn[0]])
        second = np.concatenate([order + 1, order + 1, drawn[1]])
    with np.errstate(divide="ignore", over="ignore"):
        weights = -np.log(scattered((2, DRAWN, 3), 2))  # exponential: parts of 1, evenly spread
        weights /= weights.sum(-1, keepdims=True)
        lifts = np.exp(points)[(scattered(weights.shape, 3) * len(points)).astype(int)]
        mixed = np.log((weights[..., None] * lifts).sum(2))
    return [(points[first], points[second]), (mixed[0], mixed[1])]


def _size(f: Functional, segments: Segments) -> float:
    """How large the function is anywhere: at posteriors scattered over all there are."""
    prior = segments.prior[:1, None]
    with np.errstate(divide="ignore"):
        parts = -np.log(scattered((1, 4 * DRAWN, prior.shape[-1]), 5)) * (prior > 0)
        log_lift = np.log(parts / parts.sum(-1, keepdims=True)) - np.log(prior)
    log_lift[np.broadcast_to(prior == 0, log_lift.shape)] = 0.0
    return largest(values_of(f, Posteriors(prior, log_lift, segments.secret)))


def _batch(after: Posteriors) -> Posteriors:
    """Two contexts with several outcomes each: posteriors of the cloud and some beside it.

    Their numbers differ from one another and from that of classes, so that no wrong axis fits.
    """
    classes = after.log_lift.shape[-1]
    outcomes = 3 if classes != 3 else 4
    contexts = [0, len(after.log_lift) - 1]
    prior = after.prior[contexts, 0]
    tilted = scattered((2, outcomes, classes), 4) - 0.5
    tilted[np.broadcast_to(prior[:, None] == 0, tilted.shape)] = 0.0
    tilted -= np.log((prior[:, None] * np.exp(tilted)).sum(-1, keepdims=True))
    places = np.linspace(0, after.log_lift.shape[1] - 1, outcomes - 1).astype(int)
    own = after.log_lift[contexts][:, places]
    return Posteriors(prior[:, None], np.concatenate([own, tilted[:, :1]], axis=1), after.secret)


def _read_only(after: Posteriors) -> Posteriors:
    """The same numbers, which a function cannot change by mistake."""
    prior, log_lift, secret = after.prior.view(), after.log_lift.view(), after.secret.view()
    for array in (prior, log_lift, secret):
        array.flags.writeable = False
    return Posteriors(prior, log_lift, secret)


def _words(posterior: Array) -> str:
    parts = [f"{p:.4g}" for p in posterior[:4]]
    return f"({', '.join([*parts, *(['...'] if len(posterior) > 4 else [])])})"


def _short(values: Array) -> str:
    return ", ".join(f"{value:.4g}" for value in values[:3])
