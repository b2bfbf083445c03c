"""Releases: plan -> check -> charge -> read -> coin -> write."""

from unspoken.releasing.findings import Findings
from unspoken.releasing.flow import Prepared, prepare, rehearse, release
from unspoken.releasing.results import Rehearsed, Released

__all__ = ["Findings", "Prepared", "Rehearsed", "Released", "prepare", "rehearse", "release"]
