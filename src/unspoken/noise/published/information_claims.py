"""What paper 004 hopes of information privacy over a set of laws (its P^delta), as printed.

There every variable moves the law of the others by at most sigma in total variation. What is sound
is `unspoken.bound_from_dp`: add up the epsilons of differential privacy first, and convert once.
"""

from __future__ import annotations

from collections.abc import Sequence

from unspoken.core.numerics.numbers import not_negative, whole
from unspoken.core.types.bound import Estimate

__all__ = ["information_group", "information_sequential"]


def information_group(limit: float, size: int) -> Estimate:
    """Theorem 5 for P^delta: ``size`` variables together lose at most that many limits."""
    (limit,) = not_negative("limits", [limit])
    size = whole("group", size, "variables")
    why = (
        "Theorem 5 beyond independent blocks: of 8 variables with sigma 0.1 and epsilon 0.5 two "
        "lose 4.0 nat, and not twice 1.938"
    )
    return Estimate(size * limit, "nat", why)


def information_sequential(limits: Sequence[float]) -> Estimate:
    """Theorem 6 for P^delta: what each answer may tell adds up."""
    why = (
        "Theorem 6 beyond independent blocks: of 6 variables with sigma 0.1 one answer at epsilon "
        "0.5 may tell 1.251 nat, two of them tell 3.737"
    )
    return Estimate(sum(not_negative("limits", limits)), "nat", why)
