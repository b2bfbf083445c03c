"""How much noise keeps a limit: exactly, or by the sound ones of the published rules."""

from unspoken.calibration.accuracy import accuracy
from unspoken.calibration.calibrated import Calibrated, calibrate
from unspoken.calibration.composing import composed, parallel, sequential
from unspoken.calibration.dpm import coefficient
from unspoken.calibration.friends import Blocked, Neighbour, blocked
from unspoken.calibration.methods import METHODS, by_method
from unspoken.calibration.quilt import quilt_any_start, quilt_approximate
from unspoken.calibration.sensitivities import Sensitivity, additive, bounded

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
