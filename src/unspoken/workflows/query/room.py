"""What a release leaves of the limits for answers with noise, before it is charged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from unspoken.core.errors import LimitExceeded, UnspokenError
from unspoken.core.mechanisms import Mechanism
from unspoken.storage.custody.custody import Custody
from unspoken.storage.prose import listed
from unspoken.workflows.query.asking import Asking
from unspoken.workflows.query.noise import coarse
from unspoken.workflows.query.offers import asking_of, least_beside, shown_beside
from unspoken.workflows.release.preparing import Prepared

__all__ = ["RoomForAnswers"]

MOST = 5  # attributes: each takes looking at all answers up to a dozen times
ROOM = "A smaller odds_cap under [plan], set before the first release, leaves room"


@dataclass(frozen=True)
class RoomForAnswers:
    """``epsilons``: of each attribute what counts of its values may cost for one record, once
    ``mechanism`` is released; 0: they are refused, or would be noise alone.
    """

    epsilons: Mapping[str, float]

    @classmethod
    def beside(
        cls, ready: Prepared, mechanism: Mechanism, reader: str | None = None
    ) -> RoomForAnswers:
        """The room for counts of each attribute read whose values are declared."""
        project, kept = ready.project, Custody.there(ready.project)
        if not project.protected:
            return cls({})
        reads = project.serving(reader).reads if reader else project.reads
        asked = dict(_asked(ready, reads, kept, reader))
        found = dict[str, float]()
        with suppress(UnspokenError):  # nothing is said of what cannot be looked at
            epochs = next(iter(asked.values())).epochs if asked and kept is not None else [""]
            for name, asking in asked.items():
                shown = mechanism.showing(reads if reader else shown_beside(asking))
                found[name] = _left(asking, shown, epochs)
        return cls(found)

    def __str__(self) -> str:
        none = [name for name, epsilon in self.epsilons.items() if not epsilon]
        some = {name: f"{epsilon:g}" for name, epsilon in self.epsilons.items() if epsilon}
        if not self.epsilons:
            return ""
        if not some:
            return f"This release leaves nothing for queries about {listed(none, 'or')}. {ROOM}"
        but, more = (f", and nothing about {listed(none, 'or')}", f". {ROOM}") if none else ("", "")
        return f"This release leaves queries an epsilon of {_in_all(some)}{but}{more}"

    def as_json(self) -> dict[str, float]:
        return dict(self.epsilons)


def _in_all(epsilons: Mapping[str, str]) -> str:
    """The epsilons in words: one budget that all attributes share."""
    if len({*epsilons.values()}) == 1:
        about = listed([*epsilons], "or")
        return f"{next(iter(epsilons.values()))} in all for one record, about {about}"
    each = listed([f"{epsilon} about {name}" for name, epsilon in epsilons.items()], "or")
    return f"{each}, for one record and in all: a query about one leaves less for the others"


def _asked(
    ready: Prepared, names: Sequence[str], kept: Custody | None, reader: str | None
) -> Iterator[tuple[str, Asking]]:
    """Counts of these attributes that nobody was given yet."""
    for name in names[:MOST]:
        with suppress(UnspokenError):
            asking = asking_of(ready, name, kept, reader)
            if asking is not None and asking.before() is None:
                yield name, asking


def _left(asking: Asking, shown: Mechanism, epochs: Sequence[str]) -> float:
    """The epsilon left for one attribute, without looking at record coins of other plans."""
    try:
        noise = least_beside(asking, [shown], epochs, looks=not shown.record_coins())
    except LimitExceeded:
        return 0.0
    alone = noise.least_error() > asking.ready.learned.rows
    return 0.0 if alone else coarse(noise.epsilon)
