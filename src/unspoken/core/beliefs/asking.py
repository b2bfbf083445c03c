"""What a belief may ask of a mechanism, which it knows nothing else of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from unspoken.core.adversary import Adversary
from unspoken.core.numerics.arrays import Codes
from unspoken.core.types.channel import Channel, Output
from unspoken.core.types.domain import Domain
from unspoken.core.types.kernel import Kernel
from unspoken.core.types.noise import Noise
from unspoken.core.types.secret import Secret
from unspoken.core.types.sums import Weights
from unspoken.core.views import View

__all__ = ["NoisySum", "Observed", "Shows"]


class NoisySum(Protocol):
    """A weighted sum of the variables, plus noise."""

    @property
    def weights(self) -> Weights: ...
    @property
    def noise(self) -> Noise: ...


class Observed(Protocol):
    """What one adversary gets to see, and what they are after."""

    @property
    def channels(self) -> Mapping[str, Channel]: ...
    @property
    def queries(self) -> Mapping[str, NoisySum]: ...
    @property
    def secret(self) -> Secret: ...
    @property
    def beside_queries(self) -> bool: ...
    def joint(self, codes: Mapping[str, Codes]) -> Kernel | None: ...


class Shows(Protocol):
    """A mechanism, as far as beliefs are concerned."""

    def cloud(
        self, belief: Any, adversary: Adversary, outcome: Mapping[str, Output] | None
    ) -> View: ...

    def observed(
        self, domain: Domain, adversary: Adversary, outcome: Mapping[str, Output] | None
    ) -> Observed: ...
