"""Everything that is wrong with a project file at once, where reading it names the first only."""

from __future__ import annotations

from pathlib import Path

from unspoken.core.errors import InputError
from unspoken.tables.policy import checks, paths
from unspoken.tables.policy.presence import to_write
from unspoken.tables.policy.project import Project, project_file
from unspoken.tables.policy.reading import read_text, shaped

__all__ = ["faults"]


def faults(path: str | Path) -> tuple[Project | None, list[InputError]]:
    """The project, if it is one, and what is wrong with it, in the order of the file.

    Whether there is a table to read is not asked: a file can be checked before there is one.
    What is no TOML, or of another format, is raised: of that nothing else can be said.
    """
    file = project_file(path)
    text = read_text(file)
    tables, place, wrong = shaped(text, str(file))
    if tables is not None:
        wrong = [*checks.complaints(tables), *paths.complaints(tables, file)]
    if wrong:
        return None, place.errors(wrong)
    project = Project.parse(text, file)
    return project, project.place.errors(to_write(project))
