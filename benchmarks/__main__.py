"""Every benchmark, one after the other; each is a module with a main() of its own."""

from __future__ import annotations

import runpy
from pathlib import Path

HELPERS = {"__main__", "instances"}


def main() -> None:
    for file in sorted(Path(__file__).parent.glob("*.py")):
        if file.stem not in HELPERS:
            print(f"\n== {file.stem}")
            runpy.run_module(f"benchmarks.{file.stem}", run_name="__main__")


if __name__ == "__main__":
    main()
