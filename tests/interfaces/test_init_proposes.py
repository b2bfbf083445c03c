"""What `unspoken init` proposes for columns that no bins fit: keys, periods, beginnings, other."""

from __future__ import annotations

import datetime as dt
import re
import tomllib
from collections import Counter
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from tests.interfaces.conftest import Run
from unspoken.tables.policy import Project

ROWS = 2_000
DAY = dt.datetime(2026, 1, 1)


@pytest.fixture
def checkins(folder: Path) -> pa.Table:
    """As an app writes them: who, where and when in whole numbers, and none that names a row."""
    rng = np.random.default_rng(3)
    columns = {
        "user": rng.integers(1, 300, ROWS),
        "venue": rng.zipf(1.5, ROWS) % 90,
        "hours": rng.integers(0, 5, ROWS),
        "epoch": 1_377_000_000 + rng.integers(0, 2_000_000, ROWS),  # 20 August to 12 September
    }
    table = pa.table(columns)
    pq.write_table(table, folder / "checkins.parquet")
    return table


@pytest.fixture
def contacts(folder: Path) -> pa.Table:
    rng = np.random.default_rng(0)
    days = [DAY + dt.timedelta(int(day)) for day in rng.integers(0, 365, ROWS)]
    codes = [f"{'ABCD'[a]}{b:02d}.{c}" for a, b, c in rng.integers(0, 4, (ROWS, 3))]
    columns = {
        "contact": np.arange(ROWS),
        "person": rng.integers(1, 101, ROWS),
        "family_ID": rng.integers(1, 300, ROWS),
        "slot": rng.permutation(ROWS) % 200,
        "weight": rng.normal(80, 15, ROWS).round().astype(int),
        "note": [f"note {row}" for row in range(ROWS)],
        "day": [day.date() for day in days],
        "seen": days,
        "icd": codes,
        "city": [f"it's {min(city, 60)}" for city in rng.zipf(1.7, ROWS)],
        "role": np.array(["PAT", "NUR", "MED"])[rng.integers(0, 3, ROWS)].tolist(),
    }
    table = pa.table(columns)
    pq.write_table(table, folder / "contacts.parquet")
    return table


@pytest.mark.slow
def test_names_are_offered_as_keys_and_never_binned(contacts: pa.Table, run: Run) -> None:
    assert run("init", "contacts.parquet").code == 0
    text = Path("unspoken.toml").read_text()
    assert {*Project.read(".").attributes} == {"weight", "role"}
    assert '# keys = ["contact", "person", "family_ID"]\n# unit = ["person", "family_ID"]' in text
    assert '# "person" is left out: 100 different values under this name look like names.' in text
    assert (
        '# "slot" is left out: 200 different whole numbers without a gap look like names.' in text
    )
    assert '# "note" is left out: 2,000 different values in 2,000 rows look like names.' in text
    more = re.sub(r"(?m)^(keys|unit) = .*\n", "", text)
    Path("unspoken.toml").write_text(re.sub(r"(?m)^# (keys|unit) = ", r"\1 = ", more))
    assert Project.read(".").source.unit == ("person", "family_ID")
    assert run("learn").code == 0


def test_whom_visits_are_of_may_be_whom_to_protect(tmp_path: Path, run: Run) -> None:
    visits = pa.table(
        {
            "visit": [f"V{row}" for row in range(900)],
            "patient": [f"P{row * 7 % 150}" for row in range(900)],
            "ward": ["heart" if row % 3 else "bones" for row in range(900)],
        }
    )
    pq.write_table(visits, "visits.parquet")
    assert run("init", "visits.parquet").code == 0
    text = Path("unspoken.toml").read_text()
    assert '# keys = ["visit", "patient"]\n# unit = ["patient"]' in text
    assert {*Project.read(".").attributes} == {"ward"}


def take_in(*names: str) -> None:
    """Take the SQL that is proposed, and what it groups, as the comments say."""
    lines = Path("unspoken.toml").read_text().splitlines()
    first = lines.index('# sql = """SELECT * REPLACE (')
    last = next(n for n, line in enumerate(lines) if line.endswith('"""') and n > first)
    wanted = (*(f"# [attribute.{name}]" for name in names), "# reads = ")
    taken = [
        line.removeprefix("# ") if first <= n <= last or line.startswith(wanted) else line
        for n, line in enumerate(lines)
        if not line.startswith(("table =", "reads ="))
    ]
    Path("unspoken.toml").write_text("\n".join(taken))


@pytest.mark.slow
def test_columns_of_too_many_values_come_with_sql_that_works(contacts: pa.Table, run: Run) -> None:
    assert run("init", "contacts.parquet").code == 0
    take_in("day", "seen", "icd", "city")
    said = run("learn", "--json")
    assert said.code == 0, said.err
    labels = {name: len(one["labels"]) for name, one in said.json["attributes"].items()}
    assert (labels["day"], labels["seen"], labels["city"]) == (12, 12, 10)
    assert 2 <= labels["icd"] <= 20


