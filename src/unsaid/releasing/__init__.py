"""Releases: plan -> check -> charge -> read -> coin -> write."""

from unsaid.releasing.findings import Findings
from unsaid.releasing.flow import Prepared, Released, prepare, release

__all__ = ["Findings", "Prepared", "Released", "prepare", "release"]
