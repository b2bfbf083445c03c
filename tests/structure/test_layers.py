"""Imports go down through the packages, draw no cycle, and stand at the top of the file."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeGuard

import pytest

from tests.structure.conftest import Plant
from tests.structure.source import FUNCTIONS, Module, modules, none_of

Graph = Mapping[str, Mapping[str, str]]  # {module: {imported module: file and line}}

# The eight packages from the bottom up: each imports itself and those before it.
PACKAGES = (
    "core",
    "noise",
    "planning",
    "tables",
    "storage",
    "assessment",
    "workflows",
    "interfaces",
)
# What a package is made of, from the bottom up in the same way; "*" is everything not named.
PARTS = {
    "unspoken": (*PACKAGES, "client", "models", "published", "__main__"),
    "unspoken.core": (
        "errors",
        "lending",
        "display",
        "numerics",
        "pictures",
        "types",
        "adversary",
        "views",
        "measures",
        "beliefs",
        "conversion",
        "mechanisms",
        "families",
        "questions",
        "searching",
    ),
    "unspoken.noise": ("*", "calibration", "models", "published", "comparing"),
    "unspoken.tables": ("*", "engines", "friendship_files", "policy", "learning", "simulation"),
    "unspoken.tables.learning": ("marks", "counts", "trees", "intervals", "*"),
    "unspoken.storage": ("*", "ledger", "rows", "custody", "writing"),
    "unspoken.assessment": ("*", "deciding"),
    "unspoken.workflows": ("release", "query", "serve", "audit"),
    "unspoken.interfaces": (
        "*",
        "wording",
        "output_files",
        "report",
        "attacks",
        "dashboard",
        "service",
        "command_line",
    ),
}
# What is released stands on sound numbers, and on no simulated ones: these are for comparison.
UNSOUND = ("noise.comparing", "noise.models", "noise.published", "tables.simulation")
RELEASING = ("planning", "tables", "storage", "assessment", "workflows")
FOR_STUDY = {"unspoken.tables.friendship_files"}  # files of paper 002, which no release reads
# Extras are imported by these modules only, and they where they are needed: in a function.
EXTRAS = {
    "fastapi": "unspoken.interfaces.service.app",
    "jinja2": "unspoken.interfaces.report.page",
    "markupsafe": "unspoken.interfaces.report.page",
    "pandas": "unspoken.interfaces.frames",
    "py4j": "unspoken.tables.engines.spark",
    "pyspark": "unspoken.tables.engines.spark",
    "starlette": "unspoken.interfaces.service.app",
    "uvicorn": "unspoken.interfaces.service.running",
    "vl_convert": "unspoken.interfaces.images",
}
OPENERS = {*EXTRAS.values()}
# What a command does is imported by the function that is the command, when it is run.
COMMANDS = "unspoken.interfaces.command_line.commands."
# These fetch names when they are asked for, or give modules their public names.
LAZY = ("unspoken", "unspoken.core.lending", "unspoken.models", "unspoken.published")


def imported(module: Module, node: ast.AST) -> Iterator[str]:
    """The dotted names an import statement asks for, relative ones written out."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        here = module.name.split(".")
        up = here[: len(here) - node.level + module.is_package] if node.level else []
        yield from (".".join([*up, *filter(None, [node.module]), a.name]) for a in node.names)


def imports(root: Path) -> Iterator[tuple[Module, ast.AST, str]]:
    """Every import of ours: in which module, by which statement, and the dotted name."""
    for module in modules(root, "src/unspoken"):
        for node in module.nodes:
            for name in imported(module, node):
                if name.partition(".")[0] == "unspoken":
                    yield module, node, name


