"""How many charges a ledger takes a second, durably, and how long whoever asks waits.

python -m benchmarks.charges             SQLite, and PostgreSQL where its programs are found
python -m benchmarks.charges --quick     shorter runs

An event shows so many attributes of a day of its own, to one of two applications that may pool.
Each charge folds what both were shown, with the event, and holds it against a limit: the joint view
of all events. Clients are threads of one process, as those of the service are. Beside charges a
second: milliseconds of processor time for each, of this process alone; how long the middle one and
the slowest of a hundred waited. `disk` is what the same rows cost in the same transactions with
nothing looked at: what no ledger in that database is faster than.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sqlite3
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import sqlalchemy as sql

from benchmarks.ledger import filled, nothing, seal
from tests.servers.postgresql import programs, served
from unspoken.core.errors import LimitExceeded
from unspoken.core.mechanisms import OneSided
from unspoken.storage.ledger import Account, Ledger, Release, Seal

CAP = 1e6
READERS = (("one",), ("two",))


def _names(attributes: int) -> list[str]:
    return [f"attribute_{n}" for n in range(attributes)]


@cache
def plan(attributes: int) -> OneSided:
    """What is adopted, and shown again and again."""
    names = _names(attributes)
    return OneSided(dict.fromkeys(names, 0.5), dict.fromkeys(names, ("1",)))


def event(number: int, attributes: int) -> Release:
    """Day n, to one of two: an eps, a reading and a policy for each attribute."""
    names = _names(attributes)
    policy = {"sensitive": "x = 1", "missing": "sensitive", "timezone": "UTC", "bins": None}
    return Release(
        table="t.parquet", epoch="CAST(day AS DATE)", per_key=True,
        mechanism=plan(attributes),
        readings={f"day {number}": dict.fromkeys(names, f"{number:032x}")},
        key="k", coins="c", limits={"odds_cap": 4.0}, leakage={},
        policy=dict.fromkeys(names, policy), readers=READERS[number % 2], rows=300,
    )  # fmt: skip


def joint(account: Account, event: Release) -> None:
    """Hold what both were shown, with the event, against a limit for each attribute."""
    for past in account.before(event, READERS):
        if max(past.fold({}, event.mechanism).exponents().values()) > CAP:
            raise LimitExceeded("full")


@dataclass
class Run:
    """``waited``: seconds, of each charge."""

    seconds: float
    processor: float
    waited: list[float]

    def said(self) -> str:
        middle, slow = np.quantile(self.waited, [0.5, 0.99]) * 1e3
        charges = len(self.waited)
        return (
            f"{charges / self.seconds:9,.0f}{self.processor / charges * 1e3:11.3f}"
            f"{middle:9.1f}{slow:9.1f}"
        )


def charged(
    ledger: Ledger, own: Seal, events: Iterator[Release], clients: int, count: int, pause: float = 0
) -> Run:
    """So many charges by so many clients; ``pause``: between two of them, if they do not hurry."""
    made = [list(itertools.islice(events, count // clients)) for _ in range(clients)]
    waited: list[float] = []
    began = time.perf_counter()

    def client(number: int) -> None:
        for n, one in enumerate(made[number]):
            due = began + pause * (n * clients + number)
            time.sleep(max(0.0, due - time.perf_counter()))
            start = due if pause else time.perf_counter()
            ledger.charge(one, lambda account, one=one: joint(account, one), own)  # type: ignore[misc]
            waited.append(time.perf_counter() - start)

    processor = time.process_time()
    threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return Run(time.perf_counter() - began, time.process_time() - processor, waited)


@contextmanager
def places(server: str | None) -> Iterator[dict[str, Path | str]]:
    """A ledger's place in each store there is."""
    with tempfile.TemporaryDirectory() as folder:
        found: dict[str, Path | str] = {"SQLite": Path(folder) / "l.sqlite"}
        if server is not None:
            engine = sql.create_engine(server.replace("postgresql", "postgresql+psycopg", 1))
            with engine.begin() as connection:
                connection.exec_driver_sql("DROP SCHEMA IF EXISTS bench CASCADE")
                connection.exec_driver_sql("CREATE SCHEMA bench")
            engine.dispose()
            found["PostgreSQL"] = f"{server}?options=-csearch_path%3Dbench"
        yield found


