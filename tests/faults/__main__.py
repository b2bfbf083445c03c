"""Plant each fault in a copy of src, run its tests, and say which test caught it.

python -m tests.faults                    all of them
python -m tests.faults --draw 5           some; the seed is printed, --seed draws the same again
python -m tests.faults --only NAME ...    these, or all of a package
"""

from __future__ import annotations

import argparse
import compileall
import os
import py_compile
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.faults.planted import Fault, faults, misplaced
from tests.selection import DAILY

ROOT = Path(__file__).resolve().parents[2]
# A fault may make a loop endless, which only a guard of a test ends (tests/within.py), or pytest
# (faulthandler_timeout): this one is longer than either, and no measure of speed.
SECONDS = 1800
PASSED, FAILED = 0, 1


def run(source: Path, tests: Sequence[str], seconds: int | None = None) -> tuple[int, str]:
    """These tests on this copy of src: pytest's exit code and all that it prints.

    They are selected and try as hard as in `make test`, which would catch the fault as well.
    """
    # Plain asserts: under CI pytest compares long lists whole, which takes minutes.
    quiet = ["-x", "-q", "--tb=no", "--assert=plain", "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("UNSPOKEN_STRESS", None)
    profile = ["--hypothesis-profile=faults"]
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *quiet, "-m", DAILY, *profile, *tests],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired:
        return -1, f"no end within {seconds} s"
    return done.returncode, done.stdout + done.stderr


def caught_by(source: Path, fault: Fault) -> str | None:
    """The test that fails with this fault in the copy; None if all pass, or none could run."""
    file = fault.path(source)
    sound = file.read_text("utf-8")
    file.write_text(fault.planted(source), "utf-8")
    try:
        code, said = run(source, fault.tests, SECONDS)
    finally:
        file.write_text(sound, "utf-8")
    return first_failed(said) if code == FAILED else None


def first_failed(said: str) -> str | None:
    """The test that pytest's summary names first."""
    named = re.search(r"^FAILED (.+?)( - .*)?$", said, re.MULTILINE)
    return named.group(1) if named else None


def copy_of_src(folder: str) -> Path:
    """A copy whose compiled files are checked by content: a fault may come and go in a second."""
    source = Path(folder, "src")
    shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("__pycache__"))
    checked = py_compile.PycInvalidationMode.CHECKED_HASH
    compileall.compile_dir(source, quiet=1, invalidation_mode=checked)
    return source


def chosen(arguments: argparse.Namespace) -> list[Fault]:
    every = faults()
    if arguments.only:
        strangers = set(arguments.only) - {
            own for fault in every for own in (fault.name, fault.package)
        }
        if strangers:
            raise SystemExit(f"faults: no fault and no package is called {sorted(strangers)}")
        return [fault for fault in every if {fault.name, fault.package} & {*arguments.only}]
    if arguments.draw is None:
        return every
    seed = random.randrange(2**32) if arguments.seed is None else arguments.seed
    print(f"{arguments.draw} of {len(every)} faults, drawn with --seed {seed}")
    return random.Random(seed).sample(every, min(arguments.draw, len(every)))


def plant(planted: Sequence[Fault]) -> int:
    """One after the other; how many nobody caught."""
    survivors = 0
    with tempfile.TemporaryDirectory() as folder:
        source = copy_of_src(folder)
        code, said = run(source, sorted({test for fault in planted for test in fault.tests}))
        if code != PASSED:
            raise SystemExit(f"faults: the tests do not pass on sound code:\n{said[-2500:]}")
        for fault in planted:
            began = time.monotonic()
            test = caught_by(source, fault)
            took = time.monotonic() - began
            survivors += test is None
            verdict = f"caught by {test}" if test else "SURVIVED"
            print(f"{fault.package:11} {fault.name:44} {took:5.1f} s  {verdict}", flush=True)
    return survivors


def main(arguments: argparse.Namespace) -> int:
    planted = chosen(arguments)
    wrong = [f"{fault.name}: {why}" for fault in planted for why in misplaced(fault, ROOT)]
    if wrong:
        print("faults: the list and the code differ", *wrong, sep="\n  ")
        return 1
    survivors = plant(planted)
    print(f"{len(planted) - survivors} of {len(planted)} faults caught")
    return 1 if survivors else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--draw", type=int, help="so many of them, at random")
    parser.add_argument("--seed", type=int, help="of the draw")
    parser.add_argument("--only", nargs="+", default=[], help="faults or rooms by name")
    sys.exit(main(parser.parse_args()))
