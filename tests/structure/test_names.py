"""What is public or registered is sorted, exists, is tested and is in the docs."""

import ast
import itertools
import re
from pathlib import Path
from typing import TypeGuard

import pytest

from tests.structure.conftest import Plant
from tests.structure.source import CODE, ask, modules, none_of, texts

TABLES = {
    "measures": "MEASURES",
    "mechanisms": "MECHANISMS",
    "beliefs": "BELIEFS",
    "families": "FAMILIES",
}
VAGUE = re.compile(r"(^|_)(utils?|helpers?|managers?|misc)(_|$)")
PUBLIC = """
import json, unspoken
missing = [name for name in unspoken.__all__ if not hasattr(unspoken, name)]
print(json.dumps([list(unspoken.__all__), missing]))
"""
ALIASED = """
import json, pkgutil
from importlib import import_module
wrong = []
for package in ("models", "published"):
    home = import_module(f"unspoken.noise.{package}")
    for module in (m.name for m in pkgutil.iter_modules(home.__path__)):
        own = import_module(f"unspoken.noise.{package}.{module}")
        if import_module(f"unspoken.{package}.{module}") is not own:
            wrong.append(f"unspoken.{package}.{module}")
print(json.dumps(wrong))
"""
REGISTERED = """
import json
from unspoken.core.{kind} import {table}
print(json.dumps({{key: getattr(thing, "__name__", "") for key, thing in {table}.items()}}))
"""


def unsorted_names(root: Path) -> list[str]:
    names, _ = ask(root, PUBLIC)
    pairs = itertools.pairwise(names)
    return [f"{later} after {sooner}" for sooner, later in pairs if not sooner < later]


def unresolved_names(root: Path) -> list[str]:
    return list(ask(root, PUBLIC)[1])


def names_unlike_types(root: Path) -> list[str]:
    """Public names that a type checker does not see in the package itself, or sees alone."""
    names, _ = ask(root, PUBLIC)
    tree = ast.parse((root / "src" / "unspoken" / "__init__.py").read_text("utf-8"))
    typed = [node for node in tree.body if isinstance(node, ast.If)]
    seen: set[str] = set()
    for node in (node for block in typed for node in ast.walk(block)):
        if isinstance(node, ast.alias) and node.asname is not None:
            seen.add(node.asname)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            seen.add(node.id)
    return sorted(seen ^ set(names))


def lent_names_unlike_types(root: Path) -> list[str]:
    """Of every package that lends its names: those that HOMES and the types place differently,
    and those that a module of the package would stand in the place of.
    """
    found = []
    for module in modules(root, "src/unspoken"):
        homes = next((n.value for n in module.tree.body if is_homes(n)), None)
        if homes is None:
            continue
        lent = {(home, n) for home, names in ast.literal_eval(homes).items() for n in names}
        typed = {
            (node.module.removeprefix(f"{module.name}."), alias.name)
            for block in module.tree.body
            if isinstance(block, ast.If)
            for node in ast.walk(block)
            if isinstance(node, ast.ImportFrom) and node.module
            for alias in node.names
        }
        there = {file.stem for file in (root / module.path).parent.glob("*.py")}
        hidden = {(home, name) for home, name in lent if name in there}
        found += [f"{module.path}: {home}.{name}" for home, name in (lent ^ typed) | hidden]
    return sorted(found)


def is_homes(node: ast.stmt) -> TypeGuard[ast.Assign]:
    """``HOMES = ...`` of a package."""
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "HOMES"


def vague_names(root: Path) -> list[str]:
    """Files and classes whose name does not say what is in them."""
    files = [
        f"{module.path}: says nothing"
        for module in modules(root, *CODE)
        if any(VAGUE.search(part.removesuffix(".py")) for part in module.path.parts)
    ]
    classes = [
        f"{module.at(node)}: {node.name} says nothing"
        for module in modules(root)
        for node in module.nodes
        if isinstance(node, ast.ClassDef) and re.search("(Manager|Helper|Utils?)$", node.name)
    ]
    return files + classes


def names_without_reference(root: Path) -> list[str]:
    names, _ = ask(root, PUBLIC)
    page = root / "docs" / "reference.md"
    text = page.read_text("utf-8") if page.is_file() else ""
    return [name for name in names if not re.search(rf"(`|unspoken\.){name}\b", text)]


def registered(root: Path, kind: str) -> dict[str, str]:
    """The keys of a kind's table, each with the Python name of what it stands for."""
    program = REGISTERED.format(kind=kind, table=TABLES[kind])
    found: dict[str, str] = ask(root, program)
    return found


def untested(root: Path, kind: str) -> list[str]:
    """Registered things no test asks for, by key in quotes or by calling them."""
    tests = [m.text for m in modules(root, "tests") if "structure" not in m.path.parts]
    return without_mention(registered(root, kind), "\n".join(tests), r"[\"']{key}[\"']|\b{name}\(")


def undocumented(root: Path, kind: str) -> list[str]:
    """Registered things no page shows as code, by key or by name."""
    pages = (text for path, text in texts(root, ".md") if path.parts[0] in {"docs", "README.md"})
    return without_mention(
        registered(root, kind), "\n".join(pages), r"[`\"]{key}[`\"]|`(unspoken\.)?{name}\b"
    )


