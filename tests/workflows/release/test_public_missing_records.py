"""Where it is public that a value is missing, a release says so of every row: answers of record
coins are held to their caps beside that, too.

The secret shows in y, one way where x is missing and the other way where it is not.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from unspoken import Joint, plan
from unspoken.workflows.release import release

ROWS, CAP = 20_000, 3.0
TEXT = """\
format = 1
[source]
table = "table.parquet"
keys = ["id"]
[epoch]
label = "1"
[attribute.x]
values = [0, 1]
missing = "public"
[attribute.y]
values = [0, 1]
[attribute.s]
values = ["no", "yes"]
sensitive = "s = 'yes'"
[application.all]
reads = ["x", "y"]
[limit]
odds_cap = 3.0
[belief]
noise = 1.0
"""


def test_no_file_tells_more_beside_what_is_missing(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    secret, missing = rng.random(ROWS) < 0.2, rng.random(ROWS) < 0.3
    y = np.where(missing, secret ^ (rng.random(ROWS) < 0.02), ~secret ^ (rng.random(ROWS) < 0.1))
    x = pa.array(rng.integers(0, 2, ROWS), mask=missing)
    s = np.where(secret, "yes", "no")
    table = pa.table({"id": range(ROWS), "x": x, "y": y.astype(int), "s": s})
    pq.write_table(table, tmp_path / "table.parquet")
    (tmp_path / "unspoken.toml").write_text(TEXT)
    shown = pq.read_table(release(tmp_path / "unspoken.toml").path)
    answers = list(
        zip(*(shown[name].to_pylist() for name in ("x", "x__missing", "y")), strict=True)
    )
    of_secret, of_others = (
        Counter(answer for answer, own in zip(answers, secret, strict=True) if own == which)
        for which in (True, False)
    )
    odds = CAP * secret.sum() / (ROWS - secret.sum())
    for answer, often in of_secret.items():
        most = (often + of_others[answer]) * odds / (1 + odds)
        assert often <= most + 5 * np.sqrt(most / (1 + odds)) + 1, answer  # but for chance


def test_the_cap_holds_given_whether_a_label_is_among_some() -> None:
    """By hand: y is the secret where x is 2, and its opposite elsewhere."""
    law = np.zeros((3, 2, 2))
    for x, of_x in enumerate((0.35, 0.35, 0.3)):
        for s, of_s in enumerate((0.7, 0.3)):
            law[x, s if x == 2 else 1 - s, s] += 0.95 * of_x * of_s
            law[x, 1 - s if x == 2 else s, s] += 0.05 * of_x * of_s
    names = ("x", "y", "s")
    belief = Joint(law, names, [[0, 1, 2], [0, 1], [0, 1]])
    worst = {}
    for knows in ([], [{"x": [2]}]):
        made = plan(
            belief, by="record", sensitive={"s": [1]}, odds_cap=CAP, reads=["x", "y"], knows=knows
        ).mechanism
        seen = Counter[tuple[object, ...]]()
        (table,) = made.record_coins()[0].chain.tables
        entry, coded = table.listed, table.domain.names
        left = {tuple(code): 1.0 for code in np.ndindex(*law.shape)}
        for row, mask, share in zip(entry.record, entry.masks, entry.weights / 2**62, strict=True):
            cell = dict(zip(coded, entry.codes[row].tolist(), strict=True))
            answer = [cell[n] if mask >> bit & 1 else None for bit, n in enumerate(coded)]
            place = tuple(cell[n] for n in names)
            left[place] -= share
            seen[(cell["s"], cell["x"] == 2, *answer)] += law[place] * share
        for place, share in left.items():
            seen[(place[2], place[0] == 2, None, None, None)] += law[place] * share
        given: dict[tuple[object, object], float] = {
            (s, two): law[2 if two else slice(0, 2), :, s].sum()
            for s in (0, 1)
            for two in (False, True)
        }
        worst[len(knows)] = max(
            seen[(1, *rest)] / given[1, rest[0]] / max(seen[(0, *rest)] / given[0, rest[0]], 1e-300)
            for s, *rest in seen
            if s == 1 and seen[(1, *rest)] > 1e-12
        )
    assert worst[0] > 2 * CAP
    assert worst[1] <= CAP * (1 + 1e-9)
