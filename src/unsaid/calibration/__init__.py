"""How much noise keeps a limit: exactly, or by the sound ones of the published rules."""

from unsaid.calibration.accuracy import accuracy
from unsaid.calibration.calibrated import METHODS, Calibrated, calibrate
from unsaid.calibration.comparing import Compared, compare
from unsaid.calibration.dpm import coefficient
from unsaid.calibration.friends import Blocked, Neighbour, blocked
from unsaid.calibration.quilt import quilt_any_start, quilt_approximate
from unsaid.calibration.sensitivities import Sensitivity, additive, bounded

__all__ = [
    "METHODS",
    "Blocked",
    "Calibrated",
    "Compared",
    "Neighbour",
    "Sensitivity",
    "accuracy",
    "additive",
    "blocked",
    "bounded",
    "calibrate",
    "coefficient",
    "compare",
    "quilt_any_start",
    "quilt_approximate",
]
