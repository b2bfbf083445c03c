"""How hard the tests try: half as hard in a daily run as UNSPOKEN_STRESS=1, or times as hard in

`make stress`, which .ci/run always does after it.
"""

import os

from hypothesis import settings

DAILY = "UNSPOKEN_STRESS" not in os.environ
EFFORT = int(os.environ.get("UNSPOKEN_STRESS", "1"))


def tries(count: int) -> int:
    """How many examples are tried where ``count`` are worth it."""
    return -(-count // 2) if DAILY else count * EFFORT


EXAMPLES = tries(100)


def examples(count: int) -> settings:
    """A decorator for property tests that need another number of examples than the usual 100."""
    return settings(max_examples=tries(count))
