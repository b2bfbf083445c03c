"""Applications that ask through the client: what they get, when they are refused, what breaks."""

from __future__ import annotations

import base64
import hashlib
import io
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pytest

from tests.within import HANG
from tests.workflows.serve import building
from tests.workflows.serve.running import running
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.interfaces.client import Client, ReleasedCells
from unspoken.interfaces.service.bounds import Bounds
from unspoken.storage.ledger import Ledger
from unspoken.tables.policy import Project
from unspoken.workflows.release import adopt_plan
from unspoken.workflows.serve.tokens import Tokens

pytestmark = pytest.mark.slow

LATE, EARLY = (
    f"SELECT COUNT(*) FILTER (WHERE arrival = '{value}') FROM visits" for value in ("late", "early")
)
APART = """
odds_cap = 4.0
pooled_cap = "none"
coalitions = [["lighting", "planning"], ["cleaning"]]
"""
CLEANING = '[application.cleaning]\nreads = ["use"]'


def test_a_colluding_pair_is_refused_when_it_has_had_enough(tmp_path: Path) -> None:
    """What one of a pair was given counts for the other, and for nobody else."""
    path = building.project(tmp_path, APART, CLEANING)
    adopt_plan(path)
    with running(path, more={"cleaning": "application"}) as up:
        lighting, planning, cleaning, anna = map(
            up.client, ("lighting", "planning", "cleaning", "anna")
        )
        assert lighting.query(LATE, epsilon=0.2).epsilon == pytest.approx(0.2, rel=0.01)
        assert lighting.query(EARLY, epsilon=1.0, dry_run=True)["epsilon"] < 1.01  # it would fit
        given = planning.ask("use", where="office < 9")
        assert given.charged == ["0", "1"]
        assert planning.ask("use").charged == []
        with pytest.raises(LimitExceeded) as refused:
            lighting.query(EARLY, epsilon=1.0)
        assert not {"use", "planning", "low"} & {*str(refused.value).split()}  # nor by how much
        assert "would fit" in refused.value.fits
        assert cleaning.ask("use", where="office < 9").rows == given.rows
        stand = {tuple(each["coalition"]): each for each in anna.standings()}
        assert 1 < stand["cleaning",]["odds"] < stand["lighting", "planning"]["odds"] <= 4 + 1e-9
        units = {tuple(each["coalition"]): each["spent"] for each in anna.units()}
        assert units["lighting", "planning"] == pytest.approx(45 * 0.2)  # rows of an office
        assert units["cleaning",] == 0
        assert [each["who"] for each in anna.refusals()] == ["lighting"]
        assert [len(each.account()) for each in (lighting, planning, cleaning)] == [1, 1, 1]
        events = up.client("otto").events()
        assert [each["for"] for each in events["events"]] == [["planning"], ["cleaning"]]
        assert [each["for"] for each in events["answers"]] == [["lighting"]]


def test_days_arrive_and_every_answer_is_charged_once(path: Path) -> None:
    with running(path) as up:
        lighting, seen = up.client("lighting"), 0
        for last in (46, 61, 62):
            building.arrived(path.parent, last)
            given = lighting.ask(where=f"day >= {last - 2}")
            assert given.charged
            assert lighting.ask(where=f"day >= {last - 2}").charged == []
            seen = lighting.ask(before=True).rows.num_rows
        assert lighting.ask().rows.num_rows == 62 * 25
        assert seen == 32 * 25  # epoch 0 was never asked for
        assert len(lighting.account()) == 4


SERVE = """
import os, signal, sys
from unspoken.interfaces.service.bounds import Bounds
from unspoken.interfaces.service.running import server, service
from unspoken.tables.policy import Project
from unspoken.workflows.serve import curator

made = service(Project.read(sys.argv[1]), Bounds())
release = curator.release

def dying(*given, **more):
    release(*given, **more)
    os.kill(os.getpid(), signal.SIGKILL)

curator.release = dying
up = server(made, "127.0.0.1", 0)
startup = up.startup

async def started(*given, **more):
    await startup(*given, **more)
    print(up.servers[0].sockets[0].getsockname()[1], flush=True)

up.startup = started
up.run()
"""


def test_a_service_that_is_killed_after_the_charge_gives_the_same_for_nothing(path: Path) -> None:
    _, token = Tokens(Project.read(path)).new("lighting", "application")
    command = [sys.executable, "-c", SERVE, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ}) as up:
        assert up.stdout is not None
        port = int(up.stdout.readline())
        with pytest.raises(InputError, match="no whole answer came"):
            Client(f"http://127.0.0.1:{port}", token).ask("arrival")
        assert up.wait(HANG) == -signal.SIGKILL
    ledger = Ledger(path.parent / "ledger.sqlite")
    assert len(ledger.history()) == 1
    with running(path) as again:
        given = again.client("lighting").ask("arrival")
    assert given.charged == []
    assert given.rows.num_rows == 45 * 25
    assert len(ledger.history()) == 1


