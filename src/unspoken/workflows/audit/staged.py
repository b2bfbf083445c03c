"""Worlds that no belief and mechanism describe: faults of releases, files, manifests and streams.

Each says what a holder claims, draws what an attacker sees, and knows Bayes's rule where it is
simple. All randomness but that of noise which is really drawn comes from the generator.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from unspoken.core.adversary import Adversary
from unspoken.core.beliefs import Joint
from unspoken.core.mechanisms import OneSided
from unspoken.core.numerics.arrays import Array
from unspoken.noise.discrete_laplace import two_sided_noise
from unspoken.workflows.audit.attacks import PublicKnowledge
from unspoken.workflows.audit.judging import ClaimedBound
from unspoken.workflows.audit.queried import asked_again, fitted_noise, groups_shown
from unspoken.workflows.audit.rebuilt import rebuilt
from unspoken.workflows.audit.smoothed import smoothed
from unspoken.workflows.audit.trials import WITHHELD_AS, Trials
from unspoken.workflows.audit.worlds import Hypotheses, World, in_steps, modelled

__all__ = ["STAGES"]

NUMBER = (0,)  # one column, which is a number


def one_coin(prior: float, same: float, p: float, keep: bool = True) -> World:
    """Two cells, of which the second is the first again with probability ``same``, else another
    draw: two attributes, or a cell before and after a change. Claimed: a coin for each; really one
    coin is tossed for both, if ``keep``.
    """
    law = np.array([prior, 1 - prior])
    table = (1 - same) * np.outer(law, law) + same * np.diag(law)
    belief = Joint(table, ["before", "after"])
    mechanism = OneSided({"before": -math.log1p(-p), "after": -math.log1p(-p)})
    asked = Hypotheses(Adversary("after", secret=[0]), (0,), (1,))
    honest = modelled(belief, mechanism, asked, "odds")

    def draw(rng: np.random.Generator, trials: int) -> Trials:
        cells = belief.sample(rng, trials)
        coins = rng.random((trials, 1)) * np.ones((1, 2)) if keep else rng.random((trials, 2))
        seen = np.where((cells == 1) & (coins < p), 0.0, WITHHELD_AS)
        return Trials(seen, cells[:, 1] == 0)

    return World(honest.claim, honest.known, draw)


def habit(
    rows: int, usual: float, rest: float, p: float, prior: float, measure: str = "odds"
) -> World:
    """A unit's rows: who has the habit has the sensitive value in ``usual`` of them, who has not in
    ``rest``. The secret is the habit; every row's cell has a coin of its own.
    """
    given = [np.array([share, 1 - share]) for share in (usual, rest)]
    tables = []
    for law, share in zip(given, (prior, 1 - prior), strict=True):
        table = np.ones(())
        for _ in range(rows):
            table = np.multiply.outer(table, law)
        tables.append(share * table)
    names = ["habit", *(f"row{k}" for k in range(rows))]
    belief = Joint(np.stack(tables), names)
    mechanism = OneSided({name: -math.log1p(-p) for name in names[1:]})
    return modelled(
        belief, mechanism, Hypotheses(Adversary("habit", secret=[0]), (0,), (1,)), measure
    )


def row_order(prior: float, sort: bool) -> World:
    """Rows of a file: in the order in which the source had them, cases coming late; or by key."""

    def draw(rng: np.random.Generator, trials: int) -> Trials:
        secret = rng.random(trials) < prior
        came = rng.random(trials) + secret
        place = rng.random(trials) if sort else came
        return Trials(np.argsort(np.argsort(place))[:, None] / trials, secret)

    return World(
        ClaimedBound("odds", 0.0, prior, why="the order of rows says nothing"),
        PublicKnowledge(None, NUMBER),
        draw,
    )


def filtered(prior: float, by_key: bool) -> World:
    """Whether a row is among those that a condition chooses: on a protected value, or on a key."""

    def draw(rng: np.random.Generator, trials: int) -> Trials:
        secret = rng.random(trials) < prior
        chosen = rng.random(trials) < 0.5 if by_key else secret
        return Trials(chosen[:, None].astype(float), secret)

    return World(
        ClaimedBound("odds", 0.0, prior, why="conditions say nothing"),
        PublicKnowledge(None, (2,)),
        draw,
    )


def counted(prior: float, epsilon: float, noisy: bool) -> World:
    """A number worked out from how many rows have the secret, by who knows all rows but one.

    The difference of two releases of a growing table is the same. With noise, it is OpenDP's.
    """

    def draw(rng: np.random.Generator, trials: int) -> Trials:
        secret = rng.random(trials) < prior
        said = secret.astype(np.int64)
        if noisy:
            said = two_sided_noise(said, 1 / epsilon)
        return Trials(said[:, None].astype(float), secret)

    why = f"numbers of the manifest are of counts with noise, eps {epsilon:g}"
    return World(
        ClaimedBound("odds", epsilon, prior, why=why),
        PublicKnowledge(lambda seen: seen[:, 0], NUMBER),
        draw,
    )


def clipped(epsilon: float, clip: float) -> World:
    """0 or 1 with Laplace noise, answers clipped; or, which is the fault, the noise itself."""

    def draw(rng: np.random.Generator, trials: int) -> Trials:
        secret = rng.random(trials) < 0.5
        noise = np.clip(rng.laplace(scale=1 / epsilon, size=trials), -clip, clip)
        return Trials(in_steps(secret + noise)[:, None], secret)

    claim = ClaimedBound("max-log-ratio", epsilon, 0.5, why=f"Laplace noise, eps {epsilon:g}")
    return World(claim, PublicKnowledge(lambda seen: seen[:, 0], NUMBER), draw)


def doubles(epsilon: float) -> World:
    """0 or 1 with Laplace noise, added as doubles: their last digits are not those of one law."""

    def draw(rng: np.random.Generator, trials: int) -> Trials:
        secret = rng.random(trials) < 0.5
        return Trials((secret + rng.laplace(scale=1 / epsilon, size=trials))[:, None], secret)

    claim = ClaimedBound("max-log-ratio", epsilon, 0.5, why=f"Laplace noise, eps {epsilon:g}")
    return World(claim, PublicKnowledge(lambda seen: seen[:, 0], NUMBER), draw)


def silent(prior: float, columns: int) -> World:
    """Cells that are withheld by coins which nothing decides: a control that must give nothing."""

    def draw(rng: np.random.Generator, trials: int) -> Trials:
        seen = np.where(rng.random((trials, columns)) < 0.5, WITHHELD_AS, 0.0)
        return Trials(seen, rng.random(trials) < prior)

    claim = ClaimedBound("odds", 0.0, prior, why="what is seen is independent of the secret")
    return World(claim, PublicKnowledge(None, (1,) * columns), draw)


def planted(prior: float, share: float, columns: int) -> World:
    """The same, but for a ``share`` of the secrets, whose first cell is shown: to be found."""
    quiet = silent(prior, columns)

    def draw(rng: np.random.Generator, trials: int) -> Trials:
        drawn = quiet.draw(rng, trials)
        seen: Array = drawn.seen.copy()
        seen[drawn.secret & (rng.random(trials) < share), 0] = 0.0
        return Trials(seen, drawn.secret)

    return World(quiet.claim, quiet.known, draw)


STAGES: Mapping[str, Callable[..., World]] = {
    "asked-again": asked_again,
    "clipped": clipped,
    "counted": counted,
    "doubles": doubles,
    "filtered": filtered,
    "fitted-noise": fitted_noise,
    "groups-shown": groups_shown,
    "habit": habit,
    "one-coin": one_coin,
    "planted": planted,
    "rebuilt": rebuilt,
    "row-order": row_order,
    "silent": silent,
    "smoothed": smoothed,
}
