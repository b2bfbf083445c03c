"""A first look: three attributes of an office day, what leaks, and a plan that limits it.

Two applications get data of a building: lighting wants to know when people arrive, space planning
how much a room is used. Late arrival and low occupancy are nobody's business. All in memory.
"""

import math

import unspoken
from unspoken import Adversary, OneSided

# Of 1,000 office days: arrival x occupancy x leaving (rows run over leaving). Invented, plausible.
DAYS = [
    [[28, 40, 17], [3, 110, 157], [1, 54, 140]],  # arrival before 9: occupancy low, medium, high
    [[24, 30, 21], [2, 48, 100], [1, 14, 60]],  # 9 to 11
    [[12, 43, 35], [1, 14, 37], [1, 1, 6]],  # after 11
]
VALUES = {
    "first_arrival": ["before 9", "9 to 11", "after 11"],
    "mean_occupancy": ["below 30 %", "30 to 60 %", "above 60 %"],
    "last_leave": ["before noon", "noon to 17", "after 17"],
}
POLICY = {"first_arrival": ["after 11"], "mean_occupancy": ["below 30 %"]}
LIMIT_BITS, ODDS_CAP = 0.3, 4.0

belief = unspoken.Joint(DAYS, names=list(VALUES), values=VALUES)


def show_leaks(mechanism: OneSided) -> None:
    """For every secret: the answer that says most about it, all applications pooling theirs."""
    print("  secret                     before  after  odds x   mean bit  most telling answer")
    for target, secrets in mechanism.sensitive.items():
        for secret in secrets:
            about = Adversary(target, secret=[secret])
            cloud = unspoken.view(belief, mechanism, about)
            worst = max(cloud.outcomes(), key=lambda point: point.posterior[secret])
            before = belief.marginal([target])[VALUES[target].index(secret)]
            odds = unspoken.leakage(belief, mechanism, about, "odds").value
            bits = unspoken.leakage(belief, mechanism, about, "mutual-information").bits
            seen = ", ".join(str(worst.outcome[name]) for name in VALUES if name in worst.outcome)
            print(
                f"  {target + ' ' + secret:26} {before:6.0%} {worst.posterior[secret]:6.0%}"
                f" {odds:7.2f} {bits:10.3f}  {seen}"
            )


def show_plan(policy: dict[str, list[str]]) -> unspoken.Plan:
    """The most releases within the limits."""
    plan = unspoken.plan(belief, limit_bits=LIMIT_BITS, sensitive=policy, odds_cap=ODDS_CAP)
    print("  attribute        eps   harmless cells shown   of all cells")
    for name, p in plan.p.items():
        harmless = 1 - sum(
            belief.marginal([name])[VALUES[name].index(value)] for value in policy.get(name, [])
        )
        print(f"  {name:14} {plan.epsilon[name]:5.2f} {p:22.1%} {p * harmless:14.1%}")
    for telling in plan.telling:
        print(f"  tells too much whenever it is shown: {telling}")
    return plan


print("1. Hide the sensitive cells and show all others:\n")
show_leaks(OneSided(dict.fromkeys(VALUES, math.inf), POLICY))
print("\n   The answers are arrival, occupancy, leaving. A blank is a confession.")

print(f"\n2. A plan: nobody's odds more than x {ODDS_CAP:g}, {LIMIT_BITS} bit about any secret:\n")
first = show_plan(POLICY)

print("\n3. The same with the telling values made sensitive, too:\n")
closed = {name: list(values) for name, values in POLICY.items()}
for telling in first.telling:
    closed.setdefault(telling.name, []).append(telling.value)
second = show_plan(closed)

print("\n4. What leaks then:\n")
show_leaks(second.mechanism)
print(f"\n   {second.objective:.2f} cells a day instead of {first.objective:.2f}; ", end="")
print(f"no plan within these limits reaches more than {second.bound.high:.2f}.")
