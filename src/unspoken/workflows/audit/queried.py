"""Answers of a query engine: what is tried on engines that bound each answer by itself.

*Composition*: the same question again, averaged. *Variance*: noise that is fitted to the table
shows by how much answers vary what is in it. *NULL*: which groups a result has, or leaves out as
too small, tells what no noise was added to. Noise is OpenDP's, as in answers of this library.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from unspoken.core.numerics.arrays import Array
from unspoken.noise.discrete_laplace import two_sided_noise
from unspoken.workflows.audit.attacks import PublicKnowledge
from unspoken.workflows.audit.judging import ClaimedBound
from unspoken.workflows.audit.trials import Trials
from unspoken.workflows.audit.worlds import World

__all__ = ["asked_again", "fitted_noise", "groups_shown"]

HALF = 0.5  # of all trials have the secret
NOT_THERE = 0.0  # what is seen of a group that is left out


def asked_again(epsilon: float, times: int, kept: bool, claimed: int = 1) -> World:
    """A count of one, asked for so often: ``kept``, or each time with noise of its own.

    Claimed: what so many answers tell of it.
    """

    def draw(rng: np.random.Generator, trials: int) -> Trials:
        secret = rng.random(trials) < HALF
        drawn = 1 if kept else times
        said = two_sided_noise(np.repeat(secret.astype(np.int64), drawn), 1 / epsilon)
        seen = np.broadcast_to(said.reshape(trials, drawn), (trials, times))
        return Trials(seen.astype(np.float64), secret)

    def likelier(seen: Array) -> Array:
        """log of the likelihoods: epsilon for each answer above 0, else as much against."""
        leaked: Array = np.where(seen > 0, epsilon, -epsilon).sum(1)
        return leaked

    why = f"{times} times the answer that was drawn once" if kept else f"{times} answers"
    claim = ClaimedBound("max-log-ratio", claimed * epsilon, HALF, why=why)
    return World(claim, PublicKnowledge(likelier, (0,) * times), draw)


def fitted_noise(epsilon: float, times: int, reach: int, declared: bool) -> World:
    """Sums with or without somebody who has ``reach`` where all others have 1 at most.

    ``declared``: noise for what may be in the table; else for what is. All others are known.
    """

    def draw(rng: np.random.Generator, trials: int) -> Trials:
        secret = rng.random(trials) < HALF
        scales = np.where(secret | declared, reach, 1) / epsilon
        said = np.zeros((trials, times))
        for scale in np.unique(scales):
            rows = np.flatnonzero(scales == scale)
            added = np.repeat(np.where(secret[rows], reach, 0), times)
            said[rows] = two_sided_noise(added, float(scale)).reshape(len(rows), times)
        return Trials(said, secret)

    why = f"{times} answers, noise for {'declared ranges' if declared else 'the values there are'}"
    claim = ClaimedBound("max-log-ratio", times * epsilon, HALF, why=why)
    return World(claim, PublicKnowledge(None, (0,) * times), draw)


def groups_shown(
    epsilon: float, others: int, least: int, by: Literal["truth", "answer", "nothing"]
) -> World:
    """A group of ``others``, and of the target if she is in it, with noise; shown if it has so many
    members, by its true count or by the answer; or always, as a declared group is.
    """

    def draw(rng: np.random.Generator, trials: int) -> Trials:
        secret = rng.random(trials) < HALF
        count = others + secret.astype(np.int64)
        said = two_sided_noise(count, 1 / epsilon)
        decides = {"truth": count, "answer": said, "nothing": np.full(trials, least)}[by]
        shown = decides >= least
        return Trials(np.stack([shown, np.where(shown, said, NOT_THERE)], 1).astype(float), secret)

    why = "a count with noise, and whether its group is shown"
    return World(
        ClaimedBound("max-log-ratio", epsilon, HALF, why=why), PublicKnowledge(None, (2, 0)), draw
    )
