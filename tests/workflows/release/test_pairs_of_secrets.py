"""Two plans under one epoch, one of which tells of one secret, the other of another."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unspoken.core.errors import LimitExceeded
from unspoken.workflows.release import adopt_plan, release

pytestmark = pytest.mark.slow

ROWS = 20_000
TEXT = """\
format = 1
[source]
table = "table.parquet"
keys = ["id"]
[epoch]
label = "1"
[attribute.x]
values = [0, 1]
[attribute.z]
values = [0, 1]
[attribute.s]
values = ["no", "yes"]
sensitive = "s = 'yes'"
[attribute.t]
values = ["no", "yes"]
sensitive = "t = 'yes'"
[application.one]
reads = ["x"]
[limit]
odds_cap = 4.0
[belief]
noise = 2.0
"""


def test_secrets_of_two_attributes_together_keep_the_cap(tmp_path: Path) -> None:
    """The attack: x tells of s as much as may be, and z, of a later plan, as much of t."""
    rng = np.random.default_rng(4)
    s, t = rng.random((2, ROWS)) < 0.3
    table = {"id": np.arange(ROWS)}
    for name, secret, shows in (("s", s, "x"), ("t", t, "z")):
        table[name] = np.where(secret, "yes", "no")
        table[shows] = (rng.random(ROWS) < np.where(secret, 0.98, 0.27)).astype(int)
    pq.write_table(pa.table(table), tmp_path / "table.parquet")
    path = tmp_path / "unspoken.toml"
    path.write_text(TEXT)
    release(path, reader="one")
    path.write_text(TEXT.replace("[limit]", '[application.two]\nreads = ["z"]\n[limit]'))
    adopt_plan(path)
    with pytest.raises(LimitExceeded, match="the odds of s and t could grow"):
        release(path, reader="two")
