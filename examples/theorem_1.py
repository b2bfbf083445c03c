"""Theorem 1: a cell is withheld n times. How likely is it now that it is sensitive?

docs/theorems/theorem-1.md
"""

import math

import unspoken
from unspoken import WITHHELD, Adversary, OneSided

PRIOR, EPS = 0.20, 0.5
arrival = unspoken.Joint([PRIOR, 1 - PRIOR], names=["arrival"], values=[["late", "on time"]])


def belief_after(factor: float) -> float:
    odds = PRIOR / (1 - PRIOR) * factor
    return odds / (1 + odds)


print(f"One office day in five has a late arrival; a cell on time is shown with eps = {EPS}.")
print("Asked for n times, withheld every time:\n")
print("               fresh coins                    one kept coin")
print("   n   odds x   formula   P(late)         odds x   P(late)")
for n in (1, 2, 5, 10):
    adversary = Adversary("arrival", asks=n)
    fresh, kept = (
        unspoken.odds(
            arrival, OneSided({"arrival": EPS}, coins=coins), adversary, {"arrival": WITHHELD}
        ).value
        for coins in ("fresh", "persistent")
    )
    print(
        f"{n:4} {fresh:8.2f} {math.exp(n * EPS):9.2f} {belief_after(fresh):9.1%}"
        f" {kept:14.2f} {belief_after(kept):9.1%}"
    )
