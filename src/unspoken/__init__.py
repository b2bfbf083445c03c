"""unspoken: what a release says about what was not released, kept within a limit you set."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from unspoken.core.lending import PRESENTERS, lending

if TYPE_CHECKING:  # for those who read without running; tests/structure holds it equal to HOMES
    from unspoken.core.adversary import Adversary as Adversary
    from unspoken.core.beliefs import Chain as Chain
    from unspoken.core.beliefs import Exchangeable as Exchangeable
    from unspoken.core.beliefs import Gaussian as Gaussian
    from unspoken.core.beliefs import Independent as Independent
    from unspoken.core.beliefs import Joint as Joint
    from unspoken.core.beliefs import Network as Network
    from unspoken.core.beliefs import Pairwise as Pairwise
    from unspoken.core.beliefs import Tree as Tree
    from unspoken.core.conversion import bound_from_dp as bound_from_dp
    from unspoken.core.conversion import dp_budget as dp_budget
    from unspoken.core.conversion import temporal as temporal
    from unspoken.core.conversion import temporal_budget as temporal_budget
    from unspoken.core.errors import UnspokenError as UnspokenError
    from unspoken.core.families import Beliefs as Beliefs
    from unspoken.core.families import Box as Box
    from unspoken.core.families import Frechet as Frechet
    from unspoken.core.families import GaussianBall as GaussianBall
    from unspoken.core.families import Intervals as Intervals
    from unspoken.core.families import Rows as Rows
    from unspoken.core.mechanisms import Extension as Extension
    from unspoken.core.mechanisms import Finite as Finite
    from unspoken.core.mechanisms import Geometric as Geometric
    from unspoken.core.mechanisms import Laplace as Laplace
    from unspoken.core.mechanisms import OneSided as OneSided
    from unspoken.core.mechanisms import OneSidedNoise as OneSidedNoise
    from unspoken.core.mechanisms import RandomizedResponse as RandomizedResponse
    from unspoken.core.mechanisms import RecordCounts as RecordCounts
    from unspoken.core.mechanisms import Suppression as Suppression
    from unspoken.core.mechanisms import Together as Together
    from unspoken.core.questions import leakage as leakage
    from unspoken.core.questions import leakages as leakages
    from unspoken.core.questions import odds as odds
    from unspoken.core.questions import view as view
    from unspoken.core.searching import Worst as Worst
    from unspoken.core.searching import worst as worst
    from unspoken.core.types.bound import Bound as Bound
    from unspoken.core.types.bound import Estimate as Estimate
    from unspoken.core.types.domain import NOT_SENSITIVE as NOT_SENSITIVE
    from unspoken.core.types.domain import RELEASED as RELEASED
    from unspoken.core.types.domain import WITHHELD as WITHHELD
    from unspoken.noise.calibration import Calibrated as Calibrated
    from unspoken.noise.calibration import accuracy as accuracy
    from unspoken.noise.calibration import calibrate as calibrate
    from unspoken.noise.comparing import Compared as Compared
    from unspoken.noise.comparing import compare as compare
    from unspoken.planning import Plan as Plan
    from unspoken.planning import plan as plan
    from unspoken.tables.learning import learn as learn
    from unspoken.workflows.audit import audit as audit
    from unspoken.workflows.query import query as query
    from unspoken.workflows.release import leak as leak
    from unspoken.workflows.release import prepare as prepare
    from unspoken.workflows.release import release as release

    __version__: str

# Where each public name lives.
HOMES = {
    "core.adversary": ["Adversary"],
    "core.beliefs": [
        "Chain", "Exchangeable", "Gaussian", "Independent", "Joint", "Network", "Pairwise", "Tree",
    ],
    "core.conversion": ["bound_from_dp", "dp_budget", "temporal", "temporal_budget"],
    "core.errors": ["UnspokenError"],
    "core.families": ["Beliefs", "Box", "Frechet", "GaussianBall", "Intervals", "Rows"],
    "core.mechanisms": [
        "Extension", "Finite", "Geometric", "Laplace", "OneSided", "OneSidedNoise",
        "RandomizedResponse", "RecordCounts", "Suppression", "Together",
    ],
    "core.questions": ["leakage", "leakages", "odds", "view"],
    "core.searching": ["Worst", "worst"],
    "core.types.bound": ["Bound", "Estimate"],
    "core.types.domain": ["NOT_SENSITIVE", "RELEASED", "WITHHELD"],
    "noise.calibration": ["Calibrated", "accuracy", "calibrate"],
    "noise.comparing": ["Compared", "compare"],
    "planning": ["Plan", "plan"],
    "tables.learning": ["learn"],
    "workflows.audit": ["audit"],
    "workflows.query": ["query"],
    "workflows.release": ["leak", "prepare", "release"],
}  # fmt: skip
MODULES = ("client", "models", "published")  # called by their own name
_lent = lending(__name__, HOMES)

# How results become data frames and pictures.
FRAMES, IMAGES = "unspoken.interfaces.frames", "unspoken.interfaces.images"
PRESENTERS.update(
    {
        "to_frame": (FRAMES, "frame"),
        "arrow_to_frame": (FRAMES, "arrow_to_frame"),
        "check_drawing": (IMAGES, "opened"),
        "draw_svg": (IMAGES, "svg"),
        "write_picture": (IMAGES, "picture_writer"),
    }
)

__all__ = sorted([*(name for names in HOMES.values() for name in names), "__version__"])


def __getattr__(name: str) -> object:
    """Load a public name when it is first asked for: `import unspoken` itself loads nothing."""
    if name == "__version__":
        found: object = import_module("importlib.metadata").version("unspoken")
    elif name in MODULES:
        found = import_module(f"unspoken.{name}")
    else:
        return _lent(name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
