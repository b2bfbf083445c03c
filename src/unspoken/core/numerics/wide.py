"""Numbers of 0 or more far beyond the range of floats, with all the digits of floats.

A mantissa and a power of two each, so that products and quotients cost no digits however large or
small they get; logarithms would cost as many digits as they have before the point.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from unspoken.core.numerics.arrays import Array, Codes, Mask
from unspoken.core.numerics.ring import LEAST, LOG2

__all__ = ["Wide"]

# The exponent of 0: below every other one, and far from the ends of the integers.
NOTHING = -(2**40)
# Bits of a whole number that are looked at; what is behind them is less than a float's last place.
BITS = 64


@dataclass(frozen=True, eq=False)
class Wide:
    """mantissa 2^exponent: mantissas are 0 or in [1/2, 1)."""

    mantissa: Array
    exponent: Codes

    @classmethod
    def of(cls, mantissa: npt.ArrayLike, exponent: npt.ArrayLike = 0) -> Wide:
        part, shift = np.frexp(np.asarray(mantissa, dtype=np.float64))
        raised = np.asarray(exponent, dtype=np.intp) + shift
        return cls(part, np.where(part > 0, raised, NOTHING))

    @classmethod
    def of_logs(cls, logs: npt.ArrayLike) -> Wide:
        given = np.asarray(logs, dtype=np.float64)
        finite = np.where(given > -np.inf, given, 0.0)
        power = np.floor(finite / LOG2)
        part = np.where(given > -np.inf, np.exp(finite - power * LOG2), 0.0)
        return cls.of(part, power.astype(np.intp))

    @classmethod
    def of_whole(cls, numbers: Iterable[int]) -> Wide:
        """From Python's whole numbers, of any size."""
        listed = list(numbers)
        shifts = [max(0, number.bit_length() - BITS) for number in listed]
        parts = [float(number >> shift) for number, shift in zip(listed, shifts, strict=True)]
        return cls.of(parts, shifts)

    def __mul__(self, other: Wide) -> Wide:
        return Wide.of(self.mantissa * other.mantissa, self.exponent + other.exponent)

    def __truediv__(self, other: Wide) -> Wide:
        return Wide.of(self.mantissa / other.mantissa, self.exponent - other.exponent)

    def __add__(self, other: Wide) -> Wide:
        top = np.maximum(self.exponent, other.exponent)
        return Wide.of(self._at(top) + other._at(top), top)

    def __getitem__(self, index: Any) -> Wide:
        return Wide(self.mantissa[index], self.exponent[index])

    @property
    def shape(self) -> tuple[int, ...]:
        return self.mantissa.shape

    @property
    def positive(self) -> Mask:
        positive: Mask = self.mantissa > 0
        return positive

    @property
    def fits(self) -> bool:
        """Whether all of these are floats without a loss."""
        return not (self.positive & (self.plain() < LEAST)).any()

    def reshape(self, *shape: int) -> Wide:
        return Wide(self.mantissa.reshape(shape), self.exponent.reshape(shape))

    def sum(self, axis: int | tuple[int, ...], keepdims: bool = False) -> Wide:
        top = self.exponent.max(axis=axis, keepdims=True, initial=NOTHING)
        total = Wide.of(self._at(top).sum(axis=axis, keepdims=True), top)
        if keepdims:
            return total
        return Wide(np.squeeze(total.mantissa, axis), np.squeeze(total.exponent, axis))

    def plain(self) -> Array:
        """As floats; too small ones become 0."""
        return self._at(np.zeros(1, dtype=np.intp)).reshape(self.shape)

    def logs(self) -> Array:
        with np.errstate(divide="ignore"):
            logs: Array = np.log(self.mantissa) + self.exponent * LOG2
        return logs

    def _at(self, exponent: Codes) -> Array:
        """The mantissas these have at another exponent."""
        moved: Array = np.ldexp(self.mantissa, np.maximum(self.exponent - exponent, -5000))
        return moved
