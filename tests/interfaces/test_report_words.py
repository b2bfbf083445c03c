"""The report's words and colours: what a number is called, and that it can be read."""

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import unspoken
from unspoken.assessment import matrix
from unspoken.assessment.leaks import Leak, TellingAnswer, leak
from unspoken.assessment.trade_off import ByCap, OfCap
from unspoken.core.pictures import palette
from unspoken.core.types.bound import Bound
from unspoken.core.types.domain import WITHHELD
from unspoken.core.types.premise import STATED, Premise
from unspoken.interfaces.report.content import _keyed
from unspoken.interfaces.wording import words
from unspoken.interfaces.wording.curves import curves
from unspoken.storage import prose


@pytest.fixture(scope="module")
def one() -> Leak:
    belief = unspoken.Joint([[0.1, 0.2], [0.3, 0.4]], ["z", "a"])
    return leak(belief, unspoken.OneSided({"a": 1.0}), "me", ("a",), "z")


# --- colours


def luminance(colour: str) -> float:
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("use", [palette.LIGHT, palette.DARK], ids=["light", "dark"])
def test_everything_can_be_read(use: palette.Palette) -> None:
    for ink in (use.text, use.quiet, use.strong, use.beyond):
        assert contrast(ink, use.paper) >= 4.5
    for ink, step in zip(use.inks, use.steps, strict=True):
        assert contrast(ink, step) >= 4.5


@pytest.mark.parametrize("cap", [1.0, 1.01, 1.5, 4.0, 1e6])
def test_the_cap_parts_the_colours(cap: float, one: Leak) -> None:
    def step(factor: float) -> int:
        return matrix.band(replace(one, odds=odds(factor)), cap)

    named = matrix.bands(cap)
    assert len(set(named.values())) == len(named)
    assert step(1.0) == 0
    assert named[step(cap)] == f"to the cap, {prose.factor(cap)}"
    assert step(cap) < palette.BEYOND == step(cap * 1.001)
    assert step(max(cap**2, 2 * cap) * 1.1) == step(math.inf) == palette.STEPS - 1
    assert {step(max(1.0, cap) ** (k / 50)) for k in range(150)} <= set(named)


# --- words


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("0 %", 0.0), ("< 0.01 %", 1e-7), ("0.012 %", 0.000124), ("1.0 %", 0.00999),
        ("3.1 %", 0.0312), ("42 %", 0.4242), ("99.3 %", 0.993), ("> 99.9 %", 1 - 1e-9),
        ("100 %", 1.0),
    ],
)  # fmt: skip
def test_percent(said: str, number: float) -> None:
    assert prose.percent(number) == said.replace(" ", prose.NBSP)


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("× 1", 1.0), ("× 1.03", 1.0312), ("× 3.4", 3.42), ("× 4", 4.0), ("× 12", 12.3),
        ("× 1,200", 1200.0), ("× 1.2·10^8", 1.2e8), ("× 1·10^9", 9.99e8), ("× ∞", math.inf),
    ],
)  # fmt: skip
def test_factor(said: str, number: float) -> None:
    assert prose.factor(number) == said.replace(" ", prose.NBSP)
    assert prose.factor(math.nan) == "–"


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("1.04", 1.0312), ("3.5", 3.42), ("4", 4.0), ("4", 4.0 * (1 + 1e-13)), ("4.1", 4.0001),
        ("13", 12.3), ("10", 9.949), ("1.3·10^8", 1.21e8), ("1·10^6", 1e6), ("∞", math.inf),
    ],
)  # fmt: skip
def test_no_more_than_this_is_never_less(said: str, number: float) -> None:
    assert prose.most(number) == said


@given(st.floats(1, 1e15))
def test_what_is_promised_holds(number: float) -> None:
    head, _, power = prose.most(number).replace(",", "").partition("·10^")
    shown = float(head) * 10 ** int(power or 0)
    assert number * (1 - 1e-9) <= shown <= number * 1.1 + 0.01


@pytest.mark.parametrize(
    ("said", "p"),
    [
        ("always", 1.0), ("> 99.9 %", 1 - 2**-53), ("> 99.9 %", 0.9996), ("36.0 %", 0.36),
        ("36.3 %", 0.363), ("0 %", 0.0),
    ],
)  # fmt: skip
def test_chance(said: str, p: float) -> None:
    assert prose.chance(p) == said.replace(" ", prose.NBSP)


def test_settings_have_no_silly_digits() -> None:
    assert prose.limit(0.05) == f"0.05{prose.NBSP}bit"


