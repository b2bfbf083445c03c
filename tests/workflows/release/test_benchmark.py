"""`make bench` runs to its end: a benchmark that starts processes finds itself in them."""

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow


def test_a_benchmark_runs_as_one_of_all() -> None:
    program = [sys.executable, "-m", "benchmarks", "release", "--", "--quick", "--json"]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["rows"] == 1_000
