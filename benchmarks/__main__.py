"""Every benchmark, one after the other; each is a program of its own, with a process of its own.

python -m benchmarks                        all that need no tables of others
python -m benchmarks release -- --quick     one of them, with its options
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HELPERS = {"__init__", "__main__", "instances", "tables"}
# These are of tables that are others': each is given the folder where those are.
OF_TABLES = {"best_release", "out_of_sample"}
# Spark is installed apart from all else, since it does not go together with the newest pandas.
APART = {"spark": Path(__file__).parents[1] / ".venv-servers" / "bin" / "python"}


def main(arguments: list[str]) -> int:
    """Run them, whatever becomes of one; 1 if any failed."""
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    files = sorted(Path(__file__).parent.glob("*.py"))
    all_of_them = [file.stem for file in files if file.stem not in HELPERS]
    failed = []
    asked = arguments[:cut]
    for name in asked or all_of_them:
        print(f"\n== {name}", flush=True)
        if name in OF_TABLES and not asked:
            print(f"left out: python -m benchmarks {name} -- FOLDER, of the tables")
            continue
        python = APART.get(name, Path(sys.executable))
        if not python.exists():
            print(f"left out: {name} needs `make .venv-servers/.ready`")
            continue
        program = [str(python), "-m", f"benchmarks.{name}", *arguments[cut + 1 :]]
        if subprocess.run(program, check=False).returncode:
            failed.append(name)
    if failed:
        print(f"\nfailed: {', '.join(failed)}", file=sys.stderr)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
