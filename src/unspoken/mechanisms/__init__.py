"""Mechanisms P(Y|X): what the curator does, as frozen descriptions that make their own views."""

from unspoken.mechanisms.extension import Extension
from unspoken.mechanisms.finite import Finite
from unspoken.mechanisms.geometric import Geometric
from unspoken.mechanisms.in_epoch import InEpoch
from unspoken.mechanisms.kinds import MECHANISMS, from_description
from unspoken.mechanisms.laplace import Laplace
from unspoken.mechanisms.mechanism import Mechanism, RecordCoin
from unspoken.mechanisms.one_sided import OneSided
from unspoken.mechanisms.one_sided_noise import OneSidedNoise
from unspoken.mechanisms.randomized_response import RandomizedResponse
from unspoken.mechanisms.record_counts import RecordCounts
from unspoken.mechanisms.suppression import Suppression
from unspoken.mechanisms.together import Together

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
