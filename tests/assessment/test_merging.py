"""What merging two labels gains: a plan made again, the same as of a table that has them merged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unspoken.assessment import held_back
from unspoken.assessment.findings import Findings
from unspoken.assessment.merging import merged
from unspoken.workflows.release import prepare, release

pytestmark = pytest.mark.slow

PROJECT = """\
format = 1
[source]
table = "people.parquet"
keys = ["id"]
[epoch]
label = "1"
[attribute.job]
{job}
[attribute.ill]
values = ["sick", "well"]
sensitive = "ill = 'sick'"
[application.taxes]
reads = ["job"]
[belief]
noise = {noise}
[limit]
odds_cap = 1.02
"""
# How many are sick, and how many there are: who works at sea tells most, and on a farm least.
PEOPLE = {"farm": (400, 2000), "mill": (100, 2000), "sea": (1500, 2000), "shop": (420, 2000)}


def people(
    folder: Path, words: dict[str, str] | None = None, noise: str = '"none"', job: str = ""
) -> Path:
    """``words``: what jobs are called in the table."""
    folder.mkdir(exist_ok=True)
    words = words or {}
    rows = [
        (words.get(job, job), "sick" if k < sick else "well")
        for job, (sick, all_of_them) in PEOPLE.items()
        for k in range(all_of_them)
    ]
    jobs, ill = zip(*rows, strict=True)
    table = pa.table({"id": range(len(rows)), "job": jobs, "ill": ill})
    pq.write_table(table, folder / "people.parquet")
    listed = job or f"values = {sorted(set(jobs))}".replace("'", '"')
    path = folder / "unspoken.toml"
    path.write_text(PROJECT.format(job=listed, noise=noise))
    return path


@pytest.fixture(autouse=True)
def _all_are_poor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_back, "POOR", 1.1)


def found(path: Path) -> Findings:
    return prepare(path).findings(curve=False)


def test_the_gain_is_that_of_the_table_with_them_merged(tmp_path: Path) -> None:
    poor = found(people(tmp_path / "as it is")).poor[0]
    (said,) = (remedy for remedy in poor.remedies if remedy.startswith("with "))
    assert said == "with mill and sea merged"  # 800 of 4,000: what everybody has, nearly
    words = dict.fromkeys(["mill", "sea"], "mill or sea")
    again = found(people(tmp_path / "merged", words))
    assert 0 < 1.9 * poor.share < again.shares["job"]
    assert poor.remedies[said] == again.shares["job"]


def test_of_counts_with_noise_too(tmp_path: Path) -> None:
    path = people(tmp_path, noise="2.0")
    release(path)
    ready = prepare(path)
    assert ready.believed is not None
    one = merged(ready.project, ready.learned, ready.believed.pinned, "job")
    assert one is not None
    assert one.called == "with mill and sea merged"
    names = ["farm", "mill or sea", "shop"]
    assert list(one.learned.labels["job"]) == names
    law, whole = (each.belief.marginal(["job", "ill"]) for each in (one.learned, ready.learned))
    assert law == pytest.approx(np.array([whole[0], whole[1] + whole[2], whole[3]]), rel=1e-12)
    assert one.beliefs.domain.values_of("job") == tuple(names)
    poor = ready.findings(curve=False).poor
    assert poor[0].remedies[one.called] > poor[0].share


def test_bins_are_merged_with_those_beside_them(tmp_path: Path) -> None:
    """The first and the last would tell least, and are not side by side."""
    words = {"farm": "15", "mill": "5", "shop": "25", "sea": "35"}
    path = people(tmp_path, words)
    table = pq.read_table(tmp_path / "people.parquet")
    table = table.set_column(1, "job", table["job"].cast(pa.int64()))
    pq.write_table(table, tmp_path / "people.parquet")
    text = path.read_text().replace('values = ["15", "25", "35", "5"]', "bins = [10, 20, 30]")
    path.write_text(text)
    (said,) = (r for r in found(path).poor[0].remedies if r.startswith("with "))
    assert said == "with below 10 and 10-20 merged"


def test_two_labels_are_not_made_one(tmp_path: Path) -> None:
    words = {"farm": "other", "mill": "other", "shop": "other"}
    assert not any("merged" in remedy for remedy in found(people(tmp_path, words)).poor[0].remedies)
