"""Words and places that do not belong in the tree."""

import ast
import re
from pathlib import Path

import pytest

from tests.structure.conftest import Plant
from tests.structure.source import modules, none_of, texts

# The guarantee of differential privacy holds whether or not data is dependent; what dependence
# changes is what a release lets somebody infer. (Written so that this file does not match itself.)
CLAIM = re.compile(
    r"(dp|differential\s+privacy)\s+assumes\s+(that\s+)?(\w+\s+){0,4}independen", re.I
)
# The first name, which is another product's. The changelog alone says that it was ours.
OLD_NAME = re.compile("un" + "said", re.I)
ENDS = {*".:?!"}
TOPS = ["home", "Users", "root", "work", "opt", "mnt", "srv", "tmp", "private"]
PLACE = re.compile(rf"(?<![\w.~)}}\]*-])(/({'|'.join(TOPS)})/\w|[A-Z]:\\Users\\)")


# Bounds, probabilities and mechanisms are made below doors: no logarithms but for digits, no
# arrays, no measure or view of their own.
WORK = re.compile(
    r"math\.(log|log1p|log2|exp|expm1|fsum|prod|sqrt|pow)"
    r"|(np|numpy)\.(?!random\.default_rng$|random$)\w+(\.\w+)*"
    r"|MEASURES\[.*|.*\.view|from unspoken\.core\.(views|numerics)\b.*",
    re.DOTALL,
)


def computes(code: str) -> bool:
    return WORK.fullmatch(code) is not None


def lines_with(root: Path, pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{path}:{text.count(chr(10), 0, match.start()) + 1}: {match.group()!r}"
        for path, text in texts(root)
        for match in pattern.finditer(text)
    ]


def false_claims(root: Path) -> list[str]:
    return lines_with(root, CLAIM)


def old_names(root: Path) -> list[str]:
    named = [f"{path}: {path}" for path, _ in texts(root) if OLD_NAME.search(path.as_posix())]
    said = [line for line in lines_with(root, OLD_NAME) if not line.startswith("CHANGELOG.md:")]
    return named + [line for line in said if not line.startswith(".git:")]


def machine_paths(root: Path) -> list[str]:
    return [line for line in lines_with(root, PLACE) if not line.startswith(".git:")]  # a worktree


def hosts_in_locks(root: Path) -> list[str]:
    """A lock names versions and hashes; where to get them is the business of who installs."""
    found = lines_with(root, re.compile(r"\w+://\S+|--(extra-)?index-url|--find-links"))
    return [fault for fault in found if fault.startswith("locks")]


def prints(root: Path) -> list[str]:
    return [
        module.at(node)
        for module in modules(root)
        if module.package != "interfaces"
        for node in module.nodes
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "print"
    ]


def computed(root: Path) -> list[str]:
    """Where a door works something out: it may round and compare, no more."""
    return [
        f"{module.at(node)}: {ast.unparse(node)}"
        for module in modules(root)
        if module.package == "interfaces"
        for node in module.nodes
        if isinstance(node, ast.Attribute | ast.ImportFrom | ast.Import)
        and computes(ast.unparse(node))
    ]


def broken_sentences(root: Path) -> list[str]:
    """Docstrings with an empty line in the middle of a sentence."""
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    texts = [
        (module.path, (ast.get_docstring(node) or "").split("\n\n"))
        for module in modules(root)
        for node in module.nodes
        if isinstance(node, documented)
    ]
    return [
        f"{path}: {first.splitlines()[-1]}"
        for path, (first, *more) in texts
        if more and first[-1] not in ENDS
    ]


def test_nothing_false_is_said_of_differential_privacy(root: Path) -> None:
    none_of(false_claims(root), "Its guarantee holds for dependent data too. Say what is inferred:")


def test_the_old_name_is_gone(root: Path) -> None:
    none_of(old_names(root), "The product is called unspoken:")


def test_no_path_of_a_machine(root: Path) -> None:
    none_of(machine_paths(root), "Write paths relative to the repository:")


def test_locks_name_no_host(root: Path) -> None:
    none_of(hosts_in_locks(root), "Make the lock with `make lock`; it holds no addresses:")


def test_interfaces_compute_nothing(root: Path) -> None:
    none_of(computed(root), "Compute it in workflows or below; interfaces show it:")


def test_only_interfaces_print(root: Path) -> None:
    none_of(prints(root), "Return it, or raise it; only interfaces print:")


def test_sentences_go_on(root: Path) -> None:
    none_of(broken_sentences(root), "Write the sentence on, without an empty line in it:")


@pytest.mark.parametrize(
    "words",
    ["DP supposes independence", "Differential privacy\nsupposes that the rows are independent"],
)
def test_a_planted_claim_is_found(words: str, plant: Plant) -> None:
    assert (
        len(
            false_claims(
                plant("docs/theory.md", f"First.\n{words.replace('supposes', 'assumes')}.")
            )
        )
        == 1
    )


def test_a_planted_old_name_is_found(plant: Plant) -> None:
    plant("CHANGELOG.md", "renamed from Un" + "said")
    plant("docs/page.md", "import un" + "said")
    root = plant("src/un" + "said/view.py", "x = 1")
    assert len(old_names(root)) == 2


@pytest.mark.parametrize("tops", TOPS)
def test_a_planted_path_is_found(tops: str, plant: Plant) -> None:
    root = plant(
        "README.md", f"See /{tops}/data.csv and https://example.org/{tops}/x, ../{tops}/y."
    )
    assert len(machine_paths(root)) == 1


def test_a_planted_host_is_found(plant: Plant) -> None:
    plant("README.md", "https://example.org")
    root = plant("locks/dev.txt", "numpy==2.4.6\n--index-url https://example.org/simple\n")
    assert len(hosts_in_locks(root)) == 2


def test_a_planted_print_is_found(plant: Plant) -> None:
    plant("src/unspoken/interfaces/command_line/cli.py", "print(1)")
    assert prints(plant("src/unspoken/core/views/view.py", "def f():\n    print(1)")) == [
        "src/unspoken/core/views/view.py:2"
    ]


def test_a_planted_break_is_found(plant: Plant) -> None:
    plant("src/unspoken/core/views/sound.py", '"""What it is.\n\nAnd why:\n\n    x\n"""')
    root = plant("src/unspoken/core/views/view.py", 'def f():\n    """What is, and\n\n    why."""')
    assert broken_sentences(root) == ["src/unspoken/core/views/view.py: What is, and"]


@pytest.mark.parametrize(
    "text",
    [
        "p = -math.expm1(-eps)",
        "import numpy as np\nshare = np.mean(rows)",
        "from unspoken.core.views import View",
        "view = mechanism.view(belief, adversary)",
        "beyond = odds.nats > math.log(cap)",
    ],
)
def test_planted_arithmetic_is_found(text: str, plant: Plant) -> None:
    root = plant("src/unspoken/assessment/findings.py", text)
    assert computed(root) == []
    assert len(computed(plant("src/unspoken/interfaces/wording/results.py", text))) == 1


def test_interfaces_may_round(plant: Plant) -> None:
    text = "from unspoken.tables.files import atomically\nplaces = math.floor(math.log10(odds))"
    assert computed(plant("src/unspoken/interfaces/words.py", text)) == []
