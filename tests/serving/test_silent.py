"""Connections that say hardly anything are closed; all others are answered meanwhile."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.serving import building
from tests.serving.running import Running, running
from unspoken.doors.service.bounds import Bounds

SECONDS = 1.0
LATEST = 4 * SECONDS
HEALTH = b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n"
POST = b"POST /v1/cells HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"


@pytest.fixture(scope="module")
def up(adopted: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    path = building.copied(adopted, tmp_path_factory.mktemp("silent"))
    with running(path, Bounds(seconds=SECONDS)) as served:
        yield served


def closed_after(up: Running, first: bytes, then: bytes = b"") -> float:
    """Seconds until a connection is closed on who sends this, and then a byte now and then."""
    with socket.create_connection(("127.0.0.1", up.port)) as line:
        line.settimeout(0.1)
        began = time.monotonic()
        try:
            line.sendall(first)
            while time.monotonic() - began < LATEST:
                line.sendall(then)
                try:
                    if not line.recv(65_536):
                        break
                except TimeoutError:
                    pass
        except OSError:  # reset
            pass
        return time.monotonic() - began


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (b"", b""),
        (b"", b"G"),
        (b"GET /health HTTP/1.1\r\n", b"x: y\r\n"),
        (HEALTH + b"GET", b" "),
        (POST + b"content-length: 60000\r\n\r\n", b"x"),  # nobody's: answered, and never read
    ],
    ids=["silent", "a letter", "headers for ever", "the second request", "a body nobody reads"],
)
def test_who_never_says_what_is_asked_for_is_cut_off(
    up: Running, first: bytes, then: bytes
) -> None:
    assert 0.5 * SECONDS < closed_after(up, first, then) < LATEST


def test_many_who_are_silent_hold_up_nobody(up: Running) -> None:
    lines = [socket.create_connection(("127.0.0.1", up.port)) for _ in range(100)]
    try:
        assert up.send("GET", "/health")[0] == 200
        deadline = time.monotonic() + LATEST
        while up.server.server_state.connections and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not up.server.server_state.connections
    finally:
        for line in lines:
            line.close()


def test_who_is_in_time_is_answered_twice(up: Running) -> None:
    with socket.create_connection(("127.0.0.1", up.port)) as line:
        line.settimeout(LATEST)
        for _ in range(2):
            for part in (HEALTH[:9], HEALTH[9:]):
                line.sendall(part)
                time.sleep(0.3 * SECONDS)
            assert line.recv(65_536).startswith(b"HTTP/1.1 200")
            time.sleep(0.9 * SECONDS)  # between requests there is time
