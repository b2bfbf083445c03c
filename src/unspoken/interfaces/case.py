"""Case files: a belief, a mechanism, an adversary, and what is asked of them (TOML or JSON)."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict

from unspoken.core.adversary import Adversary
from unspoken.core.beliefs import BELIEFS, Belief
from unspoken.core.errors import InputError, UnspokenError, unknown
from unspoken.core.families import FAMILIES
from unspoken.core.measures import MeasureName, measure_named
from unspoken.core.mechanisms import from_description
from unspoken.core.questions import leakage, leakages, odds
from unspoken.core.searching import Certificate, Worst, worst
from unspoken.core.types.bound import Bound
from unspoken.core.types.channel import Output
from unspoken.core.types.domain import RELEASED, WITHHELD, Domain, Value
from unspoken.interfaces.case_schema import checked, held, made
from unspoken.noise.calibration import Calibrated, calibrate
from unspoken.noise.comparing import Compared, compare
from unspoken.planning import Plan, plan

__all__ = ["CaseAnswers", "Case"]

SECTIONS = ("belief", "mechanism", "adversary", "ask")

Answer = Bound | Worst | Calibrated | Compared


class Ask(TypedDict, total=False):
    """What the table [ask] may hold; the tables in it hold the arguments of what is asked."""

    calibrate: Annotated[Mapping[str, Any], "a table, {limit = 1.0}"]
    compare: Annotated[Mapping[str, Any], "a table, {limit = 1.0}"]
    measures: Annotated[list[Any], 'a list of measures, ["mutual-information"]']
    odds: Annotated[Mapping[str, Value], 'what is seen of each, {A = "withheld"}']
    plan: Annotated[Mapping[str, Any], "a table, {limit_bits = 0.1}"]
    worst: Annotated[Literal[True], "true"]


@dataclass(frozen=True)
class CaseAnswers:
    """What a case asked for, by name: bounds, whoever is worst, the noise it takes, and a plan.

    ``compared``: what can be drawn of it.
    """

    bounds: Mapping[str, Answer]
    plan: Plan | None
    compared: Compared | None

    def __str__(self) -> str:
        """The answers with their names, for people."""
        plans = [] if self.plan is None else [("plan", repr(self.plan))]
        answers = [*((name, repr(bound)) for name, bound in self.bounds.items()), *plans]
        return "\n".join(f"{name}: {answer}" for name, answer in answers)


@dataclass(frozen=True)
class Case:
    """A case file, read; every complaint names the file, the table and the key."""

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
        except UnicodeDecodeError:
            raise InputError(f"{path}: is not text in UTF-8; save the file as UTF-8") from None
        except ValueError as error:  # of TOML or of JSON
            raise InputError(f"{path}: {_line(error)}") from None
        except RecursionError:
            raise InputError(f"{path}: tables in tables without end") from None
        if not isinstance(read, dict):
            raise InputError(f"{path}: a case has the tables {', '.join(SECTIONS)}")
        for name, section in read.items():
            if name not in SECTIONS:
                raise InputError(f"{path}: {_line(unknown('table', name, SECTIONS))}")
            if not isinstance(section, dict):
                raise InputError(f"{path}: {name} is no table; write [{name}] and its keys below")
        return cls(path, _with_infinity(read))

    @property
    def compares(self) -> bool:
        """Whether something is asked for that can be drawn."""
        return "compare" in self.sections.get("ask", {})

    def answer(self, tell: Callable[[str], object] = str) -> CaseAnswers:
        """Ask everything in the table [ask]; ``tell`` is told how far a long search is."""
        try:
            return self._answer(tell)
        except UnspokenError as error:
            raise type(error)(f"{self.path}: {_line(error)}") from None
        except RecursionError:
            raise InputError(f"{self.path}: tables in tables without end") from None

    def _answer(self, tell: Callable[[str], object]) -> CaseAnswers:
        ask = checked("ask", Ask, self._section("ask"))
        if not ask:
            raise InputError(f"ask: asks nothing; give any of {', '.join(Ask.__annotations__)}")
        belief, bounds = self._belief(), dict[str, Answer]()
        if "adversary" in self.sections or "odds" in ask:
            bounds.update(self._about_one(belief, ask))
        elif "measures" in ask:
            bounds.update(self._about_everybody(belief, ask))
        if "worst" in ask:
            mechanism = from_description(self._section("mechanism"))
            bounds["worst"] = worst(belief, mechanism, progress=lambda now: tell(_so_far(now)))
        if "calibrate" in ask:
            bounds["calibrate"] = made("ask.calibrate", calibrate, ask["calibrate"], belief)
        compared = chosen = None
        if "compare" in ask:
            bounds["compare"] = compared = made("ask.compare", compare, ask["compare"], belief)
        if "plan" in ask:
            chosen = made("ask.plan", plan, ask["plan"], belief)
        return CaseAnswers(bounds, chosen, compared)

    def _about_one(self, belief: Belief, ask: Mapping[str, Any]) -> dict[str, Bound]:
        """What the adversary of the case learns."""
        bounds: dict[str, Bound] = {}
        if "measures" not in ask and "odds" not in ask:
            return bounds
        mechanism = from_description(self._section("mechanism"))
        adversary: Adversary = made("adversary", Adversary, self._section("adversary"))
        for key, name, options in _measures(ask.get("measures", [])):
            bounds[key] = leakage(belief, mechanism, adversary, name, **options)
        if "odds" in ask:
            outcome = _outcome(belief.domain, ask["odds"])
            key = "odds" if "odds" not in bounds else "odds-of-outcome"
            bounds[key] = odds(belief, mechanism, adversary, outcome)
        return bounds

    def _about_everybody(self, belief: Belief, ask: Mapping[str, Any]) -> dict[str, Bound]:
        """Where no adversary is named: what is told about each variable, to who knows no other."""
        mechanism = from_description(self._section("mechanism"))
        names = belief.domain.names
        return {
            f"{key} of {name}": bound
            for key, measure, options in _measures(ask["measures"])
            for name, bound in leakages(belief, mechanism, measure, names, **options).items()
        }

    def _belief(self) -> Belief:
        return self._stated(self._section("belief"), "belief")

    def _stated(self, table: Mapping[str, Any], where: str) -> Belief:
        """One belief, or a set of them; the beliefs it is made of are tables with a kind."""
        given = dict(table)
        kind = _kind(given, where, {**BELIEFS, **FAMILIES})
        if "file" in given and hasattr(kind, "read"):  # relative to the case
            path = self.path.parent / held(f"{where}.file", str, given.pop("file"))
            read: Belief = made(where, kind.read, {"path": path, **given})
            return read
        if kind is BELIEFS["pairwise"] and isinstance(given.get("tables"), dict):
            given["tables"] = {_pair(key): table for key, table in given["tables"].items()}
        inner = {key: self._inner(value, f"{where}.{key}") for key, value in given.items()}
        belief: Belief = made(where, kind, inner)
        return belief

    def _inner(self, value: Any, where: str) -> Any:
        """The belief of a table with a kind, and those of a list of such tables."""
        if isinstance(value, list) and value and all(map(_has_kind, value)):
            return [self._stated(table, f"{where}[{i}]") for i, table in enumerate(value)]
        return self._stated(value, where) if _has_kind(value) else value

    def _section(self, name: str) -> Mapping[str, Any]:
        if name not in self.sections:
            raise InputError(f"has no table [{name}], which this case needs")
        return self.sections[name]


def _has_kind(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("kind"), str)


def _kind(given: dict[str, Any], where: str, known: Mapping[str, Any]) -> Any:
    if "kind" not in given:
        raise InputError(f"{where}.kind: is missing; give one of {', '.join(known)}")
    kind = held(f"{where}.kind", str, given.pop("kind"))
    if kind not in known:
        raise unknown(f"{where}.kind", kind, known)
    return known[kind]


def _measures(asked: Any) -> list[tuple[str, MeasureName, dict[str, float]]]:
    """(key in the answer, measure, options); options are named where a measure is asked twice."""
    asked_for = []
    for i, entry in enumerate(asked):
        where = f"ask.measures[{i}]"
        options = dict(entry) if isinstance(entry, dict) else {"name": entry}
        if "name" not in options:
            raise InputError(f'{where}: {entry} has no name; write {{name = "delta", eps = 0.5}}')
        name = measure_named(held(where, str, options.pop("name")), where).name
        asked_for.append(
            (name, {key: held(where, float, option) for key, option in options.items()})
        )
    names = [name for name, _ in asked_for]
    return [
        (name if names.count(name) == 1 else " ".join([name, *_spelled(options)]), name, options)
        for name, options in asked_for
    ]


def _spelled(options: Mapping[str, float]) -> list[str]:
    return [f"{key}={value:g}" for key, value in options.items()]


def _with_infinity(value: Any) -> Any:
    """JSON has no infinity: the word "inf" stands for it, anywhere a number does."""
    if value == "inf":
        return math.inf
    if isinstance(value, dict):
        return {key: _with_infinity(inner) for key, inner in value.items()}
    return [_with_infinity(inner) for inner in value] if isinstance(value, list) else value


def _pair(key: str) -> tuple[str, ...]:
    """Pairs of names are no keys in TOML or JSON: "A,B"."""
    return tuple(part.strip() for part in key.split(","))


def _outcome(domain: Domain, given: Mapping[str, Any]) -> dict[str, Output]:
    """Words for what is seen; a value that is called "withheld" or "released" is that value.

    Answers of noisy queries have names of their own, and are numbers.
    """
    words = {"withheld": WITHHELD, "released": RELEASED}
    outcome = {}
    for name, shown in given.items():
        values = domain.values_of(name) if name in domain.names else ()
        outcome[name] = shown if shown in values else words.get(shown, shown)
    return outcome


def _so_far(now: Certificate) -> str:
    """What a search can say before its end."""
    return f"{now.done} of {now.total}, found {now.low:.4g}, at most {now.high:.4g} nat"


def _line(error: Exception) -> str:
    """Complaints are one line, whatever was quoted in them."""
    return " ".join(str(error).split())