def import_graph(root: Path, with_parents: bool = False) -> Graph:
    """The modules each module imports; ``with_parents``: and the packages loaded on the way to
    them, but for those that the importing module is in itself.
    """
    names = {module.name for module in modules(root, "src/unspoken")}
    graph: dict[str, dict[str, str]] = {}
    for module, node, name in imports(root):
        to = name if name in names else name.rpartition(".")[0]
        if to in names and to != module.name:
            place = module.at(node)  # type: ignore[arg-type]
            graph.setdefault(module.name, {}).setdefault(to, place)
            parents = [to.rsplit(".", n)[0] for n in range(1, to.count(".") + 1)]
            for parent in parents if with_parents else ():
                if not f"{module.name}.".startswith(f"{parent}."):
                    graph[module.name].setdefault(parent, place)
    return graph


def layer(package: str, module: str) -> int | None:
    """The place of a module among the parts of a package, which stands above them all itself;
    None if it has none.
    """
    parts = PARTS[package]
    if module == package:
        return len(parts)
    part = module.removeprefix(f"{package}.").partition(".")[0]
    if not module.startswith(f"{package}."):
        return None
    return parts.index(part if part in parts else "*") if part in parts or "*" in parts else None


def upward_imports(graph: Graph) -> list[str]:
    """Imports of a part that stands above the importing one."""
    return [
        f"{place}: {module} imports {to}"
        for module, targets in graph.items()
        for to, place in targets.items()
        for package in PARTS
        if None not in (here := layer(package, module), there := layer(package, to))
        and there > here  # type: ignore[operator]
    ]


def unsound_imports(graph: Graph) -> list[str]:
    """Imports of what is for comparison only, by what releases stand on."""
    return [
        f"{place}: {module} imports {to}"
        for module, targets in graph.items()
        for to, place in targets.items()
        if is_below(module, RELEASING) and module not in FOR_STUDY
        if not is_below(module, UNSOUND) and (is_below(to, UNSOUND) or to in FOR_STUDY)
    ]


def is_below(module: str, packages: Iterable[str]) -> bool:
    return any(f"{module}.".startswith(f"unspoken.{package}.") for package in packages)


def homeless_modules(root: Path) -> list[str]:
    """Modules of no package, and parts of a package that no layer is given to."""
    return [
        str(module.path)
        for module in modules(root, "src/unspoken")
        for package in PARTS
        if module.name.startswith(f"{package}.") and layer(package, module.name) is None
    ]


def foreign_imports_of_core(root: Path) -> list[str]:
    """Imports by `core` of a library that is neither NumPy nor Python's own."""
    return [
        f"{module.at(node)}: {name}"  # type: ignore[arg-type]
        for module in modules(root, "src/unspoken/core")
        for node in module.nodes
        for name in imported(module, node)
        if name.partition(".")[0] not in {"numpy", "unspoken", *sys.stdlib_module_names}
    ]


def cycles(graph: Graph) -> list[str]:
    """Each cycle once, by the first of its members."""
    found: dict[frozenset[str], str] = {}
    for start in graph:
        ways: dict[str, list[str]] = {}
        ahead = [[start]]
        while ahead:
            way = ahead.pop(0)
            for to in graph.get(way[-1], {}):
                if to not in ways:
                    ways[to] = [*way, to]
                    ahead.append(ways[to])
        if start in ways:
            found.setdefault(frozenset(ways[start]), " -> ".join(ways[start]))
    return [*found.values()]


# By these a module is reached without an import statement.
BY_NAME = {
    "__import__",
    "entry_points",
    "eval",
    "exec",
    "import_module",
    "resolve_name",
    "run_module",
    "run_path",
    "spec_from_file_location",
}


