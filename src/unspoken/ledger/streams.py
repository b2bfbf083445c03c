"""What all answers with noise told of all rows of one unit: the stream of its days, say.

One record changes an answer by no more than e^eps, so the k rows of a unit that enter it change it
by no more than e^(k eps), whatever is believed of how these depend on each other; and of several
answers, each drawn anew, epsilons add up (Corollary 1). So the sum over all answers of k eps bounds
what they say together of anything about one unit, over all epochs.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any

from unspoken.ledger.answers import Answer
from unspoken.ledger.entries import Entries, Key

__all__ = ["Streams"]


class Streams:
    """Their part of an account; ``entries`` is where."""

    def __init__(self, entries: Entries) -> None:
        self._entries = entries

    def spent(
        self, audience: Collection[Sequence[str]], unit: Sequence[str], but: str = ""
    ) -> Fraction | None:
        """The sum of all that these were given, each draw once, of decimals as they are written.

        None: of an older answer, or one that was charged for other units, it is not known. ``but``:
        a draw that is given now.
        """
        keys = [("stream", json.dumps(sorted(set(names)))) for names in audience]
        spent: dict[str, Fraction] = {}
        for draws in self._entries.get(keys).values():
            for draw, (their_unit, epsilon) in draws.items():
                if draw == but:
                    continue
                if their_unit != [*unit]:
                    return None
                spent[draw] = max(Fraction(repr(epsilon)), spent.get(draw, Fraction(0)))
        return sum(spent.values(), Fraction(0))

    def entered(self, event: Answer, word: str) -> Mapping[Key, Any]:
        """The entries with one answer more, which ``word`` was given."""
        key = ("stream", word)
        before = self._entries.get([key]).get(key, {})
        return {key: {**before, event.noise: [[*event.unit], event.unit_epsilon]}}
