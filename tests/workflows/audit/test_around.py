"""What is known around a row: contexts of its keys, the row before, and all rows of a unit."""

from __future__ import annotations

import datetime
import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import unspoken
from unspoken.core.errors import InputError
from unspoken.core.types.bound import Estimate
from unspoken.workflows.audit.around import HabitTrials, habits
from unspoken.workflows.audit.confusion import Confusion
from unspoken.workflows.audit.judging import ClaimedBound, Reached, Verdict, furthest
from unspoken.workflows.audit.released_file import AttackedSecret, AuditedFile, audit_file
from unspoken.workflows.audit.trials import WITHHELD_AS, Trials

PEOPLE, DAYS = 200, 60
KEYS = ["who", "day"]
BEGIN = datetime.date(2024, 1, 1)  # a Monday
RNG = np.random.default_rng
WEEKDAY = "dayname(day::DATE)"


def written(path: Path, **columns: object) -> Path:
    """A row for each person and day, by person."""
    who = [f"p{person:03}" for person in range(PEOPLE) for _ in range(DAYS)]
    day = [BEGIN + datetime.timedelta(days) for _ in range(PEOPLE) for days in range(DAYS)]
    pq.write_table(pa.table({"who": who, "day": day, **columns}), path)
    return path


def weekdays() -> np.ndarray:
    return np.tile(np.arange(DAYS) % 7, PEOPLE)


def ill(share: float | np.ndarray = 0.3) -> np.ndarray:
    return RNG(3).random(PEOPLE * DAYS) < share


def blanked(folder: Path, secret: np.ndarray, blank: np.ndarray) -> tuple[Path, Path]:
    state = np.where(secret, "ill", "well")
    original = written(folder / "original.parquet", state=pa.array(state))
    return written(folder / "released.parquet", state=pa.array(state, mask=blank)), original


def one(found: AuditedFile, given: str | None, habit: bool = False) -> AttackedSecret:
    (secret,) = (
        s for s in found.secrets if s.given == given and ("rows of one" in s.about) == habit
    )
    return secret


def ends(secret: AttackedSecret) -> tuple[float, float]:
    best = secret.verdict.best
    assert best is not None
    assert best.leakage.interval is not None
    return best.leakage.interval


def test_coins_that_fail_on_mondays_alone_are_found_there(tmp_path: Path) -> None:
    """Elsewhere half of what is free is withheld, so a blank doubles odds; on Mondays a twentieth,
    so it multiplies them by 20. Without weekdays the mean is what counts: 1 / (1/7 .05 + 6/7 .5).
    """
    secret, monday = ill(), weekdays() == 0
    keeps = np.where(monday, 0.95, 0.5)
    files = blanked(tmp_path, secret, secret | (RNG(4).random(len(secret)) > keeps))
    found = audit_file(*files, KEYS, "state = 'ill'", context=[WEEKDAY])
    low, high = ends(one(found, f"{WEEKDAY} = Monday"))
    assert low < math.log(20) < high
    assert low > math.log(5)
    alone = ends(one(found, None))
    assert alone[0] < math.log(1 / (0.05 / 7 + 0.5 * 6 / 7)) < alone[1]
    assert all(a.low <= 0 for a in one(found, f"{WEEKDAY} = Monday").control.reached)


@pytest.mark.slow
def test_a_cap_that_holds_without_is_beaten_given_a_context(tmp_path: Path) -> None:
    secret, monday = ill(), weekdays() == 0
    blank = secret | (RNG(4).random(len(secret)) > np.where(monday, 0.95, 0.5))
    files = blanked(tmp_path, secret, blank)
    assert audit_file(*files, KEYS, "state = 'ill'", 3.0).beaten == []
    (beaten,) = audit_file(*files, KEYS, "state = 'ill'", 3.0, context=[WEEKDAY]).beaten
    assert beaten.given == f"{WEEKDAY} = Monday"


