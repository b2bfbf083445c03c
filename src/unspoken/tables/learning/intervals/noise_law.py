"""How far noise takes counts, one by one and summed: exact tails of the discrete Laplace law.

    P(noise = k) = (1 - a) / (1 + a) a^|k|,    a = e^(-1 / scale)
    P(|noise| > t) = 2 a^(t + 1) / (1 + a) <= e^(-t / scale)

The noise of m counts has the characteristic function ((1 - a)^2 / (1 - 2 a cos w + a^2))^m. Its law
wrapped around a circle of 2^j whole numbers is one Fourier transform; what is wrapped into the
middle comes from so far out that Chernoff's bound leaves next to nothing there:

    P(|sum| >= t) <= 2 M(h)^m e^(-h t),    0 < h < 1 / scale
    M(h) = (1 - a)^2 / (1 - a e^h) (1 - a e^-h)
"""

from __future__ import annotations

import math

import numpy as np

from unspoken.core.numerics.rounding import UNIT

__all__ = ["reach", "reach_of_sum"]

LARGEST = 2**21  # whole numbers on the circle, at most
WRAPPED = 2.0**-20  # of the chance goes to what comes from beyond it
TRIED = np.linspace(0.0, 1.0, 258)[1:-1]  # h, in units of 1 / scale


def reach(counts: int, scale: float, chance: float) -> int:
    """No noise of so many counts goes further than this, but with this chance."""
    return max(0, math.ceil(math.log(counts / chance) * scale * (1.0 + 8 * UNIT)))


def reach_of_sum(counts: int, scale: float, chance: float) -> int:
    """The summed noise of so many counts goes no further than this, but with this chance."""
    if counts == 1:
        return reach(1, scale, chance)
    far = _chernoff(counts, scale, chance * WRAPPED)
    size = 1 << (2 * far).bit_length()
    if size > LARGEST:
        return _chernoff(counts, scale, chance)
    a = math.exp(-1.0 / scale)
    turns = np.arange(size // 2 + 1) * (2.0 * math.pi / size)
    # 1 - 2 a cos w + a^2 = (1 - a)^2 + 4 a sin(w / 2)^2
    folded = 1.0 / (1.0 + a * (2.0 * np.sin(turns / 2) / math.expm1(-1.0 / scale)) ** 2)
    law = np.fft.irfft(folded**counts, size)[: size // 2]
    off = UNIT * (32 * math.sqrt(size) * math.log2(size) + 16 * counts)
    beyond = 1.0 - law[0] - 2.0 * np.cumsum(np.append(0.0, law[1:]))  # P(|sum| > t) for every t
    close = np.flatnonzero(beyond + off + chance * WRAPPED <= chance)
    return int(close[0]) if close.size else _chernoff(counts, scale, chance)


def _chernoff(counts: int, scale: float, chance: float) -> int:
    """The same, by Chernoff's bound: any h proves it, and the best of some is taken."""
    h = TRIED / scale
    single = math.expm1(-1.0 / scale) ** 2 / (
        np.expm1(h - 1.0 / scale) * np.expm1(-h - 1.0 / scale)
    )
    t = (math.log(2.0 / chance) + counts * np.log(single)) / h
    return math.ceil(float(t.min()) * (1.0 + 64 * counts * UNIT))
