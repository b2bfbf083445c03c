"""A building's days arrive one by one, and applications ask for each: what holds then, and is seen.

A few weeks here; the whole year is a stress run.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from tests.effort import EFFORT
from tests.workflows.serve.running import Running, running
from unspoken.core.adversary import Adversary
from unspoken.core.errors import LimitExceeded
from unspoken.core.measures import MEASURES
from unspoken.storage.ledger import Account, AnswerEvent, Ledger, Release
from unspoken.tables.policy import Project
from unspoken.tables.simulation.building import building
from unspoken.workflows.release import adopt_plan, prepare
from unspoken.workflows.serve.notices import Notices
from unspoken.workflows.serve.overview import overview

pytestmark = pytest.mark.slow

BEFORE, CAP = 60, 4.0  # days that were counted
PROJECT = """\
format = 1
[source]
table = "occupancy.parquet"
keys = ["office", "day"]
[epoch]
of = "day"
[attribute.first_arrival]
bins = [9, 10, 11.5]
sensitive = "first_arrival >= 11.5"
[attribute.mean_occupancy]
bins = [0.2, 0.5]
sensitive = "mean_occupancy < 0.2"
[application.lighting]
reads = ["first_arrival"]
[application.planning]
reads = ["mean_occupancy"]
[belief]
noise = 0.5
confidence = "none"
history = "day < '{first}'"
[plan]
odds_cap = 3.0
[limit]
odds_cap = 4.0
"""


@dataclass
class Year:
    """``change``: the number of the day from which everybody comes so many ``hours`` later."""

    folder: Path
    days: int
    change: int | None = None
    hours: float = 5.0

    def __post_init__(self) -> None:
        table = building(np.random.default_rng(5), 120, BEFORE + self.days)
        table = table.filter(pc.is_valid(table["first_arrival"]))
        self.dates: list[str] = sorted({*table["day"].to_pylist()})
        self.served = self.dates[BEFORE:]
        if self.change is not None:
            late = pc.greater_equal(table["day"], self.served[self.change])
            moved = pc.add(table["first_arrival"], pc.if_else(late, self.hours, 0.0))
            table = table.set_column(2, "first_arrival", pc.min_element_wise(moved, 21.0))
        self.table = table.select(["office", "day", "first_arrival", "mean_occupancy"])
        self.path = self.folder / "unspoken.toml"
        self.path.write_text(PROJECT.format(first=self.served[0]))
        self.arrived(self.dates[BEFORE - 1])

    def arrived(self, day: str) -> None:
        """The table as it is in the evening of that day."""
        rows = self.table.filter(pc.less_equal(self.table["day"], day))
        pq.write_table(rows, self.folder / "new.parquet")
        (self.folder / "new.parquet").replace(self.folder / "occupancy.parquet")

    def of(self, day: str) -> pa.Table:
        return self.table.filter(pc.equal(self.table["day"], day))

    @contextmanager
    def opened(self) -> Iterator[Running]:
        adopt_plan(self.path, by="anna", why="a year")
        with running(self.path) as up:
            yield up

    @property
    def alarms(self) -> list[str]:
        return [each.why for each in Notices.alarms(Project.read(self.path)).latest()]


def day_by_day(year: Year, up: Running, days: list[str]) -> dict[str, list[str]]:
    """Every day is given to both as it arrives, true and withheld cells; gives alarms by day."""
    raised: dict[str, list[str]] = {}
    for day in days:
        year.arrived(day)
        truth = {row["office"]: row for row in year.of(day).to_pylist()}
        for who in ("lighting", "planning"):
            given = up.client(who).ask(where=f"day = '{day}'", epochs=[day])
            assert list(given.charged) == [day]
            rows = given.rows.to_pylist()
            assert {row["office"] for row in rows} == {*truth}
            _held(rows, truth)
        raised[day] = year.alarms
    return raised


def _held(rows: list[dict[str, object]], truth: dict[object, dict[str, float]]) -> None:
    """What is shown is true, and nothing that is sensitive."""
    for row in rows:
        own = truth[row["office"]]
        for name, shown in row.items():
            if name in ("office", "day") or shown is None:
                continue
            if name == "first_arrival":
                assert own[name] < 11.5
                assert shown == _bin(own[name], [9, 10, 11.5])
            else:
                assert own[name] >= 0.2
                assert shown == _bin(own[name], [0.2, 0.5])


def _bin(value: float, edges: list[float]) -> str:
    """The label that the README gives a bin."""
    below = [edge for edge in edges if edge <= value]
    if not below:
        return f"below {edges[0]:g}"
    above = [edge for edge in edges if edge > value]
    return f"{below[-1]:g}-{above[0]:g}" if above else f"{below[-1]:g} or more"


def recounted(year: Year, who: set[str], more: tuple[Release, ...] = ()) -> float:
    """The worst odds about anything, from the texts of the events alone."""
    ready, ledger = prepare(year.path), Ledger(year.folder / "ledger.sqlite")
    kept: list[Release] = [Release.from_json(each.to_json()) for each in ledger.events()]
    kept += [AnswerEvent.from_json(each.to_json()) for _, each in ledger.answers()]
    account = Account.of(e for e in [*kept, *more] if not e.readers or {*e.readers} & who)
    shown = account.exposure(account.readers()).fold(ready.sensitive)
    belief, sensitive = ready.learned.belief, ready.learned.sensitive
    told = [shown.view(belief, Adversary(name, secret=own)) for name, own in sensitive.items()]
    return max(float(MEASURES["odds"].of(view).odds) for view in told)


def until_refused(year: Year, up: Running) -> None:
    """Answers with noise, until one would break the limit; and that one would have."""
    lighting, given, refused = up.client("lighting"), 0, ""
    while not refused and given < 60:
        try:
            lighting.query(
                "SELECT COUNT(*) FILTER (WHERE first_arrival >= 11.5) FROM occupancy "
                f"WHERE office > {given}", epsilon=0.08,
            )  # fmt: skip
            given += 1
        except LimitExceeded as error:
            refused = str(error)
    assert given > 0
    assert "would" in refused
    assert "grow" not in refused
    both = {"lighting", "planning"}
    assert recounted(year, both) <= CAP * (1 + 1e-9)
    (*_, last) = [event for _, event in Ledger(year.folder / "ledger.sqlite").answers()]
    assert recounted(year, both, (replace(last, request=f"{last.request}x"),)) > CAP
    (told,) = up.client("anna").refusals()
    assert told["who"] == "lighting"
    assert "grow" in told["why"]


def seen_by_the_steward(year: Year, up: Running) -> None:
    """What the dashboard says is what the events say."""
    found = overview(up.made.curator)
    for who in (("lighting",), ("planning",), ("lighting", "planning")):
        told = [each.odds for each in (*found.alone, *found.coalitions) if each.coalition == who]
        most = max(bound.odds for bound in told if bound is not None)
        assert most == pytest.approx(recounted(year, {*who}), rel=1e-12)
        assert most <= CAP * (1 + 1e-9)


def lived(year: Year, refused_on: int) -> dict[str, list[str]]:
    """Day by day, with questions in between."""
    with year.opened() as up:
        raised = day_by_day(year, up, year.served[:refused_on])
        until_refused(year, up)
        raised |= day_by_day(year, up, year.served[refused_on:])  # releases go on
        seen_by_the_steward(year, up)
    return raised


DAYS = 250 if EFFORT >= 10 else 13 * EFFORT
LONG = pytest.mark.skipif(EFFORT == 1, reason="weeks take a minute; make stress lives them")


def test_some_days(tmp_path: Path) -> None:
    year = Year(tmp_path, 5, change=3)
    raised = lived(year, 2)
    (alarm,) = {*year.alarms}
    assert "first_arrival" in alarm
    assert [day for day in year.served[:3] if raised[day]] == []
    assert len(raised[year.served[-1]]) == 1


@pytest.mark.stress
@LONG
def test_a_year(tmp_path: Path) -> None:
    """All of it at an effort of 10."""
    change = DAYS // 2
    raised = lived(year := Year(tmp_path, DAYS, change=change), DAYS // 4)
    assert [day for day in year.served[:change] if raised[day]] == []
    assert raised[year.served[-1]]
    assert len(year.alarms) == 1


@pytest.mark.stress
@LONG
def test_a_year_without_a_change(tmp_path: Path) -> None:
    """Nobody is told of what is not there."""
    year = Year(tmp_path, DAYS)
    with year.opened() as up:
        raised = day_by_day(year, up, year.served)
    assert not any(raised.values())
