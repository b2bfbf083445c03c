"""Releases: plan -> check -> charge -> read -> coin -> write."""

from unspoken.releasing.checking import Checked, check
from unspoken.releasing.custody import Verified, verified
from unspoken.releasing.findings import Findings, by_cap
from unspoken.releasing.first_look import FirstLook, first_look
from unspoken.releasing.flow import rehearse, release
from unspoken.releasing.preparing import Prepared, adopt_plan, learn_project, prepare
from unspoken.releasing.results import Rehearsed, Released
from unspoken.releasing.undeclared import undeclared

__all__ = [
    "Checked",
    "Findings",
    "FirstLook",
    "Prepared",
    "Rehearsed",
    "Released",
    "Verified",
    "adopt_plan",
    "by_cap",
    "check",
    "first_look",
    "learn_project",
    "prepare",
    "rehearse",
    "release",
    "undeclared",
    "verified",
]
