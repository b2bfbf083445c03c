"""What became known otherwise: of which rows, to whom, alone and together."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.storage.ledger.charging import under
from tests.storage.ledger.histories import event
from unspoken.core.errors import InputError
from unspoken.storage.ledger import Account, Disclosure, Ledger, unions

EVERYBODY: tuple[str, ...] = ()


def said(
    *attributes: str, epochs: tuple[str, ...] = (), to: tuple[str, ...] = (), of: str = "month"
) -> Disclosure:
    return Disclosure("t", attributes, of, of != "x", epochs, to, "k", "somebody", "a reason")


def account(*events: Disclosure) -> Account:
    made = Account.of([])
    for number, each in enumerate(events, start=1):
        made.enter(each, number)
    return made


def known(
    made: Account, coalition: tuple[str, ...], epoch: str = "2026-05"
) -> set[tuple[str, ...]]:
    """Of the rows of an epoch, beside an event of the same function of keys."""
    audience = made.reaching(coalition, ["one", "two"])
    (exposure,) = made.before(event("month", a=1.0), audience)
    return {*exposure.known}


def test_each_alone_and_all_together() -> None:
    assert unions([]) == ()
    assert unions([["b"], ["a"]]) == (("a",), ("a", "b"), ("b",))
    assert len(unions([["a"], ["b"], ["c"], ["a", "b"]])) == 7


def test_who_knows_and_of_which_rows() -> None:
    made = account(
        said("a"),
        said("b", to=("one",)),
        said("c", epochs=("2026-04",)),
        said("d", epochs=("2026-05",), to=("two",)),
    )
    assert known(made, ("one",)) == {("a",), ("b",), ("a", "b")}
    assert known(made, ("two",)) == {("a",), ("d",), ("a", "d")}
    assert len(known(made, ("one", "two"))) == 7  # of a, b and d
    everywhere = made.exposure(made.reaching(("one", "two"), ["one", "two"]))
    assert len(everywhere.known) == 15  # a row that is in every epoch


def test_who_is_not_declared_any_more_may_tell_anybody() -> None:
    assert known(account(said("a", to=("gone",))), ("one",)) == {("a",)}


def test_under_another_label_the_rows_may_be_any() -> None:
    assert known(account(said("a", epochs=("x",), of="x")), ("one",)) == {("a",)}


def test_it_outlives_the_ledger_being_closed(tmp_path: Path) -> None:
    seal, path = under(tmp_path), tmp_path / "ledger.sqlite"
    ledger = Ledger(path)
    head = ledger.charge(said("a"), lambda _: None, seal)
    assert ledger.charge(said("a"), lambda _: None, seal) == head  # the same is said once
    found: list[Account] = []
    Ledger(path).look(found.append, seal)
    assert [each.attributes for each in found[-1].disclosures()] == [("a",)]
    assert found[-1].exposure(found[-1].readers()).known == (("a",),)
    ((_, kept),) = Ledger(path).decisions()
    assert "a known to everybody, said by somebody (a reason)" in str(kept)


def test_what_is_none_is_refused() -> None:
    with pytest.raises(InputError, match=r"event\.attributes"):
        Disclosure.from_json(said("a").to_json().replace('["a"]', "[]"))
