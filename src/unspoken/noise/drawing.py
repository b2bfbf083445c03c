"""Answers drawn: what a mechanism shows of exact whole numbers, once.

The noise that is claimed is no more than what is drawn. A scale is -1 / log(alpha), rounded up, and
noise of a larger scale is the smaller one's and more of its own: nobody learns more from it.
"""

from __future__ import annotations

from collections.abc import Sequence

from unspoken.core.adversary import Adversary
from unspoken.core.errors import InputError, NotKnown
from unspoken.core.mechanisms.geometric import Geometric, alpha_of
from unspoken.core.mechanisms.laplace import Laplace
from unspoken.core.mechanisms.linear import linear_queries, merged, parted, written
from unspoken.core.mechanisms.mechanism import Mechanism
from unspoken.core.numerics.arrays import Counts
from unspoken.core.numerics.rounding import up
from unspoken.core.types.domain import Domain
from unspoken.core.types.noise import Noise
from unspoken.core.types.sums import term
from unspoken.noise.discrete_laplace import in_steps, one_sided_noise, two_sided_noise

__all__ = ["draw", "on_grid", "with_noise_of"]


def draw(mechanism: Mechanism, domain: Domain, answers: Sequence[int]) -> tuple[int, ...]:
    """What is shown of these exact answers, one for each number that the mechanism asks for."""
    parts = mechanism.parts(domain, Adversary(domain.names[0]))
    if parts.beside_queries or len(answers) != len(parts.queries):
        raise InputError(
            f"draw: {len(answers)} exact answers for {len(parts.queries)} noisy ones; give one "
            "for each, of a mechanism that is noise"
        )
    drawn = dict[int, int]()
    for noise in dict.fromkeys(query.noise for query in parts.queries):
        places = [c for c, query in enumerate(parts.queries) if query.noise == noise]
        noisy = with_noise_of(noise, [answers[c] for c in places]).tolist()
        drawn |= dict(zip(places, noisy, strict=True))
    return tuple(drawn[c] for c in range(len(answers)))


def with_noise_of(noise: Noise, numbers: Sequence[int] | Counts) -> Counts:
    """Whole numbers, each with a draw of its own of this noise."""
    if not noise.whole:
        raise NotKnown(
            "draw: Laplace noise on floats shows in their last digits what it was added to; take "
            "on_grid(mechanism, domain, step), or Geometric"
        )
    sampler = one_sided_noise if noise.one_sided else two_sided_noise
    return sampler(numbers, up(1.0 / noise.rate, 4))


def on_grid(mechanism: Laplace, domain: Domain, step: float) -> Geometric:
    """The same answers counted in steps: each term at its nearest multiple, and the noise that is
    drawn of them. What is shown is the step times what is drawn; all bounds are of what is drawn.
    """
    given = merged(mechanism.weights, mechanism.terms, "laplace")[2]
    queries = linear_queries(domain, given, "laplace")
    in_whole = [
        {
            name: tuple(map(float, in_steps(term(domain, weight, name), step)))
            for name, weight in query.items()
            if weight
        }
        for query in queries
    ]
    names = [name for name in domain.names if any(any(query.get(name, ())) for query in in_whole)]
    if not names:
        raise InputError(f"on_grid: all terms are nearer to 0 than to a step of {step:g}")
    return Geometric(
        alpha_of(up(mechanism.scale / step, 1)), *parted(written(domain, in_whole, names))
    )
