"""Noise on whole numbers, drawn by OpenDP: nothing else draws any. No seed and no key.

    P(noise = k) = (1 - a) / (1 + a) a^|k|,    a = e^(-1 / scale)       (discrete Laplace)
    P(noise = -k) = (1 - a) a^k, k >= 0                                 (one-sided)

Of the first, draws that are not above 0 have the law of the second. All is in whole numbers, exact
however the scale is rounded; numbers with a fixed point are whole multiples of their step. (Noise
added to floats shows in their last digits what it was added to: Mironov, 2012.) NaN and infinite
numbers, and those so large that the sampler's integers would end, are refused before any draw.

Counts that differ by at most ``sensitivity`` in sum then give any answer with probabilities that
differ by a factor of e^epsilon at most, if scale >= sensitivity / epsilon. What OpenDP itself says
of its measurement is what counts: the scale is enlarged until it says no more than epsilon.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from opendp.domains import atom_domain, vector_domain
from opendp.measurements import make_laplace
from opendp.metrics import l1_distance
from opendp.mod import Measurement, enable_features

from unspoken.core.errors import InputError
from unspoken.core.numerics.arrays import Array, Counts

__all__ = ["MOST", "in_steps", "one_sided_noise", "scale_of", "two_sided_noise", "with_noise"]

MOST = 2**40  # the largest count: far below where the integers of the sampler end
AT_ONCE = 2**16  # counts that are handed over at a time

enable_features("contrib")


def with_noise(counts: Counts, sensitivity: int, epsilon: float) -> Counts:
    """The counts, each with noise of its own, of `scale_of` this sensitivity and epsilon."""
    return two_sided_noise(counts, scale_of(sensitivity, epsilon))


def two_sided_noise(numbers: npt.ArrayLike, scale: float) -> Counts:
    """Whole numbers, each with discrete Laplace noise of its own."""
    flat, noise = _whole(numbers), _measurement(_checked(scale))
    parts = [flat.ravel()[at : at + AT_ONCE].tolist() for at in range(0, flat.size, AT_ONCE)]
    drawn = [np.array(noise(part), dtype=np.int64) for part in parts]
    return np.concatenate([*drawn, flat.ravel()[:0]]).reshape(flat.shape)


def one_sided_noise(numbers: npt.ArrayLike, scale: float) -> Counts:
    """Whole numbers, each less noise of its own that is 0 or more."""
    flat = _whole(numbers)
    noise, left = np.empty(flat.size, dtype=np.int64), flat.size
    while left:  # more than half of the draws are kept, whatever the numbers are
        drawn = two_sided_noise(np.zeros(min(2 * left + 16, AT_ONCE), np.int64), scale)
        kept = drawn[drawn >= 0][:left]
        noise[left - kept.size : left] = kept
        left -= kept.size
    return flat - noise.reshape(flat.shape)


def in_steps(numbers: npt.ArrayLike, step: float) -> Counts:
    """The nearest whole multiples of a step: what is to have a fixed point."""
    if not 0 < step < math.inf:
        raise InputError(f"noise: the step {step:g} must be positive and finite")
    with np.errstate(over="ignore", invalid="ignore"):
        steps: Array = np.rint(np.asarray(numbers, dtype=np.float64) / step)
    if not (np.abs(steps) <= MOST).all():  # nor is NaN
        raise InputError(f"noise: a number is not finite, or beyond {MOST:,} steps")
    return steps.astype(np.int64)


def _whole(numbers: npt.ArrayLike) -> Counts:
    """Integers that noise can be added to; no float is one, even if it has no digits behind."""
    given: npt.NDArray[Any] = np.asarray(numbers)
    if given.size and given.dtype.kind not in "iu":
        raise InputError("noise: is added to integers; numbers with a fixed point: in steps")
    if given.size and not -MOST <= int(given.min()) <= int(given.max()) <= MOST:
        raise InputError(f"noise: a count is beyond {MOST:,}")
    return given.astype(np.int64)


def _checked(scale: float) -> float:
    if not 0 < scale < MOST:
        raise InputError(f"noise: scale {scale:g}; positive, and less than {MOST:,}")
    return scale


def scale_of(sensitivity: int, epsilon: float) -> float:
    """The least scale, as far as floats go, of which OpenDP says no more than epsilon."""
    if sensitivity < 1 or not 0 < epsilon < math.inf:
        raise InputError(
            f"noise: sensitivity {sensitivity} and epsilon {epsilon:g}; both must be positive"
        )
    scale = sensitivity / epsilon
    if not 0 < scale < MOST:
        raise InputError(
            f"noise: epsilon {epsilon:g} is too small, or too large, to draw noise for"
        )
    while _measurement(scale).map(sensitivity) > epsilon:  # type: ignore[no-untyped-call]
        scale = math.nextafter(scale, math.inf)
    return scale


def _measurement(scale: float) -> Measurement:
    space = vector_domain(atom_domain(T="i64")), l1_distance(T="i64")
    made: Measurement = make_laplace(*space, scale=scale)
    return made
