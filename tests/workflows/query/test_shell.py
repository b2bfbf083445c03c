"""A query that is offered as a command is the same query once a shell has read it."""

from __future__ import annotations

import subprocess

import pytest

from unspoken.workflows.query.shell import command

QUERIES = [
    "SELECT COUNT(*) FROM t WHERE a = 'it''s'",
    'SELECT "the a", COUNT(*) FROM t GROUP BY "the a"',
    "SELECT COUNT(*) FROM t WHERE a != '$HOME' AND b = '`id`' AND c = '\\'",
    "SELECT COUNT(*) FROM t WHERE a = 'no!' AND \"b\" = '!!'",
]


@pytest.mark.parametrize("query", QUERIES)
def test_a_shell_reads_what_was_asked(query: str) -> None:
    said = command(query, "the city", 0.05, 0.5, 2)
    options = ["--for", "the city", "--epsilon", "0.05", "--share", "0.5", "--draw", "2"]
    read = subprocess.run(
        ["sh", "-c", f"printf '%s\\n' {said.removeprefix('unspoken ')}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert read.stdout.splitlines() == ["query", query, *options]
    assert command(query, None).count(" --") == 0
