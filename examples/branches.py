"""Trees of any size: noise for a sum that is enough for everybody, whatever they know.

docs/theorems/branches.md
"""

import unspoken

LIMIT = 1.0
FLIPS = (0.4, 0.2, 0.1, 0.03)
SIZES = (7, 63, 511)


def binary(size: int, flip: float) -> unspoken.Tree:
    """Every variable is like its parent but for one in 1 / flip cases."""
    parents = [-1, *((v - 1) // 2 for v in range(1, size))]
    return unspoken.Tree(parents, [0.5, 0.5], [[1 - flip, flip], [flip, 1 - flip]])


print(f"The scale that keeps {LIMIT:g} nat; group privacy needs one for each variable.\n")
print("unlike its parent" + "".join(f"{size:9} variables" for size in SIZES))
for flip in FLIPS:
    found = [unspoken.calibrate(binary(size, flip), limit=LIMIT) for size in SIZES]
    print(f"{flip:17.0%}" + "".join(f"{own.scale:19.2f}" for own in found))

whole = found[-1].bound
print(f"\nOf the last one somebody was found who learns {whole.low:.3f} of {whole.high:.3f} nat.")
