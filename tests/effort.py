"""How hard the tests try: a third as hard in a daily run as UNSPOKEN_STRESS=1, or times as hard in
`make stress`, which .ci/run always does after it.
"""

import os

from hypothesis import settings

DAILY = "UNSPOKEN_STRESS" not in os.environ
EFFORT = int(os.environ.get("UNSPOKEN_STRESS", "1"))


def tries(count: int) -> int:
    """How many examples are tried where ``count`` are worth it."""
    return -(-count // 3) if DAILY else count * EFFORT


EXAMPLES = tries(100)
# At how many moments releases are killed: in `make test`, in .ci/run (2), in `make stress` (10);
# and who charges a ledger, which takes longer each.
RELEASES_KILLED = 5 if EFFORT == 1 else 50 if EFFORT < 10 else 50 * EFFORT
KILLS = 5 if EFFORT == 1 else 30 if EFFORT < 10 else 50 * EFFORT
KILLED_TOGETHER = 50  # in one test
# How many charges 64 clients get through at once, all of them together, in the same three.
CHARGES = 128 if EFFORT == 1 else 1_000 if EFFORT < 10 else 20_000


def parts(count: int) -> list[tuple[int, int]]:
    """So many kills, by numbered tests: long runs show how far they are, and workers share them."""
    whole, rest = divmod(count, KILLED_TOGETHER)
    return [*enumerate([KILLED_TOGETHER] * whole + [rest] * bool(rest))]


def examples(count: int) -> settings:
    """A decorator for property tests that need another number of examples than the usual 100."""
    return settings(max_examples=tries(count))
