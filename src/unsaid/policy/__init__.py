"""The project file: what the holder has decided, checked before anything is read."""

from unsaid.policy.columns import check_columns
from unsaid.policy.presence import check_files
from unsaid.policy.project import Attribute, Epoch, Files, Limits, Project, Source
from unsaid.policy.starter import starter

__all__ = [
    "Attribute",
    "Epoch",
    "Files",
    "Limits",
    "Project",
    "Source",
    "check_columns",
    "check_files",
    "starter",
]
