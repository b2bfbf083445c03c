"""A release as the ledger has it, with the terms that its manifests repeat."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from unspoken.core.errors import InputError
from unspoken.storage.ledger import Head, Ledger, Release

__all__ = ["ChargedRelease", "digest_of", "terms_text"]


@dataclass(frozen=True)
class ChargedRelease:
    """``at``: when it was charged, to the second. ``terms``: what its manifests say beside the
    event; None: its version kept no terms.
    """

    head: Head
    event: Release
    at: str
    terms: Mapping[str, Any] | None

    @classmethod
    def from_ledger(cls, ledger: Ledger, number: int) -> ChargedRelease:
        """The release of this number; refuses terms that are not those it was charged with."""
        head, event = ledger.release(number)
        terms = None if event.terms is None else _terms(ledger, number, event.terms)
        return cls(head, event, ledger.charged(number), terms)


def terms_text(terms: Mapping[str, Any]) -> str:
    """The terms as the ledger keeps them."""
    return json.dumps(terms, allow_nan=False)


def digest_of(text: str) -> str:
    """The digest by which an event names its terms."""
    return hashlib.sha256(text.encode()).hexdigest()


def _terms(ledger: Ledger, number: int, digest: str) -> Mapping[str, Any]:
    text = ledger.text(digest)
    if text is None or digest_of(text) != digest:
        lost = "gone" if text is None else "changed"
        raise InputError(
            f"ledger {ledger}: what the manifest of event {number} says was {lost}; restore the "
            "ledger from a copy"
        )
    terms: Mapping[str, Any] = json.loads(text)
    return terms
