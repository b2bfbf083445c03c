"""What became known otherwise changes who looks: judged at once, by enumeration beside it."""

from __future__ import annotations

import io
import json
from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from math import inf
from pathlib import Path

import pytest
from rich.console import Console

from tests.workflows.serve import building
from tests.workflows.serve.running import running
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.core.mechanisms import RecordCoin
from unspoken.interfaces.command_line.cli import run
from unspoken.interfaces.wording import disclosing
from unspoken.workflows.release import adopt_plan
from unspoken.workflows.release.preparing import Prepared
from unspoken.workflows.serve import Curator, Refused, Request
from unspoken.workflows.serve.disclosing import Consequences, disclosed

ONE = 2**62  # of which weights are shares
WHY = "a laptop was lost"
FIRST, SECOND = Request(epochs=("0",)), Request(epochs=("1",))


def enumerated(ready: Prepared, knowing: bool, reads: Iterable[str] = ("arrival", "use")) -> float:
    """The largest factor on the odds of "late", by Bayes over records and patterns.

    ``knowing``: to who knows the use of the record, in the worst case of it.
    """
    assert ready.adopted is not None
    (coin,) = ready.adopted.mechanism.record_coins()
    law, domain = ready.learned.belief.marginal(["arrival", "use"]), ready.learned.belief.domain
    worst = 1.0
    for known in domain.values_of("use") if knowing else [None]:
        cells = {
            (a, u): Fraction(float(law[domain.code("arrival", a), domain.code("use", u)]))
            for a in domain.values_of("arrival")
            for u in domain.values_of("use")
            if known in (None, u)
        }
        joint: dict[object, dict[bool, Fraction]] = defaultdict(
            lambda: {True: Fraction(0), False: Fraction(0)}
        )
        for (arrival, use), mass in cells.items():
            own = {"arrival": arrival, "use": use}
            for shown, chance in _patterns(coin, own):
                seen = tuple((n, own[n]) for n in shown if n in reads)
                joint[seen][arrival == "late"] += mass * chance
        late = sum(mass for (arrival, _), mass in cells.items() if arrival == "late")
        prior = late / (sum(cells.values()) - late)
        for both in joint.values():
            if both[True] > 0:
                worst = max(worst, float(both[True] / both[False] / prior) if both[False] else inf)
    return worst


def _patterns(
    coin: RecordCoin, record: dict[str, object]
) -> list[tuple[tuple[str, ...], Fraction]]:
    """How often each set of names is shown of a record, from what the ledger keeps of the plan."""
    plain = coin.describe()
    names, values = plain["names"], plain["values"]
    code = [[*map(str, values[name])].index(str(record[name])) for name in names]
    found = list[tuple[tuple[str, ...], Fraction]]()
    if code in plain["codes"]:
        at = plain["codes"].index(code)
        for mask, weight in zip(plain["masks"][at], plain["weights"][at], strict=True):
            shown = tuple(n for bit, n in enumerate(names) if mask >> bit & 1)
            found.append((shown, Fraction(weight, ONE)))
    return [*found, ((), 1 - sum((chance for _, chance in found), Fraction(0)))]


def test_what_was_given_is_judged_anew_and_nothing_more_is_shown(path: Path) -> None:
    curator = Curator.of(path)
    first = curator.cells("lighting", FIRST)
    curator.cells("planning", FIRST)
    (before,) = curator.standings()
    assert before.odds is not None
    assert before.odds.odds == pytest.approx(enumerated(curator.ready, knowing=False), rel=1e-6)
    assert not before.broken

    found = disclosed(path, ["use"], by="anna", why=WHY)
    (now,) = found.standings
    assert now.odds is not None
    assert now.odds.odds == pytest.approx(enumerated(curator.ready, knowing=True), rel=1e-6)
    assert now.odds.odds > 4
    assert now.knows == ("use",)
    assert "lighting, planning, knowing use: the odds of arrival" in found.broken[0]
    assert "arrival given use" in found.plan
    (standing,) = curator.standings()  # of a service that was running all the while
    assert standing == now

    assert curator.cells("lighting", FIRST).rows == first.rows  # what was shown is shown
    with pytest.raises(Refused) as refused:
        curator.cells("lighting", SECOND)
    assert "given" not in str(refused.value)
    assert "arrival given use" in str(refused.value.__cause__)
    assert curator.rehearse("lighting", SECOND).refused is not None


@pytest.mark.slow
def test_a_plan_that_is_made_for_it_shows_other_rows_again(path: Path) -> None:
    Curator.of(path).cells("lighting", FIRST)
    disclosed(path, ["use"], why=WHY)
    adopt_plan(path, by="anna", why="since use is known")
    curator = Curator.of(path)
    assert enumerated(curator.ready, knowing=True) <= 4 + 1e-9
    assert enumerated(curator.ready, knowing=False) <= 4 + 1e-9
    assert curator.cells("lighting", SECOND).charged == ("1",)
    assert curator.cells("planning", SECOND).charged == ("1",)


