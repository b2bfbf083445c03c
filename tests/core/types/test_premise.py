"""What a number stands on: known kinds only, and what certifies is said one by one."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import pytest

import unspoken
from unspoken.core.errors import InputError
from unspoken.core.types.premise import STATED, Premise, weakest

KNOWN = {
    "stated": STATED,
    "learned(100)": Premise.learned(100),
    "learned(tree, 80 rows)": Premise.learned(80, "tree"),
    "box(95 %)": Premise.box(0.95),
    "box(99.9 %)": Premise.box(0.999),
    "box(99.99999 %)": Premise.box(0.9999999),
}


@pytest.mark.parametrize("words", KNOWN)
def test_it_is_read_as_it_is_printed(words: str) -> None:
    premise = Premise.of(words)
    assert str(premise) == str(KNOWN[words]) == words
    assert premise == KNOWN[words] == words
    assert hash(premise) == hash(words)
    for other in (copy.copy(premise), copy.deepcopy(premise), pickle.loads(pickle.dumps(premise))):
        assert other == premise
        assert (other.kind, other.rows, other.level) == (premise.kind, premise.rows, premise.level)


@pytest.mark.parametrize(
    "words",
    ["Learned from 3 rows", "learnt(3)", "estimate", "", "learned(-1)", "box(0 %)", "box", 3, None],
)
def test_other_words_are_refused(words: Any) -> None:
    with pytest.raises(InputError, match=r"premise") as refused:
        unspoken.Joint([[15, 5], [10, 70]], premise=words)
    assert "\n" not in str(refused.value)


def test_a_record_of_no_known_kind_is_refused() -> None:
    wrong: list[dict[str, Any]] = [
        {"kind": "guess"},
        {"kind": "learned"},
        {"kind": "stated", "rows": 3},
        {"kind": "box", "rows": 3},
        {"kind": "box", "level": 1.0},
        {"kind": "box", "level": math.nan},
        {"kind": "box", "level": 0},
        {"kind": "box", "level": "high"},
        {"kind": "learned", "rows": -1},
        {"kind": "learned", "rows": 2.5},
        {"kind": "learned", "rows": True},
        {"kind": "learned", "rows": 3, "form": "stated ("},
        {"kind": "stated", "form": "tree"},
        {"kind": ["stated"]},
    ]
    for fields in wrong:
        with pytest.raises(InputError, match="premise"):
            Premise(**fields)


def test_only_what_may_certify_does() -> None:
    assert {words: premise.certifies for words, premise in KNOWN.items()} == {
        "stated": True,
        "learned(100)": False,
        "learned(tree, 80 rows)": False,
        "box(95 %)": True,
        "box(99.9 %)": True,
        "box(99.99999 %)": True,
    }


def test_the_weakest() -> None:
    order = [
        Premise.learned(6),
        Premise.learned(80, "tree"),
        Premise.learned(100),
        Premise.box(0.95),
        Premise.box(0.999),
        STATED,
    ]
    for at, premise in enumerate(order):
        assert weakest(reversed(order[at:])) == premise


def test_a_level_is_printed_as_it_is() -> None:
    """Neither rounded up nor taken for another one."""
    assert str(Premise.box(0.9512346)) == "box(95.12346 %)"
    assert Premise.box(0.9512346) != Premise.box(0.9512349)


def test_a_bound_stands_on_a_premise() -> None:
    bound = unspoken.Bound(0.0, 1.0, premise="learned(3)")  # type: ignore[arg-type]
    assert bound.premise == Premise.learned(3)
    assert not bound.premise.certifies
    with pytest.raises(InputError, match="premise"):
        unspoken.Bound(0.0, 1.0, premise="certified")  # type: ignore[arg-type]
