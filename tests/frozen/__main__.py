"""Shows that moving code changes nothing a user sees: python -m tests.frozen [COMMIT].

The code before, of the commit in `tests/frozen/base` or of COMMIT, and the code now run side by
side, each with `tests/frozen/record.py`, under the same keys, noise and clock: every command on
three projects with the files it writes, the HTTP service, public signatures, and public numbers.
Every difference is printed by name; the exit code is 1 if there is any.

Both run on this machine: released bytes depend on plans, and plans on the last digits of a
processor. Where a change is intended, commit it and write its commit into `tests/frozen/base`.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.frozen.differences import differences

ROOT = Path(__file__).resolve().parents[2]
BASE = Path(__file__).with_name("base")
PARTS = ("src", "examples", "docs/cases")  # of each side its own
# Names of one length, so that no line is broken elsewhere because of them.
BEFORE, NOW = "code-before", "code-as-now"
ENVIRONMENT = {
    "COLUMNS": "80",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
    "TERM": "dumb",
    "TZ": "UTC",
}


def main(arguments: list[str]) -> int:
    """Compare, print what differs, and return the exit code."""
    base = arguments[0] if arguments else BASE.read_text("utf-8").strip()
    if not _has_commit(base):
        print(f"frozen: skipped, since this clone has no commit {base}; fetch its whole history")
        return 0
    with tempfile.TemporaryDirectory(prefix="frozen-") as folder:
        before, now = (Path(folder) / name for name in (BEFORE, NOW))
        _extract_commit(base, before)
        _copy_present(now)
        recorded = _record([before, now])
    if recorded is None:
        return 1
    found = list(differences(*recorded))
    for difference in found:
        print(difference)
    if found:
        print(
            f"frozen: {len(found)} of {len(recorded[0])} records are not what they were at {base}. "
            "If that is intended, commit it and write that commit into tests/frozen/base."
        )
    else:
        print(f"frozen: all {len(recorded[0])} records are what they were at {base}")
    return 1 if found else 0


def _has_commit(commit: str) -> bool:
    command = ["git", "-C", str(ROOT), "cat-file", "-e", f"{commit}^{{commit}}"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _extract_commit(commit: str, folder: Path) -> None:
    command = ["git", "-C", str(ROOT), "archive", commit, *PARTS]
    packed = subprocess.run(command, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")


def _copy_present(folder: Path) -> None:
    for part in PARTS:
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))


def _record(sides: list[Path]) -> list[Mapping[str, str]] | None:
    """What each side does, both at once; None if one could not be recorded."""
    started = []
    for side in sides:
        environment = {key: value for key, value in os.environ.items() if "UNSPOKEN" not in key}
        environment |= {**ENVIRONMENT, "PYTHONPATH": f"{side / 'src'}{os.pathsep}{ROOT}"}
        command = [
            sys.executable,
            "-m",
            "tests.frozen.record",
            str(side),
            str(side / "record.json"),
        ]
        started.append(subprocess.Popen(command, cwd=side, env=environment))
    ended = [process.wait() for process in started]
    for side, code in zip(sides, ended, strict=True):
        if code:
            print(f"frozen: the recording of {side.name} ended with exit code {code}")
    if any(ended):
        return None
    return [json.loads((side / "record.json").read_text("utf-8")) for side in sides]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
