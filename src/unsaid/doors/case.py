"""Case files: a belief, a mechanism, an adversary, and what is asked of them (TOML or JSON)."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unsaid.adversary import Adversary
from unsaid.beliefs import BELIEFS, Belief
from unsaid.doors.outlined import number, planned
from unsaid.errors import InputError, unknown
from unsaid.mechanisms import MECHANISMS, Mechanism
from unsaid.planning import Plan, plan
from unsaid.questions import leakage, odds
from unsaid.types.bound import Bound
from unsaid.types.channel import Output
from unsaid.types.domain import RELEASED, WITHHELD, Domain

__all__ = ["Answers", "Case"]

SECTIONS = ("belief", "mechanism", "adversary", "ask")
ASKS = ("measures", "odds", "plan")


@dataclass(frozen=True)
class Answers:
    """What a case asked for, by name: bounds and plans."""

    bounds: Mapping[str, Bound]
    plan: Plan | None

    def as_json(self) -> dict[str, Any]:
        """One object, ready to print."""
        told = {name: bound.as_json() for name, bound in self.bounds.items()}
        return told if self.plan is None else {**told, "plan": _plan_as_json(self.plan)}

    def __str__(self) -> str:
        """The answers with their names, for people."""
        plans = [] if self.plan is None else [("plan", repr(self.plan))]
        told = [*((name, repr(bound)) for name, bound in self.bounds.items()), *plans]
        return "\n".join(f"{name}: {answer}" for name, answer in told)


@dataclass(frozen=True)
class Case:
    """A case file, read; every complaint names the file and the section."""

    path: Path
    sections: Mapping[str, Mapping[str, Any]]

    @classmethod
    def read(cls, path: Path) -> Case:
        """Read TOML, or JSON where the file is called so."""
        try:
            text = path.read_text("utf-8")
            read = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
        except OSError as error:
            raise InputError(f"{path}: cannot be read: {error.strerror}") from None
        except ValueError as error:  # of TOML, of JSON, or of UTF-8
            raise InputError(f"{path}: {error}") from None
        if not isinstance(read, dict) or not all(isinstance(s, dict) for s in read.values()):
            raise InputError(f"{path}: a case has the tables {', '.join(SECTIONS)}")
        for name in read:
            if name not in SECTIONS:
                raise unknown(f"{path}", name, SECTIONS)
        return cls(path, read)

    def answer(self) -> Answers:
        """Ask everything in the table [ask]."""
        ask = dict(self._section("ask"))
        for name in ask:
            if name not in ASKS:
                raise unknown(f"{self.path} ask", name, ASKS)
        belief, bounds = self._belief(), {}
        if "measures" in ask or "odds" in ask:
            mechanism, adversary = self._mechanism(), self._adversary()
            for measure in ask.get("measures", ()):
                bounds[measure] = leakage(belief, mechanism, adversary, measure)
            if "odds" in ask:
                name = "odds" if "odds" not in bounds else "odds-of-outcome"
                seen = _outcome(belief.domain, ask["odds"])
                bounds[name] = odds(belief, mechanism, adversary, seen)
        wanted = ask.get("plan")
        chosen = None if wanted is None else self._made("ask.plan", plan, belief, given=wanted)
        return Answers(bounds, chosen)

    def _belief(self) -> Belief:
        given = dict(self._section("belief"))
        kind = self._kind("belief", given, BELIEFS)
        if "tables" in given:  # pairs of names are no keys in TOML or JSON: "A,B"
            given["tables"] = {_pair(key): table for key, table in given["tables"].items()}
        made: Belief = self._made("belief", kind, given=given)
        return made

    def _mechanism(self) -> Mechanism:
        given = dict(self._section("mechanism"))
        kind = self._kind("mechanism", given, MECHANISMS)
        made: Mechanism = self._made("mechanism", kind, given=given)
        return made

    def _adversary(self) -> Adversary:
        made: Adversary = self._made("adversary", Adversary, given=self._section("adversary"))
        return made

    def _section(self, name: str) -> Mapping[str, Any]:
        if name not in self.sections:
            raise InputError(f"{self.path}: has no table [{name}], which this case needs")
        return self.sections[name]

    def _kind(self, section: str, given: dict[str, Any], known: Mapping[str, Any]) -> Any:
        kind = given.pop("kind", None)
        if kind not in known:
            raise unknown(f"{self.path} {section}.kind", kind, known)
        return known[kind]

    def _made(
        self, section: str, make: Callable[..., Any], *first: Any, given: Mapping[str, Any]
    ) -> Any:
        """Call a constructor with the section's keys as its arguments."""
        try:
            return make(*first, **{key: _with_infinity(value) for key, value in given.items()})
        except TypeError as error:
            raise InputError(f"{self.path} {section}: {error}") from None


def _with_infinity(value: Any) -> Any:
    """JSON has no infinity: the word "inf" stands for it, anywhere a number does."""
    if value == "inf":
        return math.inf
    if isinstance(value, dict):
        return {key: _with_infinity(own) for key, own in value.items()}
    return [_with_infinity(own) for own in value] if isinstance(value, list) else value


def _pair(key: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in key.split(","))


def _outcome(domain: Domain, given: Mapping[str, Any]) -> dict[str, Output]:
    """Words for what is seen; a value that is called "withheld" or "released" is that value."""
    words = {"withheld": WITHHELD, "released": RELEASED}
    return {
        name: seen if seen in domain.values_of(name, "ask.odds") else words.get(seen, seen)
        for name, seen in given.items()
    }


def _plan_as_json(chosen: Plan) -> dict[str, Any]:
    return {
        **planned(chosen),
        "objective": number(chosen.objective),
        "total": chosen.total,
        "multiplier": None if math.isnan(chosen.multiplier) else number(chosen.multiplier),
        "unbounded": chosen.unbounded,
        "witness": chosen.witness,
    }
