"""What many applications know together is neither the sum nor the product of what each knows.

docs/theorems/coalitions.md
"""

import unspoken
from unspoken import Adversary, OneSided

EVEN = [[1, 1], [1, 1]]
key = unspoken.Joint([[[1, 0], [0, 1]], [[0, 1], [1, 0]]], names=["A", "B", "S"])
copies = unspoken.Joint([[[3, 0], [0, 0]], [[0, 0], [0, 7]]], names=["A", "B", "S"])
pairs_only = unspoken.Pairwise(
    {"A": [1, 1], "B": [1, 1], "S": [1, 1]},
    {("A", "B"): EVEN, ("A", "S"): EVEN, ("B", "S"): EVEN},
)
both = OneSided({"A": 1.0, "B": 1.0})


def told(belief: unspoken.Joint | unspoken.Pairwise, sees: list[str]) -> unspoken.Bound:
    return unspoken.leakage(belief, both, Adversary("S", sees=sees), "mutual-information")


print("Learned of S on average, in nats:\n")
print("belief               A alone   B alone   together: at least   at most")
beliefs = {"two halves of a key": key, "two copies": copies, "pairs only": pairs_only}
for name, belief in beliefs.items():
    a, b, together = (told(belief, sees) for sees in (["A"], ["B"], ["A", "B"]))
    print(f"{name:19} {a.value:8.4f} {b.value:9.4f} {together.low:20.4f} {together.high:9.4f}")
print("\nThe last belief knows that each pair looks independent. So do those of the key:")
print("the upper end covers it.")
