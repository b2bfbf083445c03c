"""Somebody else's table, attacked: naive hiding is recognised, coins are counted, nothing is 0."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest

from unspoken.core.errors import InputError
from unspoken.workflows.audit.released_file import AttackedSecret, AuditedFile, audit_file

ROWS = 8_000
KEEPS = 0.6  # of harmless cells, with a coin each

Table = dict[str, list[object]]


def drawn() -> Table:
    """Illness of a fifth, who come oftener; colours have nothing to do with it."""
    rng = np.random.default_rng(5)
    ill = rng.random(ROWS) < 0.2
    visits = np.where(rng.random(ROWS) < np.where(ill, 0.8, 0.3), "many", "few")
    return {
        "who": [f"p{k}" for k in range(ROWS)],
        "state": np.where(ill, "ill", "well").tolist(),
        "visits": visits.tolist(),
        "colour": rng.choice(["red", "green", "blue"], ROWS).tolist(),
    }


def hidden(table: Table, column: str, blank: np.ndarray) -> Table:
    cells = [None if gone else cell for cell, gone in zip(table[column], blank, strict=True)]
    return {**table, column: cells}


def written(path: Path, table: Table) -> Path:
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(table)
        rows.writerows(zip(*table.values(), strict=True))
    return path


@pytest.fixture
def original(tmp_path: Path) -> Path:
    return written(tmp_path / "original.csv", drawn())


def audited(original: Path, table: Table, *rest: object) -> AuditedFile:
    release = written(original.with_name("released.csv"), table)
    return audit_file(release, original, ["who"], *rest)  # type: ignore[arg-type]


def only(found: AuditedFile) -> AttackedSecret:
    (own,) = found.secrets
    return own


def test_naive_hiding_is_recognised(original: Path) -> None:
    table = drawn()
    ill = np.array(table["state"]) == "ill"
    own = only(found := audited(original, hidden(table, "state", ill)))
    assert (own.about, own.naive, found.changed, found.rows) == ("state = ill", True, 0, ROWS)
    best = own.verdict.best
    assert best is not None
    assert (best.right, best.recovered) == (1.0, 1.0)
    assert "p = 1" in own.in_words()


def test_coins_are_counted_and_the_control_finds_nothing(original: Path) -> None:
    """A blank multiplies odds by 1 / (1 - 0.6) = 2.5; visits of the row multiply them again."""
    table, rng = drawn(), np.random.default_rng(6)
    blank = (np.array(table["state"]) == "ill") | (rng.random(ROWS) > KEEPS)
    own = only(audited(original, hidden(table, "state", blank)))
    assert not own.naive
    alone = next(one for one in own.verdict.reached if one.attack == "own blank")
    assert alone.leakage.interval is not None
    assert alone.leakage.interval[0] < math.log(2.5) < alone.leakage.interval[1]
    best = own.verdict.best
    assert best is not None
    assert best.leakage.value == pytest.approx(math.log(2.5 * 0.8 / 0.3), abs=0.15)
    assert all(one.low <= 0 for one in own.control.reached)
    assert "multiplies odds by" in own.in_words()


@pytest.mark.slow
def test_a_cap_that_is_claimed_is_held_or_beaten(original: Path) -> None:
    table, rng = drawn(), np.random.default_rng(6)
    blank = (np.array(table["state"]) == "ill") | (rng.random(ROWS) > KEEPS)
    release = hidden(table, "state", blank)
    held = audited(original, release, "state = 'ill'", 20.0)
    assert held.beaten == []
    assert "no attack here beat the bound; the best reached" in only(held).in_words()
    (over,) = audited(original, release, "state = 'ill'", 2.5).beaten
    assert over.verdict.word == "fail"


def test_what_too_few_rows_decide_is_not_called_a_pass_in_words(tmp_path: Path) -> None:
    """Blanks multiply odds by 4 where 2 is claimed; forty secrets are too few to be sure."""
    table = {name: values[:400] for name, values in drawn().items()}
    ill = np.arange(400) % 10 == 0
    table["state"] = np.where(ill, "ill", "well").tolist()
    blank = ill | (np.arange(400) % 4 == 1)
    release = hidden(table, "state", blank)
    found = audited(written(tmp_path / "few.csv", table), release, "state = 'ill'", 2.0)
    own = only(found)
    assert (own.verdict.word, own.verdict.share > 1.25) == ("pass", True)
    assert "too few rows to tell" in own.in_words()


@pytest.mark.slow
def test_files_that_are_pooled_tell_what_both_do(original: Path) -> None:
    """Coins of their own: two blanks multiply odds by 2.5 twice, one of them once."""
    table, rng = drawn(), np.random.default_rng(6)
    ill, files = np.array(table["state"]) == "ill", list[Path]()
    for k in range(2):
        part = {name: table[name] for name in ("who", "state")}
        blank = ill | (rng.random(ROWS) > KEEPS)
        files.append(written(original.with_name(f"{k}.csv"), hidden(part, "state", blank)))
    factors = []
    for given in (files[0], files):
        best = only(audit_file(given, original, ["who"])).verdict.best
        assert best is not None
        assert best.leakage.interval is not None
        factors.append(best.leakage.interval)
    assert factors[0][0] < math.log(2.5) < factors[0][1]
    assert factors[1][0] < 2 * math.log(2.5) < factors[1][1]
    assert factors[1][0] > factors[0][1]


@pytest.mark.slow
def test_which_file_shows_a_cell_may_tell_alone(original: Path) -> None:
    """Together they show every colour: what is in which file depends on the secret."""
    table = drawn()
    ill = np.array(table["state"]) == "ill"
    files = []
    for k, blank in enumerate((ill, ~ill)):
        part = {name: table[name] for name in ("who", "colour")}
        files.append(written(original.with_name(f"{k}.csv"), hidden(part, "colour", blank)))
    found = audit_file(files, original, ["who"], "state = 'ill'")
    best = only(found).verdict.best
    assert best is not None
    assert (best.right, best.recovered, found.guessed) == (1.0, 1.0, [])


@pytest.mark.slow
def test_files_of_other_rows_and_columns(original: Path) -> None:
    """A row that one has not is one of which it shows nothing."""
    table = drawn()
    half = {name: cells[: ROWS // 2] for name, cells in table.items() if name != "colour"}
    rest = {name: cells[ROWS // 4 :] for name, cells in table.items() if name != "visits"}
    files = [written(original.with_name(f"{k}.csv"), t) for k, t in enumerate((half, rest))]
    found = audit_file(files, original, ["who"])
    assert (found.rows, found.changed) == (ROWS, 0)
    assert [guess.blanks for guess in found.guessed] == [ROWS // 2, ROWS // 4]


def test_blanks_that_say_nothing_beat_no_prior(original: Path) -> None:
    """Whatever the colour, half of them are blank."""
    blank = np.random.default_rng(7).random(ROWS) < 0.5
    own = only(found := audited(original, hidden(drawn(), "colour", blank)))
    assert own.about.startswith("colour = ")
    assert "no attack here beat the prior" in own.in_words()
    (guessed,) = found.guessed
    assert guessed.blanks == blank.sum()
    for guess in (guessed.learned, guessed.commonest):
        assert guess.interval is not None
        assert guess.interval[0] < 1 / 3 < guess.interval[1]


@pytest.mark.slow
def test_shown_cells_teach_what_blanks_are(original: Path) -> None:
    """Of visits half are blank: whether somebody is ill tells them in 0.2 x 0.8 + 0.8 x 0.7."""
    blank = np.random.default_rng(8).random(ROWS) < 0.5
    (guessed,) = audited(original, hidden(drawn(), "visits", blank)).guessed
    assert guessed.learned.interval is not None
    assert guessed.commonest.interval is not None
    assert guessed.learned.interval[0] < 0.72 < guessed.learned.interval[1]
    assert guessed.commonest.interval[0] < 0.60 < guessed.commonest.interval[1]
    assert guessed.learned.interval[0] > guessed.commonest.interval[1]


def test_rows_alike_teach_what_no_column_does_by_itself(tmp_path: Path) -> None:
    """A state that is one of two marks and not both: neither says anything of it alone."""
    rng = np.random.default_rng(10)
    a, b = (rng.integers(0, 2, ROWS) for _ in range(2))
    table: Table = {"who": [*range(ROWS)], "a": a.tolist(), "b": b.tolist()}
    table["state"] = np.where(a ^ b, "ill", "well").tolist()
    original = written(tmp_path / "original.csv", table)
    (guessed,) = audited(original, hidden(table, "state", rng.random(ROWS) < 0.4)).guessed
    assert guessed.learned.value == 1.0
    assert guessed.commonest.value < 0.6


@pytest.mark.slow
def test_numbers_are_parted_and_changes_are_counted(tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    age = rng.integers(0, 90, ROWS)
    table: Table = {"who": [*range(ROWS)], "age": age.tolist(), "lot": (age % 2).tolist()}
    original = written(tmp_path / "original.csv", table)
    old = age >= 80
    released = hidden(table, "age", old)
    released["lot"] = [1 - int(str(lot)) if k < 10 else lot for k, lot in enumerate(table["lot"])]
    found = audited(original, released)
    assert found.changed == 10
    own = only(found)
    assert own.about.startswith("age = ")
    assert own.about.endswith("or more")


@pytest.mark.slow
def test_a_column_that_is_left_out_is_not_hidden(original: Path) -> None:
    found = audited(original, hidden(drawn(), "visits", np.ones(ROWS, dtype=bool)))
    assert (found.guessed, found.secrets) == ([], [])


@pytest.mark.slow
def test_json_has_it_all_and_nothing_is_praised(original: Path) -> None:
    ill = np.array(drawn()["state"]) == "ill"
    found = audited(original, hidden(drawn(), "state", ill))
    told = json.dumps(found.as_json(), allow_nan=False)
    assert "safe" not in f"{found}{found.secrets}{found.guessed}{told}"
    assert json.loads(told)["secrets"][0]["naive"] is True


def test_rows_that_stand_for_no_original_are_named(original: Path) -> None:
    """One is added, one has another key, and of one there are two; all others are attacked."""
    table, rng = drawn(), np.random.default_rng(6)
    blank = (np.array(table["state"]) == "ill") | (rng.random(ROWS) > KEEPS)
    released = hidden(table, "state", blank)
    released["who"][3] = "p3b"
    for name, cell in zip(released, ("new", "well", "many", "red"), strict=True):
        released[name] = [*released[name], cell, released[name][7]]
    found = audited(original, released, "state = 'ill'", 20.0)
    (stray,) = found.strays
    assert (stray.unknown, stray.twice, stray.word, found.rows) == (2, 2, "fail", ROWS - 2)
    assert (stray.unknown_as, stray.twice_as) == (("who = p3b", "who = new"), ("who = p7",))
    assert (found.absent, found.beaten, found.failed) == (1, [], True)  # p3; p7 is there twice
    assert "2 rows of" in stray.in_words()
    assert "share their keys with another (who = p7): fail" in stray.in_words()
    assert "has not (who = p3b; who = new): not testable" in stray.in_words()
    told = json.loads(json.dumps(found.as_json(), allow_nan=False))
    assert told["strays"][0]["verdict"] == "fail"
    assert "share their keys with another" in str(found)


def test_leaving_rows_out_tells_what_blanks_do(original: Path) -> None:
    """All that are ill are dropped, and so is everybody else by a coin that shows three of five."""
    table, rng = drawn(), np.random.default_rng(6)
    ill = np.array(table["state"]) == "ill"
    for dropped, naive in ((ill, True), (ill | (rng.random(ROWS) > KEEPS), False)):
        kept = {
            name: [c for c, d in zip(cells, dropped, strict=True) if not d]
            for name, cells in table.items()
        }
        found = audited(original, kept, "state = 'ill'")
        left_out = found.secrets[1]
        assert (left_out.given, left_out.rows) == ("which rows are left out", ROWS)
        assert (left_out.naive, found.absent) == (naive, dropped.sum())
        assert ("dropped without coins" in left_out.in_words()) == naive
        best = left_out.verdict.best
        assert best is not None
        assert best.leakage.interval is not None
        low, high = best.leakage.interval
        assert high == math.inf if naive else low < math.log(2.5) < high
        assert all(one.low <= 0 for one in left_out.control.reached)


@pytest.mark.slow
def test_rows_that_are_unknown_alone_are_not_testable(original: Path) -> None:
    released = drawn()
    released["who"][3] = None
    found = audited(original, hidden(released, "state", np.arange(ROWS) % 2 == 0))
    (stray,) = found.strays
    assert (stray.unknown, stray.twice, stray.word, found.failed) == (1, 0, "not testable", False)
    assert stray.unknown_as == ("who = nothing",)
    (own,) = audited(original, hidden(drawn(), "state", np.arange(ROWS) % 2 == 0)).secrets
    assert own.rows == ROWS


@pytest.mark.slow
def test_what_does_not_fit_is_one_line(original: Path) -> None:
    table = drawn()
    wrongs: tuple[tuple[Table, str], ...] = (
        ({"who": table["who"]}, "no column but keys"),
        ({**table, "who": [f"q{k}" for k in range(ROWS)]}, "no row of"),
        ({"state": table["state"]}, "who"),
    )
    for wrong, match in wrongs:
        with pytest.raises(InputError, match=match) as raised:
            audited(original, wrong)
        assert "\n" not in str(raised.value)
    with pytest.raises(InputError, match="--odds-cap"):
        audited(original, table, None, 0.5)
    with pytest.raises(InputError, match="--secret"):
        audited(original, table, "nobody = 1")


def test_values_that_few_have_are_hidden_all_the_same(original: Path) -> None:
    """Nine of 8,000: that coins left these blank, and nothing else, is out of the question."""
    table = drawn()
    table["state"] = ["rare" if k % 900 == 0 else "well" for k in range(ROWS)]
    written(original, table)
    rare = np.array(table["state"]) == "rare"
    own = only(audited(original, hidden(table, "state", rare)))
    assert (own.about, own.naive, int(rare.sum())) == ("state = rare", True, 9)


def test_a_blank_that_comes_by_chance_is_not_called_hidden(tmp_path: Path) -> None:
    """Of ten rows with values of their own any three blanks are whole values."""
    table: Table = {"who": [*range(10)], "x": [f"v{k}" for k in range(10)]}
    original = written(tmp_path / "original.csv", table)
    assert audited(original, hidden(table, "x", np.arange(10) < 3)).secrets == []


def test_no_cap_is_held_against_values_that_are_shown(original: Path) -> None:
    """Visits are in no limit: the state that is shown beside tells them, and may."""
    table, rng = drawn(), np.random.default_rng(6)
    table["visits"] = np.where(np.array(table["state"]) == "ill", "many", "few").tolist()
    written(original, table)
    found = audited(original, hidden(table, "visits", rng.random(ROWS) < 0.4), None, 1.5)
    own = only(found)
    assert (found.beaten, own.verdict.claim.bound, own.verdict.word) == ([], None, "not testable")
    assert own.in_words().startswith(f"{own.about}: “")
    assert "e+30" not in own.in_words()
    assert "or more; of what it flags" in own.in_words()


@pytest.mark.slow
def test_rows_that_are_there_twice_are_not_left_out(original: Path) -> None:
    table = drawn()
    twice = {name: [*cells[:-3], cells[0]] for name, cells in table.items()}
    assert audited(original, twice, "state = 'ill'").absent == 3


def test_text_is_read_as_text_once_its_words_are_withheld(tmp_path: Path) -> None:
    """What is left looks like truth values and numbers, and its keys like numbers, too."""
    rng = np.random.default_rng(10)
    rare = rng.random(ROWS) < 0.05
    table: Table = {
        "who": ["x", *(f"{k}.0" for k in range(1, ROWS))],
        "state": np.where(rare, "maybe", rng.choice(["yes", "no"], ROWS)).tolist(),
        "dose": np.where(rare, "n/a", rng.choice(["1.50", "2.0"], ROWS)).tolist(),
    }
    original = written(tmp_path / "original.csv", table)
    released = hidden(hidden(table, "state", rare), "dose", rare)
    found = audited(original, {name: cells[1:] for name, cells in released.items()})
    assert (found.rows, found.strays, found.changed) == (ROWS - 1, [], 0)
    assert [secret.about for secret in found.secrets] == ["state = maybe", "dose = n/a"]
    assert all(secret.naive for secret in found.secrets)


@pytest.mark.slow
def test_days_that_name_rows_are_days_however_written(tmp_path: Path) -> None:
    days = [f"2024-{1 + k // 28 % 12:02}-{1 + k % 28:02}" for k in range(300)]
    table: Table = {"day": [*days], "x": ["a", "b", "b"] * 100}
    original = written(tmp_path / "original.csv", table)
    released = hidden(
        {**table, "day": [f"{d[8:]}/{d[5:7]}/{d[:4]}" for d in days]}, "x", np.arange(300) % 3 == 0
    )
    found = audit_file(written(tmp_path / "released.csv", released), original, ["day"])
    assert (found.rows, found.strays) == (300, [])


def without_values(tmp_path: Path) -> tuple[Path, Table, np.ndarray]:
    """Of a fifth the lot is not known, which is the secret; of others a third is blank."""
    table, rng = drawn(), np.random.default_rng(12)
    none = rng.random(ROWS) < 0.2
    table["lot"] = [None if gone else lot for gone, lot in zip(none, table["colour"], strict=True)]
    del table["colour"]
    return written(tmp_path / "original.csv", table), table, none | (rng.random(ROWS) < 1 / 3)


def test_whether_there_is_a_value_cannot_be_seen_of_a_blank(tmp_path: Path) -> None:
    """An attack that saw it would beat an honest cap: a blank multiplies odds by 3, and no more."""
    original, table, blank = without_values(tmp_path)
    own = only(audited(original, hidden(table, "lot", blank), "lot IS NULL", 4.0))
    best = own.verdict.best
    assert best is not None
    assert best.leakage.interval is not None
    assert best.leakage.interval[0] < math.log(3) < best.leakage.interval[1]
    assert (own.verdict.word, own.naive) == ("pass", False)


@pytest.mark.slow
def test_a_release_that_says_where_there_is_no_value_tells_it(tmp_path: Path) -> None:
    original, table, blank = without_values(tmp_path)
    said = hidden(table, "lot", blank)
    said["lot__missing"] = [lot is None for lot in table["lot"]]
    (over,) = audited(original, said, "lot IS NULL", 4.0).beaten
    assert over.verdict.best is not None
    assert over.verdict.best.right == 1.0


@pytest.mark.slow
def test_hidden_among_cells_without_a_value_is_not_certain(tmp_path: Path) -> None:
    """Of visits a tenth were never known: who sees a blank does not know which it is."""
    table, rng = drawn(), np.random.default_rng(13)
    unknown, ill = rng.random(ROWS) < 0.1, np.array(table["state"]) == "ill"
    table = hidden(table, "state", unknown)
    original = written(tmp_path / "original.csv", table)
    own = only(audited(original, hidden(table, "state", ill | unknown)))
    assert (own.about, own.naive) == ("state = ill", False)
    alone = next(one for one in own.verdict.reached if one.attack == "own blank")
    assert alone.right == pytest.approx(0.18 / 0.28, abs=0.03)