@pytest.mark.slow
def test_whole_numbers_that_are_codes_lose_their_last_digits(folder: Path, run: Run) -> None:
    """Codes that begin alike mean alike; one that begins with 0 is a shorter number."""
    rng = np.random.default_rng(1)
    zips = np.concatenate([np.arange(1000, 1300, 3), np.arange(94_000, 94_990, 11)])
    columns = {
        "id": np.arange(ROWS),
        "zip": rng.choice(zips, ROWS),
        "icd_code": rng.choice(np.arange(1000, 9000, 37), ROWS),
        "debt": rng.choice(np.arange(-5000, 9000, 37), ROWS),
        "shift_code": rng.choice(np.arange(-30, 30), ROWS),  # below 0 there are no codes
        "role": np.array(["PAT", "NUR", "MED"])[rng.integers(0, 3, ROWS)].tolist(),
    }
    pq.write_table(pa.table(columns), folder / "codes.parquet")
    assert run("init", "codes.parquet").code == 0
    text = Path("unspoken.toml").read_text()
    assert {*Project.read(".").attributes} == {"debt", "role"}
    assert "zip // 100 AS zip,\n" in text
    assert "icd_code // 1000 AS icd_code)\n" in text
    assert '# "shift_code" is left out: 60 different values under this name look like names' in text
    take_in("zip", "icd_code")
    learned = run("learn", "--json").json["attributes"]
    assert [len(learned[name]["labels"]) for name in ("zip", "icd_code")] == [13, 8]


@pytest.mark.slow
@pytest.mark.parametrize("when", ["slot", "hour_of_day", "slot_no", "t"])
def test_a_column_that_says_when_is_tried_as_a_key(when: str, folder: Path, run: Run) -> None:
    hours = [DAY + dt.timedelta(hours=hour) for hour in range(50)]
    columns = {
        "room": [f"r{room}" for room in range(8) for _ in hours],
        when: (hours if when == "t" else [*range(50)]) * 8,
        "people": np.random.default_rng(2).integers(0, 5, 400),
    }
    pq.write_table(pa.table(columns), folder / "rooms.parquet")
    assert run("init", "rooms.parquet").code == 0
    project = Project.read(".")
    assert project.source.keys == ("room", when)
    assert [*project.attributes] == ["people"]


def test_what_names_no_time_is_tried_as_none(folder: Path, run: Run) -> None:
    """A temperature that happens to differ in all rows of a room stays what it is."""
    columns = {
        "room": [f"r{room}" for room in range(8) for _ in range(50)],
        "t": [*np.random.default_rng(2).permutation(50)] * 8,
        "people": np.random.default_rng(2).integers(0, 5, 400),
    }
    pq.write_table(pa.table(columns), folder / "rooms.parquet")
    assert run("init", "rooms.parquet").code == 0
    assert "several rows have the same room" in Path("unspoken.toml").read_text()
    assert Project.read(".").source.keys == ("room",)


def by_day(rooms: int) -> pa.Table:
    days = [DAY.date() + dt.timedelta(day) for day in range(60)] * rooms
    drawn = np.random.default_rng(4)
    return pa.table({
        "room": [f"r{room}" for room in range(rooms) for _ in range(60)],
        "day": days,
        "weekday": [day.isoweekday() for day in days],
        "kind": [room % 2 for room in range(rooms) for _ in range(60)],
        "use": drawn.choice(["few", "many"], 60 * rooms).tolist(),
    })  # fmt: skip


def test_numbers_that_stand_for_words_keep_the_most_frequent(checkins: pa.Table, run: Run) -> None:
    """Their neighbours are nothing alike, so that no digit can go."""
    assert run("init", "checkins.parquet", "--keys", "user,epoch").code == 0
    text = Path("unspoken.toml").read_text()
    assert "# [attribute.venue]  # by the most frequent, with the sql above" in text
    take_in("venue")
    learned = run("learn", "--json").json["attributes"]
    venues = Counter(checkins["venue"].to_pylist())
    most = sorted(venues, key=lambda venue: (-venues[venue], venue))[:9]
    assert {*learned["venue"]["labels"]} == {*map(str, most), "other"}


