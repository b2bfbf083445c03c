"""The project file: what the holder has decided, checked before anything is read."""

from unspoken.policy.column_checks import check_columns, column_faults
from unspoken.policy.declared import (
    Attribute,
    Context,
    DeclaredLimits,
    Epoch,
    Files,
    Source,
)
from unspoken.policy.faults import faults
from unspoken.policy.presence import check_files
from unspoken.policy.project import Project, project_file
from unspoken.policy.starter import starter
from unspoken.policy.suitable_columns import groupings, left_out

__all__ = [
    "Attribute",
    "Context",
    "Epoch",
    "Files",
    "DeclaredLimits",
    "Project",
    "Source",
    "check_columns",
    "check_files",
    "column_faults",
    "faults",
    "groupings",
    "left_out",
    "project_file",
    "starter",
]
