"""What a search found, for tests that are about whom it found."""

from unspoken.core.adversary import Adversary
from unspoken.core.searching import Worst


def attained(found: Worst) -> Adversary:
    """Whoever learns what was found."""
    assert found.adversary is not None
    return found.adversary