def flushed(folder: Path, count: int = 200) -> float:
    """How often a second a page reaches the disk."""
    with open(folder / "flushed", "wb") as file:
        began = time.perf_counter()
        for _ in range(count):
            file.write(b"." * 4096)
            file.flush()
            os.fsync(file.fileno())
        return count / (time.perf_counter() - began)


def inserted(folder: Path, attributes: int, clients: int, groups: int = 30) -> float:
    """Rows a second that SQLite takes, durably, in groups of so many, with nothing looked at."""
    own = sqlite3.connect(folder / f"raw {attributes} {clients}", isolation_level=None)
    own.executescript("PRAGMA synchronous=EXTRA; CREATE TABLE e (id INTEGER PRIMARY KEY, body)")
    body, began = event(1, attributes).to_json(), time.perf_counter()
    for _ in range(groups):
        own.execute("BEGIN IMMEDIATE")
        own.executemany("INSERT INTO e (body) VALUES (?)", [(body,)] * clients)
        own.execute("COMMIT")
    return groups * clients / (time.perf_counter() - began)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="shorter runs")
    scale = 4 if parser.parse_args().quick else 1
    with ExitStack() as held:
        there = programs() if find_spec("psycopg") else None
        server = held.enter_context(served(there)) if there else None
        rates(server, scale)
        waits(server, scale)
        growth(scale)


def rates(server: str | None, scale: int) -> None:
    """By store, attributes and clients."""
    with tempfile.TemporaryDirectory() as folder:
        print(f"a page flushed: {flushed(Path(folder)):,.0f} times a second\n")
        print(f"{'':12}{'attributes':>11}{'clients':>9}{'charges/s':>11}{'cpu ms':>9}", end="")
        print(f"{'median':>9}{'p99 ms':>9}{'disk/s':>9}")
        for attributes, clients in itertools.product((2, 10, 50), (1, 64)):
            disk = inserted(Path(folder), attributes, clients)
            with places(server) as found:
                for store, place in found.items():
                    own = seal(Path(folder) / f"{store} {attributes} {clients}" / "l")
                    own.file.parent.mkdir()
                    count = (200 if clients == 1 else 64 * 100) // scale
                    made = map(event, itertools.count(1), itertools.repeat(attributes))
                    run = charged(Ledger(place), own, made, clients, count)
                    most = f"{disk:9,.0f}" if store == "SQLite" else ""
                    print(f"{store:12}{attributes:11}{clients:9}  {run.said()}{most}", flush=True)


def waits(server: str | None, scale: int) -> None:
    """At 200 charges a second, as they come."""
    print("\n200 charges a second, of 10 attributes, by 64 clients")
    with tempfile.TemporaryDirectory() as folder, places(server) as found:
        for store, place in found.items():
            made = (event(n, 10) for n in itertools.count(1))
            own = seal(Path(folder) / store / "l")
            own.file.parent.mkdir()
            run = charged(Ledger(place), own, made, 64, 64 * 50 // scale, pause=1 / 200)
            print(f"{store:32}  {run.said()}", flush=True)


def growth(scale: int) -> None:
    """After few events and after many."""
    print("\nSQLite, 64 clients, 10 attributes, after so many events")
    for events in (100, 20_000 // scale):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "l.sqlite"
            ledger = filled(path, lambda n: event(n, 10), events)
            ledger.look(nothing, seal(path))
            made = (event(n, 10) for n in itertools.count(events + 1))
            run = charged(ledger, seal(path), made, 64, 64 * 50 // scale)
            print(f"{events:32,}  {run.said()}", flush=True)


if __name__ == "__main__":
    main()
