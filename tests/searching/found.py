"""What a search found, for tests that are about whom it found."""

from unsaid.adversary import Adversary
from unsaid.searching import Worst


def attained(found: Worst) -> Adversary:
    """Whoever learns what was found."""
    assert found.adversary is not None
    return found.adversary
