"""Theorem 3: what a release says about another attribute does not depend on epsilon.

docs/theorems/theorem-3.md
"""

import math

import unspoken
from unspoken import RELEASED, Adversary, OneSided

# Overtime is sensitive and rare on days with low occupancy.
days = unspoken.Joint(
    [[1, 30], [24, 45]],
    names=["leaving", "occupancy"],
    values=[["overtime", "normal hours"], ["low", "normal"]],
)
f2 = (1 - 1 / 25) / (1 - 30 / 75)
about = Adversary("occupancy")

print(f"The hour of leaving is released. f2 = {f2:.4f}\n")
print("   eps   P(released)   odds of low x   on average, bit")
for eps in (0.01, 0.1, 1.0, math.inf):
    mechanism = OneSided({"leaving": eps})
    happens = 0.69 * mechanism.release_probability("leaving")  # 69 of 100 days have no overtime
    odds = unspoken.odds(days, mechanism, about, {"leaving": RELEASED}).value
    mean = unspoken.leakage(days, mechanism, about, "mutual-information").bits
    print(f"{eps:6} {happens:13.2%} {odds:15.4f} {mean:17.6f}")
print("\nA lower epsilon makes the answer rarer, never weaker.")
