"""Mechanisms P(Y|X): what the curator does, as frozen descriptions that make their own views."""

from unspoken.core.mechanisms.extension import Extension
from unspoken.core.mechanisms.finite import Finite
from unspoken.core.mechanisms.geometric import Geometric
from unspoken.core.mechanisms.in_epoch import InEpoch
from unspoken.core.mechanisms.kinds import MECHANISMS, from_description
from unspoken.core.mechanisms.laplace import Laplace
from unspoken.core.mechanisms.mechanism import Mechanism, RecordCoin
from unspoken.core.mechanisms.one_sided import OneSided
from unspoken.core.mechanisms.one_sided_noise import OneSidedNoise
from unspoken.core.mechanisms.randomized_response import RandomizedResponse
from unspoken.core.mechanisms.record_counts import RecordCounts
from unspoken.core.mechanisms.suppression import Suppression
from unspoken.core.mechanisms.together import Together

__all__ = [
    "MECHANISMS",
    "Extension",
    "Finite",
    "Geometric",
    "InEpoch",
    "Laplace",
    "Mechanism",
    "OneSided",
    "OneSidedNoise",
    "RandomizedResponse",
    "RecordCoin",
    "RecordCounts",
    "Suppression",
    "Together",
    "from_description",
]