def test_a_context_of_which_all_values_are_rare_is_named(tmp_path: Path) -> None:
    """Each day has a row of each of 150 people, which is too few to count."""
    rows = PEOPLE * DAYS // 4
    secret, day = ill()[:rows], np.arange(rows) % 20
    for name, blank in (("released", secret), ("original", None)):
        state = pa.array(np.where(secret, "ill", "well"), mask=blank)
        table = {"who": np.arange(rows), "day": day, "state": state}
        pq.write_table(pa.table(table), tmp_path / f"{name}.parquet")
    files = tmp_path / "released.parquet", tmp_path / "original.parquet"
    found = audit_file(*files, KEYS, "state = 'ill'", 3.0, context=["day"])
    seldom = one(found, "day, of which no value has 200 rows")
    assert (seldom.rows, seldom.naive, seldom.verdict.word) == (0, False, "not testable")
    assert seldom.in_words().endswith("too few rows to count.")


@pytest.mark.slow
def test_who_knows_the_row_before(tmp_path: Path) -> None:
    """After a row that is well every free cell is shown, so a blank gives the secret away."""
    secret = ill()
    before = np.roll(secret, 1)
    free = ~before & (np.arange(len(secret)) % DAYS > 0)
    blank = secret | (~free & (RNG(5).random(len(secret)) < 0.9))
    files = blanked(tmp_path, secret, blank)
    found = audit_file(*files, KEYS, "state = 'ill'", unit=["who"], previous=["state"])
    given = one(found, "state of the row before = well")
    best = given.verdict.best
    assert best is not None
    assert (given.rows, best.right, best.recovered, given.naive) == (free.sum(), 1.0, 1.0, True)
    assert ends(one(found, None))[1] < math.inf


def test_blanks_of_a_unit_are_counted(tmp_path: Path) -> None:
    """Who is ill on half of their days has more blanks than who is on a tenth, by far."""
    often = np.arange(PEOPLE) % 2 == 0
    secret = ill(np.repeat(np.where(often, 0.5, 0.1), DAYS))
    blank = secret | (RNG(6).random(len(secret)) > 0.7)
    found = audit_file(*blanked(tmp_path, secret, blank), KEYS, "state = 'ill'", unit=["who"])
    habit = one(found, None, habit=True)
    assert habit.rows == PEOPLE
    by_count = next(a for a in habit.verdict.reached if a.attack == "blanks of a unit")
    assert min(by_count.right, by_count.recovered) > 0.9
    assert all(attack.low <= 0 for attack in habit.control.reached)
    bits = audit_file(
        *blanked(tmp_path, secret, blank), KEYS, "state = 'ill'", unit=["who"], unit_bits=0.005
    )
    assert [each.about for each in bits.beaten] == [habit.about]
    (claim,) = (each.verdict.claim for each in bits.beaten)
    assert claim.bound == pytest.approx(0.005 * math.log(2))


@pytest.mark.parametrize("shared", [True, False])
def test_rows_with_a_key_in_common_are_put_together_unasked(tmp_path: Path, shared: bool) -> None:
    """Everybody is ill on the same days, or on days of their own; a blank doubles the odds."""
    days, people = 400, 10
    one_by_one = RNG(7).random(days * people) < 0.2
    secret = np.repeat(one_by_one[:days], people) if shared else one_by_one
    day, who = np.divmod(np.arange(len(secret)), people)
    state = np.where(secret, "ill", "well")
    blank = secret | (RNG(8).random(len(secret)) < 0.5)
    files = tmp_path / "released.parquet", tmp_path / "original.parquet"
    for path, mask in zip(files, (blank, None), strict=True):
        table = {"who": who, "day": day, "state": pa.array(state, mask=mask)}
        pq.write_table(pa.table(table), path)
    for cap in (2.2, None):
        rows, *more = audit_file(*files, KEYS, odds_cap=cap).secrets
        assert rows.verdict.word != "fail"
        assert [each.about for each in more] == (
            ["state = ill, in any of the rows of one day"] if shared else []
        )


