"""Bytes and noise that follow from a text. Nothing here imports the library."""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import Any

import numpy as np

__all__ = ["Draws", "Laplace"]


class Draws:
    """Bytes and discrete Laplace noise that follow from a text."""

    def __init__(self) -> None:
        self.begin("")

    def begin(self, text: str) -> None:
        self.text = text
        self.__dict__.pop("generator", None)

    @cached_property
    def generator(self) -> np.random.Generator:
        """Made only where something is drawn: most tests draw nothing."""
        seed = hashlib.sha256(self.text.encode()).digest()
        return np.random.default_rng(list(seed))

    def urandom(self, size: int) -> bytes:
        return self.generator.bytes(size)

    def laplace(self, scale: float, size: int) -> list[int]:
        share = -np.expm1(-1.0 / scale)
        two = self.generator.geometric(share, size=(2, size))
        return [int(value) for value in two[0] - two[1]]


class Laplace:
    """OpenDP's measurement, whose map is asked and whose noise is not."""

    def __init__(self, draws: Draws, measurement: Any, scale: float) -> None:
        self.draws, self.map, self.scale = draws, measurement.map, scale

    def __call__(self, values: Any) -> Any:
        if isinstance(values, int):
            return values + self.draws.laplace(self.scale, 1)[0]
        noises = self.draws.laplace(self.scale, len(values))
        return [value + more for value, more in zip(values, noises, strict=True)]
