"""How much is learned on average, and why averages alone are no limit.

docs/theorems/mutual-information.md
"""

import math

import unspoken
from unspoken import Adversary, OneSided

days = unspoken.Joint(
    [[15, 5], [10, 70]],
    names=["arrival", "occupancy"],
    values=[["late", "on time"], ["low", "normal"]],
)


def learned(belief: unspoken.Joint, eps: float, about: str) -> float:
    mechanism = OneSided({"arrival": eps})
    return unspoken.leakage(belief, mechanism, Adversary(about), "mutual-information").bits


print("Arrivals are released. Learned on average, in bit:\n")
print(" shown   about arrival   about occupancy   straight line")
full = learned(days, math.inf, "occupancy")
for p in (0.0, 0.25, 0.5, 0.75, 1.0):
    eps = -math.log1p(-p) if p < 1 else math.inf
    own, other = learned(days, eps, "arrival"), learned(days, eps, "occupancy")
    print(f"{p:6.0%} {own:15.4f} {other:17.4f} {p * full:15.4f}")

print("\nEvery cell that is not late is shown, so every blank gives a late arrival away:\n")
print(" late, one in   about arrival   worst odds x")
for cells in (10, 1000, 1_000_000):
    rare = unspoken.Joint([1, cells - 1], names=["arrival"])
    hide = OneSided({"arrival": math.inf})
    worst = unspoken.leakage(rare, hide, Adversary("arrival"), "odds").value
    print(f"{cells:13,} {learned(rare, math.inf, 'arrival'):15.6f} {worst:14}")
