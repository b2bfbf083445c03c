"""What the attack of section IV learns, taken apart: prior, release and misfit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from studies.p002.attack import Attack, Told, Weight, by_law
from studies.p002.gowalla import gowalla
from studies.p002.intervals import Mean, mean_of
from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.roots import least_scale
from unspoken.noise.models.friends import Neighbour, grid
from unspoken.noise.models.friendships import Friendships

__all__ = ["EPSILONS", "Parts", "attack", "dpm_scale", "parts", "victims"]

EPSILONS = (0.1, 1.0, 10.0, 100.0, 1000.0)
SEED = 2016
DRAWS, FEW = 12, 3  # of the noise, in the full size and the small one
SOME = 120  # users in the small size
INDE, DE, AFTER_INDE, AFTER_DE = range(4)  # the last axis of `Told`


@cache
def attack() -> Attack:
    return Attack.on(gowalla(), np.random.default_rng(SEED))


@cache
def victims(small: bool) -> tuple[int, ...]:
    """Everybody with a friend; in the small size some of them."""
    befriended = np.flatnonzero(attack().friends.any(1))
    if small:
        befriended = np.random.default_rng(SEED).choice(befriended, SOME, replace=False)
    return tuple(befriended.tolist())


@dataclass(frozen=True, eq=False)
class Parts:
    """Eq. 10 and 11 of one scale of noise, and what they are made of."""

    told: Told

    def _mean(self, of: Callable[[Told], Array]) -> Mean:
        return mean_of(of(self.told))

    @property
    def leaked(self) -> Mean:
        """Eq. 11 with eq. 9: H(P_inde) - H(after), bits."""
        return self._mean(lambda t: t.entropy[..., INDE] - t.entropy[..., AFTER_DE])

    @property
    def independent(self) -> Mean:
        """Eq. 11 with eq. 8."""
        return self._mean(lambda t: t.entropy[..., INDE] - t.entropy[..., AFTER_INDE])

    @property
    def prior(self) -> Mean:
        """H(P_inde) - H(P_de): nothing is released."""
        return self._mean(lambda t: t.entropy[..., INDE] - t.entropy[..., DE])

    @property
    def release(self) -> Mean:
        """H(P_de) - H(after)."""
        return self._mean(lambda t: t.entropy[..., DE] - t.entropy[..., AFTER_DE])

    @property
    def true_prior(self) -> Mean:
        """log2 P_de / P_inde of the cell where the user is: what friends tell truly."""
        return self._mean(lambda t: t.truth[..., DE] - t.truth[..., INDE])

    @property
    def true_release(self) -> Mean:
        """log2 after / P_de of the cell where the user is: what the release tells truly."""
        return self._mean(lambda t: t.truth[..., AFTER_DE] - t.truth[..., DE])

    @property
    def misfit(self) -> Mean:
        """What is believed to be told, less what is told truly, of friends and release."""
        return self._mean(
            lambda t: (
                (t.entropy[..., INDE] - t.entropy[..., AFTER_DE])
                - (t.truth[..., AFTER_DE] - t.truth[..., INDE])
            )
        )

    def error(self, which: int) -> Mean:
        """Eq. 10, km."""
        return self._mean(lambda t: t.error[..., which])


@cache
def parts(
    scale: float, small: bool, share: float = 1.0, weight: Weight = by_law, draws: int = 0
) -> Parts:
    """Centroids with noise of this scale, to who knows this share of the users."""
    rng, on = np.random.default_rng(SEED), attack()
    released = on.release(scale, draws or (FEW if small else DRAWS), rng)
    known = None
    if share < 1:
        count = round(share * len(on.cell))
        known = np.zeros(len(on.cell), dtype=bool)
        known[rng.choice(len(on.cell), count, replace=False)] = True
    return Parts(on.told(victims(small), released, scale, known=known, weight=weight))


@cache
def dpm_scale(epsilon: float, kappa: float = 1.0) -> float:
    """Eq. 18, 23-26 with kappa rho in place of rho, a centroid's sensitivity taken as 1."""
    law = Neighbour.by_distance(grid())
    ends = gowalla().friends
    most = float(Friendships.of(ends[:, 0], ends[:, 1]).degrees.max())

    def leak(sigma: float) -> float:
        return (1 + kappa * most * law.coefficient(sigma, "B")) / sigma

    low = 1 / epsilon
    return least_scale(leak, epsilon, low, (1 + most) / epsilon)
