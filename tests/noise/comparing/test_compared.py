"""All rules side by side: in order, sound ones within the limit, and what is left is the truth."""

import copy
import functools
import itertools
import json
import math
import pickle
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

import unspoken
from unspoken.core.errors import NotKnown
from unspoken.noise.calibration import METHODS
from unspoken.noise.calibration.problem import NoiseProblem
from unspoken.noise.comparing import RULES, Compared
from unspoken.noise.comparing.rules import ScaleRule

STICKY = unspoken.Chain([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]], 20)
XOR = unspoken.Joint([[[1, 0], [0, 1]], [[0, 1], [1, 0]]], names=["a", "b", "differ"])


def largest(belief: unspoken.Joint | unspoken.Chain, scale: float) -> float:
    noisy = unspoken.Laplace(scale)
    return max(own.value for own in unspoken.leakages(belief, noisy).values())


def by_name(compared: Compared) -> dict[str, dict]:
    return {row["rule"]: row for row in compared.as_json()["rules"]}


def test_every_rule_has_its_row_and_the_least_noise_comes_first() -> None:
    found = unspoken.compare(STICKY, limit=1.0, knows="nothing")
    assert {row.name for row in found.rows} == set(RULES)
    assert {"exact", *METHODS} == {name for name, rule in RULES.items() if rule.sound}
    scales = [row.scale for row in found.rows if row.scale is not None]
    # Too much influence for "influence", too uneven transitions for "bdp_markov".
    assert len(scales) == len(RULES) - 3
    assert all(least <= more * (1 + 1e-8) for least, more in itertools.pairwise(scales))
    # Of equal noise, whatever the machine's last digits are, what keeps the limit comes first.
    names = [row.name for row in found.rows]
    assert names.index("dpm_one_endpoint") - names.index("dpm") == 1
    assert names.index("group") < names.index("quilt") < names.index("baseline")


def test_what_is_left_is_what_is_really_learned() -> None:
    for belief in (STICKY, XOR):
        for row in unspoken.compare(belief, limit=0.7, knows="nothing").rows:
            if row.scale is None:
                assert row.name in ("bdp_gaussian", "bdp_markov", "branches", "influence", "quilt")
                continue
            assert row.left is not None
            assert row.left.value == pytest.approx(largest(belief, row.scale), rel=1e-9)
            assert row.error == row.scale
            if row.rule.sound:
                assert row.left.value <= 0.7 * (1 + 1e-12)


def test_the_exact_scale_uses_the_limit_up_and_no_sound_rule_takes_less() -> None:
    found = {row.name: row for row in unspoken.compare(STICKY, limit=1.0, knows="nothing").rows}
    assert found["exact"].left is not None
    assert found["exact"].left.value == pytest.approx(1.0, rel=1e-9)
    least = min(row.scale for row in found.values() if row.rule.sound and row.scale)
    assert found["exact"].scale == least


def test_rules_without_guarantee_do_break_the_limit() -> None:
    found = by_name(unspoken.compare(XOR, limit=1.0, knows="nothing"))
    for name in ("baseline", "dp", "dpm_pairwise", "pearson"):
        assert found[name]["sound"] is False
        assert found[name]["leakage"]["low"] > 1.4
    assert (
        by_name(unspoken.compare(STICKY, limit=1.0, knows="nothing"))["dpm_neighbours"]["leakage"][
            "low"
        ]
        > 2
    )


def test_for_those_who_know_more() -> None:
    anybody = by_name(unspoken.compare(XOR, {"a": 1, "b": 1}, limit=1.0, knows="anything"))
    assert anybody["exact"]["scale"] == pytest.approx(2.0, rel=1e-9)
    assert anybody == by_name(unspoken.compare(XOR, {"a": 1, "b": 1}, limit=1.0))  # the default
    someone = by_name(unspoken.compare(XOR, {"a": 1, "b": 1}, limit=1.0, knows=["differ"]))
    assert someone["exact"]["scale"] == pytest.approx(2.0, rel=1e-9)
    assert someone["dp"]["leakage"]["low"] == pytest.approx(2.0, rel=1e-9)


