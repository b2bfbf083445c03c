"""Answers in a notebook, in offers, and as they were given out."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.answering.test_answers import APART, DISEASES, answered
from tests.answering.wards import project, wards
from unspoken.answering import Promised, given_answers, offers, query, together
from unspoken.errors import InputError
from unspoken.releasing import prepare


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
    words = shlex.split(offer.command)
    assert words[:2] == ["unspoken", "query"]
    assert words[3:] == ["--for", "city"]
    assert '"the disease"' in words[2]
    assert isinstance(query(path, words[2], words[4], dry_run=True), Promised)


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
