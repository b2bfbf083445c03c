"""From a differential-privacy guarantee to what dependence lets somebody infer, and back.

The guarantee of differential privacy holds whether or not data is dependent. What this package adds
is how far, under a stated dependence, an output can move what somebody believes of one variable.
"""

from unspoken.core.conversion.dependence import (
    Dependence,
    bound_from_dp,
    dependence,
    dp_budget,
    gaussian_sigmas,
)
from unspoken.core.conversion.information import (
    k_max,
    relative_entropy_from_inferential,
    relative_entropy_from_information,
    sigma_max,
)
from unspoken.core.conversion.mechanism_tables import bound_from_mechanism, mechanism_distances
from unspoken.core.conversion.temporal_budget import temporal_budget
from unspoken.core.conversion.temporal_leakage import Temporal, temporal
from unspoken.core.conversion.worst_events import WorstEvents, worst_event

__all__ = [
    "Dependence",
    "Temporal",
    "WorstEvents",
    "bound_from_dp",
    "bound_from_mechanism",
    "dependence",
    "dp_budget",
    "gaussian_sigmas",
    "k_max",
    "mechanism_distances",
    "relative_entropy_from_inferential",
    "relative_entropy_from_information",
    "sigma_max",
    "temporal",
    "temporal_budget",
    "worst_event",
]
