"""The commands of a service."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.workflows.serve import building
from unspoken.interfaces.command_line.cli import run
from unspoken.interfaces.service import app, running
from unspoken.tables.policy import Project
from unspoken.workflows.serve.tokens import Tokens, token_file

pytestmark = pytest.mark.slow


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return building.project(tmp_path)


def test_a_token_is_printed_once(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["token", "new", "lighting", "--project", str(path), "--expires", "30"]) == 0
    secret = capsys.readouterr().out.strip()
    assert Tokens(Project.read(path)).of(secret) is not None
    assert run(["token", "list", "--project", str(path), "--json"]) == 0
    said = capsys.readouterr().out
    assert secret not in said
    (known,) = json.loads(said)["tokens"]
    assert (known["name"], known["role"], known["valid"]) == ("lighting", "application", True)
    assert run(["token", "revoke", known["id"], "--project", str(path)]) == 0
    assert Tokens(Project.read(path)).of(secret) is None
    assert run(["token", "list", "--project", str(path)]) == 0
    assert known["id"] in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        ["new", "nobody"],
        ["new", "lighting", "--role", "king"],
        ["new", "lighting", "--expires", "-1"],
        ["new", "lighting", "--expires", "nan"],
        ["new"],
        ["revoke", "lighting"],
        ["forge", "lighting"],
    ],
)
def test_tokens_that_are_not_made(
    words: list[str], path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["token", *words, "--project", str(path)]) == 2
    assert not token_file(Project.read(path).files.key).exists()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("text", ["", "{}", '{"unspoken": "tokens", "format": 1, "tokens": [1]}'])
def test_a_file_that_holds_no_tokens_opens_nothing(
    text: str, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = token_file(Project.read(path).files.key)
    file.write_text(text)
    file.chmod(0o600)
    assert run(["token", "list", "--project", str(path)]) == 2
    assert "holds no tokens" in capsys.readouterr().err
    file.chmod(0o644)
    assert run(["token", "list", "--project", str(path)]) == 2
    assert "open to others" in capsys.readouterr().err


def test_no_service_without_a_plan(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", str(path)]) == 2
    assert "unspoken plan --adopt" in capsys.readouterr().err


@pytest.mark.parametrize("gone", [(app, "fastapi"), (running, "uvicorn")])
def test_the_extra_is_named(
    gone: tuple[object, str], monkeypatch: pytest.MonkeyPatch,
    path: Path, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr(*gone, None)
    assert run(["plan", "--adopt", str(path)]) == 0
    assert run(["serve", str(path)]) == 2
    assert "unspoken[service]" in capsys.readouterr().err
