"""Releases: plan -> check -> charge -> read -> coin -> write."""

from unspoken.releasing.findings import Findings
from unspoken.releasing.flow import Prepared, Rehearsed, Released, prepare, rehearse, release

__all__ = ["Findings", "Prepared", "Rehearsed", "Released", "prepare", "rehearse", "release"]