@pytest.mark.slow
def test_seconds_since_1970_are_moments(checkins: pa.Table, run: Run) -> None:
    assert run("init", "checkins.parquet", "--keys", "user,epoch").code == 0
    text = Path("unspoken.toml").read_text()
    assert 'hour = { of = "hour(make_timestamp(epoch * 1000000))" }' in text
    assert """# of = "strftime(make_timestamp(epoch * 1000000), '%Y-%m')" """ in text
    assert '# month = { of = "month(make_timestamp(epoch * 1000000))" }' in text
    before = re.search(r"# history = (\".*\")  #", text)
    assert before is not None
    asked = f"SELECT avg(({tomllib.loads('x = ' + before[1])['x']})::INT) FROM 'checkins.parquet'"
    assert 0.2 < duckdb.execute(asked).fetchall()[0][0] < 0.8
    pq.write_table(checkins.filter(pc.less(checkins["epoch"], 1_377_900_000)), "august.parquet")
    assert run("init", "august.parquet", "--keys", "user,epoch", "--project", "a.toml").code == 0
    assert "month" not in Path("a.toml").read_text()
    live = text.replace("# hour = ", "hour = ").replace("# of = ", "of = ")
    Path("unspoken.toml").write_text(re.sub(r"(?m)^label = .*\n", "", live))
    assert run("check").code == 0
    assert run("learn").code == 0


def test_numbers_with_a_comma_and_the_half_of_the_days_are_proposed(run: Run, folder: Path) -> None:
    """Also where keys are given, of which days are text then."""
    rows = ["when;who;pay;ill"]
    rows += [
        f"{d % 28 + 1:02d}.{d // 28 % 12 + 1:02d}.2015;p{d % 7};{d % 97},{d % 10};{'yn'[d % 3 > 0]}"
        for d in range(336)
    ]
    Path("pay.csv").write_text("\n".join(rows))
    assert run("init", "pay.csv", "--keys", "when,who").code == 0
    text = Path("unspoken.toml").read_text()
    history = next(line for line in text.splitlines() if line.startswith("# history"))
    assert "'2015-06'" in history
    assert "strftime(\\\"when\\\"::DATE, '%Y-%m')" in text
    assert "# month = " in text
    assert "# [attribute.pay]  # a number, with the sql above: SQL reads it as text" in text
    sql = re.search(r'# (sql = """.*?""")', text, re.DOTALL)
    assert sql is not None
    text = text.replace('table = "pay.csv"', sql[1].replace("\n#", "\n"))
    text = re.sub(r"# (\[attribute.pay\]).*\n# (bins = .*)", r"\1\n\2", text)
    text = re.sub(r"(?m)^reads = .*\n# (reads = .*)", r"\1", text)
    Path("unspoken.toml").write_text(text.replace('# sensitive = "ill', 'sensitive = "ill'))
    assert run("check").code == 0
    assert run("leak").code == 0


@pytest.mark.slow
def test_a_first_look_groups_what_has_too_many_values(checkins: pa.Table, run: Run) -> None:
    shown = run("leak", "checkins.parquet", "--json").json
    assert shown["grouped"]["venue"] == "the most frequent"
    venues = Counter(checkins["venue"].to_pylist())
    share = venues.most_common(1)[0][1] / ROWS
    assert shown["shares"]["venue"][str(venues.most_common(1)[0][0])] == share
    assert "venue by the most frequent" in " ".join(run("leak", "checkins.parquet").out.split())
    asked = run("leak", "checkins.parquet", "--secret", "hours = 1", "--json").json
    assert asked["grouped"]["venue"] == "the most frequent"
    assert [column["column"] for column in asked["not_looked_at"]] == ["hours"]
    both = {*asked["grouped"]} & {column["column"] for column in asked["not_looked_at"]}
    assert not both


