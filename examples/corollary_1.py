"""Corollary 1: n requests with fresh coins about another attribute.

docs/theorems/corollary-1.md
"""

import math

import unspoken
from unspoken import WITHHELD, Adversary, OneSided

EPS = 0.1
days = unspoken.Joint(
    [[15, 5], [10, 70]],
    names=["arrival", "occupancy"],
    values=[["late", "on time"], ["low", "normal"]],
)
d1, d2 = 15 / 25, 5 / 75


def factor(n: float, coins: str) -> float:
    mechanism = OneSided({"arrival": EPS}, coins=coins)
    adversary = Adversary("occupancy", asks=n)
    return unspoken.odds(days, mechanism, adversary, {"arrival": WITHHELD}).value


print(f"The arrival (eps = {EPS}) is asked for n times and always withheld.")
print("Odds of low occupancy times:\n")
print("     n   fresh coins   formula   one kept coin")
for n in (1, 10, 30, 100, math.inf):
    p = -math.expm1(-n * EPS)
    formula = (1 - (1 - d1) * p) / (1 - (1 - d2) * p)
    print(f"{n:6} {factor(n, 'fresh'):13.4f} {formula:9.4f} {factor(n, 'persistent'):15.4f}")
