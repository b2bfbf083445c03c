"""What a leakage is: an interval with its premise and its reason, or else a mere estimate."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, Literal, get_args

from unspoken.core.display import Framed, Shown, json_number
from unspoken.core.errors import InputError, among, quoted
from unspoken.core.numerics.numbers import number
from unspoken.core.pictures import Bar, Picture, bars
from unspoken.core.types.kinds import expect
from unspoken.core.types.premise import STATED, Premise

__all__ = ["Bound", "Estimate", "Status", "in_words"]

Status = Literal["ok", "impossible"]

LOG2 = math.log(2.0)
SHOWN = 1e-7  # what nobody sees of a number next to itself


@dataclass(frozen=True, repr=False)
class Bound(Framed, Shown):
    """A leakage: the truth lies in [low, high]; ``value`` is the sound end, high.

    ``unit`` says what low and high count: "nat", "odds" (a factor on odds), or a plain word for
    anything else. ``logs`` are the natural logarithms of an odds interval, kept because e^800 is
    no float. ``exact``: nothing but rounding keeps the ends apart. ``outer``: the ends with the
    rounding behind them (of odds as logarithms), which `outward` makes the ends. An event that
    cannot happen has status "impossible" and no number (NaN).
    """

    low: float
    high: float
    unit: str = "nat"
    premise: Premise = STATED
    why: str = ""
    status: Status = "ok"
    logs: tuple[float, float] | None = field(default=None, compare=False)
    exact: bool = field(default=False, compare=False)
    outer: tuple[float, float] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        expect(self.unit, str, "bound.unit", 'write "nat" or "odds", say')
        expect(self.why, str, "bound.why", "say in words how it came about")
        among("bound.status", self.status, get_args(Status))
        expect(self.exact, bool, "bound.exact", "say True or False")
        low, high = number(self.low) + 0.0, number(self.high) + 0.0  # -0.0 is 0.0
        if self.status == "ok" and not low <= high:
            raise InputError(
                f"a Bound needs low <= high, got [{quoted(self.low)}, {quoted(self.high)}]"
            )
        object.__setattr__(self, "premise", Premise.of(self.premise))
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)
        object.__setattr__(self, "exact", self.exact or low == high)
        if self.unit == "odds" and self.logs is None:
            object.__setattr__(self, "logs", (log_or_inf(self.low), log_or_inf(self.high)))

    @classmethod
    def of_odds(
        cls,
        low: float,
        high: float,
        premise: Premise,
        why: str,
        outer: tuple[float, float] | None = None,
    ) -> Bound:
        """A bound on a factor on odds, from the natural logarithms of its ends (and outer ones)."""
        ends = exp_or_inf(low), exp_or_inf(high)
        return cls(*ends, "odds", premise, why, logs=(low, high), outer=outer)

    @classmethod
    def rounded(
        cls,
        ends: tuple[float, float],
        outer: tuple[float, float] | None,
        premise: Premise,
        why: str,
    ) -> Bound:
        """In nats: what was computed, and what it lies in less and plus its rounding, if asked.

        Either outer end was rounded once more.
        """
        if outer is None:
            return cls(*ends, "nat", premise, why)
        below, above = outer
        below = math.nextafter(below, -math.inf) if below < ends[0] and below else below
        above = math.nextafter(above, math.inf) if above > ends[1] else above
        outer = min(below, ends[0]), max(above, ends[1])
        return cls(*ends, "nat", premise, why, outer=outer)

    def outward(self) -> Bound:
        """The ends moved out by the rounding behind them: between these the truth lies to its last
        digit. The outer ends of odds are logarithms; a float x is x, so e^x costs but an ulp.
        """
        if self.outer is None or self.status != "ok":
            return self
        low, high = self.outer
        if self.unit != "odds":
            return replace(self, low=low, high=high, outer=None)
        ends = _beyond_exp(low, 0.0), _beyond_exp(high, math.inf)
        return replace(self, low=ends[0], high=ends[1], logs=(low, high), outer=None)

    @classmethod
    def impossible(cls, unit: str, premise: Premise, why: str) -> Bound:
        return cls(math.nan, math.nan, unit, premise, why, status="impossible")

    @property
    def value(self) -> float:
        return self.high

    @property
    def nats(self) -> float:
        """The sound end in nats; for a factor on odds its logarithm."""
        if self.unit == "nat":
            return self.high
        if self.logs is None:
            raise InputError(f'a bound in "{self.unit}" has no nats, bits or odds')
        return self.logs[1]

    @property
    def bits(self) -> float:
        return self.nats / LOG2

    @property
    def odds(self) -> float:
        """The sound end as a factor on somebody's odds: e to the nats."""
        return self.high if self.unit == "odds" else exp_or_inf(self.nats)

    @property
    def _as_one(self) -> bool:
        """Whether it is exact to more digits than are shown: rounding may have taken them all."""
        return self.exact and (self.low == self.high or self.high - self.low < SHOWN * self.high)

    def facts(self) -> list[tuple[str, str]]:
        if self.status == "impossible":
            return [("status", "impossible"), ("why", self.why)]
        held = "exactly" if self._as_one else "at most"
        rows = [(held, f"{self.high:.6g} {self.unit}")]
        if self.unit == "nat":
            rows.append(("", f"{self.bits:.6g} bit"))
        if not self._as_one:
            rows.append(("at least", f"{self.low:.6g} {self.unit}"))
        return [*rows, ("premise", str(self.premise)), ("why", self.why)]

    def records(self) -> list[dict[str, Any]]:
        return [self.record()]

    def record(self) -> dict[str, Any]:
        """Its row of a table of bounds."""
        return {
            "low": self.low,
            "high": self.high,
            "unit": self.unit,
            "premise": str(self.premise),
            "status": self.status,
            "why": self.why,
        }

    def bar(self, name: str) -> Bar:
        """As it stands in a picture of bounds."""
        if self.status == "impossible":
            return Bar(name, self.low, self.high, "impossible")
        ends = [f"{end:.4g}" for end in (self.low, self.high)]
        return Bar(name, self.low, self.high, " to ".join(dict.fromkeys(ends)))

    def plot(self, name: str = "") -> Picture:
        """A picture of its two ends; `name` stands beside them."""
        under = f"premise: {self.premise}"
        return Picture(bars([self.bar(name)], "What is told", under, self.unit))

    def as_json(self) -> dict[str, Any]:
        """The object the command line prints; infinity is the word "inf"."""
        if self.status == "impossible":
            return {
                "status": self.status,
                "unit": self.unit,
                "premise": str(self.premise),
                "why": self.why,
            }
        ends = {"value": self.high, "low": self.low, "high": self.high}
        words = {key: json_number(end) for key, end in ends.items()}
        return {**words, "unit": self.unit, "premise": str(self.premise), "why": self.why}


