"""Connections that say hardly anything are closed; all others are answered meanwhile."""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.within import HANG, eventually
from tests.workflows.serve import building
from tests.workflows.serve.planted_clock import PlantedClock
from tests.workflows.serve.running import Running, running
from unspoken.interfaces.service import bounds
from unspoken.interfaces.service.bounds import Bounds

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


@pytest.fixture
def narrow(adopted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    """A service that takes ten connections beside those of requests that it works on."""
    monkeypatch.setattr(bounds, "WAITING", 7)
    given = Bounds(seconds=HANG, at_once=1)
    with running(building.copied(adopted, tmp_path), given, clock=PlantedClock()) as served:
        yield served


def test_who_opens_many_connections_closes_their_own(narrow: Running) -> None:
    connections = narrow.server.server_state.connections
    with (
        socket.create_connection(("127.0.0.1", narrow.port), HANG, ("127.0.0.2", 0)) as other,
        ExitStack() as opened,
    ):
        assert eventually(lambda: len(connections) == 1)
        lines = [
            opened.enter_context(socket.create_connection(("127.0.0.1", narrow.port), HANG))
            for _ in range(40)
        ]
        assert eventually(lambda: len(connections) == 10 and sum(map(closed, lines)) == 31)
        assert not closed(other)
        assert narrow.send("GET", "/health")[0] == 200
        other.sendall(HEALTH)  # it came first, and nobody else took its place
        assert answer(other).status == 200


def test_a_request_that_is_worked_on_keeps_its_connection(
    narrow: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    going, began = threading.Event(), threading.Event()

    def account(_who: str) -> list[Any]:
        began.set()
        assert going.wait(HANG)
        return []

    monkeypatch.setattr(narrow.made.curator, "account", account)
    head = (
        f"GET /v1/account HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {narrow.tokens['lighting']}"
    )
    with socket.create_connection(("127.0.0.1", narrow.port), HANG) as line, ExitStack() as opened:
        line.sendall(head.encode() + b"\r\n\r\n")
        assert began.wait(HANG)
        lines = [
            opened.enter_context(socket.create_connection(("127.0.0.1", narrow.port), HANG))
            for _ in range(40)
        ]
        assert eventually(lambda: sum(map(closed, lines)) == 31)
        going.set()
        assert answer(line).status == 200
