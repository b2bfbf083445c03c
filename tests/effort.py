"""How hard the tests try: once in a daily run, UNSPOKEN_STRESS times as hard in `make stress`."""

import os

from hypothesis import settings

EFFORT = int(os.environ.get("UNSPOKEN_STRESS", "1"))
EXAMPLES = 100


def examples(count: int) -> settings:
    """A decorator for property tests that need another number of examples than the usual 100."""
    return settings(max_examples=count * EFFORT)
