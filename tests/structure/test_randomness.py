"""Two sources of randomness, coins and noise; simulation gets a seeded generator."""

import ast
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.structure.conftest import Plant
from tests.structure.source import Module, modules, none_of

SOURCES_OF_OURS = ("unspoken.storage.coins", "unspoken.noise.discrete_laplace")
# The demo makes the seeded generator that it hands to the simulator, the audit one for its trials.
MADE = ("unspoken.interfaces.command_line.demo", "unspoken.interfaces.command_line.auditing")
SOURCES = {
    "opendp",
    "opendp.measurements",
    "random",
    "secrets",
    "uuid",
    "numpy.random",
    "os.urandom",
    "os.getrandom",
}
HANDED_IN = {"np.random.Generator", "numpy.random.Generator"}


def asked_for(node: ast.AST) -> set[str]:
    """The dotted names by which a piece of code could reach a source of randomness."""
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    if isinstance(node, ast.ImportFrom):
        return {f"{node.module}", *(f"{node.module}.{alias.name}" for alias in node.names)}
    if isinstance(node, ast.Attribute):
        return {ast.unparse(node).replace("np.", "numpy.", 1)}
    return set()


def annotations(nodes: Iterable[ast.AST]) -> set[ast.AST]:
    """Every ``np.random.Generator``, piece by piece, that is the type of a parameter."""
    types = [n.annotation for n in nodes if isinstance(n, ast.arg) and n.annotation]
    named = (n for t in types for n in ast.walk(t) if isinstance(n, ast.Attribute))
    return {part for n in named if ast.unparse(n) in HANDED_IN for part in ast.walk(n)}


def faults_in(module: Module) -> list[str]:
    allowed = annotations(module.nodes)
    return [
        f"{module.at(node)}: {ast.unparse(node)}"
        for node in module.nodes
        if isinstance(node, ast.stmt | ast.expr)
        and asked_for(node) & SOURCES
        and node not in allowed
    ]


def randomness(root: Path) -> list[str]:
    return [
        f
        for module in modules(root)
        if module.name not in (*SOURCES_OF_OURS, *MADE)
        for f in faults_in(module)
    ]


def test_only_coins_are_random(root: Path) -> None:
    none_of(
        randomness(root),
        "Randomness comes from storage/coins.py or noise/discrete_laplace.py, or as a parameter "
        "rng: np.random.Generator.",
    )


@pytest.mark.parametrize(
    "text",
    [
        "import random",
        "from random import choice",
        "import secrets as s",
        "from uuid import uuid4",
        "from os import urandom",
        "import os\nkey = os.urandom(16)",
        "import numpy as np\nrng = np.random.default_rng(0)",
        "import numpy\nnumpy.random.seed(1)",
        "from numpy import random",
        "from numpy.random import Generator",
        "import numpy as np\ndef f(rng: np.random.Generator = np.random.default_rng(0)): ...",
    ],
)
def test_planted_randomness_is_found(text: str, plant: Plant) -> None:
    assert randomness(plant("src/unspoken/storage/coins.py", text)) == []
    assert len(randomness(plant("src/unspoken/core/beliefs/dice.py", text))) == 1


def test_a_generator_may_be_handed_in(plant: Plant) -> None:
    text = "import numpy as np\ndef sample(n: int, *, rng: np.random.Generator | None): ..."
    assert randomness(plant("src/unspoken/core/beliefs/joint.py", text)) == []