def test_shares_of_a_unit_by_hand() -> None:
    """Three units of two, three and one rows."""
    seen = np.array([[WITHHELD_AS], [1.0], [WITHHELD_AS], [WITHHELD_AS], [0.0], [2.0]])
    secret = np.array([True, False, True, True, True, False])
    found = habits(np.array([0, 0, 1, 1, 1, 2]), Trials(seen, secret))
    rows = sorted(zip(found.trials.seen[:, 0], found.trials.secret.tolist(), strict=True))
    assert rows == [(0.0, False), (0.5, False), (pytest.approx(2 / 3), True)]
    assert (found.usual, found.above) == (0.5, True)
    everybody = habits(np.array([0, 0, 1, 1, 1, 2]), Trials(seen, np.ones(6, dtype=bool)))
    assert (everybody.usual, everybody.above) == (1.0, False)


@pytest.mark.slow
def test_what_is_no_unit_or_context_is_one_line(tmp_path: Path) -> None:
    files = blanked(tmp_path, ill(), ill(0.5))
    wrongs: tuple[tuple[dict[str, object], str], ...] = (
        ({"unit": ["whom"]}, "--unit"),
        ({"unit": KEYS}, "--unit: names each row"),
        ({"previous": ["state"]}, "--previous: is of other rows"),
        ({"unit": ["who"], "previous": ["stat"]}, "--previous"),
        ({"context": ["state"]}, "--context: reads state; a context is a function of the keys"),
        ({"context": ["1"]}, "--context: reads no key"),
        ({"unit_bits": 1.0}, "--unit-bits"),
        ({"unit": ["who"], "unit_bits": -1.0}, "--unit-bits"),
    )
    for wrong, match in wrongs:
        with pytest.raises(InputError, match=match) as raised:
            audit_file(*files, KEYS, **wrong)  # type: ignore[arg-type]
        assert "\n" not in str(raised.value)


PROJECT = """
format = 1
[source]
table = "original.parquet"
keys = ["who", "day"]
unit = ["who"]
rows_per_unit = 60
[epoch]
label = "1"
[attribute.state]
values = ["ill", "well"]
sensitive = "state = 'ill'"
[application.all]
reads = ["state"]
[context.weekday]
of = "dayname(day::DATE)"
[context.yesterday]
previous = "state"
[context.often]
habit = "state"
edges = [0.2]
[limit]
odds_cap = 4
{limit}
[plan]
{plan}
[secret]
key = "unspoken.key"
ledger = "ledger.sqlite"
[output]
release = "out.parquet"
manifest = "manifest.json"
"""


def project(folder: Path, limit: str = "", plan: str = "") -> Path:
    secret = ill(np.repeat(np.where(np.arange(PEOPLE) % 2 == 0, 0.5, 0.1), DAYS))
    written(folder / "original.parquet", state=pa.array(np.where(secret, "ill", "well")))
    (folder / "unspoken.toml").write_text(PROJECT.format(limit=limit, plan=plan))
    return folder


