"""What pooled values tell, by listing every cell and every answer: no code of the library in it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Enumerated:
    """A joint table over values 0, 1, ... of each variable, and which of them are sensitive.

    ``secrets``: which of these nobody is to learn; None: all.
    """

    table: np.ndarray
    sensitive: Sequence[Sequence[int]]
    secrets: Sequence[Sequence[int]] | None = None

    @cached_property
    def codes(self) -> np.ndarray:
        return np.array(list(np.ndindex(*self.table.shape)))

    def answers(self, p: npt.ArrayLike) -> np.ndarray:
        """P(cell, y); answer 0 of a variable is "withheld", answer 1 + v its value v."""
        law: np.ndarray = np.ones((1, 1))
        for size, hidden, rate in zip(self.table.shape, self.sensitive, np.asarray(p), strict=True):
            channel = np.zeros((size, 1 + size))
            for value in range(size):
                shown = 0.0 if value in hidden else rate
                channel[value, 0], channel[value, 1 + value] = 1.0 - shown, shown
            law = np.kron(law, channel)
        return self.table.reshape(-1, 1) * law

    @cached_property
    def events(self) -> list[np.ndarray]:
        """Per target with a secret, its secrets and then "nothing sensitive": 0 or 1 [s, cell]."""
        found = []
        for target, hidden in enumerate(self.secrets or self.sensitive):
            own = self.codes[:, target]
            groups = [own == value for value in hidden] + [~np.isin(own, list(hidden))]
            if any(self.table.reshape(-1)[group].sum() > 0 for group in groups[:-1]):
                found.append(np.array(groups, dtype=float))
        return found

    def said(self, p: npt.ArrayLike) -> list[tuple[float, float, np.ndarray, np.ndarray]]:
        """Per target with a secret: I(S; Y), the worst odds factor; of each answer factor, mass."""
        law = self.answers(p)
        mass = law.sum(0)
        return [
            (self.information(rows), float(factor[mass > 0].max(initial=0.0)), factor, mass)
            for rows in (events @ law for events in self.events)
            for factor in [self.factors(rows)]
        ]

    @staticmethod
    def information(rows: np.ndarray) -> float:
        with np.errstate(divide="ignore", invalid="ignore"):
            expected = rows.sum(1)[:, None] * rows.sum(0)
            terms = np.where(rows > 0, rows * np.log(rows / expected), 0.0)
        return math.fsum(terms.ravel().tolist())

    @staticmethod
    def factors(rows: np.ndarray) -> np.ndarray:
        """For each answer the largest factor on the odds of one secret, or of any of them."""
        events = np.eye(len(rows))[:-1]
        events = np.vstack([events, events.sum(0)])
        inside, outside = events @ rows, (1.0 - events) @ rows
        prior = inside.sum(1, keepdims=True), outside.sum(1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(inside > 0, inside / outside, 0.0) * (prior[1] / prior[0])
        some = (prior[0] > 0) & (prior[1] > 0)
        return np.asarray(np.where(some, ratio, 0.0).max(0))

    def keeps(
        self,
        p: npt.ArrayLike,
        limit: float = math.inf,
        odds_cap: float = math.inf,
        exceed: float = 0.0,
        slack: float = 1e-9,
    ) -> bool:
        law = self.answers(p)
        mass = law.sum(0)
        for rows in (events @ law for events in self.events):
            if self.information(rows) > limit * (1 + slack) + 4e-15:
                return False
            beyond = (mass > 0) & (self.factors(rows) > odds_cap * (1 + slack))
            if beyond.any() and (exceed == 0 or mass[beyond].sum() > exceed * (1 + slack)):
                return False
        return True

    @cached_property
    def free(self) -> np.ndarray:
        """P(X_i = 1): the default weights."""
        shares = []
        for axis, hidden in enumerate(self.sensitive):
            law = np.moveaxis(self.table, axis, 0).reshape(self.table.shape[axis], -1).sum(1)
            shares.append(law[[v for v in range(len(law)) if v not in hidden]].sum())
        return np.array(shares)
