"""Theorem 4: two applications pool what they saw, with the case the paper leaves out.

docs/theorems/theorem-4.md
"""

import math

import unspoken
from unspoken import RELEASED, WITHHELD, Adversary, OneSided

EPS_I, EPS_J = 1.0, 0.5
days = unspoken.Joint(
    [[15, 5], [10, 70]],
    names=["arrival", "occupancy"],
    values=[["late", "on time"], ["low", "normal"]],
)
both = OneSided({"arrival": EPS_I, "occupancy": EPS_J})
d1, d2, p = 15 / 25, 5 / 75, -math.expm1(-EPS_I)
f1, f2 = (1 - (1 - d1) * p) / (1 - (1 - d2) * p), (1 - d1) / (1 - d2)
formula = {
    (WITHHELD, WITHHELD): f1 * math.exp(EPS_J),
    (RELEASED, WITHHELD): f2 * math.exp(EPS_J),
    (WITHHELD, RELEASED): 0.0,  # not in the paper: a released cell is not sensitive
    (RELEASED, RELEASED): 0.0,
}

print("Two applications pool their answers. Odds of low occupancy times:\n")
print("arrival     occupancy   library   formula")
for (arrival, occupancy), by_hand in formula.items():
    outcome = {"arrival": arrival, "occupancy": occupancy}
    seen = unspoken.odds(days, both, Adversary("occupancy"), outcome).value
    print(f"{arrival!s:11} {occupancy!s:11} {seen:7.4f} {by_hand:9.4f}")
