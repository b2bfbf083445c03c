"""What is said beside the numbers: few rows, rows of one unit, public missingness, the lifetime."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.interfaces.conftest import Run
from unspoken.assessment.few import ENOUGH, SECRETS
from unspoken.assessment.rare import FEW
from unspoken.core.types.premise import Premise
from unspoken.workflows.release import prepare

PROJECT = """\
format = 1
[source]
table = "t.parquet"
keys = ["person", "day"]
unit = {unit}
[epoch]
label = "{label}"
[attribute.a]
[attribute.b]
{b}
[attribute.s]
sensitive = "s = 'ill'"
[application.all]
reads = ["a", "b", "s"]
[plan]
by = "cell"
[limit]
limit_bits = {bits}
odds_cap = 4.0
close = {close}
[belief]
noise = "none"
confidence = "none"
"""
COMMANDS = ("learn", "leak", "plan", "release")


def written(
    folder: Path, rows: int, *, unit: str = '["person", "day"]', label: str = "1", b: str = "",
    bits: float = 0.2, names: int = 3, close: str = "true",
) -> None:  # fmt: skip
    """Rows of two people a day; ``names`` values of a, and one row with a value of its own."""
    rng = np.random.default_rng(0)
    ill = rng.random(rows) < 0.3
    a = np.array([f"v{k}" for k in rng.integers(0, names, rows)], object)
    b_values = np.where(rng.random(rows) < np.where(ill, 0.6, 0.4), "p", "q").astype(object)
    ill[0], a[0] = True, "the only one"
    if b:
        b_values[ill & (rng.random(rows) < 0.7)] = None
    columns = {
        "person": np.arange(rows) % 2,
        "day": np.arange(rows) // 2,
        "a": pa.array(a),
        "b": pa.array(b_values, pa.string()),
        "s": pa.array(np.where(ill, "ill", "well")),
    }
    pq.write_table(pa.table(columns), folder / "t.parquet")
    text = PROJECT.format(unit=unit, label=label, b=b, bits=bits, close=close)
    (folder / "unspoken.toml").write_text(text)


def said(run: Run, *command: str) -> str:
    done = run(*command)
    assert done.code == 0, done
    return " ".join(done.out.replace("\u00a0", " ").split())


def page(folder: Path, run: Run) -> str:
    pytest.importorskip("vl_convert", reason="needs the extra `report`: vl-convert-python")
    assert run("report").code == 0
    return (folder / "report.html").read_text("utf-8").replace("\u00a0", " ")


@pytest.mark.slow
def test_few_rows_turn_every_output_red(folder: Path, run: Run) -> None:
    written(folder, 60)
    for command in COMMANDS:
        text = said(run, command)
        assert "FEW ROWS: 60 rows are" in text, command
        assert f"(rule of thumb: {ENOUGH} or more)" in text
        assert f"fewer than {SECRETS} rows have a secret of s" in text
        assert "FEW ROWS" in run(command, "--json").json["warnings"][0]
    assert "FEW ROWS" in page(folder, run)
    written(folder, 3_000)
    assert "FEW ROWS" not in said(run, "plan") + page(folder, run)


def test_counts_that_are_mostly_noise_turn_every_output_red(folder: Path, run: Run) -> None:
    """2 / 0.1 rows of noise on each of 16 counts of 300 rows: numbers are what the noise made."""
    written(folder, 300)
    project = folder / "unspoken.toml"
    project.write_text(project.read_text("utf-8").replace('"none"', "0.1"))
    for command in COMMANDS:
        assert "NOISE: every count is off by about 20 rows" in said(run, command), command
    assert any("NOISE" in one for one in run("plan", "--json").json["warnings"])
    assert "NOISE" in page(folder, run)


@pytest.mark.slow
def test_of_a_cap_that_holds_all_the_same_it_is_not_denied(folder: Path, run: Run) -> None:
    """Of the floor whatever is believed, of a box for all that is possible: both say what is off,
    and are no reason against it, but where bits are limited, which are of one belief.
    """
    written(folder, 60)
    project = folder / "unspoken.toml"
    text = project.read_text("utf-8").replace('by = "cell"', 'by = "record"')
    text = text.replace('noise = "none"', "noise = 0.5")
    text = text.replace('confidence = "none"', "confidence = 0.95")
    project.write_text(text.replace("limit_bits = 0.2\n", ""))
    run("learn")
    least = prepare(project).plan().floor
    assert least is not None
    floor = replace(least, floor=least)
    boxed = replace(floor, floor=None, bound=replace(floor.bound, premise=Premise.box(0.95)))
    for chosen, kept in (
        (floor, "all the same, whatever a recipient believes beforehand."),
        (boxed, "for every prior in the confidence set of the counts."),
    ):
        few, noisy = prepare(project).cautions(plan=chosen)[:2]
        assert few.text.startswith("FEW ROWS")
        assert noisy.text.startswith("NOISE")
        for each in (few, noisy):
            assert f"The odds cap of this plan holds {kept} Shares and bits" in each.text
            assert "several times as much" not in each.text
            assert not each.red
    project.write_text(text)
    assert all(each.red for each in prepare(project).cautions(plan=floor)[:2])
    assert "several times as much" in prepare(project).cautions()[0].text


def test_few_secrets_are_said_of_noisy_counts_as_they_were_drawn(folder: Path, run: Run) -> None:
    """About 4 rows of noise on each count: 60 rows may have fewer than 30 secrets."""
    written(folder, 60)
    project = folder / "unspoken.toml"
    project.write_text(project.read_text("utf-8").replace('"none"', "0.5"))
    text = said(run, "learn")
    assert "combination of values that perhaps occurs" in text
    assert f"perhaps fewer than {SECRETS} rows have a secret of s" in text


@pytest.mark.slow
def test_counts_with_little_noise_are_not_red(folder: Path, run: Run) -> None:
    written(folder, 3_000)
    project = folder / "unspoken.toml"
    project.write_text(project.read_text("utf-8").replace('"none"', "0.5"))
    assert "NOISE" not in said(run, "learn") + said(run, "plan")


def test_a_plug_in_is_explained(folder: Path, run: Run) -> None:
    written(folder, 300)
    assert "the shares in the table are taken for the truth" in said(run, "leak")


@pytest.mark.slow
@pytest.mark.parametrize("close", ["true", "false"])
def test_a_group_of_few_rows_is_never_named(folder: Path, run: Run, close: str) -> None:
    """The one row with a value of its own gives its secret away, and is not pointed at."""
    written(folder, 3_000, close=close)
    texts = [said(run, command) for command in (*COMMANDS[:3], "release")]
    for text in (*texts, page(folder, run), (folder / "released.manifest.json").read_text()):
        assert "the only one" not in text
    assert f"a group of fewer than {FEW} rows" in texts[0]


@pytest.mark.slow
def test_it_is_said_what_all_rows_of_one_unit_tell(folder: Path, run: Run) -> None:
    written(folder, 400, unit='["person"]')
    for text in (said(run, "plan"), said(run, "release"), page(folder, run)):
        assert "One person has 200 rows on average and 200 at most." in text
        assert "not for all rows of one person together: after 200 of them" in text
        assert "whether s is sensitive in half of them or in none" in text
    written(folder, 400)
    assert "rows on average" not in said(run, "plan")


@pytest.mark.slow
def test_what_public_missingness_tells_is_said_and_measured(folder: Path, run: Run) -> None:
    written(folder, 3_000, b='missing = "public"')
    known = "That a value is missing is public for b: a release shows it for every row"
    for command in ("leak", "plan"):
        text = said(run, command)
        assert known in text
        assert "it could make a secret certain" in text  # all who lack it are ill
    assert "That a value is missing is public for b" in page(folder, run)
    text = said(run, "release")  # made to be handed on, so without what was measured
    assert known in text
    assert "it tells more than the limits allow; `unspoken plan` says how much" in text
    for one in (text, run("release", "--json").out):
        assert "certain" not in one


@pytest.mark.slow
def test_a_release_says_its_limits_and_nothing_measured(folder: Path, run: Run) -> None:
    written(folder, 3_000)
    text = said(run, "release")
    observed = "for the observed frequencies as prior, with no allowance for chance"
    assert "No answer multiplies the odds of a sensitive value of its row by more than 4 (" in text
    assert f", {observed}, if rows are independent." in text
    assert f"On average answers tell at most 0.2 bit about each attribute, {observed}." in text
    assert "No limit counts the keys: person and day are shown with every row" in text
    assert set(run("release", "--json").json) & {"told", "epsilon"} == set()


@pytest.mark.slow
def test_where_no_bits_are_limited_none_are_spoken_of(folder: Path, run: Run) -> None:
    written(folder, 3_000)
    project = folder / "unspoken.toml"
    text = re.sub(r"(?m)^limit_bits.*$", "", project.read_text())
    assert text != project.read_text()
    project.write_text(text)
    assert "On average" not in said(run, "release")
    assert not any("bit" in line for line in run("release", "--json").json["promise"])


@pytest.mark.slow
def test_the_lifetime_is_said_where_it_breaks_a_limit_set_later(folder: Path, run: Run) -> None:
    """The same bytes again are free; but what is out breaks the lower limit, and that is said."""
    written(folder, 3_000, bits=0.3)
    assert "of these rows: No answer multiplies the odds" in said(run, "release")
    project = folder / "unspoken.toml"
    text = project.read_text()
    written(folder, 3_000, bits=0.01)
    text_now = said(run, "release", "--scale", "0.5")
    assert "! With all that was released of these rows, what is told about s would be" in (text_now)
    broken = run("release", "--scale", "0.5", "--json").json
    assert "the limit is 0.01" in broken["together"]
    assert broken["promise"] == []  # what is out does not keep it
    project.write_text(text)
    assert run("release", "--json").json["together"] == "within the limits"


@pytest.mark.slow
def test_a_zero_is_explained(folder: Path, run: Run) -> None:
    """Nothing of a fits: the answer that stands in the way, unless few rows give it."""
    written(folder, 3_000, close="false")
    text = said(run, "plan")
    assert "a 0 %: a group of fewer than 5 rows would change the odds about s by ×" in text
    assert "Ways out: exceed = 0.000" in text
    table = pq.read_table(folder / "t.parquet")
    a = table["a"].to_pylist()
    ill = np.asarray(table["s"].to_pylist()) == "ill"
    a = [v if not one or k % 3 else "told" for k, (v, one) in enumerate(zip(a, ill, strict=True))]
    pq.write_table(table.set_column(2, "a", pa.array(a)), folder / "t.parquet")
    text = said(run, "plan")
    assert "a 0 %: a “told”" in text
    rows = int(text.split("(about ")[1].split(" rows with these values")[0])
    assert 100 < rows <= a.count("told")
    assert rows % 10 == 0  # two digits


def test_a_secret_of_every_row_leaves_no_cell_to_speak_of(folder: Path, run: Run) -> None:
    """So do noisy counts that leave no row without it: the share of its cells shown is 0 of 0."""
    written(folder, 300, unit='["person"]')
    project = folder / "unspoken.toml"
    every = project.read_text("utf-8").replace("s = 'ill'\"", 's IS NOT NULL"\nstatic = false')
    project.write_text(every)
    assert "One person has 150 rows" in said(run, "plan")