@dataclass(frozen=True, repr=False)
class Estimate(Framed, Shown):
    """A number that guarantees nothing: a published formula, a sample, an attack.

    No relation to Bound, so the type checker refuses one where the other is required.
    ``interval``: of what was counted, what else it may be; None for a formula.
    """

    value: float
    unit: str
    why: str
    interval: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        expect(self.value, Real, "estimate.value", "give a number")
        expect(self.unit, str, "estimate.unit", 'write "nat" or "odds", say')
        expect(self.why, str, "estimate.why", "say in words how it came about")
        object.__setattr__(self, "value", number(self.value))
        if self.interval is not None:
            object.__setattr__(self, "interval", _two_numbers(self.interval))

    def facts(self) -> list[tuple[str, str]]:
        ends = () if self.interval is None else self.interval
        between = [("between", " and ".join(f"{end:.6g}" for end in ends))] if ends else []
        about = ("about", f"{self.value:.6g} {self.unit}")
        return [about, *between, ("no guarantee", self.why)]

    def records(self) -> list[dict[str, Any]]:
        record = {"value": self.value, "unit": self.unit, "guarantee": False, "why": self.why}
        return [{**record, **self._ends()}]

    def as_json(self) -> dict[str, Any]:
        """As a Bound, and that nothing is guaranteed."""
        number = json_number(self.value)
        ends = {name: json_number(end) for name, end in self._ends().items()}
        return {"value": number, **ends, "unit": self.unit, "guarantee": False, "why": self.why}

    def _ends(self) -> dict[str, float]:
        low_high = self.interval or ()
        return dict(zip(("low", "high"), low_high, strict=False))


def _two_numbers(given: object) -> tuple[float, float]:
    """Both ends of an interval."""
    ends = [number(end) for end in given] if isinstance(given, list | tuple) else []
    if len(ends) != 2 or not ends[0] <= ends[1]:
        raise InputError(f"estimate.interval: {quoted(given)} is none; give (low, high)")
    return ends[0], ends[1]


def in_words(number: float, unit: str) -> str:
    """A number with its unit; nats also in bits, which project files count in."""
    bits = f" ({number / LOG2:.6g} bit)" if unit == "nat" else ""
    return f"{number:.6g} {unit}{bits}"


def exp_or_inf(nats: float) -> float:
    try:
        return math.exp(nats)
    except OverflowError:
        return math.inf


def _beyond_exp(log: float, towards: float) -> float:
    """e^log, rounded once more towards this end; on its own side of 1."""
    if not log or math.isinf(log):
        return exp_or_inf(log)
    end = math.nextafter(exp_or_inf(log), towards)
    return max(end, 1.0) if log > 0 else min(end, 1.0)


def log_or_inf(factor: float) -> float:
    """log 0 is -inf."""
    return math.log(factor) if factor > 0 else -math.inf