@pytest.mark.slow
def test_rules_for_those_who_know_nothing_else_say_so() -> None:
    """Of twenty days there is too much to know to look at it case by case."""
    found = {row.name: row for row in unspoken.compare(STICKY, limit=1.0).rows}
    assert found["exact"].scale == unspoken.calibrate(STICKY, limit=1.0).scale
    for name in ("budget", "dpm", "mean", "quilt", "wasserstein"):
        assert found[name].scale is None
        assert "holds for those who know nothing else" in found[name].refused
        assert 'say knows="nothing"' in found[name].refused.replace("Say", "say")
    for name in ("branches", "group"):
        assert found[name].scale is not None


def test_of_a_vector_the_errors_are_added_up() -> None:
    two = {"a": [1, 1], "b": [1, 0], "differ": [0, 1]}
    row = unspoken.compare(XOR, two, limit=1.0, knows="nothing").rows[0]
    assert row.scale is not None
    assert row.error == 2 * row.scale


def test_what_a_rule_does_not_know_is_said_below_the_table() -> None:
    normal = unspoken.Gaussian([[1.0, 0.5], [0.5, 1.0]], [1.0, 1.0])
    compared = unspoken.compare(normal, limit=0.5, knows="nothing")
    found = by_name(compared)
    assert found["exact"]["scale"] == pytest.approx(3.0)
    assert found["group"]["scale"] is None
    assert "bounded" in found["group"]["refused"]
    assert any(name == "group" and "refused" in text for name, text in compared.notes())


def test_text_notebook_and_json_say_the_same() -> None:
    compared = unspoken.compare(XOR, limit=1.0, knows="nothing")
    text, page = repr(compared), compared._repr_html_()
    for row in compared.rows:
        assert row.why in text
        assert f'<td style="text-align:left">{row.name}</td>' in page
        if row.scale is not None:
            assert f"{row.scale:.5g}" in text
            assert f"{row.scale:.5g}" in page
    told = json.loads(json.dumps(compared.as_json(), allow_nan=False))
    assert told["limit"] == 1.0
    assert told["knows"] == "nothing"
    assert compared.title() in text


def test_another_limit() -> None:
    compared = unspoken.compare(XOR, limit=1.0, knows="nothing")
    again = compared.at(0.25)
    assert again.problem.limit == 0.25
    scales = {row.name: row.scale for row in compared.rows}
    for row in again.rows:
        if row.scale is not None:
            assert row.scale > (scales[row.name] or math.inf)


def test_wrong_questions_are_one_line() -> None:
    for wrong in ({"limit": 0.0}, {"limit": 1.0, "knows": "everything"}, {"limit": np.inf}):
        with pytest.raises(unspoken.UnspokenError) as raised:
            unspoken.compare(XOR, **wrong)
        assert "\n" not in str(raised.value)


def test_what_is_found_copies_pickles_and_compares() -> None:
    joint = unspoken.Joint([[3, 1], [1, 3]])
    found: list[Any] = [
        unspoken.calibrate(joint, limit=1.0),
        unspoken.compare(joint, limit=1.0),
        unspoken.compare(joint, MappingProxyType({"x0": 1.0}), limit=1.0),
        unspoken.worst(joint, unspoken.Laplace(1.0)),
        unspoken.Adversary("x0", knows={"x1": 0}, asks={"x0": 2}),
    ]
    for one in found:
        for other in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
            assert one == other
            assert repr(one) == repr(other)
    assert hash(found[-1]) == hash(copy.deepcopy(found[-1]))


def test_rules_share_the_laws_they_have_in_common(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of pairs and windows depend on no rule: each is made once, and what is found stays."""
    chain = unspoken.Chain([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]], 40)
    problem = NoiseProblem(chain, None, 1.0)
    alone = {name: rule_alone(rule, problem) for name, rule in RULES.items()}
    asked: list[tuple[int, int]] = []
    beside = unspoken.Chain.beside

    @functools.wraps(beside)
    def counted(self: unspoken.Chain, names: list[str], targets: list[str]) -> Any:
        asked.append((len(names), len(targets)))
        return beside(self, names, targets)

    monkeypatch.setattr(unspoken.Chain, "beside", counted)
    found = unspoken.compare(chain, limit=1.0, knows="nothing")
    assert asked == [(40, 40)]
    assert {row.name: row.scale for row in found.rows} == alone
    assert unspoken.compare(chain, limit=1.0, knows="nothing").rows == found.rows
    assert len(asked) == 2  # nothing outlives what was asked


def rule_alone(rule: ScaleRule, problem: NoiseProblem) -> float | None:
    try:
        return rule.scale(problem, "nothing")
    except NotKnown:
        return None
