"""What is learned by whoever knows a context of a row, against enumeration from its rows.

The keys stand in every released file: odds that are small for who leaves them out may be large for
who does not. That is measured and said; messages that are handed on say it without the numbers.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tests.workflows.release.small import Attributes, small
from unspoken.assessment.findings import Findings
from unspoken.core.mechanisms import Mechanism, OneSided
from unspoken.core.mechanisms.one_sided import release_probability
from unspoken.core.types.domain import WITHHELD
from unspoken.tables.learning import Learned
from unspoken.workflows.release import prepare, rehearse, release

Row = tuple[str, ...]


def answers(row: Row, learned: Learned, mechanism: Mechanism, seen: Sequence[str]) -> Iterator:
    """What may be seen of a row, and how likely that is."""
    each = []
    for name, label in zip(learned.labels, row, strict=True):
        if name not in seen:
            continue
        p = release_probability(mechanism.exponents()[name])
        p = 0.0 if label in mechanism.hides(name) else p
        each.append([(label, p), (WITHHELD, 1 - p)])
    for some in itertools.product(*each):
        yield tuple(out for out, _ in some), math.prod(p for _, p in some)


def odds_given(
    rows: Sequence[tuple[str, Row]], learned: Learned, mechanism: Mechanism, about: str,
    seen: Sequence[str],
) -> dict[str, float]:  # fmt: skip
    """The largest factor on the odds of a secret event, given each value of the context."""
    place, secrets = list(learned.labels).index(about), learned.sensitive[about]
    events = [{s} for s in secrets] + ([set(secrets)] if len(secrets) > 1 else [])
    factors: dict[str, float] = {}
    for value in {k for k, _ in rows}:
        mine = [row for k, row in rows if k == value]
        for event in events:
            inside, outside = Counter[Row](), Counter[Row]()
            for row in mine:
                for answer, p in answers(row, learned, mechanism, seen):
                    (inside if row[place] in event else outside)[answer] += p
            n, m = inside.total(), outside.total()
            if not n or not m:  # certain before: nothing is left to learn
                factors[value] = max(factors.get(value, 1.0), 1.0)
                continue
            for answer, weight in inside.items():
                if weight > 0:
                    rest = outside[answer]
                    factor = math.inf if rest == 0 else (weight / rest) / (n / m)
                    factors[value] = max(factors.get(value, 1.0), factor)
    return factors


def of_rows(findings: Findings, table: pa.Table, contexts: Mapping[str, list]) -> dict[str, list]:
    """[context]: its value and the labels of each row, of attributes that are their own labels."""
    learned, columns = findings.learned, []
    for name in learned.labels:
        values = [str(value) for value in table.column(name).to_pylist()]
        columns.append(values)
    rows = list(zip(*columns, strict=True))
    return {n: list(zip(map(str, known), rows, strict=True)) for n, known in contexts.items()}


def drawn(rng: np.random.Generator, rows: int) -> pa.Table:
    room = rng.integers(0, 3, rows)
    secret = rng.random(rows) < np.array([0.1, 0.4, 0.0])[room]
    x = np.where(secret, "ill", rng.choice(["well", "away"], rows))
    y = np.where(rng.random(rows) < np.where(secret, 0.8, 0.3), "late", "early")
    return pa.table(
        {
            "id": list(range(rows)),
            "room": [f"r{k}" for k in room],
            "x": x.tolist(),
            "y": y.tolist(),
            "z": rng.choice(["u", "v", "w"], rows).tolist(),
        }
    )


ATTRIBUTES: Attributes = {
    "x": {"sensitive": "x = 'ill'"},
    "y": {"sensitive": "y = 'late'"},
    "z": {},
}
CONTEXTS = """
[context.room]
of = "room"
[context.third]
of = "id % 3"
"""


def looked(
    folder: Path, table: pa.Table, attributes: Attributes, contexts: str, **limits: Any
) -> Findings:
    path = small(folder, table, attributes, keys=("id", "room"), **limits)
    path.write_text(path.read_text().replace("[application.all]", f"{contexts}\n[application.all]"))
    return prepare(path).findings(curve=False)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_odds_given_a_context_are_those_of_its_rows(tmp_path: Path, seed: int) -> None:
    table = drawn(np.random.default_rng(seed), 90)
    found = looked(tmp_path, table, ATTRIBUTES, CONTEXTS, limit_bits=0.2, odds_cap=3.0)
    contexts = {
        "room": table.column("room").to_pylist(),
        "third": [i % 3 for i in table.column("id").to_pylist()],
    }
    rows = of_rows(found, table, contexts)
    free = OneSided(dict.fromkeys("xyz", math.inf), found.learned.sensitive)
    for entries, mechanism in ((found.known, free), (found.planned_known, found.plan.mechanism)):
        assert {(e.context, e.leak.about) for e in entries} == {
            (context, about) for context in contexts for about in "xy"
        }
        odds = [entry.leak.odds.odds for entry in entries]
        assert odds == sorted(odds, reverse=True)
        for entry in entries:
            leak = entry.leak
            by_hand = odds_given(
                rows[entry.context], found.learned, mechanism, leak.about, leak.reads
            )
            assert leak.odds.odds == pytest.approx(max(by_hand.values()), rel=1e-9)
            assert by_hand[entry.value] == pytest.approx(max(by_hand.values()), rel=1e-9)
            plain = [e for e in found.planned if mechanism is not free and e.about == leak.about]
            assert mechanism is free or entry.without == plain[0]


def hidden_in_a_room(rows: int = 4000) -> pa.Table:
    """Who is ill is late in room a, and early in room b: without the room neither is told."""
    rng = np.random.default_rng(3)
    room = rng.choice(["a", "b"], rows)
    ill = rng.random(rows) < 0.2
    likely = np.where(ill == (room == "a"), 0.9, 0.1)
    late = rng.random(rows) < likely
    return pa.table(
        {
            "id": list(range(rows)),
            "room": room.tolist(),
            "x": np.where(ill, "ill", "well").tolist(),
            "y": np.where(late, "late", "early").tolist(),
        }
    )


def test_what_the_key_in_the_file_tells_is_said(tmp_path: Path) -> None:
    attributes: Attributes = {"x": {"sensitive": "x = 'ill'"}, "y": {}}
    context = '[context.room]\nof = "room"'
    table = hidden_in_a_room()
    found = looked(tmp_path, table, attributes, context, limit_bits=1.0, odds_cap=4.0)
    (entry,) = found.planned_known
    assert entry.without.odds.odds <= 4.0
    assert entry.leak.odds.odds > 6.0
    assert found.plan.p["y"] > 0.99
    (said,) = (c for c in found.cautions if "without contexts" in c.text)
    assert said.red
    assert f"given room {entry.value}, an answer could multiply odds about x by " in said.text
    handed_on = rehearse(tmp_path / "unspoken.toml").said.cautions
    (plain,) = (c.text for c in handed_on if "without contexts" in c.text)
    assert plain == (
        "Limits are held without contexts: whoever knows room of a row may learn more than they "
        "say; `unspoken plan` says how much."
    )
    assert said.unmeasured().text == plain


def test_a_release_says_that_a_context_makes_certain(tmp_path: Path) -> None:
    """On odd keys x is the secret, on even ones it says nothing: together it keeps the cap."""
    rng, number = np.random.default_rng(4), np.arange(2000)
    secret = rng.random(2000) < 0.3
    x = np.where(number % 2 == 1, secret, rng.random(2000) < 0.5)
    word = {True: "yes", False: "no"}
    columns = {"s": [word[bool(v)] for v in secret], "x": [word[bool(v)] for v in x]}
    path = small(
        tmp_path, pa.table({"id": number, **columns}),
        {"s": {"values": ["no", "yes"], "sensitive": "s = 'yes'"}, "x": {"values": ["no", "yes"]}},
        reads=["x"], odds_cap=4.0,
    )  # fmt: skip
    text = path.read_text().replace('noise = "none"', "noise = 20.0")
    path.write_text(text)
    plain = [caution.text for caution in rehearse(path).said.cautions]
    assert not any("certain about" in text for text in plain)
    path.write_text(text + '\n[context.odd]\nof = "id % 2"\n')
    said = [caution.text for caution in release(path).said.cautions]
    assert any("whoever knows odd of a row can become certain about s" in text for text in said)


@pytest.mark.slow
def test_whoever_knows_an_attribute_is_looked_at_beside_contexts(tmp_path: Path) -> None:
    """What it learns is one more row, without contexts; the others are compared as before."""
    attributes: Attributes = {"x": {"sensitive": "x = 'ill'"}, "y": {}}
    path = small(tmp_path, hidden_in_a_room(400), attributes, reads=["x"])
    said = path.read_text("utf-8").replace('[plan]\nby = "cell"', "")
    said = said.replace('confidence = "none"', "confidence = 0.95")
    said = said.replace("[application.all]\n", '[application.all]\nknows = ["y"]\n')
    path.write_text(f'{said}\n[context.third]\nof = "id % 3"\n')
    looked = prepare(path)
    for found in (looked.openly(), looked.findings()):
        assert any("knowing y" in leak.who for leak in found.everything)
        assert {entry.context for entry in found.known} == {"third"}
        assert not any("knowing y" in entry.leak.who for entry in found.known)
