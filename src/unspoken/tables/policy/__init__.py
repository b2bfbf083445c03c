"""The project file: what the holder has decided, checked before anything is read."""

from unspoken.tables.policy.column_checks import check_columns, column_faults
from unspoken.tables.policy.declared import Attribute, Context, DeclaredLimits, Epoch, Files, Source
from unspoken.tables.policy.faults import faults
from unspoken.tables.policy.presence import check_files
from unspoken.tables.policy.project import Project, project_file
from unspoken.tables.policy.starter import starter
from unspoken.tables.policy.suitable_columns import groupings, left_out

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
