"""Who learns most from a noisy sum, and what the published chain rule says of it.

docs/theorems/worst-adversary.md
"""

import numpy as np

import unspoken
from unspoken.published import graph

OPPOSITE = np.array([[0.05, 0.95], [0.95, 0.05]])
household = unspoken.Joint(0.5 * np.einsum("ab,ac->abc", OPPOSITE, OPPOSITE), names="ABC")

print("A + 2 B + 2 C + Laplace(1); B and C are mostly the opposite of A.\n")
print("about  knowing  published    exact   at most")
for node in graph(household, [1, 2, 2], scale=1.0).nodes():
    said, true, high = node.published.value, node.exact.value, node.bound.high
    note = "  too little" if node.falls_short else ""
    print(f"{node.target:5}  {' '.join(node.knows):7}  {said:9.3f}{true:9.3f}{high:10.3f}{note}")
