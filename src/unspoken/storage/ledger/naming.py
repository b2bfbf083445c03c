"""What coins, and the rows they are tossed on, are known by in an account."""

from __future__ import annotations

import json
from collections.abc import Iterable

from unspoken.storage.ledger.disclosures import Disclosure
from unspoken.storage.ledger.event import Release

__all__ = ["rows_by", "rows_of", "tossing", "word_of"]


def word_of(readers: Iterable[str]) -> str:
    """These readers as one word, in whatever order they are given."""
    return json.dumps(sorted(set(readers)))


def rows_of(event: Release | Disclosure) -> str:
    """What names the epochs of its rows: its label, or its function. Another may name any rows."""
    return rows_by(event.epoch, event.per_key)


def rows_by(epoch: str, per_key: bool) -> str:
    """The same of a label, or of a function of keys."""
    return f"{'of' if per_key else 'label'} {epoch}"


def tossing(event: Release) -> str:
    """What tells an event's coins apart from those of others: whose rows, and which draw."""
    rows = rows_of(event)
    return rows if event.draw == 1 else f"draw {event.draw} {rows}"
