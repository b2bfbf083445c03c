"""An application sees a value, not only that one was released.

docs/theorems/secrets-and-values.md
"""

import math

import unspoken
from unspoken import Adversary, OneSided

HOURS = ["before noon", "afternoon", "evening"]
days = unspoken.Joint(
    [[12, 1], [8, 34], [5, 40]],
    names=["leaving", "occupancy"],
    values=[HOURS, ["low", "normal"]],
)
about = Adversary("occupancy")
open_policy = {"leaving": [], "occupancy": ["low"]}
closed_policy = {"leaving": ["before noon"], "occupancy": ["low"]}

print("No hour of leaving is sensitive, low occupancy is. Each value, if released:\n")
half = OneSided({"leaving": math.log(2)}, open_policy)
for point in unspoken.view(days, half, about).outcomes():
    shown = str(point.outcome["leaving"])
    print(f"{shown:12} happens {point.mass:6.1%}   P(low) then {point.posterior['low']:6.1%}")

print("\nWorst odds of low occupancy:\n")
print(" shown   as it is   'before noon' made sensitive")
for p in (0.1, 0.5, 0.8):
    eps = -math.log1p(-p)
    as_it_is, closed = (
        unspoken.leakage(days, OneSided({"leaving": eps}, policy), about, "odds").value
        for policy in (open_policy, closed_policy)
    )
    print(f"{p:6.0%} {as_it_is:10.2f} {closed:10.2f}")
