"""What attackers see of many trials, and, for whoever scores them alone, the truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unspoken.core.numerics.arrays import Array, Mask

__all__ = ["WITHHELD_AS", "Trials"]

WITHHELD_AS = -1.0  # a cell that is withheld, among the numbers of labels


@dataclass(frozen=True)
class Trials:
    """``seen``: a row a trial, a column whatever is seen of it: a label's number, or an answer.

    ``secret``: whether the secret was true. ``place``: where each is in the file, if it is in one.
    """

    seen: Array
    secret: Mask

    def __len__(self) -> int:
        return len(self.secret)

    def taken(self, which: npt.NDArray[np.intp] | slice) -> Trials:
        """These trials."""
        return Trials(self.seen[which], self.secret[which])

    def parts(self) -> tuple[Trials, Trials, Trials]:
        """To practise on, to choose an event by, and, half of all, to judge it by.

        They come in turn, one, one and two, so that a drift along a file is in each.
        """
        turn = np.arange(len(self)) % 4
        practice, chosen, judged = (
            np.flatnonzero(where) for where in (turn == 0, turn == 2, turn % 2 == 1)
        )
        return self.taken(practice), self.taken(chosen), self.taken(judged)