def odds(high: float) -> Bound:
    log = math.log(high) if math.isfinite(high) else math.inf
    return Bound.of_odds(log, log, STATED, "")


def test_sentences(one: Leak) -> None:
    seen = TellingAnswer({"a": WITHHELD, "b": "x", "c": WITHHELD}, "p or q", 0.2, 0.5, 0.031)
    mine = replace(one, who="me", about="z", odds=odds(4.0), answer=seen)
    assert words.sentence(mine, ["p", "q"]).replace(prose.NBSP, " ") == (
        "The chance that z is “p” or “q” goes from 20 % to 50 %, odds × 4, for whoever sees "
        "b “x” and a and c withheld. Share of rows with this answer: 3.1 %."
    )
    assert "to certainty for" in words.sentence(replace(mine, odds=odds(math.inf)), ["p", "q"])
    many = [*"abcdefgh"]
    common = replace(mine, answer=replace(seen, secret=" or ".join(many)))
    assert "“f” or one of 2 more goes" in words.sentence(common, many)


def test_an_answer_that_cannot_be_named_is_not_called_harmless(one: Leak) -> None:
    mine = replace(one, odds=odds(3.0), answer=None)
    assert "may multiply the odds" in words.sentence(mine, ["p"])
    assert "No answer" in words.sentence(replace(mine, odds=odds(1.0)), ["p"])
    loose = Bound.of_odds(0.0, math.log(3), STATED, "")
    assert prose.odds_of(loose).startswith("≤")


def test_a_premise_in_words() -> None:
    assert "what 1,234 rows of this table show" in words.premise(Premise.learned(1234))
    assert "a box that holds the true one in 95" in words.premise(Premise.box(0.95))
    assert "hold for the belief that was given" in words.premise(STATED)


@pytest.mark.parametrize("cap", [1.5, 4.0, 1e300])
def test_colours_stand_for_growing_factors_at_any_cap(cap: float) -> None:
    named = list(matrix.bands(cap).values())
    assert named[-1] == "beyond"
    assert f"to the cap, {prose.factor(cap)}" in named


@pytest.mark.parametrize("cap", [1.00001, 1.001, 1.01, 1.02, 1.04])
def test_colours_differ_though_the_cap_is_near_1(cap: float, one: Leak) -> None:
    named = matrix.bands(cap)
    steps = [matrix.band(replace(one, odds=odds(cap ** (k / 40))), cap) for k in range(41)]
    assert set(steps) == {*range(palette.BEYOND)}
    assert len({named[step].rpartition(prose.NBSP)[2] for step in steps}) == palette.BEYOND
    assert not any(label.endswith(f"×{prose.NBSP}1") for label in named.values())


def test_a_cell_that_two_releases_withhold_is_withheld() -> None:
    """Shown again by an extension, a record has a pair of outputs."""
    both = (WITHHELD, WITHHELD)
    assert words.seen({"CO2": both, "Light": WITHHELD}) == "CO2 and Light withheld"
    assert words.seen({"CO2": (WITHHELD, "below 460")}) == "CO2 “withheld, then below 460”"


def test_all_who_read_have_a_short_name_together() -> None:
    who = ["a", "b", "a + b", "a, knowing x", "a + b, knowing x"]
    entries: Any = [SimpleNamespace(who=each) for each in who]
    short = ["a", "b", "all pooled", "a, knowing x", "all pooled, knowing x"]
    assert matrix.short_names(entries, ["a", "b"]) == dict(zip(who, short, strict=True))


@pytest.mark.parametrize(
    ("released", "falls"), [((0.5, 0.7, 0.9), False), ((0.5, 0.9, 0.8), True), ((), False)]
)
def test_a_curve_that_falls_says_why(released: tuple[float, ...], falls: bool) -> None:
    points = ByCap(OfCap(2.0 + k, share, k == 0) for k, share in enumerate(released))
    limits = SimpleNamespace(odds_cap=2.0, bits=math.inf)
    found: Any = SimpleNamespace(
        project=SimpleNamespace(limits=limits), curve=points, curve_of_caps=ByCap()
    )
    said = [each["says"] for each in curves(found)]
    assert said == [] if not released else ("the floor, which needs" in said[0]) == falls


def test_rows_that_are_numbered_are_not_said_to_be_of_each_row() -> None:
    assert _keyed(("row",)) == []
    assert _keyed(("office", "day")) == ["one row for each office and day"]
