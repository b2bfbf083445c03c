"""The ledger: what was released, as events that outlive every plan, policy and epoch."""

from unspoken.ledger.account import exposure, reaching, tossing
from unspoken.ledger.event import Release
from unspoken.ledger.store import Ledger

__all__ = ["Ledger", "Release", "exposure", "reaching", "tossing"]
