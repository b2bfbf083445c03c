"""One coin a record: harmless parts, and what whoever pools them learns."""

import itertools

import unspoken

WHOLE = 2**62
bits = unspoken.Joint([[[1, 0], [0, 1]], [[0, 1], [1, 0]]], names=["A", "B", "S"])
about = unspoken.Adversary("S", secret=[1])


def table(shows):
    """The same patterns for every record."""
    records = itertools.product([0, 1], repeat=3)
    return unspoken.Suppression(
        dict.fromkeys(records, shows), ["A", "B", "S"], [[0, 1]] * 3, {"S": [1]}
    )


parts = {
    "A or B, never both": table({("A",): WHOLE // 2, ("B",): WHOLE // 2}),
    "A and B": table({("A", "B"): WHOLE}),
}
print("S = A xor B; by how much an answer can multiply the odds of S = 1")
for name, coin in parts.items():
    alone = unspoken.leakage(bits, coin.showing(["A"]), about, "odds").value
    pooled = unspoken.leakage(bits, coin, about, "odds").value
    print(f"{name:20} who gets A: {alone:.3g}   who gets both: {pooled:.3g}")
