"""How much noise keeps a limit: exactly, or by the sound ones of the published rules."""

from unsaid.calibration.accuracy import accuracy
from unsaid.calibration.calibrated import Calibrated, calibrate
from unsaid.calibration.composing import composed, parallel, sequential
from unsaid.calibration.dpm import coefficient
from unsaid.calibration.friends import Blocked, Neighbour, blocked
from unsaid.calibration.methods import METHODS, by_method
from unsaid.calibration.quilt import quilt_any_start, quilt_approximate
from unsaid.calibration.sensitivities import Sensitivity, additive, bounded

__all__ = [
    "METHODS",
    "Blocked",
    "Calibrated",
    "Neighbour",
    "Sensitivity",
    "accuracy",
    "additive",
    "blocked",
    "bounded",
    "by_method",
    "calibrate",
    "coefficient",
    "composed",
    "parallel",
    "quilt_any_start",
    "quilt_approximate",
    "sequential",
]