def is_hidden_import(node: ast.AST) -> TypeGuard[ast.expr]:
    """Any mention of what imports by name, also under another name; nor is ``import unspoken``
    allowed, through which everything is reached as an attribute.
    """
    if isinstance(node, ast.Import):
        return any(alias.name.partition(".")[0] == "unspoken" for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        return any(alias.name in BY_NAME for alias in node.names)
    if isinstance(node, ast.Constant):
        return node.value in BY_NAME - {"eval", "exec"}
    return isinstance(node, ast.Attribute | ast.Name) and (
        getattr(node, "attr", getattr(node, "id", "")) in BY_NAME
    )


def late_imports(nodes: Iterable[ast.AST]) -> Iterator[ast.stmt | ast.expr]:
    """What is imported by its name, or by a statement inside a function."""
    for node in nodes:
        if is_hidden_import(node):
            yield node
        elif isinstance(node, FUNCTIONS):
            yield from (n for n in ast.walk(node) if isinstance(n, ast.Import | ast.ImportFrom))


def opens_an_extra(name: str) -> bool:
    """Whether an import asks for a module that opens an extra, or for something in it."""
    return name in OPENERS or name.rpartition(".")[0] in OPENERS


def may_be_late(module: Module, node: ast.AST) -> bool:
    """Whether it is a statement of a command, or asks for openers of extras alone."""
    if is_hidden_import(node):
        return False
    return module.name.startswith(COMMANDS) or all(map(opens_an_extra, imported(module, node)))


def hidden_imports(root: Path) -> list[str]:
    """Late imports but those of what opens an extra, and of what commands do."""
    faults = (
        f"{module.at(node)}: {ast.unparse(node)}"
        for module in modules(root, "src/unspoken")
        if module.name not in LAZY
        for node in late_imports(module.nodes)
        if not may_be_late(module, node)
    )
    return sorted(set(faults))


def early_imports(root: Path) -> list[str]:
    """Extras outside the module that is for them, and such modules at the top of another one."""
    faults = []
    for module in modules(root, "src/unspoken"):
        late = set(late_imports(module.nodes))
        for node in module.nodes:
            for name in imported(module, node):
                mine = EXTRAS.get(name.partition(".")[0], module.name)
                early = opens_an_extra(name) and node not in late and module.name not in OPENERS
                if mine != module.name or early:
                    faults.append(f"{module.at(node)}: {ast.unparse(node)}")  # type: ignore[arg-type]
    return faults


def unexplained_packages(root: Path) -> list[str]:
    """Packages whose first docstring does not say what they may import and where to start."""
    found = []
    for place, package in enumerate(PACKAGES):
        home = root / "src" / "unspoken" / package
        if not (home / "__init__.py").is_file():
            continue
        said = ast.get_docstring(ast.parse((home / "__init__.py").read_text("utf-8"))) or ""
        allowed = ", ".join(PACKAGES[:place]) or "nothing of unspoken"
        start = re.search(r"^Start reading: `([\w/]+\.py)`", said, re.MULTILINE)
        if f"May import: {allowed}" not in " ".join(said.split()):
            found.append(f"{package}: write `May import: {allowed}`")
        if start is None or not (home / start[1]).is_file():
            found.append(f"{package}: write `Start reading: `, and a file of the package")
    return found


def unnamed_packages(root: Path) -> list[str]:
    """Packages that CONTRIBUTING.md does not tell of."""
    page = root / "CONTRIBUTING.md"
    text = page.read_text("utf-8") if page.is_file() else ""
    return [package for package in PACKAGES if f"`{package}`" not in text]


def test_every_module_is_in_a_package(root: Path) -> None:
    none_of(homeless_modules(root), "Give each a place in PACKAGES and PARTS:")


def test_packages_are_explained_to_contributors(root: Path) -> None:
    none_of(unnamed_packages(root), "Say in CONTRIBUTING.md, under Packages, what these are for:")


def test_no_cycles(root: Path) -> None:
    graph = import_graph(root, with_parents=True)
    none_of(cycles(graph), "Modules that import each other in a cycle:")


def test_imports_go_down(root: Path) -> None:
    none_of(upward_imports(import_graph(root)), "Imports of what stands above, by PARTS:")


def test_releases_stand_on_sound_numbers(root: Path) -> None:
    none_of(unsound_imports(import_graph(root)), "What releases must not use:")


def test_core_needs_numpy_only(root: Path) -> None:
    none_of(foreign_imports_of_core(root), "`core` imports NumPy and Python's own modules only:")


def test_each_package_says_where_to_start(root: Path) -> None:
    none_of(unexplained_packages(root), "In the docstring of these packages:")


def test_imports_stand_at_the_top(root: Path) -> None:
    none_of(
        hidden_imports(root),
        "Import at the top of the file, unless it is what a command does; names that are fetched "
        "when they are asked for go through lending.py.",
    )


def test_extras_are_imported_where_they_are_used(root: Path) -> None:
    none_of(early_imports(root), "An extra is imported by one module, and that where it is used:")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("core/beliefs/up.py", "from unspoken.core.mechanisms import OneSided"),
        ("core/beliefs/package.py", "from unspoken.core import mechanisms"),
        ("core/beliefs/relative.py", "from ...storage import coins"),
        ("core/errors.py", "from unspoken.core.numerics import rounding"),
        ("core/numerics/typed.py", "if TYPE_CHECKING:\n    from unspoken.core.mechanisms import x"),
        ("tables/engines/private.py", "from unspoken.tables.learning import learn"),
        ("tables/learning/marks/up.py", "from unspoken.tables.learning import learn"),
        ("storage/rows/reading.py", "from ..custody import archive"),
        ("assessment/few.py", "from unspoken.assessment.deciding import admission"),
        ("workflows/release/flow.py", "from unspoken.interfaces import wording"),
        ("workflows/query/flow.py", "from unspoken.workflows.serve import curator"),
    ],
)
def test_a_planted_upward_import_is_found(path: str, text: str, plant: Plant) -> None:
    for there in (
        "core/mechanisms",
        "core/numerics/rounding",
        "storage/coins",
        "storage/custody/archive",
        "tables/learning",
        "assessment/deciding/admission",
        "interfaces/wording",
        "workflows/serve/curator",
    ):
        folder = "" if Path(there).suffix or "/" in there.partition("/")[2] else "/__init__"
        plant(f"src/unspoken/{there}{folder}.py", "")
    for there in ("core", "storage", "workflows/serve"):
        plant(f"src/unspoken/{there}/__init__.py", "")
    assert upward_imports(import_graph(plant(f"src/unspoken/{path}", text)))


