"""How much noise keeps a limit: exactly, or by the sound ones of the published rules."""

from unspoken.noise.calibration.accuracy import accuracy
from unspoken.noise.calibration.calibrated import Calibrated, calibrate
from unspoken.noise.calibration.composing import composed, parallel, sequential
from unspoken.noise.calibration.private import private_epsilon
from unspoken.noise.calibration.rules.dpm import coefficient
from unspoken.noise.calibration.rules.methods import METHODS, by_method
from unspoken.noise.calibration.rules.quilt import quilt_any_start, quilt_approximate

__all__ = [
    "METHODS",
    "Calibrated",
    "accuracy",
    "by_method",
    "calibrate",
    "coefficient",
    "composed",
    "parallel",
    "private_epsilon",
    "quilt_any_start",
    "quilt_approximate",
    "sequential",
]
