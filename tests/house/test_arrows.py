"""Imports draw no circle, enter no room that is not theirs, and are seen at the top of the file."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import TypeGuard

import pytest

from tests.house.conftest import Plant
from tests.house.source import FUNCTIONS, Module, modules, none_of

Graph = Mapping[str, Mapping[str, str]]  # who imports whom, and where

# The top, `unspoken` itself, lends the public names: it may open every room, and nobody uses it.
TOP = ""
GROUND = {"errors", "display", "frames", "lending", "pictures", "numerics", "types"}
CLOUD = {"views", "measures", "adversary"}
THEORY = {"beliefs", "families", *CLOUD}
SOLVERS = {"planning", "searching", "calibration"}
DATA = {"engines", "policy", "learning"}
FLOW = {"ledger", "releasing", "answering", "serving", "auditing", "doors", "client"}

# What these few rooms may import at all ...
ONLY: Mapping[str, set[str]] = {
    "errors": set(),
    "client": {"errors", "frames"},  # of the service, on machines that have nothing else of ours
    "display": {"errors", "lending"},
    "frames": {"errors"},
    "pictures": {"errors", "lending", "numerics"},
    "numerics": {"errors"},
    "types": {"errors", "display", "pictures", "numerics"},
    "engines": GROUND,  # where tables live: they know no privacy
    "__main__": {"doors"},
}
# ... and which rooms must not be reached from which, not even by way of others.
NEVER: tuple[tuple[set[str], set[str]], ...] = (
    (THEORY, {"mechanisms", "questions", *SOLVERS, *DATA, *FLOW}),  # P(X) knows of nothing done
    (CLOUD, {"beliefs", "families"}),
    ({"mechanisms"}, {"questions", *SOLVERS, *DATA, *FLOW}),
    ({"searching"}, {"planning", *DATA, *FLOW}),
    ({"calibration"}, {"planning", *DATA, *FLOW}),
    ({"planning"}, {"searching", "calibration", *DATA, *FLOW}),
    ({"policy", "learning", "models"}, {"mechanisms", *SOLVERS, *FLOW}),
    ({"ledger", "releasing"}, {"answering"}),
    ({"ledger", "releasing", "answering"}, {"serving"}),
    ({"ledger", "releasing", "answering", "serving"}, {"auditing"}),
    # What is released stands on sound numbers only, and on no drawn ones.
    (
        {"ledger", "releasing", "answering", "serving", *SOLVERS, *DATA},
        {"published", "comparing", "models", "simulation"},
    ),
)
# The folders of a room from the ground up: each imports itself and those before it, and no file of
# the room itself, which all stand above its folders.
FOLDERS = {
    "learning": ("marks", "counts", "trees", "intervals"),
    "releasing": ("rows", "custody", "assessing", "deciding", "writing"),
}
# Extras are imported by these modules only, and they where they are needed: in a function.
DRAWN_WITH = {
    "fastapi": "unspoken.doors.service.app",
    "jinja2": "unspoken.doors.report.page",
    "markupsafe": "unspoken.doors.report.page",
    "pandas": "unspoken.frames",
    "py4j": "unspoken.engines.spark",
    "pyspark": "unspoken.engines.spark",
    "starlette": "unspoken.doors.service.app",
    "uvicorn": "unspoken.doors.service.running",
    "vl_convert": "unspoken.pictures.images",
}
WRITERS = {*DRAWN_WITH.values()}
# What a command does is imported by the function that is the command, when it is run.
COMMANDS = "unspoken.doors.commands."


def imported(module: Module, node: ast.AST) -> Iterator[str]:
    """The dotted names an import statement asks for, relative ones written out."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        here = module.name.split(".")
        up = here[: len(here) - node.level + module.is_package] if node.level else []
        yield from (".".join([*up, *filter(None, [node.module]), a.name]) for a in node.names)


def entered(root: Path) -> Iterator[tuple[Module, ast.AST, str]]:
    """Every import of this house: who, by which statement, and the dotted name asked for."""
    for module in modules(root, "src/unspoken"):
        for node in module.nodes:
            for name in imported(module, node):
                if name.partition(".")[0] == "unspoken":
                    yield module, node, name


def between_rooms(root: Path) -> Graph:
    """The rooms each room imports; a public name is lent by the top."""
    rooms = {module.room for module in modules(root, "src/unspoken")}
    arrows: dict[str, dict[str, str]] = {}
    for module, node, name in entered(root):
        asked = name.partition(".")[2].partition(".")[0]
        room = asked if asked in rooms | GROUND | THEORY | SOLVERS | DATA | FLOW else TOP
        if room != module.room:
            arrows.setdefault(module.room, {}).setdefault(room, module.at(node))  # type: ignore[arg-type]
    return arrows


def between_modules(root: Path) -> Graph:
    """The modules each module imports."""
    there = {module.name for module in modules(root, "src/unspoken")}
    arrows: dict[str, dict[str, str]] = {}
    for module, node, name in entered(root):
        to = name if name in there else name.rpartition(".")[0]
        if to in there and to != module.name:
            arrows.setdefault(module.name, {}).setdefault(to, module.at(node))  # type: ignore[arg-type]
    return arrows