def test_downward_imports_pass(plant: Plant) -> None:
    plant("src/unspoken/core/errors.py", "")
    plant("src/unspoken/core/types/bound.py", "from ..errors import InputError")
    plant("src/unspoken/storage/coins.py", "from unspoken.core.types.bound import Bound")
    root = plant("src/unspoken/__main__.py", "from unspoken.storage import coins")
    assert upward_imports(import_graph(root)) == homeless_modules(root) == []


def test_a_module_of_no_package_is_found(plant: Plant) -> None:
    plant("src/unspoken/tables/anything.py", "")
    root = plant("src/unspoken/attic/box.py", "")
    assert homeless_modules(root) == ["src/unspoken/attic/box.py"]


def test_an_unsound_number_is_found(plant: Plant) -> None:
    plant("src/unspoken/noise/published.py", "")
    plant("src/unspoken/noise/comparing.py", "from unspoken.noise import published")
    root = plant("src/unspoken/storage/coins.py", "")
    assert unsound_imports(import_graph(root)) == []
    plant("src/unspoken/storage/coins.py", "from unspoken.noise.published import graph")
    assert len(unsound_imports(import_graph(root))) == 1
    plant("src/unspoken/tables/friendship_files.py", "from unspoken.noise import published")
    plant("src/unspoken/storage/coins.py", "from unspoken.tables import friendship_files")
    assert len(unsound_imports(import_graph(root))) == 1


