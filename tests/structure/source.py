"""How the checks read the tree; each check is a function from a root folder to its faults."""

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

CODE = ("src", "tests", "examples", "benchmarks", "studies")
LEFT_OUT = {"__pycache__", "build", "dist", "node_modules"}
REPOSITORY = Path(__file__).resolve().parents[2]
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def parsed(text: str, path: str) -> tuple[ast.AST, ...]:
    """The tree and all that is in it, which a dozen checks read and none changes."""
    return tuple(ast.walk(ast.parse(text, path)))


@dataclass(frozen=True)
class Module:
    """One Python file: where it is, relative to the root, and what it says."""

    path: Path
    text: str

    @property
    def tree(self) -> ast.Module:
        tree = self.nodes[0]
        assert isinstance(tree, ast.Module)
        return tree

    @property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Every node, as ast.walk gives them."""
        return parsed(self.text, str(self.path))

    @property
    def name(self) -> str:
        """Its dotted name, as in unspoken.core.beliefs.joint; a package is its folder."""
        parts = self.path.with_suffix("").parts[1:]
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @property
    def is_package(self) -> bool:
        return self.path.name == "__init__.py"

    @property
    def package(self) -> str:
        """core, for unspoken.core.beliefs.joint; empty for the top of the package."""
        return self.name.partition(".")[2].partition(".")[0]

    def at(self, node: ast.stmt | ast.expr) -> str:
        return f"{self.path}:{node.lineno}"


def modules(root: Path, *folders: str) -> list[Module]:
    """The Python files under these folders of the root, or under src."""
    read = read_once if root == REPOSITORY else read_modules
    return list(read(root, folders))


def read_modules(root: Path, folders: tuple[str, ...]) -> list[Module]:
    found = [path for folder in folders or ("src",) for path in (root / folder).rglob("*.py")]
    return [Module(path.relative_to(root), path.read_text("utf-8")) for path in sorted(found)]


# No test changes the repository; a source tree with a planted fault is read anew each time.
read_once = cache(read_modules)


def texts(root: Path, *suffixes: str) -> Iterator[tuple[Path, str]]:
    """Every text file of the tree with its content; of the hidden folders only our own."""
    for folder, below, files in os.walk(root):
        below[:] = sorted(
            name
            for name in below
            if name not in LEFT_OUT and (name[0] != "." or name in {".ci", ".github"})
        )
        for path in sorted(Path(folder, name) for name in files):
            if not suffixes or path.suffix in suffixes:
                try:
                    yield path.relative_to(root), path.read_text("utf-8")
                except UnicodeDecodeError:
                    continue


def ask(root: Path, program: str, cwd: Path | None = None) -> Any:
    """What ``program`` prints as JSON, run by a new Python that sees this root's unspoken first."""
    printed = print_once if root == REPOSITORY else output_of
    return json.loads(printed(root, program, cwd))


def output_of(root: Path, program: str, cwd: Path | None) -> str:
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(root / "src"), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
    )
    assert run.returncode == 0, f"a fresh Python failed:\n{run.stderr[-1500:]}"
    return run.stdout


print_once = cache(output_of)


def none_of(faults: list[str], rule: str) -> None:
    """Fail, naming the rule and every place that breaks it."""
    assert not faults, f"{rule}\n  " + "\n  ".join(faults)
