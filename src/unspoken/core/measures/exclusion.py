"""Freedom from exclusion attacks (paper 000): how far a secret can gain on anything else."""

from __future__ import annotations

import numpy as np

from unspoken.core.measures.measure import Measure
from unspoken.core.numerics.arrays import Array
from unspoken.core.types.posteriors import Posteriors, by_two_lifts

__all__ = ["EXCLUSION"]


def _gain(after: Posteriors) -> Array:
    """max log P(y|s) / P(y|x) over secret s and any x; a secret that cannot be is none."""
    hidden = np.where(after.secret & after.possible, after.log_lift, -np.inf).max(-1)
    gain = np.where(hidden > -np.inf, hidden, 0.0)
    gain -= np.where(hidden > -np.inf, after.log_lift.min(-1), 0.0)
    return gain


EXCLUSION = Measure("exclusion", _gain, "sup", moves=by_two_lifts, reads="pairs")
