"""Connections that say hardly anything are closed; all others are answered meanwhile."""

from __future__ import annotations

import http.client
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.serving import building
from tests.serving.planted_clock import PlantedClock
from tests.serving.running import Running, running
from tests.within import HANG, eventually
from unspoken.doors.service.bounds import Bounds

SECONDS = 1.0  # of the service, whose clock goes on by the steps of a test
HEALTH = b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n"
POST = b"POST /v1/cells HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"


@pytest.fixture(scope="module")
def clock() -> PlantedClock:
    return PlantedClock()


@pytest.fixture(scope="module")
def up(
    adopted: Path, clock: PlantedClock, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    path = building.copied(adopted, tmp_path_factory.mktemp("silent"))
    with running(path, Bounds(seconds=SECONDS), clock=clock) as served:
        yield served


@contextmanager
def connected(up: Running) -> Iterator[socket.socket]:
    """A connection that the service has taken."""
    before = len(up.server.server_state.connections)
    with socket.create_connection(("127.0.0.1", up.port), HANG) as line:
        assert eventually(lambda: len(up.server.server_state.connections) > before)
        yield line
    assert eventually(lambda: len(up.server.server_state.connections) <= before)


def answer(line: socket.socket) -> http.client.HTTPResponse:
    """A whole answer: no time passes before all of it has been sent."""
    found = http.client.HTTPResponse(line)
    found.begin()
    found.read()
    return found


def closed(line: socket.socket) -> bool:
    """Whether the other side has closed it by now."""
    line.setblocking(False)
    try:
        return not line.recv(65_536)
    except BlockingIOError:
        return False
    except OSError:  # reset
        return True
    finally:
        line.settimeout(HANG)


def closed_after(up: Running, clock: PlantedClock, first: bytes, then: bytes = b"") -> float:
    """Seconds until a connection is closed on who sends this, and then a byte now and then."""
    with connected(up) as line:
        line.sendall(first)
        if b"\r\n\r\n" in first:
            answer(line)  # what follows is late
        for tenths in range(1, 40):
            try:
                line.sendall(then)
                clock.go_on(0.1 * SECONDS)
                if closed(line):
                    return 0.1 * SECONDS * tenths
            except OSError:  # reset
                return 0.1 * SECONDS * tenths
    raise AssertionError("it is still open")


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
    up: Running, clock: PlantedClock, first: bytes, then: bytes
) -> None:
    assert 0.9 * SECONDS < closed_after(up, clock, first, then) < 1.3 * SECONDS


def test_many_who_are_silent_hold_up_nobody(up: Running, clock: PlantedClock) -> None:
    connections = up.server.server_state.connections
    lines = [socket.create_connection(("127.0.0.1", up.port)) for _ in range(100)]
    try:
        assert eventually(lambda: len(connections) == 100)
        assert up.send("GET", "/health")[0] == 200
        clock.go_on(1.01 * SECONDS)
        assert eventually(lambda: not connections)
    finally:
        for line in lines:
            line.close()


def test_who_is_in_time_is_answered_twice(up: Running, clock: PlantedClock) -> None:
    with connected(up) as line:
        for _ in range(2):
            line.sendall(HEALTH[:9])
            clock.go_on(0.9 * SECONDS)
            line.sendall(HEALTH[9:])
            assert answer(line).status == 200
            clock.go_on(3 * SECONDS)  # between requests there is time
