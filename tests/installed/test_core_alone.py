"""`unspoken.core` beside NumPy alone: it imports, answers questions, and keeps its laws.

The site of such a Python holds NumPy and the files of `core`, and nothing else; for the laws also
pytest and Hypothesis, with what these need.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

EXAMPLES = (
    "coalitions.py",
    "coins.py",
    "information_privacy.py",
    "mutual_information.py",
    "temporal.py",
    "theorem_1.py",
)
LAWS = (
    "tests/core/beliefs/test_joint.py",
    "tests/core/beliefs/test_what_is_given.py",
    "tests/core/families/test_box.py",
    "tests/core/families/test_knapsack.py",
    "tests/core/measures/test_sup_measures.py",
    "tests/core/mechanisms/test_one_sided.py",
    "tests/core/mechanisms/test_suppression.py",
    "tests/core/numerics/test_rounding.py",
    "tests/core/searching/test_worst.py",
    "tests/core/types/test_bound.py",
    "tests/core/views/test_finite.py",
)
IMPORT_ALL = """
import sys
from importlib import import_module
from pathlib import Path
site = Path(sys.argv[1])
files = [file.relative_to(site).with_suffix("") for file in (site / "unspoken").rglob("*.py")]
names = [".".join(file.parts).removesuffix(".__init__") for file in files]
for name in names:
    import_module(name)
assert len(names) > 100, names
print(*sorted({name.partition(".")[0] for name in sys.modules} - {*sys.stdlib_module_names}))
"""
QUESTIONS = """
import math
import unspoken
from unspoken import WITHHELD, Adversary, Joint, OneSided

days = Joint([[15, 5], [10, 70]], names=["arrival", "occupancy"])
arrival, contractor = OneSided({"arrival": 1.0}), Adversary("occupancy")
withheld = math.exp(-1)  # of the cells that may be shown
odds = unspoken.odds(days, arrival, contractor, {"arrival": WITHHELD})
true = (15 + 10 * withheld) / 25 / ((5 + 70 * withheld) / 75)
assert math.isclose(odds.low, true) and math.isclose(odds.high, true), (odds, true)
assert unspoken.worst(days, arrival).bound.high >= math.log(odds.low)
try:
    odds.plot()
except unspoken.UnspokenError as refused:
    print(refused)
"""


def requirements(name: str) -> set[str]:
    """A distribution and all that it needs here, extras left out."""
    found, ahead = set[str](), [name]
    while ahead:
        name = ahead.pop().lower()
        try:
            needs = distribution(name).requires or []
        except PackageNotFoundError:  # of another system, or another Python
            continue
        if name not in found:
            found.add(name)
            wanted = [Requirement(line) for line in needs]
            ahead += [r.name for r in wanted if not r.marker or r.marker.evaluate({"extra": ""})]
    return found


def link_distributions(site: Path, *names: str) -> None:
    """Make these, and all that they need, importable from a folder."""
    for name in sorted(set.union(*map(requirements, names))):
        for file in distribution(name).files or ():
            top = file.parts[0]
            if top not in ("..", "__pycache__") and not (site / top).exists():
                (site / top).symlink_to(Path(str(distribution(name).locate_file(top))))


@pytest.fixture
def site(tmp_path: Path, root: Path) -> Path:
    """A folder of packages: NumPy, and `core` with the module that lends its names."""
    package = tmp_path / "site" / "unspoken"
    package.mkdir(parents=True)
    shutil.copytree(root / "src/unspoken/core", package / "core")
    (package / "__init__.py").write_text((root / "src/unspoken/__init__.py").read_text("utf-8"))
    link_distributions(package.parent, "numpy")
    return package.parent


def run(site: Path, *arguments: str, folder: Path) -> str:
    """A Python that sees its own library and this folder only: what it prints."""
    done = subprocess.run(
        [sys.executable, "-S", "-W", "error", *arguments],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_every_module_imports(site: Path, tmp_path: Path) -> None:
    foreign = {*run(site, "-c", IMPORT_ALL, str(site), folder=tmp_path).split()} - {
        "numpy",
        "unspoken",
    }
    assert not {name for name in foreign if (site / name).exists()}
    assert foreign <= {"__main__", "__mp_main__"} | {n for n in foreign if n.startswith("_")}


def test_it_answers_questions(site: Path, tmp_path: Path) -> None:
    assert "needs all of unspoken" in run(site, "-c", QUESTIONS, folder=tmp_path)


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_run(example: str, site: Path, tmp_path: Path, root: Path) -> None:
    assert run(site, str(root / "examples" / example), folder=tmp_path).strip()


def test_laws_hold(site: Path, root: Path) -> None:
    link_distributions(site, "hypothesis", "pytest")
    options = ["--noconftest", "-v", "-p", "no:cacheprovider", "-m", "not slow"]
    lines = run(site, "-m", "pytest", *options, *LAWS, folder=root).splitlines()
    passed = {line.partition("::")[0] for line in lines if " PASSED" in line}
    assert passed == {*LAWS}
    assert not [line for line in lines if " SKIPPED" in line or " XFAIL" in line]
