"""A private release every day: what all days together say about one of them.

docs/theorems/temporal.md
"""

from unspoken import Chain, temporal

EPSILON = 0.1
CHAINS = {
    "anew every day": [[0.5, 0.5], [0.5, 0.5]],
    "keeps with 80 %": [[0.8, 0.2], [0.2, 0.8]],
    "keeps with 99 %": [[0.99, 0.01], [0.01, 0.99]],
    "three values": [[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.2, 0.7]],
}
DAYS = (2, 7, 30, 365)

print(f"Epsilon {EPSILON} every day; the day worst off leaks, in nats at most:\n")
print("chain            " + "".join(f"{days:5} days" for days in DAYS) + "   for ever")
for name, matrix in CHAINS.items():
    results = [temporal(Chain(None, matrix, days), EPSILON) for days in DAYS]
    row = "".join(f"{result.worst.value:10.4f}" for result in results)
    print(f"{name:17}{row}{results[0].supremum.value:11.4f}")
print("added up         " + "".join(f"{EPSILON * days:10.1f}" for days in DAYS) + "        inf")
