"""What the words for an event mean: which of the outputs of each variable it covers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from unspoken.core.errors import InputError, unknown
from unspoken.core.types.channel import Channel, Output, listed
from unspoken.core.types.domain import RELEASED, WITHHELD, Domain
from unspoken.core.types.kinds import labels

__all__ = ["check_words", "likelihoods", "meant", "silent_places"]


def check_words(outcome: Mapping[str, Output], seen: Iterable[str], answers: Iterable[str]) -> None:
    """Only of what is seen, in words that can be told apart."""
    names = [*seen]
    for name, word in outcome.items():
        labels((word,), f"outcome of {name}")
        if name not in names:
            raise unknown("outcome: not among the outputs seen", name, [*names, *answers])


def likelihoods(
    domain: Domain, channels: Mapping[str, Channel], outcome: Mapping[str, Output]
) -> dict[str, Channel]:
    """The likelihood of what was seen of each variable; what is never shown is impossible."""
    events = {}
    for name, word in outcome.items():
        shown = channels[name].outputs
        covered = meant(domain, name, word, shown, silent_places(shown))
        events[name] = channels[name].event(word, covered)
    return events


def meant(
    domain: Domain, name: str, word: Output, shown: Sequence[Output], silent: Sequence[int]
) -> list[Output]:
    """Those of the outputs shown of a variable that a word covers."""
    covered = [output for output in shown if _means(word, output, silent)]
    values = domain.values_of(name) if name in domain.names else ()
    if not covered and word not in (WITHHELD, RELEASED, *values):
        raise unknown(f"outcome of {name}", word, dict.fromkeys([*values, *shown]))
    if not covered and RELEASED in shown:
        raise InputError(f"outcome of {name}: only bits are shown; say RELEASED or WITHHELD")
    return covered


def silent_places(*releases: Sequence[Output]) -> list[int]:
    """Which places of what is seen can be silent; all of them, where none can.

    ``releases``: the outputs of each; those that are tuples are of several.
    """
    can = [
        any(output[place] is WITHHELD for output in several)
        for several in ([listed(output) for output in outputs] for outputs in releases)
        for place in range(len(several[0]))
    ]
    return [place for place, silent in enumerate(can) if silent] or list(range(len(can)))


def _means(word: Output, output: Output, releases: Sequence[int]) -> bool:
    """Whether the word for an event covers this output; outputs of several mechanisms are tuples.

    WITHHELD is silence in all releases, RELEASED anything else, a value that it was shown in one.
    """
    parts = listed(output)
    silent = all(parts[place] is WITHHELD for place in releases)
    if word in (WITHHELD, RELEASED):
        return silent == (word is WITHHELD)
    return word == output or word in parts
