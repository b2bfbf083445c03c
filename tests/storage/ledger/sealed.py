"""A ledger under a key that is always the same."""

from __future__ import annotations

from collections.abc import Callable

from unspoken.storage.ledger import Account, Ledger, Release, Seal, head_file
from unspoken.storage.prf import Key

__all__ = ["charge", "passes", "seal"]


def seal(ledger: Ledger) -> Seal:
    return Seal(Key(bytes(range(32))), "k", head_file(ledger.path.with_name("key")))


def passes(_account: Account) -> None:
    pass


def charge(ledger: Ledger, event: Release, check: Callable[[Account], None] = passes) -> int:
    """The number of the event."""
    return ledger.charge(event, check, seal(ledger)).number