def back_up(graph: Graph) -> list[str]:
    """Arrows from a folder of a room to a later one, or to a file of the room itself."""

    def floor(module: str) -> tuple[str, int]:
        _, room, folder, *_ = [*module.split("."), "", "", ""]
        folders = FOLDERS.get(room, ())
        return room, folders.index(folder) if folder in folders else len(folders)

    return [
        f"{at}: {module} imports {to}"
        for module, arrows in graph.items()
        for to, at in arrows.items()
        if floor(module)[0] == floor(to)[0] and floor(to) > floor(module)
    ]


def reached(graph: Graph, start: str) -> dict[str, list[str]]:
    """Everybody who is reached from here, with the way there."""
    ways: dict[str, list[str]] = {}
    ahead = [[start]]
    while ahead:
        way = ahead.pop(0)
        for to in graph.get(way[-1], {}):
            if to not in ways:
                ways[to] = [*way, to]
                ahead.append(ways[to])
    return ways


def circles(graph: Graph) -> list[str]:
    """Each circle once, by the first of its members."""
    ways = {start: reached(graph, start).get(start) for start in graph}
    closed = {frozenset(way): way for way in ways.values() if way is not None}
    return [" -> ".join(way) for way in closed.values()]


def forbidden(graph: Graph) -> list[str]:
    """Arrows that the tables rule out, and anybody but `__main__` who enters doors or the top."""
    pairs = [pair for who, whom in NEVER for pair in product(sorted(who), sorted(whom))]
    pairs += [(room, "doors") for room in graph if room not in ("doors", "__main__", TOP)]
    ways = {room: reached(graph, room) for room in graph}
    found = [" -> ".join(ways[a][b]) for a, b in pairs if a != b and b in ways.get(a, {})]
    found += [f"{at}: {room} imports unspoken" for room, to in graph.items() for at in _of(to, TOP)]
    return found + [
        f"{at}: {room} imports {other}"
        for room, allowed in ONLY.items()
        for other in set(graph.get(room, {})) - allowed - {TOP}
        for at in _of(graph[room], other)
    ]


def _of(arrows: Mapping[str, str], room: str) -> Iterable[str]:
    return [arrows[room]] if room in arrows else []


def is_hidden_import(node: ast.AST) -> TypeGuard[ast.Call]:
    """``import_module(...)``, ``importlib.import_module(...)`` or ``__import__(...)``."""
    if not isinstance(node, ast.Call):
        return False
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    return name in {"import_module", "__import__"}


def late_imports(nodes: Iterable[ast.AST]) -> Iterator[ast.stmt | ast.expr]:
    """What is imported by a call, or by a statement inside a function."""
    for node in nodes:
        if is_hidden_import(node):
            yield node
        elif isinstance(node, FUNCTIONS):
            yield from (n for n in ast.walk(node) if isinstance(n, ast.Import | ast.ImportFrom))


def is_writer(name: str) -> bool:
    """Whether an import asks for a writer, or for something in it."""
    return name in WRITERS or name.rpartition(".")[0] in WRITERS


def may_be_late(module: Module, node: ast.AST) -> bool:
    """Whether it is a statement of a command, or asks for writers alone."""
    if is_hidden_import(node):
        return False
    return module.name.startswith(COMMANDS) or all(map(is_writer, imported(module, node)))


def hidden_imports(root: Path) -> list[str]:
    """Late imports but those of writers, and of what commands do."""
    faults = (
        f"{module.at(node)}: {ast.unparse(node)}"
        for module in modules(root, "src/unspoken")
        if module.room not in (TOP, "lending")
        for node in late_imports(module.nodes)
        if not may_be_late(module, node)
    )
    return sorted(set(faults))


def early_imports(root: Path) -> list[str]:
    """Extras outside the module that is for them, and writers at the top of anything but one."""
    faults = []
    for module in modules(root, "src/unspoken"):
        late = set(late_imports(module.nodes))
        for node in module.nodes:
            for name in imported(module, node):
                mine = DRAWN_WITH.get(name.partition(".")[0], module.name)
                early = is_writer(name) and node not in late and module.name not in WRITERS
                if mine != module.name or early:
                    faults.append(f"{module.at(node)}: {ast.unparse(node)}")  # type: ignore[arg-type]
    return faults


def unnamed_rooms(root: Path) -> list[str]:
    """Rooms that CONTRIBUTING.md does not tell of."""
    page = root / "CONTRIBUTING.md"
    text = page.read_text("utf-8") if page.is_file() else ""
    rooms = {module.room for module in modules(root, "src/unspoken")} - {TOP, "__main__"}
    return sorted(room for room in rooms if f"`{room}`" not in text)


def test_no_circles(root: Path) -> None:
    none_of(circles(between_rooms(root)), "Rooms that import each other in a circle:")
    none_of(circles(between_modules(root)), "Modules that import each other in a circle:")


def test_no_forbidden_arrows(root: Path) -> None:
    none_of(forbidden(between_rooms(root)), "Imports that ONLY or NEVER rules out:")


