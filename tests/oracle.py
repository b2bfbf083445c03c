"""The oracle: leakage by definition, by enumerating every table cell and every coin.

It shares no code with the library. A table is exact counts, a coin is an exact pair of integers, so
every probability is a ratio of integers; logarithms are taken at the very end, at 60 digits.

    counts --every cell, every toss--> law {(cell, transcripts): weight}
    law --target, known values--> cloud {outcome: {class: weight}} --definition--> number

A transcript is everything the adversary sees of one attribute, one symbol per request: withheld is
"-", a release is "+" (shows="bit") or the value itself (shows="value").
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any

import mpmath

Cell = tuple[Any, ...]
Transcript = tuple[Any, ...]
Law = dict[tuple[Cell, tuple[Transcript, ...]], int]
Cloud = dict[Transcript, dict[Hashable, int]]

WITHHELD, RELEASED, NOT_SENSITIVE = "-", "+", "not sensitive"
MEASURES = (
    "mutual-information",
    "max-log-ratio",
    "max-information",
    "max-information-two-sided",
    "relative-entropy",
    "odds",
    "maximal-leakage",
    "bayes-leakage",
    "guessing",
    "delta",
    "exclusion",
)
DIGITS = 60
FINE = 1 << 12  # likelihoods in whole multiples of 2^-4096: 60 digits of one that is 1e-1173


def coin(epsilon: float) -> tuple[int, int]:
    """The weights of (release, withhold); their sum is a power of two that suits both ends."""
    if epsilon == 0 or math.isinf(epsilon):
        return (0, 1) if epsilon == 0 else (1, 0)
    one = 1 << (220 + int(1.45 * epsilon) + abs(int(math.log2(epsilon))))
    with mpmath.workprec(one.bit_length() + 20):
        release = int(mpmath.nint(-mpmath.expm1(-mpmath.mpf(epsilon)) * one))
    return release, one - release


def append(transcript: Transcript, symbol: Any) -> Transcript:
    return (*transcript, symbol)


def best(transcript: Transcript, symbol: Any) -> Transcript:
    """A shorter transcript for very many requests: the release if there ever was one."""
    return transcript if transcript and transcript != (WITHHELD,) else (symbol,)


@dataclass(frozen=True)
class Setting:
    """A table and a one-sided mechanism over it, in the words of the theory."""

    names: tuple[str, ...]
    values: Mapping[str, Sequence[Any]]
    counts: Mapping[Cell, int]
    epsilon: Mapping[str, float]
    sensitive: Mapping[str, Sequence[Any]]
    shows: str = "value"
    coins: str = "persistent"
    asks: Mapping[str, int] = field(default_factory=dict)
    keep: Callable[[Transcript, Any], Transcript] = append

    def symbol(self, name: str, value: Any, heads: bool) -> Any:
        if not heads or value in self.sensitive.get(name, ()):
            return WITHHELD
        return value if self.shows == "value" else RELEASED

    def transcripts(self, name: str, value: Any) -> dict[Transcript, int]:
        """What is seen of one attribute whose value is `value`, over every coin."""
        sides = list(zip((True, False), coin(self.epsilon[name]), strict=True))
        requests = self.asks.get(name, 1)
        seen: dict[Transcript, int] = defaultdict(int)
        if self.coins == "persistent":
            for heads, weight in sides:
                transcript: Transcript = ()
                for _ in range(requests):
                    transcript = self.keep(transcript, self.symbol(name, value, heads))
                seen[transcript] += weight
        else:
            seen[()] = 1
            for _ in range(requests):
                longer: dict[Transcript, int] = defaultdict(int)
                for before, weight in seen.items():
                    for heads, chance in sides:
                        longer[self.keep(before, self.symbol(name, value, heads))] += (
                            weight * chance
                        )
                seen = longer
        return {transcript: weight for transcript, weight in seen.items() if weight}

    def law(self, sees: Sequence[str]) -> Law:
        """The joint law of (cell, transcripts of `sees`), as integer weights."""
        table = {name: {v: self.transcripts(name, v) for v in self.values[name]} for name in sees}
        place = {name: index for index, name in enumerate(self.names)}
        law: Law = defaultdict(int)
        for cell, count in self.counts.items():
            if count:
                parts = [table[name][cell[place[name]]].items() for name in sees]
                for combination in product(*parts):
                    law[cell, tuple(t for t, _ in combination)] += count * math.prod(
                        w for _, w in combination
                    )
        return dict(law)


@dataclass(frozen=True)
class Look:
    """Who looks: the target, its secret values, what is known, whose outputs are seen."""

    target: str
    secret: tuple[Any, ...] | None = None
    knows: tuple[str, ...] | Mapping[str, Any] = ()
    sees: tuple[str, ...] | None = None


def classes(setting: Setting, look: Look) -> tuple[Callable[[Any], Hashable], tuple[Hashable, ...]]:
    """The function value -> secret class, and the classes that are secrets."""
    secret = (
        look.secret if look.secret is not None else tuple(setting.sensitive.get(look.target, ()))
    )
    if not secret:
        return (lambda value: value), tuple(setting.values[look.target])
    return (lambda value: value if value in secret else NOT_SENSITIVE), tuple(secret)


def clouds(setting: Setting, look: Look, law: Law | None = None) -> dict[Cell, Cloud]:
    """For every known context of positive probability: outcome -> class -> weight."""
    law = (
        law
        if law is not None
        else setting.law(look.sees if look.sees is not None else tuple(setting.epsilon))
    )
    place = {name: index for index, name in enumerate(setting.names)}
    label, _ = classes(setting, look)
    known = tuple(look.knows)
    found: dict[Cell, Cloud] = defaultdict(lambda: defaultdict(lambda: defaultdict(int)))
    for (cell, outcome), weight in law.items():
        context = tuple(cell[place[name]] for name in known)
        if not isinstance(look.knows, Mapping) or context == tuple(look.knows.values()):
            found[context][outcome][label(cell[place[look.target]])] += weight
    return found


def priors(cloud: Cloud) -> dict[Hashable, int]:
    total: dict[Hashable, int] = defaultdict(int)
    for weights in cloud.values():
        for label, weight in weights.items():
            total[label] += weight
    return {label: weight for label, weight in total.items() if weight}


def log_lifts(cloud: Cloud) -> Iterator[dict[Hashable, tuple[mpmath.mpf, mpmath.mpf]]]:
    """For every outcome: class -> (joint probability, log P(class|outcome)/P(class))."""
    prior = {label: mpmath.mpf(weight) for label, weight in priors(cloud).items()}
    total = mpmath.fsum(prior.values())
    rarity = {label: total / weight for label, weight in prior.items()}
    for weights in cloud.values():
        mass = mpmath.mpf(sum(weights.values()))
        held = {label: mpmath.mpf(w) for label, w in weights.items() if w}
        yield {
            label: (w / total, mpmath.log(w * rarity[label] / mass)) for label, w in held.items()
        }


def mutual_information(cloud: Cloud) -> mpmath.mpf:
    return mpmath.fsum(p * lift for row in log_lifts(cloud) for p, lift in row.values())


def ratio(number: Fraction) -> mpmath.mpf:
    return mpmath.mpf(number.numerator) / number.denominator


def lifts(cloud: Cloud) -> Iterator[Fraction]:
    """P(class|outcome) / P(class), for every outcome and class that are possible; 0 included."""
    prior = priors(cloud)
    total = sum(prior.values())
    for weights in cloud.values():
        mass = sum(weights.values())
        for label, before in prior.items():
            yield Fraction(weights.get(label, 0) * total, mass * before)


def max_information(cloud: Cloud) -> mpmath.mpf:
    return mpmath.log(ratio(max(lifts(cloud))))


def max_information_two_sided(cloud: Cloud) -> mpmath.mpf:
    least = min(lifts(cloud))
    return max(max_information(cloud), mpmath.log(1 / ratio(least)) if least else mpmath.inf)


def relative_entropy(cloud: Cloud) -> mpmath.mpf:
    return max(
        mpmath.fsum(p * g for p, g in r.values()) / mpmath.fsum(p for p, _ in r.values())
        for r in log_lifts(cloud)
    )


def likelihood_ratio(cloud: Cloud, gaining: Sequence[Hashable]) -> mpmath.mpf:
    """The largest log P(y|a) / P(y|b), a among those gaining and b any class."""
    prior, worst = priors(cloud), (1, 1)
    for weights in cloud.values():
        likely = {label: (weights.get(label, 0) << FINE) // p for label, p in prior.items()}
        top = max((likely.get(label, 0) for label in gaining), default=0)
        least = min(likely.values())
        if top * worst[1] > least * worst[0]:
            worst = top, least
    return mpmath.inf if not worst[1] else mpmath.log(mpmath.mpf(worst[0]) / worst[1])


def max_log_ratio(cloud: Cloud) -> mpmath.mpf:
    return likelihood_ratio(cloud, list(priors(cloud)))


def maximal_leakage(cloud: Cloud) -> mpmath.mpf:
    """log sum_y max_s P(y|s)."""
    prior = priors(cloud)
    most = (max(Fraction(w.get(s, 0), prior[s]) for s in prior) for w in cloud.values())
    return mpmath.log(ratio(sum(most, Fraction(0))))


def bayes_leakage(cloud: Cloud) -> mpmath.mpf:
    """The best guess is right more often by this factor (its logarithm)."""
    right = sum(max(weights.values()) for weights in cloud.values())
    return mpmath.log(mpmath.mpf(right) / max(priors(cloud).values()))


def guesses(weights: Mapping[Hashable, int]) -> int:
    """How many guesses it takes, likeliest first, times the sum of the weights."""
    return sum(i * w for i, w in enumerate(sorted(weights.values(), reverse=True), start=1))


def guessing(cloud: Cloud) -> mpmath.mpf:
    fewer = guesses(priors(cloud)) - sum(guesses(weights) for weights in cloud.values())
    return mpmath.mpf(fewer) / sum(priors(cloud).values())


def delta(cloud: Cloud, eps: float = 0.0) -> mpmath.mpf:
    """max over classes a, b of sum_y (P(y|a) - e^eps P(y|b))_+."""
    one = 1 << 300
    times = one if eps == 0 else int(mpmath.nint(mpmath.exp(mpmath.mpf(eps)) * one))
    prior = priors(cloud)
    worst = mpmath.mpf(0)
    for a, b in permutations(prior, 2):
        rows = ((w.get(a, 0) * prior[b] * one, w.get(b, 0) * prior[a]) for w in cloud.values())
        beyond = sum(max(0, first - times * second) for first, second in rows)
        worst = max(worst, mpmath.mpf(beyond) / (prior[a] * prior[b] * one))
    return worst


def factor(yes: int, no: int, prior_yes: int, prior_no: int) -> Fraction | float:
    """Posterior odds over prior odds of an event."""
    return math.inf if no == 0 else Fraction(yes * prior_no, no * prior_yes)


def worst_odds(cloud: Cloud, secrets: Sequence[Hashable]) -> Fraction | float:
    prior = priors(cloud)
    total = sum(prior.values())
    events = [{label} for label in secrets] + [set(secrets)]
    worst: Fraction | float = Fraction(0)
    for event in events:
        before = sum(prior.get(label, 0) for label in event)
        if 0 < before < total:
            for weights in cloud.values():
                yes = sum(weights.get(label, 0) for label in event)
                worst = max(worst, factor(yes, sum(weights.values()) - yes, before, total - before))
    return worst if worst else Fraction(1)


DEFINITIONS: dict[str, Callable[[Cloud], Any]] = {
    "mutual-information": mutual_information,
    "max-log-ratio": max_log_ratio,
    "max-information": max_information,
    "max-information-two-sided": max_information_two_sided,
    "relative-entropy": relative_entropy,
    "maximal-leakage": maximal_leakage,
    "bayes-leakage": bayes_leakage,
    "guessing": guessing,
    "delta": delta,
}


def measures(setting: Setting, look: Look, law: Law | None = None) -> dict[str, float]:
    """Every measure by its definition; the worst over the known contexts."""
    _, secrets = classes(setting, look)
    about_secrets: dict[str, Callable[[Cloud], Any]] = {
        "odds": lambda cloud: worst_odds(cloud, secrets),
        "exclusion": lambda cloud: likelihood_ratio(cloud, secrets),
    }
    definitions = {**DEFINITIONS, **about_secrets}
    with mpmath.workdps(DIGITS):
        found = clouds(setting, look, law).values()
        return {name: exact(max(map(definitions[name], found))) for name in MEASURES}


def measure(name: str, setting: Setting, look: Look, law: Law | None = None) -> float:
    """One of them."""
    return measures(setting, look, law)[name]


def exact(number: Any) -> float:
    """To float; what is nothing but the last of 60 digits is zero."""
    value = to_float(number)
    return 0.0 if abs(value) < 1e-50 else value


def happens(transcript: Transcript, wanted: Any) -> bool:
    if wanted == WITHHELD:
        return all(symbol == WITHHELD for symbol in transcript)
    if wanted == RELEASED:
        return any(symbol != WITHHELD for symbol in transcript)
    return wanted in transcript


def event_odds(
    setting: Setting, look: Look, outcome: Mapping[str, Any], law: Law | None = None
) -> float | None:
    """The factor on the odds of "the target is secret".

    None if the outcome is impossible. Where it is certain beforehand whether the target is secret,
    no odds can move: 1. The worst over the known contexts in which the outcome is possible.
    """
    sees = look.sees if look.sees is not None else tuple(setting.epsilon)
    _, secrets = classes(setting, look)
    factors: list[Fraction | float] = []
    for cloud in clouds(setting, look, law).values():
        prior = priors(cloud)
        before = sum(prior.get(label, 0) for label in secrets)
        yes = mass = 0
        for transcripts, weights in cloud.items():
            if all(
                happens(transcripts[sees.index(name)], wanted) for name, wanted in outcome.items()
            ):
                mass += sum(weights.values())
                yes += sum(weights.get(label, 0) for label in secrets)
        after = sum(prior.values()) - before
        if mass:
            factors.append(
                factor(yes, mass - yes, before, after) if before and after else Fraction(1)
            )
    return to_float(max(factors)) if factors else None


def to_float(number: Any) -> float:
    """A fraction or a number of mpmath to float; what is too large for one is infinity."""
    with mpmath.workdps(DIGITS):
        if isinstance(number, Fraction):
            number = mpmath.mpf(number.numerator) / mpmath.mpf(number.denominator)
        return float(number) if number < 1e308 else math.inf


def posteriors(
    setting: Setting, look: Look
) -> dict[Cell, dict[tuple[Any, ...], tuple[float, dict[Hashable, float]]]]:
    """For every known context: one symbol per seen attribute -> (mass, class -> posterior)."""
    found: dict[Cell, dict[tuple[Any, ...], tuple[float, dict[Hashable, float]]]] = {}
    for context, cloud in clouds(setting, look).items():
        merged: Cloud = defaultdict(lambda: defaultdict(int))
        for transcripts, weights in cloud.items():
            symbols = tuple(next((s for s in t if s != WITHHELD), WITHHELD) for t in transcripts)
            for label, weight in weights.items():
                merged[symbols][label] += weight
        total = sum(sum(weights.values()) for weights in merged.values())
        found[context] = {
            symbols: (
                to_float(Fraction(sum(weights.values()), total)),
                {
                    label: to_float(Fraction(w, sum(weights.values())))
                    for label, w in weights.items()
                },
            )
            for symbols, weights in merged.items()
        }
    return found


def coalitions(names: Sequence[str]) -> list[tuple[str, ...]]:
    return [group for size in range(1, len(names) + 1) for group in combinations(names, size)]