def test_another_library_in_core_is_found(plant: Plant) -> None:
    root = plant("src/unspoken/core/joint.py", "import math\nimport numpy as np")
    assert foreign_imports_of_core(root) == []
    plant("src/unspoken/core/joint.py", "def f():\n    from scipy.special import xlogy")
    assert len(foreign_imports_of_core(root)) == 1


def test_a_cycle_is_found(plant: Plant) -> None:
    plant("src/unspoken/core/questions.py", "from unspoken.core.views.finite import FiniteView")
    plant("src/unspoken/core/views/__init__.py", "")
    plant("src/unspoken/core/views/finite.py", "from .view import View")
    root = plant("src/unspoken/core/views/view.py", "from unspoken.core.questions import view")
    assert len(cycles(import_graph(root))) == 1
    plant("src/unspoken/core/questions.py", "")
    assert cycles(import_graph(root)) == []


def test_a_cycle_through_a_package_is_found(plant: Plant) -> None:
    plant("src/unspoken/planning/block.py", "from unspoken.planning.records.cells import Cell")
    plant("src/unspoken/planning/records/cells.py", "")
    package = "from unspoken.planning.records.planner import plan"
    plant("src/unspoken/planning/records/__init__.py", package)
    root = plant("src/unspoken/planning/records/planner.py", "from unspoken.planning import block")
    assert cycles(import_graph(root)) == []
    assert len(cycles(import_graph(root, with_parents=True))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n    from unspoken.core.types import Bound",
        "class A:\n    def f(self):\n        import numpy",
        "import importlib\nplan = importlib.import_module('unspoken.planning')",
        "plan = __import__('unspoken.planning')",
        "load = __import__",
        "from importlib import import_module as load",
        "import importlib\nload = getattr(importlib, 'import_module')",
        "import unspoken.core.errors\nplan = unspoken.plan",
        "import pkgutil\nplan = pkgutil.resolve_name('unspoken.planning:plan')",
    ],
)
def test_a_hidden_import_is_found(text: str, plant: Plant) -> None:
    assert len(hidden_imports(plant("src/unspoken/core/late.py", text))) == 1
    assert hidden_imports(plant("src/unspoken/core/late.py", "import numpy")) == []
    assert hidden_imports(plant("src/unspoken/__init__.py", text)) == []


def test_a_command_imports_what_it_does(plant: Plant) -> None:
    late = "def leak():\n    from unspoken.workflows.release import prepare"
    assert (
        hidden_imports(plant("src/unspoken/interfaces/command_line/commands/looking.py", late))
        == []
    )
    assert len(hidden_imports(plant("src/unspoken/interfaces/command_line/cli.py", late))) == 1
    hidden = "plan = __import__('unspoken.planning')"
    assert (
        len(hidden_imports(plant("src/unspoken/interfaces/command_line/commands/x.py", hidden)))
        == 2
    )


def test_an_extra_imported_early_is_found(plant: Plant) -> None:
    late = "def f():\n    from unspoken.interfaces.images import svg"
    root = plant("src/unspoken/interfaces/command_line/cli.py", late)
    assert hidden_imports(root) == early_imports(root) == []
    assert early_imports(
        plant(
            "src/unspoken/interfaces/command_line/cli.py", "from unspoken.interfaces import images"
        )
    )
    assert early_imports(plant("src/unspoken/interfaces/command_line/cli.py", "import vl_convert"))


def test_a_package_that_says_nothing_is_found(plant: Plant) -> None:
    plant("CONTRIBUTING.md", "`core` and `noise`")
    plant("src/unspoken/noise/drawing.py", "")
    root = plant("src/unspoken/noise/__init__.py", '"""Noise."""')
    assert unnamed_packages(root) == [*PACKAGES[2:]]
    assert len(unexplained_packages(root)) == 2
    plant(
        "src/unspoken/noise/__init__.py",
        '"""Noise.\n\nMay import: core.\n\nStart reading: `drawing.py`.\n"""',
    )
    assert unexplained_packages(root) == []
