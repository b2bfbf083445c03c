"""Mechanisms P(Y|X): what the curator does, as frozen descriptions that make their own views."""

from unsaid.mechanisms.finite import Finite
from unsaid.mechanisms.geometric import Geometric
from unsaid.mechanisms.laplace import Laplace
from unsaid.mechanisms.mechanism import Mechanism
from unsaid.mechanisms.one_sided import OneSided
from unsaid.mechanisms.randomized_response import RandomizedResponse
from unsaid.mechanisms.together import Together

__all__ = [
    "Finite",
    "Geometric",
    "Laplace",
    "MECHANISMS",
    "Mechanism",
    "OneSided",
    "RandomizedResponse",
    "Together",
]

MECHANISMS: dict[str, type[Mechanism]] = {
    "finite": Finite,
    "geometric": Geometric,
    "laplace": Laplace,
    "one-sided": OneSided,
    "randomized-response": RandomizedResponse,
    "together": Together,
}