def test_a_project_is_attacked_given_its_contexts_and_by_its_units(tmp_path: Path) -> None:
    unspoken.release(project(tmp_path))
    found = {each.sought: each for each in unspoken.audit(tmp_path).attacked}
    alone, weekday, yesterday, often, habit = found.values()
    assert alone.given is None
    assert alone.verdict.word == "pass"
    for each, name, values in (
        (weekday, "weekday", ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"]),
        (yesterday, "yesterday", ["ill", "well", "none"]),
        (often, "often", ["below 0.2", "0.2 or more"]),
    ):
        assert each.given is not None
        context, _, value = each.given.partition(" = ")
        assert context == name
        assert value in [*values, "Saturday", "Sunday"]
        assert each.verdict.word == "not testable"  # limits are held without contexts
        assert "no bound is claimed; “" in each.in_words()
    assert (habit.rows, habit.verdict.word) == (PEOPLE, "not testable")
    best = habit.verdict.best
    assert best is not None
    assert min(best.right, best.recovered) > 0.9  # 60 rows tell a habit, as `release` warns


@pytest.mark.slow
def test_what_a_plan_holds_given_a_context_is_claimed_given_it(tmp_path: Path) -> None:
    unspoken.release(project(tmp_path, "unit_bits = 0.5", 'given = "weekday"'))
    claims = [(each.given, each.verdict.claim) for each in unspoken.audit(tmp_path).attacked]
    (weekday,) = (claim for given, claim in claims if str(given).startswith("weekday"))
    (habit,) = (claim for _, claim in claims if claim.measure == "mutual-information")
    assert weekday.bound == math.log(4)
    assert habit.bound == pytest.approx(0.5 * math.log(2))
    assert not unspoken.audit(tmp_path).failed


WEEKENDS = """
format = 1
[source]
table = "original.parquet"
keys = ["who", "day"]
[epoch]
label = "1"
[attribute.off]
values = ["no", "yes"]
sensitive = "off = 'yes'"
static = false
[application.all]
reads = ["off"]
[limit]
odds_cap = 4
[secret]
key = "unspoken.key"
ledger = "ledger.sqlite"
[output]
release = "out.parquet"
manifest = "manifest.json"
"""


@pytest.mark.slow
@pytest.mark.parametrize("shared", [True, False])
def test_what_rows_of_one_day_have_in_common_is_told_by_the_day(
    shared: bool, tmp_path: Path
) -> None:
    """At a weekend everybody is off, and no row of it shows whether: each row keeps its cap, the
    rows of a day do not. Where each is off by chance, blanks still count
    how many are, and no key is named.
    """
    day, who = np.divmod(np.arange(1500 * 12), 12)
    off = (day if shared else RNG(5).integers(0, 7, len(day))) % 7 >= 5
    table = {"who": who, "day": day, "off": np.where(off, "yes", "no")}
    pq.write_table(pa.table(table), tmp_path / "original.parquet")
    (tmp_path / "unspoken.toml").write_text(WEEKENDS)
    unspoken.release(tmp_path)
    alone, *habits_of = unspoken.audit(tmp_path).attacked
    assert alone.verdict.word == "pass"
    assert len(habits_of) == shared
    for habit in habits_of:
        assert habit.about == "off, in any of the rows of one day"
        assert (habit.rows, habit.verdict.word) == (1500, "not testable")
        best = habit.verdict.best
        assert best is not None
        assert (best.right, best.recovered) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("usual", "above", "said"),
    [
        (0.0, True, "in any of the rows"),
        (0.5, True, "in more than 50% of the rows"),
        (0.5, False, "in no less than 50% of the rows"),
        (1.0, False, "in all of the rows"),
    ],
)
def test_a_habit_is_said_as_people_say_it(usual: float, above: bool, said: str) -> None:
    none: Any = None
    assert HabitTrials(none, none, usual, above).of("ill", "ward") == f"ill, {said} of one ward"


def test_what_may_be_chance_is_said_with_what_was_counted() -> None:
    hits, none = Confusion(np.array([4]), 8, np.array([1]), 8, 0.5, 0.0), "classified: 4 of 8"
    of_odds = ClaimedBound("odds", None, 0.5)

    def said(value: float) -> str:
        leakage = Estimate(value, "nat", none, (-1.0, 3.0))
        return Verdict(of_odds, (Reached("classified", leakage, 0.5, 0.8, 5, hits),)).measured()

    assert said(math.log(4.0)) == (
        "no attack here surely beat the prior, 50.0%, in too few to tell: as counted “classified” "
        "multiplies odds by 4"
    )
    assert said(math.log(1.1)) == "no attack here beat the prior, 50.0%"
    assert "any factor" in said(math.inf)


def test_of_attacks_that_surely_reached_nothing_the_one_that_was_counted_most_is_first() -> None:
    hits = Confusion(np.array([4]), 8, np.array([1]), 8, 0.5, 0.0)
    found = [
        Reached(name, Estimate(value, "nat", name, (low, 3.0)), 0.5, 0.8, 5, hits)
        for name, value, low in (("nothing", 0.0, -0.5), ("most", 2.0, -2.0), ("sure", 1.0, 0.3))
    ]
    assert [each.attack for each in furthest(found)] == ["sure", "most", "nothing"]
