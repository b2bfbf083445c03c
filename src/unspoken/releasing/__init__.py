"""Releases: plan -> check -> charge -> read -> coin -> write."""

from unspoken.releasing.archive import BackedUp, Restored, backup, restore
from unspoken.releasing.checking import Checked, check
from unspoken.releasing.custody import Verified, verified
from unspoken.releasing.decided import adopt_plan
from unspoken.releasing.differing import Difference, difference
from unspoken.releasing.findings import Findings, by_cap
from unspoken.releasing.first_look import FirstLook, first_look
from unspoken.releasing.flow import rehearse, release
from unspoken.releasing.preparing import Prepared, learn_project, prepare
from unspoken.releasing.results import Rehearsed, Released
from unspoken.releasing.undeclared import undeclared

__all__ = [
    "BackedUp",
    "Checked",
    "Difference",
    "Findings",
    "FirstLook",
    "Prepared",
    "Rehearsed",
    "Released",
    "Restored",
    "Verified",
    "adopt_plan",
    "backup",
    "by_cap",
    "check",
    "difference",
    "first_look",
    "learn_project",
    "prepare",
    "rehearse",
    "release",
    "restore",
    "undeclared",
    "verified",
]
