"""Small files, small functions, no ladders of isinstance, no names that say nothing."""

import ast
import re
from pathlib import Path

import pytest

from tests.house.conftest import Plant
from tests.house.source import CODE, FUNCTIONS, modules, none_of

FILE_LINES, BODY_LINES, RUNGS = 400, 40, 2
LITERALS = {"str", "bool", "int", "float", "list", "dict"}
VAGUE = re.compile(r"(^|_)(utils?|helpers?|managers?|misc)(_|$)")


def long_files(root: Path) -> list[str]:
    sizes = ((module.path, len(module.text.splitlines())) for module in modules(root, *CODE))
    return [f"{path}: {lines} lines" for path, lines in sizes if lines > FILE_LINES]


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The lines from the first statement to the last, the docstring not counted."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def long_functions(root: Path) -> list[str]:
    return [
        f"{module.at(node)}: {node.name} has {body_lines(node)} lines"
        for module in modules(root, *CODE)
        for node in module.nodes
        if isinstance(node, FUNCTIONS) and body_lines(node) > BODY_LINES
    ]


def rungs(function: ast.AST) -> int:
    """How often a function asks for a type: calls of isinstance, and classes in match."""
    return sum(
        isinstance(node, ast.MatchClass)
        or (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance")
        for node in ast.walk(function)
    )


def ladders(root: Path) -> list[str]:
    return [
        f"{module.at(node)}: {node.name} asks for types {rungs(node)} times"
        for module in modules(root)
        for node in module.nodes
        if isinstance(node, FUNCTIONS) and rungs(node) > RUNGS
    ]


def is_type(node: ast.AST) -> bool:
    """As an annotation: type, or type[...]."""
    return getattr(node, "id", "") == "type" or (
        isinstance(node, ast.Subscript) and is_type(node.value)
    )


def of_literals(table: ast.AST | None) -> bool:
    """Whether all keys are types of written values, which cannot answer for themselves."""
    keys = table.keys if isinstance(table, ast.Dict) else [None]
    return all(getattr(key, "id", "") in LITERALS for key in keys)


def keyed_by_type(node: ast.AST) -> bool:
    """A table or set of classes, or a question whether a class is in one."""
    if isinstance(node, ast.AnnAssign) and isinstance(node.annotation, ast.Subscript):
        key = node.annotation.slice
        key = key.elts[0] if isinstance(key, ast.Tuple) and key.elts else key
        return is_type(key) and not of_literals(node.value)
    if not (isinstance(node, ast.Compare) and isinstance(node.left, ast.Call)):
        return False
    asks = isinstance(node.ops[0], ast.In | ast.NotIn)
    return asks and getattr(node.left.func, "id", "") == "type"


def tables_of_types(root: Path) -> list[str]:
    return [
        f"{module.path}:{node.lineno}: {ast.unparse(node).partition(' = ')[0]}"
        for module in modules(root)
        for node in module.nodes
        if isinstance(node, ast.AnnAssign | ast.Compare) and keyed_by_type(node)
    ]


def vague_names(root: Path) -> list[str]:
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


def test_files_are_short(root: Path) -> None:
    none_of(long_files(root), f"A file has at most {FILE_LINES} lines: split it by theme.")


def test_functions_are_short(root: Path) -> None:
    none_of(long_functions(root), f"A function body has at most {BODY_LINES} lines.")


def test_nothing_dispatches_on_types(root: Path) -> None:
    none_of(
        ladders(root),
        f"A function asks for types at most {RUNGS} times: let the object answer a primitive.",
    )


def test_nothing_is_looked_up_by_type(root: Path) -> None:
    none_of(tables_of_types(root), "No table of classes: let the object answer a primitive.")


def test_names_say_what_is_inside(root: Path) -> None:
    none_of(vague_names(root), "Name a file or a class by a word of the theory.")


LONG_BODY = "def f():\n    '''Doc.'''\n" + "    x = 1\n" * 41
LADDER = "def f(x):\n    return " + " or ".join(f"isinstance(x, {t})" for t in ("A", "B", "C"))
MATCH = "def f(x):\n    match x:\n" + "".join(f"        case {t}(): pass\n" for t in "ABC")


@pytest.mark.parametrize(
    ("check", "path", "text"),
    [
        (long_files, "src/unspoken/long.py", "x = 1\n" * 401),
        (long_functions, "tests/test_long.py", LONG_BODY),
        (ladders, "src/unspoken/beliefs/ladder.py", LADDER),
        (ladders, "src/unspoken/beliefs/match.py", MATCH),
        (tables_of_types, "src/unspoken/quick.py", "QUICK: dict[type[Belief], int] = {Chain: 1}"),
        (
            tables_of_types,
            "src/unspoken/words.py",
            "WORDS: dict[type, str] = {str: 'a', A: 'b'}",
        ),
        (tables_of_types, "src/unspoken/trees.py", "TREES: frozenset[type[Belief]] = frozenset(X)"),
        (tables_of_types, "src/unspoken/asks.py", "def f(b):\n    return type(b.law) not in TREES"),
        (vague_names, "src/unspoken/beliefs/_utils.py", ""),
        (vague_names, "src/unspoken/helpers/joint.py", ""),
        (vague_names, "src/unspoken/store.py", "class StoreManager: ..."),
    ],
)
def test_a_planted_fault_is_found(check, path: str, text: str, plant: Plant) -> None:
    assert len(check(plant(path, text))) == 1


def test_what_is_just_allowed_passes(plant: Plant) -> None:
    plant("src/unspoken/whole.py", "x = 1\n" * 400)
    plant("src/unspoken/named.py", "BELIEFS: dict[str, type[Belief]] = {'chain': Chain}")
    plant("src/unspoken/words.py", "WORDS: dict[type, str] = {str: 'text', int: 'a number'}")
    root = plant("src/unspoken/just.py", LONG_BODY.removesuffix("    x = 1\n"))
    assert long_files(root) + long_functions(root) + ladders(root) + vague_names(root) == []
    assert tables_of_types(root) == []