def test_no_arrow_runs_back_up_within_a_room(root: Path) -> None:
    none_of(back_up(between_modules(root)), "Imports that run up, by FOLDERS:")


def test_every_room_is_told_of(root: Path) -> None:
    none_of(unnamed_rooms(root), "Say in CONTRIBUTING.md, under Rooms, what these are for:")


def test_imports_stand_at_the_top(root: Path) -> None:
    none_of(
        hidden_imports(root),
        "Import at the top of the file, unless it is what a command does; the one lazy door is "
        "unspoken/lending.py.",
    )


def test_writers_are_imported_where_they_write(root: Path) -> None:
    none_of(early_imports(root), "An extra is imported by one module, and that where it writes:")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("beliefs/up.py", "from unspoken.planning.plan import plan"),
        ("beliefs/room.py", "from unspoken import mechanisms"),
        ("beliefs/relative.py", "from ..ledger import store"),
        ("beliefs/__init__.py", "from ..ledger import store"),
        ("beliefs/top.py", "from unspoken import Joint"),
        ("beliefs/whole.py", "import unspoken"),
        ("doors/whole.py", "import unspoken"),
        ("display.py", "import unspoken.types.bound"),
        ("numerics/typed.py", "if TYPE_CHECKING:\n    from unspoken.types import Bound"),
        ("engines/private.py", "from unspoken.measures import MEASURES"),
        ("learning/report.py", "from unspoken.doors.report import words"),
        ("releasing/drawn.py", "from unspoken.simulation.building import building"),
    ],
)
def test_a_forbidden_arrow_is_found(path: str, text: str, plant: Plant) -> None:
    assert forbidden(between_rooms(plant(f"src/unspoken/{path}", text)))


def test_a_forbidden_way_is_found(plant: Plant) -> None:
    plant("src/unspoken/releasing/flow.py", "from unspoken.questions import leakage")
    root = plant("src/unspoken/questions.py", "from unspoken.published import graph")
    plant("src/unspoken/published/__init__.py", "")
    assert forbidden(between_rooms(root)) == ["releasing -> questions -> published"]


def test_an_arrow_back_up_is_found(plant: Plant) -> None:
    plant("src/unspoken/releasing/flow.py", "from unspoken.releasing.rows import reading")
    plant("src/unspoken/releasing/rows/reading.py", "")
    root = plant("src/unspoken/releasing/custody/archive.py", "from ..rows import reading")
    assert back_up(between_modules(root)) == []
    plant("src/unspoken/releasing/rows/reading.py", "from ..custody import archive")
    plant("src/unspoken/releasing/custody/archive.py", "from unspoken.releasing import flow")
    assert len(back_up(between_modules(root))) == 2


def test_circles_are_found(plant: Plant) -> None:
    plant("src/unspoken/questions.py", "from unspoken.views.finite import FiniteView")
    plant("src/unspoken/views/__init__.py", "")
    plant("src/unspoken/views/finite.py", "from .view import View")
    root = plant("src/unspoken/views/view.py", "from unspoken.questions import view")
    assert len(circles(between_rooms(root))) == len(circles(between_modules(root))) == 1
    plant("src/unspoken/questions.py", "")
    assert circles(between_rooms(root)) == circles(between_modules(root)) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "beliefs/down.py",
            "from unspoken.types.bound import Bound\nfrom ..errors import InputError",
        ),
        ("beliefs/own.py", "from unspoken.beliefs import joint\nfrom .joint import Joint"),
        ("beliefs/__init__.py", "from .joint import Joint"),
        ("__init__.py", "from unspoken.doors import cli"),
        ("__main__.py", "from unspoken.doors import cli"),
    ],
)
def test_other_arrows_pass(path: str, text: str, plant: Plant) -> None:
    assert forbidden(between_rooms(plant(f"src/unspoken/{path}", text))) == []


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


def test_a_command_imports_what_it_does(plant: Plant) -> None:
    late = "def leak():\n    from unspoken.releasing import prepare"
    assert hidden_imports(plant("src/unspoken/doors/commands/looking.py", late)) == []
    assert len(hidden_imports(plant("src/unspoken/doors/cli.py", late))) == 1
    hidden = "plan = __import__('unspoken.planning')"
    assert len(hidden_imports(plant("src/unspoken/doors/commands/x.py", hidden))) == 2


def test_an_early_writer_is_found(plant: Plant) -> None:
    late = "def f():\n    from unspoken.pictures.images import svg"
    root = plant("src/unspoken/doors/cli.py", late)
    assert hidden_imports(root) == early_imports(root) == []
    assert early_imports(plant("src/unspoken/doors/cli.py", "from unspoken.pictures import images"))
    assert early_imports(plant("src/unspoken/doors/cli.py", "import vl_convert"))


def test_an_unnamed_room_is_found(plant: Plant) -> None:
    plant("CONTRIBUTING.md", "`beliefs` P(X)")
    plant("src/unspoken/beliefs/joint.py", "")
    assert unnamed_rooms(plant("src/unspoken/attic/box.py", "")) == ["attic"]
