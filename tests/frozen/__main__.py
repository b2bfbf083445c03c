"""Shows that moving code changes nothing a user sees: python -m tests.frozen [COMMIT].

The code before, of the commit in `tests/frozen/base` or of COMMIT, and the code now run side by
side, each with `tests/frozen/record.py`, under the same keys, noise and clock: every command on
three projects with the files it writes, the HTTP service, public signatures, and public numbers.
Every difference is printed by name; the exit code is 1 if there is any.

Both run on this machine: released bytes depend on plans, and plans on the last digits of a
processor. Where a change is intended, commit it and write its commit into `tests/frozen/base`.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.frozen.differences import differences

ROOT = Path(__file__).resolve().parents[2]
BASE = Path(__file__).with_name("base")
KEPT = ROOT / ".frozen"
Groups = Sequence[Sequence[str]]
# Parts of tests/frozen/record.py, for two processes of about as much work.
GROUPS: Groups = (
    ("signatures", "building", "cases", "examples", "mistakes"),
    ("help", "meters", "visits", "numbers"),
)
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
    parser = argparse.ArgumentParser(prog="python -m tests.frozen")
    parser.add_argument("commit", nargs="?", default=BASE.read_text("utf-8").strip())
    parser.add_argument("--only", nargs="+", default=[], help="parts of tests/frozen/record.py")
    given = parser.parse_args(arguments)
    base: str = given.commit
    if not _has_commit(base):
        print(f"frozen: skipped, since this clone has no commit {base}; fetch its whole history")
        return 0
    groups = [given.only] if given.only else GROUPS
    with tempfile.TemporaryDirectory(prefix="frozen-") as folder:
        recorded = _record_both(Path(folder), base, groups)
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


def _record_both(
    folder: Path, base: str, groups: Groups
) -> tuple[Mapping[str, str], Mapping[str, str]] | None:
    """What the code before and the code now do; None if one could not be recorded.

    What the code before does is kept in `.frozen/`, and recorded again where anything that it
    depends on is another.
    """
    before, now = (folder / name for name in (BEFORE, NOW))
    _copy_present(now)
    kept = KEPT / f"{_digest(base, groups)}.json"
    if not kept.is_file():
        _extract_commit(base, before)
        recorded = _record([before, now], groups)
        if recorded:
            KEPT.mkdir(exist_ok=True)
            kept.write_text(json.dumps(recorded[0]), "utf-8")
    else:
        recorded = _record([now], groups)
    return (json.loads(kept.read_text("utf-8")), recorded[-1]) if recorded else None


def _digest(base: str, groups: Groups) -> str:
    """Of everything but the code before that its recording depends on, and of its commit."""
    files = [*ROOT.glob("tests/**/frozen*.py"), *ROOT.glob("tests/frozen/*.py")]
    files += [ROOT / "tests/draws.py", ROOT / "locks/dev.txt"]
    known = [path.read_bytes() for path in sorted(files)]
    machine = repr((base, groups, sys.version, platform.uname()))
    return hashlib.sha256(b"\0".join([machine.encode(), *known])).hexdigest()[:16]


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


def _record(sides: Sequence[Path], groups: Groups) -> list[dict[str, str]] | None:
    """What each side does, all at once; None if one could not be recorded."""
    started = {}
    for side in sides:
        environment = {key: value for key, value in os.environ.items() if "UNSPOKEN" not in key}
        environment |= {**ENVIRONMENT, "PYTHONPATH": f"{side / 'src'}{os.pathsep}{ROOT}"}
        for number, parts in enumerate(groups):
            file = side / f"group-{number}.json"
            command = [sys.executable, "-m", "tests.frozen.record", str(side), str(file), *parts]
            started[file] = subprocess.Popen(command, cwd=side, env=environment)
    failed = [file for file, process in started.items() if process.wait()]
    for file in failed:
        print(f"frozen: the recording of {file.parent.name} failed; its messages are above")
    if failed:
        return None
    recorded: list[dict[str, str]] = []
    for side in sides:
        recorded.append({})
        for file in started:
            if file.parent == side:
                recorded[-1] |= json.loads(file.read_text("utf-8"))
    return recorded


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
