"""Whatever is handed in: a valid answer, or one line that says what is wrong.

Each valid call is mutated in one place or in several: an argument, or something inside it, becomes
an object of another kind, or nearly the same. What a call then makes is used: it is asked about,
shown, copied, and its methods are called. There are no warnings on the way, every call ends, and
no bound has its ends the wrong way round.

`make stress` (STRESS=10) makes some 80,000 calls that are mutated in one place, each that there is,
and 150,000 in several.
"""

from __future__ import annotations

import copy
import os
import pickle
import random
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import unspoken
from tests.laws.mutations import WRONG, in_short, left_out, mutated, places, several
from tests.laws.using import called, used
from tests.laws.valid_calls import CALLS, RECORDS
from tests.within import TooLong, within
from unspoken.core.errors import UnspokenError
from unspoken.noise import published

pytestmark = pytest.mark.slow

STRESS = 15_000  # calls mutated in several places, for each unit of effort


def complaint(where: str, ask: Callable[[], object]) -> str | None:
    """What a caller meets that is neither an answer nor one line; None if all is well."""
    try:
        with within(), warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                ask()
            except UnspokenError as refused:
                said = str(refused)
                return None if said.isprintable() else f"{where}: {said!r}"
    except TooLong:
        return f"{where}: does not end"
    except Exception as raw:
        return f"{where}: {type(raw).__name__}: {str(raw)[:90]}"
    return None


def in_one_place(name: str, path: tuple[Any, ...], make: Callable[[], Any]) -> str | None:
    function, arguments = CALLS[name]
    wrong = make()
    where = f"{name}{list(path)} = {in_short(wrong)[:60]!r}"
    return complaint(where, lambda: used(function(**mutated(arguments, path, wrong))))


def in_several(rng: random.Random) -> str | None:
    """A call that is wrong in some places; what it makes is used, as far as anything is made."""
    name = rng.choice([*CALLS])
    function, arguments = CALLS[name]
    with warnings.catch_warnings(action="ignore"):  # of the libraries that mutate
        changed, done = several(arguments, rng)

    def ask() -> None:
        made = function(**changed)
        used(made)
        used(called(made, rng))
        if rng.random() < 0.1:
            copy.copy(made)
            pickle.loads(pickle.dumps(made))

    return complaint(f"{name}{done}", ask)


def every() -> list[tuple[str, tuple[Any, ...], Callable[[], Any]]]:
    return [
        (name, path, make)
        for name, (function, arguments) in CALLS.items()
        for path in [*places(arguments), *((more,) for more in left_out(function, arguments))]
        if path != ("progress",)  # a function of the caller's: what it raises is theirs
        for make in WRONG
    ]


def all_right(mutations: list[tuple[str, tuple[Any, ...], Callable[[], Any]]]) -> None:
    found = [said for mutation in mutations if (said := in_one_place(*mutation))]
    assert not found, f"{len(found)} of {len(mutations)} mutated calls:\n" + "\n".join(found[:40])


def test_every_public_name_is_called() -> None:
    callables = {own for own in unspoken.__all__ if callable(getattr(unspoken, own))}
    printed = {f"published.{own}" for own in published.__all__ if own not in RECORDS}
    missing = (callables | printed) - RECORDS - {"UnspokenError"} - CALLS.keys()
    assert not missing, "add a valid call of each to valid_calls.py"


@pytest.mark.parametrize("name", CALLS)
def test_the_call_is_valid_before_it_is_mutated(name: str) -> None:
    function, arguments = CALLS[name]
    if "no such" not in str(arguments):
        used(function(**arguments))


def test_some_mutated_calls(effort: int) -> None:
    mutations = every()
    all_right(random.Random(11).sample(mutations, min(len(mutations), 1500 * effort)))


@pytest.mark.stress
def test_all_mutated_calls(effort: int) -> None:
    if effort == 1:
        pytest.skip("some thousand calls; make stress makes them all")
    all_right(every())


@pytest.mark.stress
def test_calls_mutated_in_several_places(effort: int) -> None:
    drawn_anew = effort > 1 and not os.environ.get("CI")
    rng = random.Random(None if drawn_anew else 5)
    calls = 600 if effort == 1 else STRESS * effort
    found = [said for _ in range(calls) if (said := in_several(rng))]
    assert not found, f"{len(found)} of {calls} mutated calls:\n" + "\n".join(found[:40])
