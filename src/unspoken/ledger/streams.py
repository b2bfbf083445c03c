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
    """Their part of an account; ``entries`` is where.

    Kept are sums, so that one answer more costs the same after many: of each audience the sum of
    all that it was given, and how many answers were charged for which unit; of each draw what it
    counts for whom; and which draws were given to several, which count once.
    """

    def __init__(self, entries: Entries) -> None:
        self._entries = entries

    def spent(
        self, audience: Collection[Sequence[str]], unit: Sequence[str], but: str = ""
    ) -> Fraction | None:
        """The sum of all that these were given, each draw once, of decimals as they are written.

        None: of an older answer, or one that was charged for other units, it is not known. ``but``:
        a draw that is given now.
        """
        words = {json.dumps(sorted(set(names))) for names in audience}
        kept = self._entries.get([("stream", word) for word in words])
        now, own = self._of(but), json.dumps([*unit])
        total = Fraction(0)
        for (_, word), (sums, units) in kept.items():
            mine = now.get(word)
            others = {name: n - (mine is not None and mine[0] == name) for name, n in units.items()}
            if any(n for name, n in others.items() if name != own):
                return None
            total += Fraction(*sums) - (_epsilon(mine) if mine else 0)
        return total - sum((self._twice(draw, words) for draw in self._several() if draw != but), 0)

    def entered(self, event: Answer, word: str) -> Mapping[Key, Any]:
        """The entries with one answer more, which ``word`` was given."""
        draw, now = event.noise, [json.dumps([*event.unit]), event.unit_epsilon]
        given, key = self._of(draw), ("stream", word)
        sums, units = self._entries.get([key]).get(key, ([0, 1], {}))
        total, units, before = Fraction(*sums) + _epsilon(now), dict(units), given.get(word)
        if before is not None:
            total -= _epsilon(before)
            units[before[0]] -= 1
        units[now[0]] = units.get(now[0], 0) + 1
        entries: dict[Key, Any] = {
            key: [[total.numerator, total.denominator], units],
            ("streamed", draw): {**given, word: now},
        }
        if len({*given, word}) > 1:
            entries["streamed", "", draw] = 1
        return entries

    def _of(self, draw: str) -> dict[str, Any]:
        """What one draw counts, for each who was given it."""
        found: dict[str, Any] = self._entries.get([("streamed", draw)]).get(("streamed", draw), {})
        return found

    def _several(self) -> list[str]:
        """Draws that were given to more than one."""
        return [key[-1] for key, _ in self._entries.below(("streamed", ""))]

    def _twice(self, draw: str, words: Collection[str]) -> Fraction:
        """What the sums of these have of it too often."""
        counted = [_epsilon(own) for word, own in self._of(draw).items() if word in words]
        return sum(counted, Fraction(0)) - max(counted, default=Fraction(0))


def _epsilon(counted: Sequence[Any]) -> Fraction:
    return Fraction(repr(counted[1]))
