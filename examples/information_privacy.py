"""What an epsilon-DP release leaks about one of many dependent values, and which epsilon to take.

docs/theorems/information-privacy.md
"""

from unspoken import bound_from_dp, dp_budget

LIMIT = 1.0
SIGMAS = (0.0, 0.01, 0.1, 0.5, 1.0)

print("A release of epsilon 0.1 leaks about one of k dependent values, in nats at most:\n")
print("     k " + "".join(f"  sigma {sigma:4}" for sigma in SIGMAS))
for k in (2, 10, 100):
    row = (bound_from_dp(0.1, k=k, sigma=sigma).value for sigma in SIGMAS)
    print(f"{k:6} " + "".join(f"{nats:12.4f}" for nats in row))

print(f"\nThe largest epsilon that leaks at most {LIMIT:g} nat:\n")
print("     k " + "".join(f"  sigma {sigma:4}" for sigma in SIGMAS))
for k in (2, 10, 100):
    row = (dp_budget(LIMIT, k=k, sigma=sigma) for sigma in SIGMAS)
    print(f"{k:6} " + "".join(f"{epsilon:12.4f}" for epsilon in row))

print("\nTwo releases of epsilon 0.5, six values, sigma 0.1:")
apart, once = (bound_from_dp(eps, k=6, sigma=0.1).value for eps in (0.5, 1.0))
print(f"  converted one by one and added {2 * apart:.4f}: no guarantee")
print(f"  epsilons added, converted once {once:.4f}: holds")