def test_a_first_look_at_keys_alone_groups_them(checkins: pa.Table, run: Run) -> None:
    """Hours of the day, the beginnings of rooms."""
    rooms = [f"{user}A" for user in checkins["user"].to_pylist()]
    events = pa.table({"room": rooms, "epoch": checkins["epoch"], "pir": checkins["hours"]})
    pq.write_table(events, "events.parquet")
    shown = run("leak", "events.parquet", "--json").json
    assert shown["grouped"] == {"room": "the first letter", "epoch": "three hours"}
    hours = Counter(second // 3600 % 24 // 3 * 3 for second in checkins["epoch"].to_pylist())
    assert shown["shares"]["epoch"] == {str(h): n / ROWS for h, n in hours.items()}


@pytest.mark.slow
@pytest.mark.parametrize(("rooms", "there"), [(6, ["kind", "use"]), (2, ["weekday", "use"])])
def test_what_follows_from_the_day_is_no_attribute(
    rooms: int, there: list[str], folder: Path, run: Run
) -> None:
    """Not of the room: what is so of somebody for good may be the secret. Nor of few rows a day."""
    table = by_day(rooms)
    assert run_init(table, folder, run).source.keys == ("room", "day")
    text = Path("unspoken.toml").read_text()
    assert {*there} <= {*Project.read(".").attributes}
    said = '# "weekday" is left out: one value for each day, as in a calendar.'
    assert (said in text) is ("weekday" not in there)


def test_what_follows_from_the_number_of_a_day_is_no_attribute(folder: Path, run: Run) -> None:
    table = by_day(6)
    numbered = table.set_column(1, "day_id", pa.array([*range(60)] * 6))
    assert [*run_init(numbered, folder, run).attributes] == ["kind", "use"]
    assert "one value for each day_id, as in a calendar" in Path("unspoken.toml").read_text()


def test_what_there_is_room_for_then_is_not_of_a_calendar_either(folder: Path, run: Run) -> None:
    """There is room for six of these: "moon" would come in where "tide" goes."""
    table, drawn = by_day(6).select(["room", "day"]), np.random.default_rng(5)
    numbers = [day.toordinal() for day in table["day"].to_pylist()]
    columns = {
        "tide": [number % 4 for number in numbers],
        **{f"use {i}": drawn.integers(0, 4, len(numbers)).tolist() for i in range(5)},
        "moon": [number // 15 % 4 for number in numbers],
    }
    for name, values in columns.items():
        table = table.append_column(name, pa.array(values))
    assert [*run_init(table, folder, run).attributes] == [f"use {i}" for i in range(5)]
    assert Path("unspoken.toml").read_text().count("as in a calendar") == 2


@pytest.mark.slow
def test_what_a_calendar_has_is_better_than_no_attribute(folder: Path, run: Run) -> None:
    project = run_init(by_day(6).select(["room", "day", "weekday"]), folder, run)
    assert [*project.attributes] == ["weekday"]
    assert run("release").code == 0


def run_init(table: pa.Table, folder: Path, run: Run) -> Project:
    pq.write_table(table, folder / "by_day.parquet")
    assert run("init", "by_day.parquet").code == 0
    return Project.read(".")


def test_a_column_called_x_stands_in_nobodys_way(folder: Path, run: Run) -> None:
    """The most frequent values of another are those of that one."""
    many = [(k * k) % 97 for k in range(ROWS)]
    table = pa.table({"id": [*range(ROWS)], "venue": many, "x": [k % 3 for k in range(ROWS)]})
    pq.write_table(table, folder / "t.parquet")
    assert run("init", "t.parquet").code == 0
    often = [str(venue) for venue, _ in Counter(sorted(many)).most_common(9)]
    assert f"IN ({', '.join(often)})" in Path("unspoken.toml").read_text()


@pytest.mark.slow
def test_moments_that_are_all_midnights_are_days(folder: Path, run: Run) -> None:
    """As pandas writes days: no hour is proposed of them, and none of its numbers of rows."""
    days = [DAY + dt.timedelta(k % 60) for k in range(ROWS)]
    late = [day + dt.timedelta(hours=k % 24) for k, day in enumerate(days)]
    numbers = {"person": [k // 60 for k in range(ROWS)], "__index_level_0__": [*range(ROWS)]}
    kinds = {"us": pa.timestamp("us"), "zone": pa.timestamp("us", "UTC")}
    for name, kind in kinds.items():
        for when, moments in (("days", days), ("late", late)):
            table = pa.table(
                {**numbers, "day": pa.array(moments, kind), "x": [k % 3 for k in range(ROWS)]}
            )
            pq.write_table(table, folder / f"{name}-{when}.parquet")
            assert run("init", f"{name}-{when}.parquet").code == 0
            text = Path("unspoken.toml").read_text()
            Path("unspoken.toml").unlink()
            assert 'weekday = { of = "dayname(day)" }' in text
            assert ("hour(day)" in text) == (when == "late"), name
            assert "index_level" not in text
            assert 'keys = ["person", "day"]' in text
    seen = run("leak", "us-days.parquet")
    assert seen.code == 0
    assert "index_level" not in seen.out


def test_few_whole_numbers_that_are_names_are_listed(folder: Path, run: Run) -> None:
    """What lies between two rooms, teams or stations is none of them; lengths of stay have bins."""
    rng = np.random.default_rng(5)
    columns = {
        "visit_id": np.arange(ROWS),
        "dept": 1 + rng.integers(0, 15, ROWS),
        "room": 100 + rng.zipf(1.4, ROWS) % 18,
        "line": rng.permutation(ROWS) % 19,
        "stay": np.minimum(rng.geometric(0.2, ROWS), 18),
    }
    pq.write_table(pa.table(columns), folder / "visits.parquet")
    assert run("init", "visits.parquet").code == 0
    written = Project.read(".").attributes
    assert written["dept"].values == tuple(range(1, 16))
    assert written["line"].values == tuple(range(19))
    assert "room" not in written or written["room"].bins is None
    assert written["stay"].bins
