"""A stream of states, each with noise of its own, smoothed: everything speaks of every moment.

State t of a chain is 0 or 1, y_t = x_t + Laplace noise. Forwards and backwards in turn,

    f_t(x) = L_t(x) sum_w f_{t-1}(w) P(x | w),    b_t(x) = sum_w P(w | x) L_{t+1}(w) b_{t+1}(w)

and P(y | x_t = x) is f_t(x) b_t(x) / P(x): the best there is for who knows the chain.
"""

from __future__ import annotations

import numpy as np

from unspoken.core.beliefs import Chain
from unspoken.core.conversion import temporal
from unspoken.core.numerics.arrays import Array
from unspoken.workflows.audit.attacks import PublicKnowledge
from unspoken.workflows.audit.judging import ClaimedBound
from unspoken.workflows.audit.trials import Trials
from unspoken.workflows.audit.worlds import World, in_steps

__all__ = ["smoothed"]


def smoothed(stay: float, length: int, epsilon: float, at: int, known: bool = False) -> World:
    """Claimed: the temporal leakage at this step; or, as a stream's holder would, its own epsilon.

    ``known``: whether the attacker knows the states just before and after, which leave nothing to
    smooth.
    """
    step = np.array([[stay, 1 - stay], [1 - stay, stay]])
    chain = Chain([0.5, 0.5], step, length)
    bound = epsilon if known else temporal(chain, epsilon).at(at).nats
    why = f"step {at} of {length}, all noisy states seen"

    def draw(rng: np.random.Generator, trials: int) -> Trials:
        states = chain.sample(rng, trials)
        held = (states[:, at - 1] == 0) & (states[:, at + 1] == 0) if known else slice(None)
        states = states[held]
        seen = in_steps(states + rng.laplace(scale=1 / epsilon, size=states.shape))
        return Trials(seen, states[:, at] == 1)

    def score(seen: Array) -> Array:
        like = np.exp(-epsilon * np.abs(seen[:, :, None] - np.array([0.0, 1.0])))
        log_ratio = np.log(like[:, at, 1]) - np.log(like[:, at, 0])
        if known:
            return np.asarray(log_ratio)
        ahead = _message(like[:, :at], step)
        behind = _message(like[:, :at:-1], step)
        return np.asarray(log_ratio + ahead + behind)

    prior = 0.5 if not known else float((1 - stay) ** 2 / ((1 - stay) ** 2 + stay**2))
    return World(
        ClaimedBound("max-log-ratio", bound, prior, why=why),
        PublicKnowledge(score, (0,) * length),
        draw,
    )


def _message(like: Array, step: Array) -> Array:
    """log of how likely answers on one side are with a 1 here, against a 0; the chain is symmetric,
    so that it reads the same both ways.
    """
    posterior = np.full((len(like), 2), 0.5)
    for t in range(like.shape[1]):
        posterior = (posterior * like[:, t]) @ step
        posterior = posterior / posterior.sum(1, keepdims=True)
    return np.asarray(np.log(posterior[:, 1]) - np.log(posterior[:, 0]))
