"""Keys, coins and noise of a test are the same in every run, though the library knows no seed.

Whether a commit is good must not depend on luck: where a test draws a key or noise, it draws what
its own name says. `make stress` draws afresh (but in CI), and so do tests of the drawing itself,
which are marked ``afresh``.
"""

from __future__ import annotations

import os
from typing import Any

import pytest
from opendp.measurements import make_laplace

from tests.draws import Draws, Laplace
from unspoken.noise import discrete_laplace as noise
from unspoken.storage import coins

__all__ = ["Draws", "Laplace", "System", "repeat"]


class System:
    """The module ``os``, but for its randomness."""

    def __init__(self, draws: Draws) -> None:
        self.urandom = draws.urandom

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)


def repeat(draws: Draws, patch: pytest.MonkeyPatch) -> None:
    """From here on the two sources of randomness open on these draws."""

    def made(domain: Any, metric: Any, scale: float) -> Laplace:
        return Laplace(draws, make_laplace(domain, metric, scale=scale), scale)

    patch.setattr(coins, "os", System(draws))
    patch.setattr(noise, "make_laplace", made)
