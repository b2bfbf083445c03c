"""unspoken: what a release says about what was not released, kept within a limit you set."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unspoken.adversary import Adversary
    from unspoken.beliefs import (
        Chain,
        Exchangeable,
        Gaussian,
        Independent,
        Joint,
        Network,
        Pairwise,
        Tree,
    )
    from unspoken.calibration import Calibrated, accuracy, calibrate
    from unspoken.comparing import Compared, compare
    from unspoken.conversion import bound_from_dp, dp_budget, temporal, temporal_budget
    from unspoken.doors.images import picture_writer as picture_writer
    from unspoken.doors.report.writing import write_report as write_report
    from unspoken.errors import UnspokenError
    from unspoken.families import Beliefs, Box, GaussianBall
    from unspoken.learning import learn_table as learn
    from unspoken.mechanisms import (
        Finite,
        Geometric,
        Laplace,
        OneSided,
        RandomizedResponse,
        Together,
    )
    from unspoken.planning import Plan, plan
    from unspoken.questions import leakage, leakages, odds, view
    from unspoken.releasing import prepare, release
    from unspoken.searching import Worst, worst
    from unspoken.types.bound import Bound, Estimate
    from unspoken.types.domain import NOT_SENSITIVE, RELEASED, WITHHELD

__all__ = [
    "Adversary",
    "Beliefs",
    "Bound",
    "Box",
    "Calibrated",
    "Chain",
    "Compared",
    "Estimate",
    "Exchangeable",
    "Finite",
    "Gaussian",
    "GaussianBall",
    "Geometric",
    "Independent",
    "Joint",
    "Laplace",
    "NOT_SENSITIVE",
    "Network",
    "OneSided",
    "Pairwise",
    "Plan",
    "RELEASED",
    "RandomizedResponse",
    "Together",
    "Tree",
    "UnspokenError",
    "WITHHELD",
    "Worst",
    "accuracy",
    "bound_from_dp",
    "calibrate",
    "compare",
    "dp_budget",
    "leakage",
    "leakages",
    "learn",
    "odds",
    "plan",
    "prepare",
    "release",
    "temporal",
    "temporal_budget",
    "view",
    "worst",
]

_HOME = {
    "Adversary": "adversary",
    "Beliefs": "families",
    "Bound": "types.bound",
    "Box": "families",
    "Calibrated": "calibration",
    "Chain": "beliefs",
    "Compared": "comparing",
    "Estimate": "types.bound",
    "Exchangeable": "beliefs",
    "Finite": "mechanisms",
    "Gaussian": "beliefs",
    "GaussianBall": "families",
    "Geometric": "mechanisms",
    "Independent": "beliefs",
    "Joint": "beliefs",
    "Laplace": "mechanisms",
    "NOT_SENSITIVE": "types.domain",
    "Network": "beliefs",
    "OneSided": "mechanisms",
    "Pairwise": "beliefs",
    "Plan": "planning",
    "RELEASED": "types.domain",
    "RandomizedResponse": "mechanisms",
    "Together": "mechanisms",
    "Tree": "beliefs",
    "UnspokenError": "errors",
    "WITHHELD": "types.domain",
    "Worst": "searching",
    "accuracy": "calibration",
    "bound_from_dp": "conversion",
    "calibrate": "calibration",
    "compare": "comparing",
    "dp_budget": "conversion",
    "leakage": "questions",
    "leakages": "questions",
    "learn": "learning",
    "odds": "questions",
    "plan": "planning",
    "prepare": "releasing",
    "release": "releasing",
    "temporal": "conversion",
    "temporal_budget": "conversion",
    "view": "questions",
    "worst": "searching",
    # For doors: what draws is opened when it draws.
    "picture_writer": "doors.images",
    "write_report": "doors.report.writing",
}


# What is called something else where it lives.
_AT_HOME = {"learn": "learn_table"}


# Rooms that are called by their own name.
_ROOMS = ("published",)


def __getattr__(name: str) -> object:
    """Load a public name when it is first asked for: `import unspoken` itself loads nothing."""
    if name in _ROOMS:
        return import_module(f"unspoken.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'unspoken' has no attribute {name!r}")
    return getattr(import_module(f"unspoken.{_HOME[name]}"), _AT_HOME.get(name, name))


def __dir__() -> list[str]:
    return __all__
