"""Numbers and texts of the public library, each with all its digits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

import unspoken
from tests.frozen.recorder import Recorder
from tests.laws.frozen import numbers
from unspoken import published

__all__ = ["record"]

Values = Iterator[tuple[str, object]]
WEEK = [[0.9, 0.1], [0.2, 0.8]]
SIDES = ("anything", "nothing")


def record(recorder: Recorder) -> None:
    """Each group of numbers in a process of its own."""
    groups: dict[str, Callable[[], Values]] = {
        "as the laws ask": numbers, "over time": over_time, "rules": rules, "published": printed,
        "tables": tables, "by record": by_record, "beliefs": beliefs,
    }  # fmt: skip
    for name, group in groups.items():
        recorder.call(name, partial(_print, group))


def _print(group: Callable[[], Values]) -> None:
    for name, value in group():
        print(f"{name}: {value if isinstance(value, str) else repr(value)}")
        if (full := _in_full(value)) != value:
            print(f"{name}, in full: {full!r}")


def _in_full(value: Any) -> Any:
    """Plain data with all digits, of results that show fewer."""
    if hasattr(value, "as_json"):
        return value.as_json()
    if isinstance(value, Mapping):
        return {str(key): _in_full(each) for key, each in value.items()}
    return [_in_full(each) for each in value] if isinstance(value, tuple) else value


def over_time() -> Values:
    chain = unspoken.Chain([0.6, 0.4], WEEK, length=6)
    told = unspoken.temporal(chain, 0.3)
    yield "temporal", told
    yield "temporal worst", (told.worst.low, told.worst.high)
    yield "temporal_budget", unspoken.temporal_budget(chain, 0.5)
    for limit in (0.1, 1.0):
        yield f"dp_budget {limit}", unspoken.dp_budget(limit, chain)
        yield f"bound_from_dp {limit}", unspoken.bound_from_dp(limit, chain).as_json()
    yield "bound_from_dp of a block", unspoken.bound_from_dp(0.4, k=4, sigma=0.5)
    yield "dp_budget of a block", unspoken.dp_budget(0.4, k=4, sigma=0.5)


def rules() -> Values:
    chain = unspoken.Chain([0.6, 0.4], WEEK, length=5)
    joint = unspoken.Joint([[[6, 1], [2, 3]], [[1, 2], [2, 7]]], names=["a", "b", "c"])
    for name, belief in {"chain": chain, "joint": joint}.items():
        for knows in SIDES:
            found = unspoken.compare(belief, limit=0.8, knows=knows)
            yield f"compare {name} {knows}", found.as_json()
        for noise in ("laplace", "geometric"):
            made = unspoken.calibrate(belief, limit=0.6, noise=noise)
            yield f"calibrate {name} {noise}", made.as_json()
        odds = unspoken.calibrate(belief, limit=3.0, measure="odds", knows="nothing")
        yield f"calibrate {name} odds", odds.as_json()
    yield "accuracy alpha", unspoken.accuracy(1.7, beta=0.03)
    yield "accuracy beta", unspoken.accuracy(1.7, alpha=2.5)
    yield "accuracy scale", unspoken.accuracy(None, alpha=2.5, beta=0.03)
    yield "accuracy vector", unspoken.accuracy(1.7, beta=0.03, dimension=3, norm="linf")


def printed() -> Values:
    chain = unspoken.Chain([0.6, 0.4], WEEK, length=4)
    joint = unspoken.Joint([[[6, 1], [2, 3]], [[1, 2], [2, 7]]])
    for name in ("baseline", "dpm", "dpm_one_endpoint", "dpm_pairwise", "pearson"):
        for kind, belief in {"chain": chain, "joint": joint}.items():
            yield f"{name} {kind}", getattr(published, name)(belief, limit=0.9)
    yield "entropy_drop", published.entropy_drop(0.3)
    yield "sequential", published.sequential([0.1, 0.4])
    yield "parallel", published.parallel([0.1, 0.4])
    yield "accuracy_of_vectors", published.accuracy_of_vectors(1.5, 2.0)
    yield "information_group", published.information_group(0.4, 3)
    yield "information_sequential", published.information_sequential([0.1, 0.4])
    graph = published.graph(joint, [1.0, 2.0, -1.0], 1.4)
    for node in graph.nodes():
        yield f"graph {node.target} {node.knows}", (node.published, node.exact, node.bound)
    yield "graph fast", graph.fast(2)
    for pair, neighbour in published.pairs(joint).items():
        yield f"pairs {pair}", neighbour


def tables() -> Values:
    rng = np.random.default_rng(8)
    late = rng.random(3_000) < 0.2
    table = pa.table(
        {
            "unit": np.arange(3_000) // 5,
            "late": np.where(late, "late", "on time"),
            "use": np.where(rng.random(3_000) < np.where(late, 0.7, 0.2), "low", "high"),
            "day": rng.choice(["mon", "tue"], 3_000),
        }
    )
    names = ["late", "use", "day"]
    values = {"late": ["late", "on time"], "use": ["low", "high"], "day": ["mon", "tue"]}
    secrets = {"late": ["late"]}
    who = unspoken.Adversary("late", secret=["late"])
    shown = unspoken.OneSided({"use": 0.9, "day": 0.4}, secrets)
    learned = {
        "joint": unspoken.learn(table, names),
        "noisy": unspoken.learn(table, names, values=values, noise=0.4),
        "tree": unspoken.learn(table, names, form="tree"),
        "box": unspoken.learn(table, names, values=values, confidence=0.9),
        "intervals": unspoken.learn(
            table, names, values=values, secrets=secrets, confidence=0.9, noise=1.0
        ),
        "units": unspoken.learn(
            table, names, values=values, secrets=secrets, confidence=0.9, unit=["unit"],
            rows_per_unit=5,
        ),
    }  # fmt: skip
    for name, belief in learned.items():
        yield f"learn {name}", belief
        yield f"odds {name}", unspoken.leakage(belief, shown, who, "odds").as_json()
    for _, belief in unspoken.learn(table, names[:2], contexts=["day"]):
        yield "learn given the day", unspoken.leakage(belief, unspoken.OneSided({"use": 0.9}), who)
    yield "leak", unspoken.leak(table, ["late"]).as_json()
    yield "leak text", unspoken.leak(table, columns=names)


def by_record() -> Values:
    joint = unspoken.Joint(
        np.arange(1, 13).reshape(2, 3, 2) % 7 + 1.0, names=["a", "b", "c"],
        values=[["no", "yes"], [1, 2, 3], ["x", "y"]],
    )  # fmt: skip
    secret = {"a": ["yes"]}
    options: dict[str, dict[str, Any]] = {
        "plain": {},
        "bits": {"limit_bits": 0.05},
        "unbiased": {"unbiased": True},
        "floor": {"floor": 1.5},
        "reads": {"reads": ["b"], "own_reads": True},
        "coalitions": {"coalitions": [["a", "b"], ["c"]], "pooled_cap": 6.0},
        "attribute": {"events": "attribute", "odds_cap": 2.0},
        "weights": {"weights": {"b": 3.0}, "order": ["b", "c"]},
    }
    for name, more in options.items():
        plan = unspoken.plan(joint, sensitive=secret, by="record", **more)
        yield f"plan by record {name}", plan
        yield f"plan by record {name} numbers", (plan.objective, plan.total, plan.p, plan.bound)
    one = unspoken.plan(joint, sensitive=secret, by="record").mechanism
    for about in ("a", "b"):
        cloud = unspoken.view(joint, one, unspoken.Adversary(about)).outcomes()
        for point in cloud:
            yield f"view {about} {point.outcome}", (point.mass, point.posterior)


def beliefs() -> Values:
    pair = np.array([[4.0, 1.0], [2.0, 3.0]]) / 10
    joint = unspoken.Joint(pair, names=["a", "b"])
    upper = np.minimum(pair * 1.2, 1.0)
    made = {
        "frechet": unspoken.Frechet({"a": [0.5, 0.5], "b": [0.6, 0.4]}),
        "box": unspoken.Box(pair * 0.8, upper, names=["a", "b"]),
        "rows": unspoken.Rows(
            [[0.7, 0.1], [0.3, 0.5]], [[0.9, 0.3], [0.5, 0.7]], ["a"], ["a", "b"]
        ),
        "beliefs": unspoken.Beliefs([joint, unspoken.Joint(pair.T, names=["a", "b"])]),
        "joint": joint,
    }
    shows = {
        "one-sided": unspoken.OneSided({"b": 0.8}, {"a": [1], "b": [1]}),
        "response": unspoken.RandomizedResponse("b", 0.6),
        "laplace": unspoken.Laplace(1.5),
    }
    who = unspoken.Adversary("a", secret=[1])
    for name, belief in made.items():
        yield f"{name}", belief
        for kind, mechanism in shows.items():
            for measure in ("odds", "max-log-ratio", "mutual-information", "delta"):
                try:
                    told = unspoken.leakage(belief, mechanism, who, measure).as_json()
                except unspoken.UnspokenError as refused:
                    yield f"{name} {kind} {measure}", f"{type(refused).__name__}: {refused}"
                else:
                    yield f"{name} {kind} {measure}", told
    everybody = unspoken.leakages(joint, shows["one-sided"], "mutual-information")
    yield "leakages", everybody
    yield "worst", unspoken.worst(joint, shows["laplace"])
    yield "mean", unspoken.view(joint, shows["one-sided"], who).mean(lambda p: p.posterior.max(-1))
