"""How often a record coin shows what of which record, beside how likely each record is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unspoken.core.beliefs import Belief
from unspoken.core.errors import TooLarge
from unspoken.core.mechanisms.record_chain import RecordChain
from unspoken.core.numerics.arrays import CELLS, Array, Codes
from unspoken.core.types.domain import Domain, Value

__all__ = ["RecordShares"]

LISTED = 2**20  # records up to which every one is looked at; of more those that are expected


@dataclass(frozen=True, eq=False)
class RecordShares:
    """``codes``: the labels of some records [record, name], as positions in the ``domain``;
    ``law``: P(x), and ``shown``: P(i is shown at last | x) [record, name]. ``rest``: whether there
    are more records, which the belief has at 0.
    """

    domain: Domain
    codes: Codes
    law: Array
    shown: Array
    rest: bool

    @classmethod
    def of(cls, chain: RecordChain, belief: Belief) -> RecordShares:
        names = chain.names
        if belief.cells(names) > CELLS:
            raise TooLarge(
                f"coins of records: {belief.cells(names):,} records of {len(names)} names, more "
                f"than {CELLS:,}; use fewer labels"
            )
        law = belief.marginal(names)
        rest = law.size > LISTED
        codes = np.argwhere(law > 0) if rest else np.indices(law.shape).reshape(law.ndim, -1).T
        rows = chain.places(belief.domain, dict(zip(names, codes.T, strict=True)))
        found = chain.listed(rows)
        each = np.ldexp(found.weights.astype(np.float64), -found.bits)
        out = [found.shown[:, -1] >> bit & 1 > 0 for bit in range(len(names))]
        shown = [np.bincount(found.row[of], each[of], len(codes)) for of in out]
        domain = Domain(names, tuple(belief.domain.values_of(name) for name in names))
        return cls(domain, codes, law[tuple(codes.T)], np.stack(shown, axis=1), rest)

    def of_free(self, name: str, hidden: Sequence[Value]) -> float:
        """P(i is shown | x_i may be)."""
        free = ~np.isin(self._codes(name), self.domain.codes(name, hidden))
        law, shown = self.law[free], self._shown(name)[free]
        mass = float(law.sum())
        return min(1.0, float(law @ shown) / mass) if mass > 0 else 0.0

    def given(self, name: str) -> dict[Value, float]:
        """a_i(v) = P(i is shown | x_i = v) of every label that can be."""
        codes, values = self._codes(name), self.domain.values_of(name)
        law = np.bincount(codes, self.law, len(values))
        seen = np.bincount(codes, self.law * self._shown(name), len(values))
        shares = zip(values, law.tolist(), seen.tolist(), strict=True)
        return {value: min(1.0, s / mass) for value, mass, s in shares if mass > 0}

    def least(self, name: str, unexpected: bool = False) -> dict[Value, float]:
        """The least share of any record with each label; or of any that is ``unexpected``."""
        of = self.law == 0 if unexpected else np.ones(len(self.law), dtype=bool)
        values = self.domain.values_of(name)
        least = np.full(len(values), 0.0 if self.rest else np.inf)
        np.minimum.at(least, self._codes(name)[of], self._shown(name)[of])
        shares = zip(values, least.tolist(), strict=True)
        return {value: min(1.0, share) for value, share in shares if share < np.inf}

    def _codes(self, name: str) -> Codes:
        return self.codes[:, self.domain.axis(name)]

    def _shown(self, name: str) -> Array:
        return self.shown[:, self.domain.axis(name)]
