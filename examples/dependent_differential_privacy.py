"""Noise for bits that go together: as published, and so that the promise is kept.

docs/theorems/dependent-differential-privacy.md
"""

import itertools

import unspoken
from unspoken import calibrate
from unspoken.published import baseline, dpm_neighbours

LIMIT = 1.0
LENGTHS = (4, 8, 16, 32)

print(f"The sum of a chain of bits that keep with 90 %; promised are {LIMIT} nat about each.\n")
print("bits   neighbours     leaks   L = 3 x     leaks    exact     leaks    group")
for length in LENGTHS:
    chain = unspoken.Chain([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]], length=length)
    graph = {one: [other] for one, other in itertools.pairwise(chain.domain.names)}
    scales = [
        dpm_neighbours(chain, graph, limit=LIMIT).value,
        baseline(chain, neighbours=graph, limit=LIMIT).value,
        calibrate(chain, limit=LIMIT, knows="nothing").scale,
    ]
    row = ""
    for scale in scales:
        found = unspoken.leakages(chain, unspoken.Laplace(scale)).values()
        row += f"{scale:10.3f}{max(bound.value for bound in found):10.3f}"
    print(f"{length:4}  {row}{calibrate(chain, limit=LIMIT, method='group').scale:9.1f}")
