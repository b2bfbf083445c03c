"""Fresh coins, one kept coin, and a coin kept too long.

docs/theorems/coins.md
"""

import math
from itertools import product

import unspoken
from unspoken import WITHHELD, Adversary, OneSided

LATE, EPS = 0.3, 0.1
arrival = unspoken.Joint([LATE, 1 - LATE], names=["arrival"], values=[["late", "on time"]])


def odds(n: int, coins: str) -> float:
    mechanism = OneSided({"arrival": EPS}, coins=coins)
    adversary = Adversary("arrival", asks=n)
    return unspoken.odds(arrival, mechanism, adversary, {"arrival": WITHHELD}).value


def late_on_day_two(same_coin: bool, p: float) -> float:
    """P(day two late | day one released, day two withheld), by listing every case."""
    seen = late = 0.0
    for x1, x2, c1, c2 in product((0, 1), repeat=4):  # x: on time; c: the coin says release
        weight = math.prod(1 - LATE if x else LATE for x in (x1, x2))
        weight *= math.prod(p if c else 1 - p for c in (c1, c2))
        if x1 and c1 and not (x2 and (c1 if same_coin else c2)):
            seen, late = seen + weight, late + weight * (x2 == 0)
    return late / seen


print(f"Withheld n times at eps = {EPS}, odds of late times:\n")
print("     n   fresh coins   one kept coin")
for n in (1, 10, 50, 100):
    print(f"{n:6} {odds(n, 'fresh'):13.2f} {odds(n, 'persistent'):15.2f}")

print(
    "\nThe value changed overnight. Day one was released, day two is withheld; P(day two late):\n"
)
print(" shown   yesterday's coin   new coin")
for p in (0.1, 0.5, 0.9):
    print(f"{p:6.0%} {late_on_day_two(True, p):18.1%} {late_on_day_two(False, p):10.1%}")