def test_a_service_that_is_told_to_end_answers_what_was_begun(path: Path) -> None:
    begun, go, given = threading.Event(), threading.Event(), list[int]()
    with running(path) as up:
        cells = up.made.curator.cells

        def slow(*asked: object) -> object:
            begun.set()
            assert go.wait(HANG)
            return cells(*asked)  # type: ignore[arg-type]

        up.made.curator.cells = slow  # type: ignore[assignment, method-assign]
        client = up.client("lighting")
        asking = threading.Thread(target=lambda: given.append(client.ask().rows.num_rows))
        asking.start()
        assert begun.wait(HANG)
        up.server.should_exit = True
        go.set()
        asking.join(HANG)
    assert given == [45 * 25]


def test_what_takes_too_long_goes_on_and_is_there_later(path: Path) -> None:
    with running(path) as up:
        go, cells = threading.Event(), up.made.curator.cells
        up.made.curator.cells = lambda *asked: cells(*asked) if go.wait(HANG) else None  # type: ignore[assignment, method-assign]
        up.made.workers.bounds = Bounds(seconds=0.05)
        with pytest.raises(InputError, match="late: this takes more"):
            up.client("lighting").ask()
        go.set()
        up.made.workers.shut_down()
        assert len(up.made.curator.account("lighting")) == 1


# ---------------------------------------------------------------- what comes


def _table(rows: int) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, pa.schema({"x": pa.int64()})) as stream:
        for first in range(0, rows, 10):
            stream.write_batch(pa.record_batch({"x": list(range(first, first + 10))}))
    return sink.getvalue()


def _head(body: bytes, rows: int, of: bytes | None = None) -> bytes:
    digest = base64.b64encode(hashlib.sha256(body if of is None else of).digest()).decode()
    return (
        f"HTTP/1.1 200 OK\r\ncontent-length: {len(body)}\r\nunspoken-rows: {rows}\r\n"
        f"repr-digest: sha-256=:{digest}:\r\nconnection: close\r\n\r\n"
    ).encode()


WHOLE = _table(100)
CUT = WHOLE[: len(WHOLE) // 2]


@contextmanager
def answering(sent: bytes) -> Iterator[str]:
    """A service that answers this, whatever it is asked."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def once() -> None:
            line, _ = listening.accept()
            with line:
                line.recv(65_536)
                line.sendall(sent)

        thread = threading.Thread(target=once)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        thread.join(HANG)


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        (_head(WHOLE, 100) + CUT, "no whole answer"),
        (_head(CUT, 100, WHOLE) + CUT, "another digest"),
        (_head(CUT, 100) + CUT, "rows came of 100|no table"),
        (_head(WHOLE, 90) + WHOLE, "100 rows came of 90"),
        (_head(b"x", 1) + b"x", "no table"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}", "another digest"),
        (b"HTTP/1.1 500 Broken\r\ncontent-length: 0\r\n\r\n", "status 500"),
        (b"nonsense\r\n\r\n", "no whole answer"),
        (b"", "no whole answer"),
    ],
)
def test_what_did_not_come_whole_is_refused(sent: bytes, words: str) -> None:
    with answering(sent) as url, pytest.raises(InputError, match=words):
        Client(url, "unspoken_x", timeout=HANG).ask()


def test_what_came_whole_is_given() -> None:
    with answering(_head(WHOLE, 100) + WHOLE) as url:
        assert Client(url, "unspoken_x").ask().to_arrow()["x"].to_pylist() == list(range(100))


@pytest.mark.parametrize("url", ["localhost:8750", "ftp://localhost", "http://curator.example", ""])
def test_addresses_that_no_token_is_sent_to(url: str) -> None:
    with pytest.raises(InputError, match="client"):
        Client(url, "unspoken_x")


def test_no_token_is_said_and_none_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UNSPOKEN_TOKEN", raising=False)
    with pytest.raises(InputError, match="UNSPOKEN_TOKEN"):
        Client("http://localhost:1").account()
    assert "secret" not in repr(Client("http://localhost:1", "secret"))
    with pytest.raises(InputError, match="client: the token"):
        Client("http://localhost:1", "a\r\nb").account()


def test_another_draw_is_asked_for_by_its_number(path: Path) -> None:
    count = "SELECT COUNT(*) FILTER (WHERE arrival = 'late') FROM visits"
    with running(path) as up:
        lighting = up.client("lighting")
        first, other = (lighting.query(count, epsilon=0.1, draw=draw) for draw in (1, 2))
        assert (first.again, other.again) == (False, False)
        again = lighting.query(count, epsilon=0.1, draw=2)
        assert (again.again, again.rows) == (True, other.rows)
        assert len(up.client("otto").events()["answers"]) == 2


def test_cells_show_how_many_they_are_and_not_all_of_them() -> None:
    rows = pa.table({"day": ["2026-01-01"] * 5000, "use": [None] * 5000})
    said = repr(ReleasedCells(rows, [{"estimating": "x" * 4000}], ["2026-01", "2026-02"]))
    assert "5,000 rows of day, use" in said
    assert "2 epochs" in said
    assert len(said) < 200
    assert "nothing: it was free" in repr(ReleasedCells(rows, [], []))
