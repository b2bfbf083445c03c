"""The ledger: what was released, as events that outlive every plan, policy and epoch."""

from unsaid.ledger.account import exposure, reaching, tossing
from unsaid.ledger.event import Release
from unsaid.ledger.store import Ledger

__all__ = ["Ledger", "Release", "exposure", "reaching", "tossing"]
