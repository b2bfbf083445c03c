"""Equation 21: the account "bit". The sum of self terms is sound, a pairwise sum is not.

docs/theorems/equation-21.md
"""

from collections.abc import Sequence

import unspoken
from unspoken import Adversary, OneSided

days = unspoken.Joint(
    [[[14, 1], [1, 4]], [[1, 9], [9, 61]]],
    names=["A", "B", "S"],
)
xor = unspoken.Joint([[[1, 0], [0, 1]], [[0, 1], [1, 0]]], names=["A", "B", "S"])
copies = unspoken.Joint([[[25, 0], [0, 0]], [[0, 0], [0, 75]]], names=["A", "B", "S"])


def told(belief: unspoken.Joint, about: str, sees: Sequence[str]) -> float:
    mechanism = OneSided(dict.fromkeys("AB", 1.0), shows="bit")
    adversary = Adversary(about, sees=sees)
    return unspoken.leakage(belief, mechanism, adversary, "mutual-information").bits


print("A and B are released (bits only), S is not. Learned of S, in bit:\n")
print("belief                pairwise sum   pooled   self terms")
beliefs = {"office days": days, "two halves of a key": xor, "two copies": copies}
for name, belief in beliefs.items():
    pairwise = told(belief, "S", ["A"]) + told(belief, "S", ["B"])
    pooled = told(belief, "S", ["A", "B"])
    own = told(belief, "A", ["A"]) + told(belief, "B", ["B"])
    print(f"{name:20} {pairwise:13.4f} {pooled:8.4f} {own:12.4f}")
print("\nThe pairwise sum is above the truth here, below it there. The self terms are never below.")
