"""Imports go downward only, and are seen at the top of the file."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import TypeGuard

import pytest

from tests.house.conftest import Plant
from tests.house.source import FUNCTIONS, Module, modules, none_of

# The house. A room imports from rooms on lower floors and from itself.
FLOORS = {
    "errors": 0,
    "numerics": 0.5,  # refuses bad numbers and unsafe key files by name, so it stands on errors
    "display": 0,
    "pictures": 0,
    "types": 1,
    "beliefs": 2,
    "views": 2,
    "measures": 2,
    "adversary": 2,
    "mechanisms": 3,
    "engines": 3,
    "policy": 3,
    "conversion": 3,
    "questions": 3,
    "models": 4.6,  # friends, edges, sensitivities (paper 002): what calibration is asked about
    "families": 4.1,  # sets of beliefs; they ask questions
    "planning": 4,
    "ledger": 4,
    "calibration": 4.5,  # the worst adversary, which it keeps within a limit, is found by searching
    "searching": 4,
    "learning": 4,
    "simulation": 4,
    "published": 4.7,  # beside what was printed it shows what is true: searching, calibration
    "comparing": 4.8,  # sound rules beside published ones
    "releasing": 5,
    "auditing": 6,
    "doors": 7,
    "__main__": 8,
}
# The top, `unspoken` itself, lends the public names: it may open every room, and only doors use it.
TOP, TOP_FLOOR = "", 6.5


def floor(room: str) -> float:
    return TOP_FLOOR if room == TOP else FLOORS[room]


def imported(module: Module, node: ast.AST) -> Iterator[str]:
    """The dotted names an import statement asks for, relative ones written out."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        here = module.name.split(".")
        up = here[: len(here) - node.level + module.is_package] if node.level else []
        yield from (".".join([*up, *filter(None, [node.module]), a.name]) for a in node.names)


def own_rooms(module: Module, node: ast.AST) -> Iterator[str]:
    """The rooms of this house an import statement enters; a public name is lent by the top."""
    for name in imported(module, node):
        package, _, rest = name.partition(".")
        if package == "unspoken":
            room = rest.partition(".")[0]
            yield room if room in FLOORS else TOP


def without_a_floor(root: Path) -> list[str]:
    found = modules(root, "src/unspoken")
    return [f"{module.path}" for module in found if module.room not in {TOP, *FLOORS}]


def upward_imports(root: Path) -> list[str]:
    return [
        f"{module.at(node)}: {module.room} (floor {floor(module.room):g}) imports "
        f"{room or 'unspoken'} (floor {floor(room):g})"
        for module in modules(root, "src/unspoken")
        if module.room in FLOORS
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for room in own_rooms(module, node)
        if room != module.room and floor(room) >= floor(module.room)
    ]


def is_hidden_import(node: ast.AST) -> TypeGuard[ast.Call]:
    """``import_module(...)``, ``importlib.import_module(...)`` or ``__import__(...)``."""
    if not isinstance(node, ast.Call):
        return False
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    return name in {"import_module", "__import__"}


def late_imports(tree: ast.AST) -> Iterator[ast.stmt | ast.expr]:
    """What is imported by a call, or by a statement inside a function."""
    for node in ast.walk(tree):
        if is_hidden_import(node):
            yield node
        elif isinstance(node, FUNCTIONS):
            yield from (n for n in ast.walk(node) if isinstance(n, ast.Import | ast.ImportFrom))


def hidden_imports(root: Path) -> list[str]:
    faults = (
        f"{module.at(node)}: {ast.unparse(node)}"
        for module in modules(root, "src/unspoken")
        if module.room != TOP
        for node in late_imports(module.tree)
    )
    return sorted(set(faults))


def test_every_module_has_a_floor(root: Path) -> None:
    none_of(without_a_floor(root), "Give the room a floor in tests/house/test_floors.py.")


def test_imports_go_downward(root: Path) -> None:
    none_of(upward_imports(root), "A room imports from lower floors and from itself only.")


def test_imports_stand_at_the_top(root: Path) -> None:
    none_of(
        hidden_imports(root),
        "Import at the top of the file; the one lazy door is unspoken/__init__.py.",
    )


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("beliefs/up.py", "from unspoken.planning.plan import plan"),
        ("beliefs/beside.py", "from unspoken.measures import MEASURES"),
        ("beliefs/relative.py", "from ..views import finite"),
        ("beliefs/__init__.py", "from ..views import finite"),
        ("beliefs/room.py", "from unspoken import views"),
        ("beliefs/top.py", "from unspoken import Joint"),
        ("beliefs/whole.py", "import unspoken"),
        ("display.py", "import unspoken.errors"),
        ("planning/typed.py", "if TYPE_CHECKING:\n    from unspoken.ledger import Event"),
    ],
)
def test_an_upward_import_is_found(path: str, text: str, plant: Plant) -> None:
    assert len(upward_imports(plant(f"src/unspoken/{path}", text))) == 1


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "beliefs/down.py",
            "from unspoken.types.bound import Bound\nfrom ..errors import InputError",
        ),
        ("beliefs/own.py", "from unspoken.beliefs import joint\nfrom .joint import Joint"),
        ("beliefs/__init__.py", "from .joint import Joint"),
        ("doors/cli.py", "import unspoken\nfrom unspoken import Joint"),
        ("__init__.py", "from unspoken.doors import cli"),
    ],
)
def test_a_downward_import_passes(path: str, text: str, plant: Plant) -> None:
    assert upward_imports(plant(f"src/unspoken/{path}", text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n    from unspoken.types import Bound",
        "class A:\n    def f(self):\n        import numpy",
        "import importlib\nplan = importlib.import_module('unspoken.planning')",
        "plan = __import__('unspoken.planning')",
    ],
)
def test_a_hidden_import_is_found(text: str, plant: Plant) -> None:
    assert len(hidden_imports(plant("src/unspoken/beliefs/late.py", text))) == 1
    assert hidden_imports(plant("src/unspoken/beliefs/late.py", "import numpy")) == []
    assert hidden_imports(plant("src/unspoken/__init__.py", text)) == []


def test_a_room_without_a_floor_is_found(plant: Plant) -> None:
    plant("src/unspoken/__init__.py", "")
    assert without_a_floor(plant("src/unspoken/attic/box.py", "")) == ["src/unspoken/attic/box.py"]
