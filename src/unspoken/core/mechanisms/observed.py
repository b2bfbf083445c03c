"""What one adversary is shown by a mechanism, of whatever kind it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from unspoken.core.mechanisms.parts import Query
from unspoken.core.mechanisms.recorded import Recorded
from unspoken.core.numerics.arrays import Codes
from unspoken.core.types.channel import Channel
from unspoken.core.types.kernel import Kernel
from unspoken.core.types.secret import Secret

__all__ = ["Observed"]


@dataclass(frozen=True)
class Observed:
    """What one adversary gets to see of a mechanism, and what they are after.

    ``channels``: of each variable seen; ``queries``: the noisy sums; ``recorded``: coins that look
    at whole records, with the channels beside them, which are not listed by themselves then.
    """

    channels: Mapping[str, Channel]
    queries: Mapping[str, Query]
    secret: Secret
    recorded: Recorded | None = None

    @property
    def beside_queries(self) -> bool:
        """Whether anything but noisy sums is seen."""
        return bool(self.channels or self.recorded)

    def joint(self, codes: Mapping[str, Codes]) -> Kernel | None:
        """What is seen of several variables at once, for cells by the positions of their values."""
        return None if self.recorded is None else self.recorded.kernel(codes)
