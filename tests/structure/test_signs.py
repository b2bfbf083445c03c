"""A package whose docstring lists its modules lists all of them, and none that is not there."""

import ast
import re
from pathlib import Path

from tests.structure.conftest import Plant
from tests.structure.source import modules, none_of

SIGN = re.compile(r"^ *(\w+(?:, \w+)*) {2,}\S", re.MULTILINE)


def unlike_signs(root: Path) -> list[str]:
    """Modules that are not said where others are listed, and listed ones that are not there."""
    found = []
    for module in filter(lambda each: each.is_package, modules(root, "src/unspoken")):
        said = ast.get_docstring(module.tree) or ""
        listed = {name for sign in SIGN.findall(said) for name in sign.split(", ")}
        there = {file.stem for file in (root / module.path).parent.glob("*.py")} - {"__init__"}
        if listed:
            wrong = (listed - there) | (there - {*re.findall(r"\w+", said)})
            found += [f"{module.path}: {name}" for name in sorted(wrong)]
    return found


def test_signs_are_right(root: Path) -> None:
    none_of(unlike_signs(root), "Name in the docstring of the package, or no more:")


def test_a_wrong_sign_is_found(plant: Plant) -> None:
    plant("src/unspoken/rules/quilt.py", "")
    root = plant("src/unspoken/rules/__init__.py", '"""Rules.\n\nquilt   shields\n"""')
    assert unlike_signs(root) == []
    plant("src/unspoken/rules/group.py", "")
    plant("src/unspoken/rules/__init__.py", '"""Rules.\n\nquilt, dpm   shields\n"""')
    assert len(unlike_signs(root)) == 2
