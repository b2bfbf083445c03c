"""The density of a Gaussian plus Laplace noise, where one of the two alone leaves float range.

With variance v and scale l, and z = (v/l - t) / sqrt(2 v),

    g(t) = [e^(v/2l^2 - t/l) erfc(z) + the same at -t] / (4 l).

The two factors of a term can be infinity and 0. Completing the square, e^(v/2l^2 - t/l) erfc(z) is
e^(-t^2/2v) erfcx(z) with erfcx(z) = e^(z^2) erfc(z), which is neither for z >= 0.
"""

from __future__ import annotations

import math

from unspoken.core.errors import InputError

__all__ = ["erfcx", "log_density", "log_ratio"]

# From here on the continued fraction is exact to the last digits after so many steps.
FAR, STEPS = 4.0, 60


def log_density(t: float, variance: float, scale: float) -> float:
    """log g(t) of N(0, variance) + Laplace(scale)."""
    if not (0 <= variance < math.inf and 0 < scale < math.inf and math.isfinite(t)):
        raise InputError(
            f"density at {t} of variance {variance} and scale {scale}: must be finite, "
            "the variance 0 or more, the scale positive"
        )
    if variance == 0:
        return -abs(t) / scale - math.log(2 * scale)
    near, far = (_log_term(side, variance, scale) for side in (abs(t), -abs(t)))
    top = max(near, far)
    return top + math.log1p(math.exp(-abs(near - far))) - math.log(4 * scale)


def log_ratio(answer: float, one: float, other: float, variance: float, scale: float) -> float:
    """log g(answer - one) / g(answer - other): what an answer says for one shift, not the other."""
    first = log_density(answer - one, variance, scale)
    return first - log_density(answer - other, variance, scale)


def erfcx(z: float) -> float:
    """e^(z^2) erfc(z) for z >= 0.

    Far out e^(z^2) costs digits and then overflows; there it is
    1/sqrt(pi) / (z + (1/2) / (z + (2/2) / (z + (3/2) / (z + ...)))).
    """
    if z < FAR:
        return math.exp(z * z) * math.erfc(z)
    fraction = z
    for step in range(STEPS, 0, -1):
        fraction = z + step / 2 / fraction
    return 1 / (math.sqrt(math.pi) * fraction)


def _log_term(t: float, variance: float, scale: float) -> float:
    """log of e^(v/2l^2 - t/l) erfc(z)."""
    z = (variance / scale - t) / math.sqrt(2 * variance)
    if z <= 0:
        return (variance / (2 * scale) - t) / scale + math.log(math.erfc(z))
    return -t * t / (2 * variance) + math.log(erfcx(z))
