"""Sums of products of probabilities: on plain numbers where these reach, else on their logarithms.

Both rings have the same operations, so what is computed is written once. Products of plain numbers
keep their digits between e^-600 and e^600; who meets larger or smaller ones raises `OutOfRange`, or
lets the processor watch, and starts again on logarithms.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from unspoken.core.numerics.arrays import Array

__all__ = [
    "LEAST",
    "LINEAR",
    "LOG2",
    "LOGS",
    "RANGE",
    "OutOfRange",
    "Ring",
    "in_range",
    "logarithm",
    "with_all_digits",
]

# Beyond e^-600 and e^600 products of probabilities leave the range of floats, or soon will.
RANGE = 600.0
# Probabilities below this lose digits, and then themselves.
LEAST = 1e-300
LOG2 = math.log(2.0)
T = TypeVar("T")


class OutOfRange(ArithmeticError):
    """Plain numbers do not reach; logarithms do."""


@dataclass(frozen=True)
class Ring:
    """The arithmetic: on plain numbers, or on their logarithms."""

    times: np.ufunc
    plus: np.ufunc
    over: np.ufunc
    zero: float
    in_logs: bool

    def of(self, plain: Array) -> Array:
        return logarithm(plain) if self.in_logs else plain

    def of_logs(self, logs: Array) -> Array:
        return logs if self.in_logs else np.exp(logs)

    def times_rows(self, numbers: Array, rows: Array) -> Array:
        """Every row by its own number; the processor's own loop over rows takes half as long."""
        times: Array = (
            numbers[:, None] + rows if self.in_logs else np.einsum("i,ij->ij", numbers, rows)
        )
        return times

    def ratio(self, one: Array, other: Array) -> Array:
        """one / other, and 0 where other is 0 (then one is, too)."""
        ratio = np.full(np.broadcast_shapes(one.shape, other.shape), self.zero)
        self.over(one, other, out=ratio, where=other != self.zero)
        return ratio

    def dot(self, table: Array, matrix: Array) -> Array:
        """sum_x table[..., x] matrix[x, y]; as logarithms where x is short, as a variable's is."""
        if not self.in_logs:
            return np.tensordot(table, matrix, 1)
        terms = [table[..., x, None] + matrix[x] for x in range(matrix.shape[0])]
        total: Array = np.logaddexp.reduce(terms, axis=0)
        return total


def logarithm(plain: Array) -> Array:
    """-inf for 0."""
    with np.errstate(divide="ignore"):
        return np.log(plain)


LINEAR = Ring(np.multiply, np.add, np.divide, 0.0, in_logs=False)
LOGS = Ring(np.add, np.logaddexp, np.subtract, -np.inf, in_logs=True)


def in_range(compute: Callable[[Ring], T]) -> T:
    """On plain numbers where ``compute`` finds that these reach, else on logarithms."""
    try:
        return compute(LINEAR)
    except OutOfRange:
        return compute(LOGS)


def with_all_digits(compute: Callable[[Ring], T]) -> T:
    """On plain numbers where no operation leaves the range of floats, else on logarithms."""
    try:
        with np.errstate(under="raise", over="raise"):
            return compute(LINEAR)
    except (FloatingPointError, OutOfRange):
        return compute(LOGS)