@pytest.mark.slow
def test_of_one_epoch_alone(path: Path) -> None:
    found = disclosed(path, ["use"], epochs=["0"], why=WHY)
    assert found.broken == ()  # nothing was given yet
    assert "arrival given use" in found.plan
    curator = Curator.of(path)
    with pytest.raises(Refused):
        curator.cells("lighting", FIRST)
    assert curator.cells("planning", SECOND).charged == ("1",)
    assert curator.cells("lighting", SECOND).charged == ("1",)


def in_words(found: Consequences) -> str:
    """As a terminal shows it, on one line."""
    out = io.StringIO()
    Console(file=out, width=80).print(disclosing.in_words(found))
    return " ".join(out.getvalue().split())


@pytest.mark.slow
def test_what_is_said_of_one_epoch_is_what_helps(path: Path) -> None:
    """Adopting again does not; taking it for known of all rows does."""
    said = in_words(disclosed(path, ["use"], epochs=["0"], why=WHY))
    assert "A new plan is not made for it either" in said
    assert 'knows = ["use"] under [application.NAME] of whoever knows' in said
    adopt_plan(path, by="anna", why="again")
    with pytest.raises(Refused):
        Curator.of(path).cells("lighting", FIRST)
    text = path.read_text()
    for reads in ('reads = ["arrival"]', 'reads = ["use"]'):
        text = text.replace(reads, f'{reads}\nknows = ["use"]')
    path.write_text(text)
    adopt_plan(path, by="anna", why="for who knows use of all rows")
    assert Curator.of(path).cells("lighting", FIRST).charged == ("0",)
    other = disclosed(path, ["arrival"], why=WHY)
    assert "knows = " not in in_words(other)


@pytest.mark.slow
def test_to_one_coalition_alone(tmp_path: Path) -> None:
    """The other is judged as before; both together are as one that knows."""
    limit = 'odds_cap = 4.0\ncoalitions = [["lighting"], ["planning"]]\npooled_cap = "none"'
    path = building.project(tmp_path, limit)
    adopt_plan(path)
    disclosed(path, ["use"], readers=["lighting"], why=WHY)
    curator = Curator.of(path)
    alone = enumerated(curator.ready, knowing=True, reads=["arrival"])
    assert (curator.rehearse("lighting", FIRST).refused is None) == (alone <= 4 + 1e-9)
    assert curator.cells("planning", FIRST).charged == ("0",)
    told = {each.coalition: each.knows for each in curator.standings()}
    assert told["planning",] == ()


@pytest.mark.slow
def test_the_secret_itself(path: Path) -> None:
    """Who knows it has nothing left to learn; for all others nothing has changed."""
    found = disclosed(path, ["arrival"], why=WHY)
    assert (found.broken, found.plan) == ((), "")
    assert Curator.of(path).cells("lighting", FIRST).charged == ("0",)


@pytest.mark.slow
def test_noise_beside_it(path: Path) -> None:
    """Of noise alone eps bounds what anybody learns, whatever they know."""
    disclosed(path, ["use"], why=WHY)
    curator, count = Curator.of(path), "SELECT COUNT(*) FILTER (WHERE arrival = 'late') FROM visits"
    assert curator.answer("lighting", count, epsilon=1.0, dry_run=True)
    with pytest.raises(Refused):
        curator.answer("lighting", count, epsilon=2.0, dry_run=True)  # e^2 > 4


def test_the_command(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["disclosed", "use", "--why", WHY, "--by", "anna", "--project", str(path)]
    assert run([*words, "--epoch", "1", "--to", "lighting", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["attributes"], said["epochs"], said["to"]) == (["use"], ["1"], ["lighting"])
    assert run(words) == 0
    assert "known to everybody" in capsys.readouterr().err
    assert run(["ledger", str(path)]) == 0
    assert WHY in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("words", [["uses"], ["use", "--to", "nobody"], ["use", "--epoch", "9"]])
def test_what_is_not_there_is_not_written_down(
    words: list[str], path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    events = len(Curator.of(path).ledger.decisions())
    assert run(["disclosed", *words, "--why", WHY, "--project", str(path)]) == 2
    assert "there is no" in capsys.readouterr().err
    with pytest.raises(InputError, match="say why"):
        disclosed(path, ["use"], why=" ")
    assert len(Curator.of(path).ledger.decisions()) == events


def test_it_is_kept_where_the_table_cannot_be_read(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And that is said: what is known is known, whatever else is wrong."""
    table = path.parent / "visits.parquet"
    ledger = Curator.of(path).ledger
    events = len(ledger.decisions())
    table.write_bytes(table.read_bytes()[:-9])
    assert run(["disclosed", "use", "--why", WHY, "--project", str(path)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "is kept as event" in said
    assert len(ledger.decisions()) == events + 1


@pytest.mark.slow
def test_a_steward_says_so_over_http(path: Path) -> None:
    with running(path) as up:
        lighting, anna = up.client("lighting"), up.client("anna")
        said = anna.disclosed("use", why=WHY, epochs=["0"])
        assert (said["by"], said["epochs"], said["broken"]) == ("anna", ["0"], [])
        assert "arrival given use" in said["plan"]
        with pytest.raises(LimitExceeded):
            lighting.ask(epochs=["0"])
        assert lighting.ask(epochs=["1"]).charged == ["1"]
        with pytest.raises(InputError, match="role"):
            lighting.disclosed("use", why=WHY)
