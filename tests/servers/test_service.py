"""Schemathesis asks the service whatever its description allows, and what it does not allow."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers.conftest import needed
from tests.workflows.serve import building
from tests.workflows.serve.running import running
from unspoken.interfaces.service.bounds import Bounds
from unspoken.workflows.release import adopt_plan

CHECKS = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "unsupported_method",
    "ignored_auth",
]


@pytest.mark.parametrize("who", ["lighting", "anna"])
def test_the_service_is_as_it_is_described(who: str, tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("schemathesis")
    needed(program.exists(), "schemathesis")
    path = building.project(tmp_path)
    adopt_plan(path)
    with running(path, Bounds(body=4_000_000)) as up:  # it counts a body that is too large as taken
        token = f"Authorization: Bearer {up.tokens[who]}"
        command = [str(program), "run", f"{up.url}/openapi.json", "--header", token]
        more = ["--max-examples", "20", "--generation-deterministic", "--no-color"]
        phases = ["--phases", "examples,coverage,fuzzing", "--checks", ",".join(CHECKS)]
        done = subprocess.run(
            [*command, *more, *phases], capture_output=True, text=True, check=False, cwd=tmp_path
        )
    said = "\n".join(line[:300] for line in done.stdout.splitlines())
    assert done.returncode == 0, said
    assert "tested" in said.lower()
