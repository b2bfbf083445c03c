"""Answers in a notebook, in offers, and as they were given out."""

from __future__ import annotations

import math
import shlex
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.workflows.query.test_answers import APART, DISEASES, answered
from tests.workflows.query.wards import project, wards
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.interfaces.wording import as_json
from unspoken.workflows.query import (
    Promised,
    given_answers,
    offers,
    query,
    together,
    undeclared_values,
)
from unspoken.workflows.release import prepare, release

pytestmark = pytest.mark.slow


def test_an_answer_is_a_frame_and_a_picture(tmp_path: Path) -> None:
    path = project(tmp_path)
    done = answered(path, "SELECT disease, COUNT(*) AS n FROM wards GROUP BY disease", epsilon=0.5)
    frame = done.to_frame()
    assert list(frame.columns) == ["disease", "n"]
    assert frame["n"].tolist() == [row[1] for row in done.rows]
    drawn = done.plot().described["data"]["values"]
    assert [bar["name"] for bar in drawn] == ["none", "flu", "hiv"]
    (error,) = done.promised.errors["n"]
    assert drawn[0]["words"] == f"{done.rows[0][1]} ±{error:g}"
    assert "<svg" in done.plot("n")._repr_mimebundle_()["image/svg+xml"]
    assert "disease" in done._repr_html_()
    with pytest.raises(InputError, match='no "m"'):
        done.plot("m")


def test_an_error_is_written_out(tmp_path: Path) -> None:
    """Rounded up, and never as 3.51e+03, which says less than the digits it leaves out."""
    path = project(tmp_path)
    done = answered(path, "SELECT disease, SUM(age), AVG(age) FROM wards GROUP BY 1", epsilon=0.1)
    said = " ".join(done.promised.lines())
    errors = [*done.promised.errors.values(), *done.promised.all_within.values()]
    assert "e+" not in said
    assert all(f"±{math.ceil(each):,}" in said for both in errors for each in both if each > 99)


def test_one_number_is_a_picture_too(tmp_path: Path) -> None:
    done = answered(project(tmp_path), "SELECT COUNT(age) FROM wards", epsilon=0.5)
    (bar,) = done.plot().described["data"]["values"]
    assert bar["high"] > done.value


def test_offers_are_for_a_shell(tmp_path: Path) -> None:
    """Names in quotes where SQL needs them, and to whom where not all pool."""
    table = wards()
    table = table.rename_columns(["person", "day", "the disease", "age", "stay"])
    path = project(tmp_path, table, cap=4.0, limit=APART)
    text = path.read_text().replace("attribute.disease", 'attribute."the disease"')
    text = text.replace("disease = 'hiv'", "\\\"the disease\\\" = 'hiv'")
    path.write_text(text.replace('reads = ["disease"', 'reads = ["the disease"'))
    ready = prepare(path)
    (offer,) = offers(ready, ready.findings(curve=False))
    words = shlex.split(str(offer).split(": ", 2)[-1])
    assert words[:2] == ["unspoken", "query"]
    assert words[3:] == ["--for", "city"]
    assert '"the disease"' in words[2]
    assert isinstance(query(path, words[2], words[4], dry_run=True), Promised)


def test_what_is_to_be_declared_is_said_while_it_is_free(tmp_path: Path) -> None:
    """Of an attribute that has the values of its rows nothing can be asked once it was counted."""
    path = project(tmp_path, cap=4.0)
    assert undeclared_values(prepare(path)) == []
    text = path.read_text().replace('values = ["none", "flu", "hiv"]\n', "")
    path.write_text(text.replace("values = [1, 2, 5]\n", ""))  # nothing of it is sensitive
    ready = prepare(path)
    (said,) = undeclared_values(ready)
    assert said.startswith("disease: cells never show its sensitive values; counts with noise do, ")
    assert 'write values = ["a", "b"], with every one there may be, under [attribute.dis' in said
    findings = ready.findings(curve=False)
    assert offers(ready, findings) == []
    told = as_json.plan(findings, (), (), undeclared_values(ready))
    assert (told["answers"], told["no_answers"]) == ([], [said])


CHECKINS = """\
format = 1
[source]
table = "checkins.parquet"
keys = ["id"]
[epoch]
label = "1"
[attribute.place]
sensitive = "place = 'p1'"
values = ["p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9"]
[attribute.hour]
sensitive = "hour = 0"
values = [0, 1, 2, 3, 4]
[attribute.weekend]
[application.transit]
reads = ["place", "hour", "weekend"]
[belief]
confidence = "none"
[plan]
by = "cell"
odds_cap = 2.0
"""


def test_beside_coins_of_cells_an_offer_is_what_is_charged(tmp_path: Path) -> None:
    """As many answers as there are of ten places are not looked at together; the coins are.

    Whether answers fit beside them turns on the noise that the table is counted with.
    """
    rng = np.random.default_rng(8)
    weekend = rng.random(60_000) < 0.3
    columns = {
        "id": range(60_000),
        "place": [f"p{place}" for place in rng.integers(0, 10, 60_000)],
        "hour": np.where(weekend, rng.integers(0, 4, 60_000), rng.integers(0, 5, 60_000)),
        "weekend": weekend,
    }
    pq.write_table(pa.table(columns), tmp_path / "checkins.parquet")
    path = tmp_path / "unspoken.toml"
    path.write_text(CHECKINS)
    release(path)
    ready = prepare(path)
    found = offers(ready, ready.findings(curve=False))
    asked = "SELECT place, COUNT(*) FROM checkins GROUP BY place"
    try:
        promised = query(path, asked, dry_run=True)
    except LimitExceeded:  # by the noise of the counts, beside other coins
        assert not found
        return
    assert isinstance(promised, Promised)
    assert [(offer.attribute, offer.beside) for offer in found] == [("place", True), ("hour", True)]
    assert found[0].query == asked
    assert found[0].epsilon == pytest.approx(promised.epsilon, rel=1e-3)
    assert found[0].epsilon <= promised.epsilon


def test_what_was_given_out_is_listed_once(tmp_path: Path) -> None:
    """With what one record was paid for it, and how far off a number may be."""
    path = project(tmp_path, limit=APART)
    assert given_answers(prepare(path).project) == []
    ages = answered(path, "SELECT age, COUNT(*) FROM wards GROUP BY age", "city", epsilon=0.25)
    answered(path, "SELECT age, COUNT(*) FROM wards GROUP BY age", "ward", epsilon=0.25)
    answered(path, DISEASES, "city", epsilon=0.5)
    one, two = given_answers(prepare(path).project)
    assert (one.readers, two.readers) == (("city", "ward"), ("city",))
    assert [one.epsilon, two.epsilon] == pytest.approx([0.25, 0.5], rel=1e-9)
    assert (one.rows,) == tuple(ages.promised.errors["COUNT(*)"])
    assert together([one, two]) == pytest.approx(0.75, rel=1e-9)
