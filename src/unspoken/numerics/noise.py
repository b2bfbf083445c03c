"""Noise on counts: the discrete Laplace distribution, drawn by OpenDP. No seed and no key.

    P(noise = k) = (1 - a) / (1 + a) a^|k|,    a = e^(-1 / scale)

Counts that differ by at most ``sensitivity`` in sum then give any answer with probabilities that
differ by a factor of e^epsilon at most, if scale >= sensitivity / epsilon. What OpenDP itself says
of its measurement is what counts: the scale is enlarged until it says no more than epsilon.
"""

from __future__ import annotations

import math

import numpy as np
from opendp.domains import atom_domain, vector_domain
from opendp.measurements import make_laplace
from opendp.metrics import l1_distance
from opendp.mod import Measurement, enable_features

from unspoken.errors import InputError
from unspoken.numerics.arrays import Counts

__all__ = ["MOST", "scale_of", "with_noise"]

MOST = 2**40  # the largest count: far below where the integers of the sampler end
AT_ONCE = 2**16  # counts that are handed over at a time

enable_features("contrib")


def with_noise(counts: Counts, sensitivity: int, epsilon: float) -> Counts:
    """The counts, each with noise of its own, of `scale_of` this sensitivity and epsilon."""
    if counts.size and int(np.abs(counts).max()) > MOST:
        raise InputError(f"noise: a count is beyond {MOST:,}")
    noise = _measurement(scale_of(sensitivity, epsilon))
    flat = counts.ravel().astype(np.int64)
    parts = [flat[start : start + AT_ONCE].tolist() for start in range(0, flat.size, AT_ONCE)]
    drawn = [np.array(noise(part), dtype=np.int64) for part in parts]
    return np.concatenate([*drawn, flat[:0]]).reshape(counts.shape)


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
