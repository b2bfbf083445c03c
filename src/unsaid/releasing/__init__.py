"""Releases: plan -> check -> charge -> read -> coin -> write."""

from unsaid.releasing.findings import Findings
from unsaid.releasing.flow import Prepared, Rehearsed, Released, prepare, rehearse, release

__all__ = ["Findings", "Prepared", "Rehearsed", "Released", "prepare", "rehearse", "release"]
