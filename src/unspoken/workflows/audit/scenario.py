"""The catalogue: what is tried, and what is expected of it, written down before it is tried."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import resources
from typing import Any, Literal

from unspoken.core.adversary import Adversary
from unspoken.core.beliefs import BELIEFS, Belief
from unspoken.core.errors import InputError, among, unknown
from unspoken.core.mechanisms import Mechanism, from_description
from unspoken.planning import plan
from unspoken.workflows import audit as auditing
from unspoken.workflows.audit.staged import STAGES
from unspoken.workflows.audit.worlds import Hypotheses, World, modelled

__all__ = ["EXPECTED", "Expect", "Scenario", "catalogue"]

Expect = Literal["holds", "reached", "broken", "nothing"]
EXPECTED: Mapping[Expect, str] = {
    "holds": "no attack beats the bound",
    "reached": "no attack beats the bound, and the best reaches 90 % of it",
    "broken": "an attack beats what is claimed",
    "nothing": "the bound is 0, and nothing is found",
}
TRIALS = 100_000


@dataclass(frozen=True)
class Scenario:
    """``family``: of attacks; ``about``: what is released; ``given``: as it stands in the file.

    ``needs``: the trials by which what is broken is found, but for MISSED (power.py).
    """

    name: str
    family: str
    about: str
    attacks: tuple[str, ...]
    expect: Expect
    trials: int
    needs: int
    given: Mapping[str, Any]
    beliefs: Mapping[str, Mapping[str, Any]]

    @classmethod
    def of(cls, row: Mapping[str, Any], beliefs: Mapping[str, Mapping[str, Any]]) -> Scenario:
        among(f"scenario {row['name']}.expect", row["expect"], tuple(EXPECTED))
        scenario = dict(row)
        head = {key: scenario.pop(key) for key in ("name", "family", "about", "expect")}
        head |= {"trials": scenario.pop("trials", TRIALS), "needs": scenario.pop("needs", 0)}
        attacks = tuple(scenario.pop("attacks"))
        return cls(**head, attacks=attacks, given=scenario, beliefs=beliefs)

    def fewer(self, share: float) -> Scenario:
        """With this share of its trials, but as many as it needs."""
        return replace(self, trials=max(1, self.needs, round(self.trials * share)))

    @cached_property
    def world(self) -> World:
        """As it is written; with the claim that is made, where it is not the bound of what runs."""
        given = self.given
        if "stage" in given:
            if given["stage"] not in STAGES:
                raise unknown(f"scenario {self.name}.stage", given["stage"], STAGES)
            made = STAGES[given["stage"]](**given.get("with", {}))
        else:
            made = self._modelled()
        if "claim" not in given:
            return made
        return replace(
            made, claim=replace(made.claim, bound=float(given["claim"]), why=given["claims"])
        )

    def _modelled(self) -> World:
        given, belief = self.given, self._belief()
        mechanism, really = self._mechanism(belief), given.get("really")
        return modelled(
            belief,
            mechanism,
            self._asked(belief),
            given["measure"],
            given.get("eps", 0.0),
            really=None if really is None else from_description(really),
            really_asks=given.get("really_asks"),
            kept=given.get("kept", False),
        )

    def _belief(self) -> Belief:
        stated = dict(self.beliefs[self.given["belief"]])
        return BELIEFS[stated.pop("kind")](**stated)

    def _mechanism(self, belief: Belief) -> Mechanism:
        given = self.given
        if "plan" not in given:
            return from_description(given["mechanism"])
        options = dict(given["plan"])
        scale = options.pop("scale", 1.0)
        made: Mechanism = plan(belief, **options).mechanism.scaled(scale)
        return made

    def _asked(self, belief: Belief) -> Hypotheses:
        given = self.given
        target, secret = given["target"], tuple(given["secret"])
        values = belief.domain.values_of(target)
        others = tuple(given.get("others", [value for value in values if value not in secret]))
        who = Adversary(
            target,
            secret=None if given["measure"] == "max-log-ratio" else secret,
            knows=given.get("knows", ()),
            sees=given.get("sees"),
            asks=given.get("asks", 1),
        )
        return Hypotheses(who, secret, others)


def catalogue(text: str | None = None) -> Sequence[Scenario]:
    """Every scenario, in the order of the file; ``text``: another file's."""
    read = tomllib.loads(
        text or resources.files(auditing).joinpath("catalogue.toml").read_text("utf-8")
    )
    scenarios = [Scenario.of(row, read["belief"]) for row in read["scenario"]]
    if len({each.name for each in scenarios}) < len(scenarios):
        raise InputError("catalogue: a name stands there twice")
    return scenarios
