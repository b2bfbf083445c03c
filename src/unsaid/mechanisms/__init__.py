"""Mechanisms P(Y|X): what the curator does, as frozen descriptions that make their own views."""

from unsaid.mechanisms.local import CELLS
from unsaid.mechanisms.mechanism import Mechanism
from unsaid.mechanisms.one_sided import OneSided

__all__ = ["CELLS", "MECHANISMS", "Mechanism", "OneSided"]

MECHANISMS: dict[str, type[Mechanism]] = {
    "one-sided": OneSided,
}
