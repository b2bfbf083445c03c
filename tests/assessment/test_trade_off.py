"""Odds caps against what they let out: the project's own is where its plan is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tests.workflows.release.small import small
from unspoken.assessment import best, held_back
from unspoken.core.errors import InputError
from unspoken.planning import plan
from unspoken.workflows.release import prepare


@pytest.fixture
def table() -> pa.Table:
    """b says much of a, and one of its values nearly all: that is closed by lower caps."""
    rng = np.random.default_rng(3)
    a = rng.random(4_000) < 0.3
    b = np.where(rng.random(4_000) < 0.7, a, rng.random(4_000) < 0.5).astype(int)
    b[a & (rng.random(4_000) < 0.1)] = 2
    return pa.table({"id": np.arange(4_000), "a": np.where(a, "yes", "no"), "b": b.astype(str)})


def drawn(folder: Path, table: pa.Table, cap: float) -> tuple[Any, float]:
    attributes: dict[str, dict[str, Any]] = {"a": {"sensitive": "a = 'yes'"}, "b": {}}
    path = small(folder, table, attributes, odds_cap=cap, limit_bits=1.0, close=True)
    ready = prepare(path)
    return ready.by_cap(), ready.findings(curve=False).released


@pytest.mark.slow
def test_a_higher_cap_lets_out_more(tmp_path: Path, table: pa.Table) -> None:
    curve, released = drawn(tmp_path, table, 5.0)
    assert [point.odds_cap for point in curve] == [1.25, 1.5, 2, 3, 4, 5, 6, 8, 16, 32]
    (own,) = [point for point in curve if point.chosen]
    assert (own.odds_cap, own.released) == (5.0, released)
    shares = [point.released for point in curve]
    assert shares == sorted(shares)
    assert shares[0] < 0.6 * shares[-1]
    assert len(curve.plot().described["layer"]) == 3


@pytest.mark.slow
def test_a_cap_that_is_none_is_not_drawn(tmp_path: Path, table: pa.Table) -> None:
    curve, _ = drawn(tmp_path, table, 1e300)
    assert not any(point.chosen for point in curve)
    assert curve.cells()[0][0] == "1.25"
    assert len(curve) == 9


@pytest.mark.slow
@pytest.mark.parametrize("by", ["record", "cell"])
def test_plans_keep_to_a_cap_of_their_own(tmp_path: Path, table: pa.Table, by: str) -> None:
    attributes: dict[str, dict[str, Any]] = {"a": {"sensitive": "a = 'yes'"}, "b": {}}
    path = small(tmp_path, table, attributes, odds_cap=4.0, close=True)
    text = path.read_text().replace('by = "cell"', f'by = "{by}"')
    path.write_text(text.replace("[plan]\n", "[plan]\nodds_cap = 2\n"))
    ready = prepare(path)
    within, (own,) = ready.plan(), [point for point in ready.by_cap() if point.chosen]
    assert ready.project.limits.odds_cap == 4
    assert 1.5 < within.odds.odds <= 2 + 1e-9
    assert own.odds_cap == 2
    path.write_text(text.replace("[plan]\n", "[plan]\nlimit_bits = 0.04\n"))
    assert 0.01 < prepare(path).plan().information["a"].bits <= 0.04


@pytest.mark.parametrize("by", ["record", "cell"])
def test_no_plan_is_made_twice_for_one_report(
    tmp_path: Path, table: pa.Table, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The curve has the cap that is planned for, and twice that, as a remedy."""
    attributes: dict[str, dict[str, Any]] = {"a": {"sensitive": "a = 'yes'"}, "b": {}}
    path = small(tmp_path, table, attributes, odds_cap=4.0)
    path.write_text(path.read_text().replace('by = "cell"', f'by = "{by}"'))
    asked = []

    def noted(*beliefs: Any, **given: Any) -> Any:
        asked.append(repr((beliefs[0].domain, sorted(given.items()))))
        return plan(*beliefs, **given)

    monkeypatch.setattr(best, "plan", noted)
    monkeypatch.setattr(held_back, "POOR", 1.1)
    findings = prepare(path).findings()
    assert len(asked) == len(set(asked)) > len(findings.curve_of_caps) > 0
    if by == "record":
        remedies = {each.attribute: each.remedies[held_back.CAP] for each in findings.poor}
        (twice,) = (each for each in findings.curve_of_caps if each.odds_cap == 8)
        assert sum(remedies.values()) / len(remedies) == pytest.approx(twice.released)


def test_findings_are_drawn_without_a_plan_and_under_it(tmp_path: Path, table: pa.Table) -> None:
    pytest.importorskip("vl_convert", reason="needs the extra `report`: vl-convert-python")
    attributes: dict[str, dict[str, Any]] = {"a": {"sensitive": "a = 'yes'"}, "b": {}}
    ready = prepare(small(tmp_path, table, attributes, odds_cap=4.0))
    found = ready.findings(curve=False)
    before, under = (side["data"]["values"] for side in found.plot().described["hconcat"])
    assert [cell["odds"] for cell in before] == ["×\N{NO-BREAK SPACE}∞"] * len(before)
    assert not any(cell["beyond"] for cell in under)
    assert [cell["who"] for cell in under] == [found.called[leak.who] for leak in found.planned]
    openly = ready.openly().plot()
    assert openly.described["data"]["values"] == before
    assert openly.save(tmp_path / "openly.png").stat().st_size > 5_000
    assert "If everything not sensitive were released" in found.plot().svg()


def test_nothing_sensitive_is_not_drawn(tmp_path: Path, table: pa.Table) -> None:
    found = prepare(small(tmp_path, table, {"a": {}, "b": {}})).openly()
    with pytest.raises(InputError, match=r"^plot: no attribute of unspoken.toml says what"):
        found.plot()


def test_a_curve_without_points_is_not_drawn(tmp_path: Path, table: pa.Table) -> None:
    """None was asked for, or each of its plans takes minutes."""
    attributes: dict[str, dict[str, Any]] = {"a": {"sensitive": "a = 'yes'"}, "b": {}}
    found = prepare(small(tmp_path, table, attributes)).findings(curve=False)
    with pytest.raises(InputError, match=r"^plot: the curve has no points"):
        found.curve.plot()