def without_other_words(root: Path) -> list[str]:
    """Measures that the glossary does not lead to."""
    page = root / "docs" / "glossary.md"
    text = page.read_text("utf-8") if page.is_file() else ""
    return [key for key in registered(root, "measures") if f"`{key}`" not in text]


def without_mention(things: dict[str, str], text: str, mention: str) -> list[str]:
    return [
        key
        for key, name in things.items()
        if not re.search(mention.format(key=re.escape(key), name=name or "(?!)"), text)
    ]


def test_public_names_are_sorted(root: Path) -> None:
    none_of(unsorted_names(root), "unspoken.__all__ is in the order of sorted(), each name once.")


def test_public_names_resolve(root: Path) -> None:
    none_of(unresolved_names(root), "Names in unspoken.__all__ that unspoken does not have:")


def test_public_modules_are_those_of_their_packages(root: Path) -> None:
    none_of(ask(root, ALIASED), "Name these in src/unspoken/models.py or published.py:")


def test_public_names_are_typed(root: Path) -> None:
    none_of(names_unlike_types(root), "Name these in HOMES and under TYPE_CHECKING, or in neither:")


def test_what_is_lent_is_typed_and_found(root: Path) -> None:
    none_of(
        lent_names_unlike_types(root), "Name these in HOMES and under TYPE_CHECKING, of one home:"
    )


def test_a_lent_name_unlike_its_types_is_found(plant: Plant) -> None:
    text = "if TYPE_CHECKING:\n    from unspoken.tables.learning.plain import learn as learn\n"
    root = plant(
        "src/unspoken/tables/learning/__init__.py", f"{text}HOMES = {{'plain': ['learn']}}"
    )
    assert lent_names_unlike_types(root) == []
    plant("src/unspoken/tables/learning/learn.py", "")
    assert len(lent_names_unlike_types(root)) == 1
    plant(
        "src/unspoken/tables/learning/__init__.py", f"{text}HOMES = {{'plain': ['tell'], 'x': []}}"
    )
    assert len(lent_names_unlike_types(root)) == 2


def test_names_say_what_is_inside(root: Path) -> None:
    none_of(vague_names(root), "Name a file or a class by a word of the theory.")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("src/unspoken/core/beliefs/_utils.py", ""),
        ("src/unspoken/helpers/joint.py", ""),
        ("src/unspoken/store.py", "class StoreManager: ..."),
    ],
)
def test_a_vague_name_is_found(path: str, text: str, plant: Plant) -> None:
    assert len(vague_names(plant(path, text))) == 1


def test_public_names_are_in_the_reference(root: Path) -> None:
    none_of(names_without_reference(root), "Say in docs/reference.md, as code, what this is:")


@pytest.mark.parametrize("kind", TABLES)
def test_registered_things_are_tested(kind: str, root: Path) -> None:
    none_of(
        untested(root, kind), f"Things in unspoken.core.{kind}.{TABLES[kind]} that no test names:"
    )


@pytest.mark.parametrize("kind", TABLES)
def test_registered_things_are_documented(kind: str, root: Path) -> None:
    none_of(
        undocumented(root, kind), f"Things in unspoken.core.{kind}.{TABLES[kind]} in no docs page:"
    )


def test_measures_are_in_the_glossary(root: Path) -> None:
    none_of(without_other_words(root), "Say in docs/glossary.md what others call this measure:")


def test_planted_names_are_found(plant: Plant) -> None:
    plant("docs/reference.md", "`unspoken.Joint(table)` is a belief; a view is a cloud")
    root = plant("src/unspoken/__init__.py", "__all__ = ['view', 'Joint']\nJoint = 1")
    assert unsorted_names(root) == ["Joint after view"]
    assert unresolved_names(root) == ["view"]
    assert names_without_reference(root) == ["view"]
    assert names_unlike_types(root) == ["Joint", "view"]


def test_a_name_given_twice_is_found(plant: Plant) -> None:
    root = plant("src/unspoken/__init__.py", "__all__ = ['Joint', 'Joint']\nJoint = 1")
    assert unsorted_names(root) == ["Joint after Joint"]


def test_a_measure_without_other_words_is_found(plant: Plant) -> None:
    plant("docs/glossary.md", "what others call lift is `gain` here, and loss")
    plant("src/unspoken/__init__.py", "")
    root = plant("src/unspoken/core/measures/__init__.py", "MEASURES = {'gain': 1, 'loss': 2}")
    assert without_other_words(root) == ["loss"]


def test_planted_members_are_found(plant: Plant) -> None:
    plant("src/unspoken/__init__.py", "")
    plant(
        "src/unspoken/core/beliefs/__init__.py",
        "class Joint: ...\nBELIEFS = {'joint': Joint, 'x-y': 1}",
    )
    plant("docs/beliefs.md", "A joint is made by `Joint`.")
    root = plant("tests/core/beliefs/test_joint.py", "def test(): assert Joint(1)")
    assert untested(root, "beliefs") == ["x-y"]
    assert undocumented(root, "beliefs") == ["x-y"]
    plant("docs/more.md", "`x-y` is another")
    plant("tests/structure/test_names.py", "'x-y'")
    assert undocumented(root, "beliefs") == []
    assert untested(root, "beliefs") == ["x-y"]
