"""A row that agrees says something only if it can differ: a fault is planted, and it does.

Each formula under test is made to give a tenth more or less than it should, or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from operator import attrgetter
from typing import Any

import pytest

from studies.catalogue import STUDIES
from studies.p001 import release
from studies.page import PAGE, cells, lines
from studies.row import Row, Verdict
from unspoken import OneSided

pytestmark = pytest.mark.slow

ROWS = {(row.paper, row.where): row for rows in STUDIES.values() for row in rows}
OFF = ("value", "bits", "high", "low", "scale", "objective", "total", "published")
# (paper, row): what is faulty, where the study finds it, and the factor on what it gives.
FAULTS: Mapping[tuple[str, str], tuple[str, str, float]] = {
    ("001", "III.A, exclusion attack"): ("unspoken", "odds", 1.1),
    ("001", "Definition 1"): ("unspoken", "leakage", 1.1),
    ("001", "Definition 2"): ("studies.p001.release", "listed", 1.1),
    ("001", "IV, per attribute"): ("studies.p001.release", "listed", 1.1),
    ("001", "Fig. 2, applications"): ("unspoken", "leakage", 1.1),
    ("001", "Fig. 2, collusion"): ("unspoken", "odds", 1.1),
    ("001", "V, M_i and X_i"): ("unspoken", "leakage", 1.1),
    ("001", "Theorem 1, eq. 1, 2"): ("unspoken", "odds", 1.1),
    ("001", "Lemma 1, eq. 3"): ("unspoken", "odds", 1.1),
    ("001", "Theorem 2, eq. 4-11"): ("unspoken", "odds", 1.1),
    ("001", "Corollary 1, eq. 12"): ("unspoken", "odds", 1.1),
    ("001", "Theorem 3, eq. 13-16"): ("unspoken", "odds", 1.1),
    ("001", "Theorem 4, eq. 17-20"): ("unspoken", "odds", 1.1),
    ("001", "V.B, cancellation"): ("unspoken", "odds", 1.1),
    ("001", "V.B, reinforcement"): ("unspoken", "odds", 0.1),
    ("001", "V.C, eq. 21, I(X_i; M_i)"): ("unspoken", "leakage", 1.1),
    ("001", "V.C, eq. 21, I(X_j; M_i)"): ("unspoken", "leakage", 1.1),
    ("001", "V.C, the optimum"): ("unspoken", "plan", 0.9),
    ("001", "V.C, a maximum exists"): ("studies.p001.planning", "account", 10.0),
    ("001", "V.C, solved once"): ("studies.p001.planning", "account", 0.9),
    ("001", "V.C, convexity"): ("studies.p001.planning", "own", -1.0),
    ("001", "VI, conditional distribution"): ("unspoken", "leakage", 1.1),
    ("001", "VI, partial dependency"): ("unspoken", "leakage", -1.0),
    ("001", "V.C, threshold T"): ("unspoken", "plan", 0.9),
    ("001", "V, n independent queries"): ("unspoken", "odds", 1.1),
    ("001", "V.C, trade-off"): ("unspoken", "plan", -1.0),
    ("002", "Example 1, Fig. 1"): ("unspoken", "leakage", 1.1),
    ("002", "Fig. 6"): ("unspoken", "leakage", 1.1),
    ("002", "Def. 6, eq. 27"): ("unspoken", "leakage", 0.9),
    ("002", "Def. 1, 2, Thm 1, eq. 1-3"): ("unspoken", "leakages", 1.1),
    ("002", "Theorem 2, mean"): ("studies.p002.rules", "relative_entropy_from_inferential", 0.5),
    ("002", "Def. 3, 4, eq. 12"): ("unspoken", "leakage", 1.1),
    ("002", "Theorems 5, 6"): ("unspoken", "leakage", -1.0),
    ("002", "eq. 11-17, two tuples"): ("studies.p002.rules", "dpm_pairwise", 0.9),
    ("002", "eq. 19-21"): ("studies.p002.dpm_by_coefficients", "coefficient", 0.9),
    ("002", "Theorems 8, 9, eq. 23-25"): ("studies.p002.dpm_by_coefficients", "dpm_scale", 0.9),
    ("002", "Lemmas 1, 2"): ("studies.p002.dpm_by_coefficients", "calibrate", 0.9),
    ("002", "eq. 25, drawn"): ("studies.p002.rules", "two_sided_noise", 1.1),
    ("002", "VI-D1, graphical model"): ("studies.p002.settings", "calibrate", 0.9),
    ("002", "VI-D3, underestimated rho"): ("studies.p002.settings", "calibrate", 0.1),
    ("002", "IX, time"): ("studies.p002.settings", "passed_on", 0.9),
    ("002", "IX, rho from data"): ("studies.p002.settings", "upper_end", 0.9),
    ("003", "Example 1, Fig. 1, 2"): ("unspoken", "leakage", -1.0),
    ("003", "Table I, adversaries"): ("unspoken.noise.published.graph", "Graph.nodes", 1.0),
    ("003", "III.A2, Pearson"): ("studies.p003.leakage", "correlation", -1.0),
    ("003", "III.A3, sum and mean"): ("unspoken", "leakage", 1.1),
    ("003", "III.A3, count"): ("unspoken", "leakage", 1.1),
    ("003", "III.A3, histogram"): ("unspoken", "leakage", 1.1),
    ("003", "Definition 1, eq. 1"): ("unspoken", "leakage", 1.1),
    ("003", "Definition 2, eq. 2, 3"): ("studies.p003.leakage", "leak", 1.1),
    ("003", "IV, set of distributions"): ("unspoken", "leakage", -1.0),
    ("003", "Theorem 1"): ("unspoken.core.searching.nodes", "Nodes.leak", 1.1),
    ("003", "Remark 1, eq. 4"): ("unspoken.core.searching.nodes", "Nodes.leak", 1.1),
    ("003", "Example 2, Table II, eq. 5, 6"): ("unspoken", "leakage", -1.0),
    ("003", "Example 3, Table III, eq. 7, 8"): ("unspoken", "leakage", -1.0),
    ("003", "Example 4"): ("unspoken", "leakage", -1.0),
    ("003", "V.B, three tuples"): ("unspoken.core.searching.nodes", "Nodes.leak", -1.0),
    ("003", "V.A, Fig. 3"): ("unspoken.noise.published.graph", "Graph.as_rows", 1.0),
    ("003", "Theorem 3 (1)"): ("studies.p003.edges", "edges", 0.9),
    ("003", "Theorem 3 (2)"): ("studies.p003.edges", "edges", -1.0),
    ("003", "V.B, three bullets"): ("studies.p003.edges", "edges", -1.0),
    ("003", "V.B, weaker adversaries"): ("studies.p003.edges", "correlation", -1.0),
    ("003", "Theorem 4"): ("unspoken.noise.published.graph", "Graph.node", 1.1),
    ("003", "Corollary 1 (1), eq. 16, 17"): ("unspoken.core.searching.nodes", "Nodes.worst", 0.9),
    ("003", "Proposition 2, fast search"): ("unspoken.noise.published.graph", "Graph.fast", 1.1),
    ("003", "VI.A, eq. 19"): ("unspoken", "leakage", 1.1),
    ("003", "Theorem 6"): ("unspoken", "leakage", 1.1),
    ("004", "I, 100,480,507 bits"): ("math", "log2", 0.1),
    ("004", "Corollary 1"): ("studies.p004.privacy", "max_information", 0.9),
    ("004", "Definition 2"): ("studies.p004.privacy", "mechanism_distances", 0.9),
    ("004", "Lemmas 1, 2"): ("studies.p004.privacy", "mechanism_distances", 0.9),
    ("004", "Definition 3"): ("unspoken", "leakage", 1.1),
    ("004", "Definition 4"): ("unspoken", "leakage", 1.1),
    ("004", "Propositions 1, 2"): ("unspoken", "leakage", 1.1),
    ("004", "III, averages"): ("unspoken", "leakage", 1.1),
    ("004", "Proposition 3"): ("studies.p004.privacy", "max_information", -1.0),
    ("004", "Definition 5"): ("unspoken", "leakages", 1.1),
    ("004", "III.2, universe"): ("unspoken", "leakage", 1.1),
    ("004", "III.3, utility"): ("unspoken", "leakage", 1.1),
    ("004", "Proposition 4, Cor. 3"): ("studies.p004.privacy", "mechanism_distances", 0.9),
    ("004", "Theorem 1"): ("studies.p004.privacy", "mechanism_distances", 0.9),
    ("004", "Corollary 2"): ("studies.p004.privacy", "inferential", 0.9),
    ("004", "Theorem 2"): ("studies.p004.bounds", "bound_from_dp", 0.9),
    ("004", "IV, choosing k and delta"): ("studies.p004.bounds", "bound_from_dp", 0.9),
    ("004", "Theorem 3, eq. 33"): ("studies.p004.bounds", "bound_from_mechanism", 0.9),
    ("004", "Corollary 4"): ("studies.p004.bounds", "bound_from_dp", 0.9),
    ("004", "Theorem 4, Cor. 5"): ("studies.p004.bounds", "charged", 0.9),
    ("004", "Theorem 5"): ("studies.p004.bounds", "mechanism_distances", 0.9),
    ("004", "Def. 7, Theorem 6"): ("studies.p004.bounds", "mechanism_distances", 0.9),
    ("004", "Def. 8, Theorem 7"): ("studies.p004.bounds", "mechanism_distances", 0.9),
    ("004", "Proposition 5"): ("numpy", "eye", 0.9),
    ("004", "Proposition 6"): ("numpy", "einsum", 0.9),
}


# The same of rows that differ: with this fault they would agree.
WOULD_AGREE: Mapping[tuple[str, str], tuple[str, str, float]] = {
    ("002", "III, the DDP-adversary"): ("unspoken", "leakage", 1.1),
    ("002", "Theorem 9, knowing some others"): ("unspoken", "leakage", 0.5),
    ("002", "Fig. 10 (a), eq. 11 alone"): ("studies.p002.resistance", "leaked", 0.1),
    ("003", "Theorem 3 (3), exactly"): ("studies.p003.exact", "odds_factor", 0.0),
    ("003", "Corollary 1 (2), exactly"): ("studies.p003.exact", "odds_factor", 0.0),
    ("003", "Corollary 1 (3), exactly"): ("studies.p003.exact", "odds_factor", 0.0),
    ("004", "Definition 1, Assumption 1"): ("studies.p004.privacy", "max_information", 0.1),
    ("004", "V, groups under P^delta"): ("studies.p004.bounds", "inferential", 0.9),
    ("004", "VI.1, composition under P^delta"): ("studies.p004.bounds", "max_information", 0.5),
}


def off(found: Any, factor: float) -> Any:
    """A number, an array or a result with such, times the factor; a list loses its last item."""
    if isinstance(found, dict):
        return {name: off(each, factor) for name, each in found.items()}
    if isinstance(found, list):
        return found[:-1]
    if isinstance(found, tuple):
        return off(found[0], factor), *found[1:]
    try:
        return found * factor
    except TypeError:
        numbers = {name: number for name in OFF if (number := _number(found, name)) is not None}
        return Faulty(found, {name: off(number, factor) for name, number in numbers.items()})


def _number(found: Any, name: str) -> Any:
    try:
        return getattr(found, name, None)
    except ValueError:  # a chance has no bits
        return None


class Faulty:
    """A result of which some numbers are other ones."""

    def __init__(self, found: Any, numbers: dict[str, Any]) -> None:
        self.found, self.numbers = found, numbers

    def __getattr__(self, name: str) -> Any:
        return self.numbers[name] if name in self.numbers else getattr(self.found, name)


def faulty(formula: Callable[..., Any], factor: float) -> Callable[..., Any]:
    return lambda *given, **named: off(formula(*given, **named), factor)


def verdict(row: Row) -> Verdict:
    return row.computed(True).verdict


def test_every_row_that_agrees_has_its_fault() -> None:
    """But those that read data, and the one below, which has no number."""
    agree = {
        key for key, line in lines(PAGE.read_text("utf-8")).items() if cells(line)[5] == "agrees"
    }
    without = {key for key in agree if not ROWS[key].needs} - {*FAULTS}
    assert without == {("001", "III.A, policy P(r)")}


def verdict_with(fault: tuple[str, str, float], row: Row, patch: pytest.MonkeyPatch) -> Verdict:
    module, name, factor = fault
    *owner, name = name.split(".")
    home = attrgetter(*owner)(import_module(module)) if owner else import_module(module)
    patch.setattr(home, name, faulty(getattr(home, name), factor))
    return verdict(row)


@pytest.mark.parametrize("key", FAULTS, ids=" ".join)
def test_a_planted_fault_is_found(key: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert verdict(ROWS[key]) is Verdict.AGREES
    assert verdict_with(FAULTS[key], ROWS[key], monkeypatch) is Verdict.DIFFERS


@pytest.mark.parametrize("key", WOULD_AGREE, ids=" ".join)
def test_what_differs_could_agree(key: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert verdict(ROWS[key]) is Verdict.DIFFERS
    assert verdict_with(WOULD_AGREE[key], ROWS[key], monkeypatch) is Verdict.AGREES


def test_a_policy_that_hides_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release, "OneSided", lambda shown, _: OneSided(shown, {"hour": []}))
    assert verdict(ROWS["001", "III.A, policy P(r)"]) is Verdict.DIFFERS
