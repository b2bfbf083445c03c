"""Theorem 2: a withheld arrival says something about the occupancy nobody asked for.

docs/theorems/theorem-2.md
"""

import math

import unspoken
from unspoken import WITHHELD, Adversary, OneSided

# A hundred office days: rows late, on time; columns low, normal occupancy.
days = unspoken.Joint(
    [[15, 5], [10, 70]],
    names=["arrival", "occupancy"],
    values=[["late", "on time"], ["low", "normal"]],
)
d1, d2 = 15 / 25, 5 / 75  # P(late | low), P(late | normal)
PRIOR = 25 / 75

print("The arrival is withheld. Low occupancy had 25 %:\n")
print("   eps   shown   odds x (library)   f1 (formula)   P(low)")
for eps in (0.0, 0.5, 1.0, 2.0, 5.0, math.inf):
    mechanism = OneSided({"arrival": eps})
    p = mechanism.release_probability("arrival")
    f1 = (1 - (1 - d1) * p) / (1 - (1 - d2) * p)
    seen = unspoken.odds(days, mechanism, Adversary("occupancy"), {"arrival": WITHHELD}).value
    print(f"{eps:6} {p:7.1%} {seen:18.4f} {f1:14.4f} {PRIOR * seen / (1 + PRIOR * seen):8.1%}")
print(f"\nThe factor goes from 1 to d1 / d2 = {d1 / d2:.4f}.")
