"""Where numbers are extreme: digits are kept, and what cannot be told is refused by name."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import unspoken
from tests.computed import computed
from unspoken import RELEASED, Adversary, Finite, Geometric, Independent, Joint, Laplace, OneSided
from unspoken.core.errors import InputError
from unspoken.core.mechanisms import RandomizedResponse, Together

pytestmark = pytest.mark.slow

PAIR = Joint([[0.3, 0.1], [0.1, 0.5]], names=["A", "B"])
THREE = Joint([[[2, 1], [4, 3]], [[2, 4], [2, 2]]], names=["A", "B", "C"])


def entropy(*law: float) -> float:
    return -sum(p * math.log(p) for p in law)


@pytest.mark.parametrize("scale", [1e-3, 1e-6, 1e-10, 1e-100, 1e-150])
def test_far_apart_answers_tell_the_sum_itself(scale: float) -> None:
    """I(B; A + B), and the other means: what noise leaves between answers is below e^-500."""
    truth = {
        "mutual-information": entropy(0.4, 0.6) - 0.2 * math.log(2),
        "delta": 0.5 / 0.6,
        "maximal-leakage": math.log(3 / 4 + 1 / 4 + 5 / 6),
        "guessing": 0.3,
        "bayes-leakage": math.log(0.9 / 0.6),
    }
    measure: Any
    for measure, exact in truth.items():
        bound = unspoken.leakage(PAIR, Laplace(scale), Adversary("B"), measure)
        assert bound.low * (1 - 1e-12) <= exact <= bound.high * (1 + 1e-12), measure
        assert bound.high == pytest.approx(exact, rel=1e-9), measure


def test_whole_noise_so_small_that_answers_stand_apart() -> None:
    bound = unspoken.leakage(PAIR, Geometric(1e-300), Adversary("B"), "delta")
    assert bound.value == pytest.approx(0.5 / 0.6, rel=1e-15)


def test_noise_so_wide_that_neighbours_weigh_nothing() -> None:
    fine = Joint([[0.1, 0.2], [0.2, 0.1], [0.1, 0.3]], values=[[0, 1e-20, 2e-20], [0, 1]])
    for measure in ("max-log-ratio", "mutual-information"):
        told = unspoken.leakage(fine, Laplace(1e308, {"x0": 1}), Adversary("x0"), measure)
        assert told.value <= 1.1e-308


def test_a_variable_that_rounding_hides_is_refused() -> None:
    """1e16 + 1 is 1e16 in floats: the answer would seem to say nothing of B, and says 1 nat."""
    table = np.full((2, 2), 0.25)
    belief = Joint(table, names=["A", "B"], values=[[1, 2], [0, 1]])
    for knows in ([], ["A"], {"A": 2}):
        with pytest.raises(InputError, match="weights of B: what it adds, 1 at most, is lost"):
            unspoken.leakage(belief, Laplace(1.0, {"A": 1e16, "B": 1}), Adversary("B", knows=knows))
    plain = Joint(table, names=["A", "B"], values=[[1e16, 2e16], [0, 1]])
    with pytest.raises(InputError, match="weights of B: what it adds, 1 at most, is lost"):
        unspoken.leakage(plain, Laplace(1.0), Adversary("B"))
    told = unspoken.leakage(belief, Laplace(1.0, {"A": 1e12, "B": 1}), Adversary("B"))
    assert told.value == pytest.approx(1.0, rel=1e-3)


@pytest.mark.parametrize(
    "mechanism",
    [
        Finite("A", [[1e-200, 1.0], [3e-200, 1.0], [1.0, 0.0]]),
        RandomizedResponse("A", 800.0),
        Together([OneSided({"A": 800.0}, {"A": [0]}), RandomizedResponse("A", 1.0)]),
    ],
)
def test_products_below_the_range_of_floats_are_refused(mechanism: Any) -> None:
    """Twice 1e-200 was 0: an outcome that is possible counted as impossible, or told too little."""
    coin = Joint([0.3, 0.3, 0.4], names=["A"])
    with pytest.raises(InputError, match="probability below 1e-304; ask for it less often"):
        unspoken.leakage(coin, mechanism, Adversary("A", asks=2))
    twice = Finite("A", [[1e-150, 1.0], [3e-150, 1.0], [1.0, 0.0]])
    fits = unspoken.leakage(coin, twice, Adversary("A", asks=2))
    assert fits.value == math.inf
    told = unspoken.leakage(coin, RandomizedResponse("A", 1e-300), Adversary("A", asks=2))
    assert told.value == pytest.approx(2e-300, rel=1e-12)  # what is lost beside it matters to none


def test_many_noisy_answers_keep_within_what_can_be() -> None:
    """Too many to list; a probability is at most 1 all the same, and nobody learns less than 0."""
    many = Adversary("A", asks=40)
    delta = unspoken.leakage(THREE, Laplace(1.0), many, "delta")
    assert 0 < delta.low <= delta.high <= 1
    told = unspoken.leakage(THREE, Laplace(1.0), many, "mutual-information")
    assert told.high <= entropy(0.5, 0.5) * (1 + 1e-12)

    def certainty(after: Any) -> Any:
        return -(after.posterior * (1 - after.posterior)).sum(-1)  # convex, and below 0

    prior = THREE.marginal(["A"])
    least = -float((prior * (1 - prior)).sum())
    cloud = unspoken.view(THREE, Laplace(1.0), many)
    assert least <= cloud.mean(certainty).low <= cloud.mean(certainty).high <= 1e-12
    assert least <= cloud.sup(certainty).low


class TestEventsBesideAnswers:
    """What is seen of single variables has to be possible, noisy answers or not."""

    seen = Together([Laplace(1.0, {"A": 1.0, "B": 2.0}), OneSided({"C": 1.0}, {"C": [0]})])

    def odds(self, knows: Any) -> unspoken.Bound:
        return unspoken.odds(
            THREE, self.seen, Adversary("A", [0], knows), {"answer": 0.7, "C": RELEASED}
        )

    def test_of_a_known_value(self) -> None:
        assert self.odds({"C": 0}).status == "impossible"
        told = self.odds({"C": 1})
        rows = np.array([[1, 3], [4, 2]]) / 10  # P(A, B | C = 1)
        seen = np.exp(-np.abs(0.7 - np.array([[0, 2], [1, 3]])))
        yes, no = (rows * seen).sum(1)
        assert told.value == pytest.approx((yes / no) / (4 / 6), rel=1e-12)

    def test_of_a_variable_known_by_name(self) -> None:
        """The worst is looked for among the values that can be."""
        assert self.odds(["C"]).value == pytest.approx(self.odds({"C": 1}).value, rel=1e-12)

    @pytest.mark.parametrize(
        "belief",
        [
            Independent([[0.3, 0.7], [0.4, 0.6], [0.5, 0.5]]),
            unspoken.Exchangeable([2, 3, 1, 4], 3),
            unspoken.Chain([0.3, 0.7], [[0.6, 0.4], [0.1, 0.9]], length=3),
        ],
    )
    def test_of_a_sum_whose_other_parts_are_known_by_name(self, belief: Any) -> None:
        """Where in the sum they leave the answer is what they say: the worst of their values."""
        seen, who = Laplace(1.0), Adversary("x0", [0], ["x1", "x2"])
        each = [
            unspoken.odds(belief, seen, Adversary("x0", [0], {"x1": a, "x2": b}), {"answer": 1.7})
            for a in (0, 1)
            for b in (0, 1)
        ]
        told = unspoken.odds(belief, seen, who, {"answer": 1.7})
        assert told.value == pytest.approx(max(bound.value for bound in each), rel=1e-12)

    def test_of_an_independent_variable(self) -> None:
        belief = Independent({"A": [0.5, 0.5], "C": [0.5, 0.5]})
        never = Together([Laplace(1.0, {"A": 1.0}), Finite("C", [[1, 0], [1, 0]])])
        told = unspoken.odds(belief, never, Adversary("A", [0]), {"answer": 0.3, "C": 1})
        assert told.status == "impossible"


def test_asking_again_for_one_number_of_a_vector_is_refused() -> None:
    """It was taken, and counted as one request."""
    vector = Laplace(1.0, {"A": [1, 0], "B": [0, 1]})
    with pytest.raises(InputError, match=r'adversary\.asks: there is no "answer 1"'):
        unspoken.leakage(PAIR, vector, Adversary("B", asks={"answer 1": 5}))
    once, twice = (
        unspoken.leakage(PAIR, vector, Adversary("B", asks={"answer": n})).value for n in (1, 2)
    )
    assert once < twice


def test_known_names_may_be_said_twice() -> None:
    once = unspoken.leakage(PAIR, Laplace(1.0), Adversary("B", knows=["A"]))
    assert once == unspoken.leakage(PAIR, Laplace(1.0), Adversary("B", knows=["A", "A"]))


def test_everybody_is_asked_about_their_own_secrets() -> None:
    """`leakages` is `leakage` for each, also where something is said to be sensitive."""
    chain = unspoken.Chain([0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]], length=4)
    mechanism = Together([Laplace(1.0), OneSided({}, {"x1": [0], "x2": [1]})])
    for measure in ("odds", "exclusion", "max-log-ratio"):
        for name, bound in unspoken.leakages(chain, mechanism, measure).items():
            alone = unspoken.leakage(chain, mechanism, Adversary(name), measure)
            assert bound.value == pytest.approx(alone.value, rel=1e-12), (measure, name)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: Laplace("x"), "laplace.scale: 'x' must be"),  # type: ignore[arg-type]
        (lambda: Geometric("x"), "geometric.alpha: 'x' must"),  # type: ignore[arg-type]
        (lambda: OneSided({"A": "x"}), "epsilon of A: 'x' must be"),  # type: ignore[dict-item]
        (lambda: OneSided(["A"]), "one-sided.epsilon: .* give {name: number}"),  # type: ignore[arg-type]
        (lambda: OneSided({}, {"A": "late"}), r"sensitive of A: a list is expected, write \['late"),
        (lambda: OneSided({}, {"A": 0}), "sensitive of A: a list"),  # type: ignore[dict-item]
        (lambda: RandomizedResponse("A", "x"), "epsilon: 'x'"),  # type: ignore[arg-type]
        (lambda: Adversary("A", asks="3"), "asks: '3' is no number"),  # type: ignore[arg-type]
        (lambda: Adversary("A", secret=0), r"secret: a list is expected, write \[0\]"),  # type: ignore[arg-type]
        (lambda: Adversary("A", knows=None), "knows: a list is expected"),  # type: ignore[arg-type]
        (lambda: Adversary(3), "target: a list is expected, write"),  # type: ignore[arg-type]
        (
            lambda: unspoken.leakage(PAIR, Laplace(1.0), Adversary("A", secret=[{1}])),  # type: ignore[list-item]
            r'value of A: there is no "\{1\}"',
        ),
    ],
)
def test_what_is_no_number_and_no_list(wrong: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        wrong()


def test_numbers_of_numpy_are_numbers() -> None:
    who = Adversary("A", [0])
    one = unspoken.odds(PAIR, Geometric(0.5), who, {"answer": np.int64(1)})
    assert one == unspoken.odds(PAIR, Geometric(0.5), who, {"answer": 1})
    eps = unspoken.leakage(PAIR, Laplace(1.0), who, "delta", eps=np.float32(0.5))  # type: ignore[arg-type]
    assert eps == unspoken.leakage(PAIR, Laplace(1.0), who, "delta", eps=0.5)


def test_a_prior_and_a_channel_too_small_for_one_float() -> None:
    """P(A = 0, shown 0) = 1e-400 is no float, and possible: it tells B for certain."""
    rare = Joint([[1e-200, 0.0], [0.5, 0.5]], names=["A", "B"])
    shown = Finite("A", [[1e-200, 1 - 1e-200], [0.0, 1.0]])
    assert unspoken.leakage(rare, shown, Adversary("B")).value == math.inf
    assert unspoken.odds(rare, shown, Adversary("B", [0]), {"A": 0}).value == math.inf


def test_sums_that_only_rounding_tells_apart() -> None:
    """Gaps of 1e-17 beside gaps of 0.3, both far beyond the noise: no more than all is told."""
    laws = [[0.2, 0.3, 0.5], [0.3, 0.4, 0.3], [0.5, 0.2, 0.3]]
    joint = Joint(np.multiply.outer(np.multiply.outer(laws[0], laws[1]), laws[2]))
    for scale in (1e-2, 1e-20, 1e-100, 1e-150):
        noisy = Laplace(scale, {"x0": 2, "x1": -1, "x2": -0.3})
        told = computed(joint, noisy, Adversary("x2"), "maximal-leakage")
        assert math.log(3) - 1e-6 <= told.low <= told.high <= math.log(3) + 1e-12


@pytest.mark.parametrize("scale", [1e-4, 1e-8, 1e-12])
@pytest.mark.parametrize("measure", ["max-information", "relative-entropy"])
def test_answers_of_another_context_add_no_rounding(measure: Any, scale: float) -> None:
    """Billions of noise scales away lifts are differences of huge numbers; no bit tells more."""
    belief = unspoken.Joint(np.full((2, 2, 2), 0.125))
    who, noise = unspoken.Adversary("x1", knows=["x0", "x2"]), unspoken.Laplace(scale, [2, 0.5, -1])
    bound = unspoken.leakage(belief, noise, who, measure)
    assert bound.high == pytest.approx(math.log(2), rel=1e-14)
