"""How many seconds of a processor a command takes before it does anything, and in all.

python -m benchmarks.commands            each the least of five, Python's own start with it
python -m benchmarks.commands --quick    the least of two

The project is what `init` writes of 800 rows, with one secret: what it takes is what it loads.
Python's compiled files are written by the first run of each, which is not counted.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from unspoken.tables.simulation.building import building

COMMANDS = [
    "--version", "--help", "plan --help", "check", "init occupancy.parquet --project other.toml",
    "leak", "leak occupancy.parquet", "learn", "plan", "release", "ledger", "report",
]  # fmt: skip


def seconds(program: list[str], folder: Path) -> float:
    """Of a processor, in Python, of this program and all that it starts."""
    (folder / "other.toml").unlink(missing_ok=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(program, cwd=folder, env=environment, check=True, capture_output=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def set_up(folder: Path) -> None:
    """A project with a secret, and its table."""
    pq.write_table(building(np.random.default_rng(3), 20, 40), folder / "occupancy.parquet")
    seconds([sys.executable, "-m", "unspoken", "init", "occupancy.parquet"], folder)
    project = folder / "unspoken.toml"
    secret = 'sensitive = "first_arrival >= 11"\nmissing = "public" '
    project.write_text(project.read_text().replace('missing = "value" ', secret, 1))


def main(times: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        set_up(folder)
        python = [sys.executable]
        for said, program in [
            ("python", [*python, "-c", "pass"]),
            ("import unspoken", [*python, "-c", "import unspoken"]),
            *((f"unspoken {c}", [*python, "-m", "unspoken", *c.split()]) for c in COMMANDS),
        ]:
            _, *counted = (seconds(program, folder) for _ in range(1 + times))
            print(f"{said:55}{min(counted):7.2f} s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the least of two")
    main(2 if parser.parse_args().quick else 5)
