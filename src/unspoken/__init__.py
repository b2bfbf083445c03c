"""unspoken: what a release says about what was not released, kept within a limit you set."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from unspoken.lending import PRESENTERS, lending

if TYPE_CHECKING:  # for those who read without running; tests/house holds it equal to HOMES
    from unspoken.adversary import Adversary as Adversary
    from unspoken.answering import query as query
    from unspoken.auditing import audit as audit
    from unspoken.beliefs import Chain as Chain
    from unspoken.beliefs import Exchangeable as Exchangeable
    from unspoken.beliefs import Gaussian as Gaussian
    from unspoken.beliefs import Independent as Independent
    from unspoken.beliefs import Joint as Joint
    from unspoken.beliefs import Network as Network
    from unspoken.beliefs import Pairwise as Pairwise
    from unspoken.beliefs import Tree as Tree
    from unspoken.calibration import Calibrated as Calibrated
    from unspoken.calibration import accuracy as accuracy
    from unspoken.calibration import calibrate as calibrate
    from unspoken.comparing import Compared as Compared
    from unspoken.comparing import compare as compare
    from unspoken.conversion import bound_from_dp as bound_from_dp
    from unspoken.conversion import dp_budget as dp_budget
    from unspoken.conversion import temporal as temporal
    from unspoken.conversion import temporal_budget as temporal_budget
    from unspoken.errors import UnspokenError as UnspokenError
    from unspoken.families import Beliefs as Beliefs
    from unspoken.families import Box as Box
    from unspoken.families import Frechet as Frechet
    from unspoken.families import GaussianBall as GaussianBall
    from unspoken.families import Intervals as Intervals
    from unspoken.families import Rows as Rows
    from unspoken.learning import learn as learn
    from unspoken.mechanisms import Extension as Extension
    from unspoken.mechanisms import Finite as Finite
    from unspoken.mechanisms import Geometric as Geometric
    from unspoken.mechanisms import Laplace as Laplace
    from unspoken.mechanisms import OneSided as OneSided
    from unspoken.mechanisms import OneSidedNoise as OneSidedNoise
    from unspoken.mechanisms import RandomizedResponse as RandomizedResponse
    from unspoken.mechanisms import RecordCounts as RecordCounts
    from unspoken.mechanisms import Suppression as Suppression
    from unspoken.mechanisms import Together as Together
    from unspoken.planning import Plan as Plan
    from unspoken.planning import plan as plan
    from unspoken.questions import leakage as leakage
    from unspoken.questions import leakages as leakages
    from unspoken.questions import odds as odds
    from unspoken.questions import view as view
    from unspoken.releasing import leak as leak
    from unspoken.releasing import prepare as prepare
    from unspoken.releasing import release as release
    from unspoken.searching import Worst as Worst
    from unspoken.searching import worst as worst
    from unspoken.types.bound import Bound as Bound
    from unspoken.types.bound import Estimate as Estimate
    from unspoken.types.domain import NOT_SENSITIVE as NOT_SENSITIVE
    from unspoken.types.domain import RELEASED as RELEASED
    from unspoken.types.domain import WITHHELD as WITHHELD

    __version__: str

# Where each public name lives.
HOMES = {
    "adversary": ["Adversary"],
    "answering": ["query"],
    "auditing": ["audit"],
    "beliefs": [
        "Chain", "Exchangeable", "Gaussian", "Independent", "Joint", "Network", "Pairwise", "Tree",
    ],
    "calibration": ["Calibrated", "accuracy", "calibrate"],
    "comparing": ["Compared", "compare"],
    "conversion": ["bound_from_dp", "dp_budget", "temporal", "temporal_budget"],
    "errors": ["UnspokenError"],
    "families": ["Beliefs", "Box", "Frechet", "GaussianBall", "Intervals", "Rows"],
    "learning": ["learn"],
    "mechanisms": [
        "Extension", "Finite", "Geometric", "Laplace", "OneSided", "OneSidedNoise",
        "RandomizedResponse", "RecordCounts", "Suppression", "Together",
    ],
    "planning": ["Plan", "plan"],
    "questions": ["leakage", "leakages", "odds", "view"],
    "releasing": ["leak", "prepare", "release"],
    "searching": ["Worst", "worst"],
    "types.bound": ["Bound", "Estimate"],
    "types.domain": ["NOT_SENSITIVE", "RELEASED", "WITHHELD"],
}  # fmt: skip
ROOMS = ("published",)  # called by their own name
_lent = lending(__name__, HOMES)

# How results become data frames and pictures.
FRAMES, IMAGES = "unspoken.frames", "unspoken.pictures.images"
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
    elif name in ROOMS:
        found = import_module(f"unspoken.{name}")
    else:
        return _lent(name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
