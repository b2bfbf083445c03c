"""A local channel: what is seen of one variable, split into a silent and a telling part.

Every channel W[x, y] is a coin. With probability sum_y common[y] the coin shows tails and the
output is drawn from ``common``, the same for every x: it tells nothing. Else it shows heads and the
output is drawn from ``excess[x, y]``. Keeping the parts apart is what makes small leakages come
out with all their digits (nothing is subtracted) and large coalitions boundable (tails is silence).
One-sided randomised response is the split itself: common = e^-eps on "withheld", excess = p times
"release whatever is not sensitive".
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

import numpy as np

from unspoken.core.errors import InputError
from unspoken.core.numerics.arrays import Array, Codes, Mask
from unspoken.core.numerics.rounding import Rounding, beside_one
from unspoken.core.numerics.tables import fixed
from unspoken.core.types.domain import Symbol, Value

__all__ = ["Channel", "Output", "listed"]

Output = Symbol | Value

# Below it probabilities lose their digits, and then themselves.
LEAST = 1e-304


@dataclass(frozen=True)
class Channel:
    """W[x, y] = exp(log_common[y]) + excess[x, y], every part >= 0 and every row of W summing to 1.

    The common part is kept as a logarithm, since e^-800 is no float; heads probability is the
    sum of any row of ``excess``. ``rounding``: what is behind the parts.
    """

    outputs: tuple[Output, ...]
    log_common: Array
    excess: Array
    rounding: Rounding = field(default=Rounding.of_numbers(2.0), compare=False)

    @classmethod
    def of(cls, outputs: Iterable[Output], law: Array) -> Channel:
        """Split any W[x, y]: what every row has of a column is common, the rest is excess.

        W is what was given over the sum of its row: a sum was off by less than its own rounding.
        """
        common = law.min(axis=0)
        excess = law - common
        tells = excess[0].any() or excess.any()  # mostly the first row says it
        rounding = Rounding.of_numbers(2.0, 2.0 + beside_one(law) if tells else 0.0)
        with np.errstate(divide="ignore"):
            return cls(tuple(outputs), fixed(np.log(common)), fixed(excess), rounding)

    @property
    def heads(self) -> float:
        """The probability that the coin lets the output tell anything."""
        return float(self.excess[0].sum())

    @property
    def law(self) -> Array:
        """W[x, y]; every row sums to 1."""
        return np.exp(self.log_common) + self.excess

    @property
    def possible(self) -> Mask:
        """For each value, whether it can show any of these outputs (one event may be none)."""
        silent = bool((self.log_common > -np.inf).any())
        possible: Mask = np.logical_or(silent, self.excess.any(axis=1))
        return possible

    def sample(self, values: Codes, rng: np.random.Generator) -> list[Output]:
        """One output for each value (given as positions), for simulation."""
        steps = np.cumsum(self.law, axis=1)[values]
        drawn = (rng.random(len(values))[:, None] * steps[:, -1:] > steps).sum(1)
        return [self.outputs[k] for k in drawn.tolist()]

    def split(self) -> Channel:
        """All is common where every value shows the same: then it is certain that nothing tells."""
        first, last = self.excess[0], self.excess[-1]
        if (last != first).any() or (self.excess != first).any() or not self.excess.any():
            return self
        with np.errstate(divide="ignore"):
            common = np.log(self.law[0])
        return Channel(self.outputs, common, np.zeros_like(self.excess), self.rounding)

    def on_heads(self) -> Channel:
        """The channel once the coin is known to show heads: no common part."""
        nothing = np.full_like(self.log_common, -np.inf)
        heads = self.heads  # what the whole is off by is now beside heads alone
        parts, whole = self.rounding.parts, self.rounding.whole
        rounding = Rounding.of_numbers(2.0 * parts + 1.0 + len(self.outputs), whole / heads)
        return Channel(self.outputs, nothing, self.excess / heads, rounding)

    def beside(self, other: Channel) -> Channel:
        """Both at once, with coins of their own: outputs are pairs, the last one fastest.

        W V = (c + e)(d + f): common c d; excess c f + e d + e f, every term >= 0.
        """
        outputs = tuple((*listed(y), *listed(z)) for y in self.outputs for z in other.outputs)
        log_common = np.add.outer(self.log_common, other.log_common).ravel()
        joint_excess = np.exp(self.log_common)[:, None] * other.excess[:, None, :]
        joint_excess = joint_excess + self.excess[:, :, None] * other.law[:, None, :]
        silent, tells = self.log_common > -np.inf, other.excess > 0
        some = tells | (other.log_common > -np.inf)
        positive = silent[:, None] & tells[:, None] | (self.excess > 0)[:, :, None] & some[:, None]
        if (joint_excess[positive] < LEAST).any():
            raise InputError(
                "channel: what is seen of one variable has a probability below 1e-304; ask for it "
                "less often, or use probabilities further from 0 (and an epsilon of inf for 1)"
            )
        rounding = self.rounding + other.rounding + Rounding(6.0)
        return Channel(outputs, log_common, joint_excess.reshape(len(joint_excess), -1), rounding)

    def event(self, name: Output, outputs: Collection[Output]) -> Channel:
        """The likelihood of one event: the output is among these (none: it is impossible)."""
        chosen = [k for k, output in enumerate(self.outputs) if output in outputs]
        common = np.logaddexp.reduce(self.log_common[chosen], initial=-np.inf, keepdims=True)
        rounding = self.rounding + Rounding(len(chosen))
        return Channel((name,), common, self.excess[:, chosen].sum(1, keepdims=True), rounding)


def listed(output: Output) -> tuple[Output, ...]:
    """Of one release, or of several: those are tuples."""
    return output if isinstance(output, tuple) else (output,)
