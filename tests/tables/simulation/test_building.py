"""The simulated building: dependences as in real offices, from a seed, at any size."""

import json
from datetime import date
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from tests.tables.engines.test_duckdb import run
from tests.work import count_calls
from unspoken.core.errors import InputError
from unspoken.tables.simulation import building

NAMES = ["first_arrival", "last_leave", "mean_occupancy", "exits"]
# What sensors in real offices show on days somebody came (see the test on the real summary below).
WANTED = {(0, 2): -0.45, (1, 2): 0.5, (3, 1): 0.5}


def simulated(seed: int, offices: int, days: int) -> pa.Table:
    return building(np.random.default_rng(seed), offices, days)


def active(table: pa.Table) -> np.ndarray:
    """The four attributes of the days somebody came, a row each."""
    columns = np.array([table[name].to_numpy() for name in NAMES], dtype=float)
    return columns[:, ~np.isnan(columns[0])]


@pytest.mark.parametrize(
    ("offices", "days", "seeds"), [(120, 250, 12), (60, 120, 12), (500, 250, 3), (40, 1000, 3)]
)
def test_dependences_are_near_the_real_ones(offices: int, days: int, seeds: int) -> None:
    for seed in range(seeds):
        correlation = np.corrcoef(active(simulated(seed, offices, days)))
        for pair, wanted in WANTED.items():
            assert correlation[pair] == pytest.approx(wanted, abs=0.1), (seed, pair)


def test_marginals_are_plausible(shared: Path) -> None:
    """Within the range of the two largest real buildings, or nearly so."""
    real = json.loads((shared / "data/occupancy_space_day/summary.json").read_text())
    table = active(simulated(0, 120, 250))
    keys = ["first_arrival_h", "last_leave_h", "mean_occ_8_17", "n_exits"]
    for values, key in zip(table, keys, strict=True):
        means, spreads = (
            [real[b][what][key] for b in ("carleton", "keti")] for what in ("mean", "sd")
        )
        assert min(means) * 0.95 <= values.mean() <= max(means) * 1.05, key
        assert min(spreads) * 0.8 <= values.std() <= max(spreads) * 1.2, key
    for building_ in ("carleton", "keti"):
        for (i, j), wanted in WANTED.items():
            assert real[building_]["pearson"][i][j] == pytest.approx(wanted, abs=0.1)
    shares = [real[b]["active"] / real[b]["workdays_cov90"] for b in ("carleton", "keti")]
    assert table.shape[1] / 30_000 == pytest.approx(np.mean(shares), abs=0.1)


def test_rows_are_offices_by_working_days() -> None:
    table = simulated(3, 7, 300)
    assert table.schema == pa.schema(
        {
            "office": pa.int64(),
            "day": pa.string(),
            "first_arrival": pa.float64(),
            "last_leave": pa.float64(),
            "mean_occupancy": pa.float64(),
            "exits": pa.int64(),
        }
    )
    table.validate(full=True)
    keys = list(zip(table["office"].to_pylist(), table["day"].to_pylist(), strict=True))
    assert len(set(keys)) == 2100
    assert keys == sorted(keys)
    days = [date.fromisoformat(day) for day in table["day"].to_pylist()[:300]]
    assert days[0] == date(2026, 1, 5)
    assert all(day.weekday() < 5 for day in days)
    assert (days[-1] - days[0]).days == 300 // 5 * 7 - 3


def test_days_make_sense() -> None:
    table = simulated(5, 60, 250)
    came, first, last, inside, exits = (
        np.array(values)
        for values in (
            table["first_arrival"].is_valid().to_pylist(),
            *(table[name].to_pylist() for name in NAMES),
        )
    )
    assert 0.5 < came.mean() < 0.75
    assert table["last_leave"].is_valid().to_pylist() == came.tolist()
    assert not inside[~came].any()
    assert not exits[~came].any()
    first, last = first[came].astype(float), last[came].astype(float)
    assert ((first >= 6) & (first < last) & (last <= 22)).all()
    assert np.allclose(first * 60, np.round(first * 60), atol=0.01)  # to the minute
    assert ((inside >= 0) & (inside <= 1)).all()
    longest = np.clip(np.minimum(last, 17) - np.maximum(first, 8), 0, 9) / 9
    assert (inside[came] <= longest + 0.003).all()
    assert ((exits[came] >= 1) & (exits[came] <= 12)).all()


def test_a_seed_is_a_table() -> None:
    assert simulated(1, 30, 40).equals(simulated(1, 30, 40))
    assert not simulated(1, 30, 40).equals(simulated(2, 30, 40))
    rng = np.random.default_rng(1)
    assert not building(rng, 30, 40).equals(building(rng, 30, 40))
    assert simulated(1, 1, 1).num_rows == 1
    assert simulated(1, 501, 200).num_rows == 100_200  # more than one block


@pytest.mark.parametrize(("offices", "days"), [(0, 5), (5, 0), (-1, 5)])
def test_an_empty_building_is_refused(offices: int, days: int) -> None:
    with pytest.raises(InputError, match="both are 1 or more"):
        simulated(1, offices, days)


def test_rows_are_drawn_together() -> None:
    """No function is called once a row: 30,000 rows of one block take the calls of a single one."""
    calls = count_calls(lambda: simulated(1, 120, 250))
    assert calls == count_calls(lambda: simulated(1, 1, 1)) < 1_000


def test_pandas_is_not_imported_where_it_is_installed(tmp_path: Path) -> None:
    (tmp_path / "pandas").mkdir()
    (tmp_path / "pandas" / "__init__.py").write_text("__version__ = '3.0.0'")
    program = """
        import json, sys
        import numpy as np
        from unspoken.tables.simulation import building
        building(np.random.default_rng(1), 3, 4)
        print(json.dumps(sorted({"pandas"} & set(sys.modules))))
    """
    assert run(program, path=tmp_path) == []
