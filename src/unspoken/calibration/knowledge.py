"""What an adversary may know beside the belief, as it is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from unspoken.errors import InputError, unknown
from unspoken.types.domain import Domain

__all__ = ["Knows", "checked", "whom"]

# "anything": whichever of the other variables is worst; "nothing"; or names.
Knows = str | Sequence[str]


def checked(domain: Domain, knows: Knows, where: str) -> Knows:
    """A word or names, as they are; no names are "nothing"."""
    if isinstance(knows, str) and knows in ("anything", "nothing"):
        return knows
    names = _names(knows)
    if names is None or not all(isinstance(name, str) for name in names):
        raise unknown(f"{where}.knows", knows, ["anything", "nothing", "a list of names"])
    names = list(dict.fromkeys(names))
    for name in names:
        domain.axis(name, f"{where}.knows")
    if len(names) == len(domain.names):
        raise InputError(f"{where}.knows: names every variable; nobody is left to protect")
    return tuple(names) or "nothing"


def _names(knows: object) -> list[str] | None:
    """As a list; None where it is none."""
    return list(knows) if isinstance(knows, Iterable) and not isinstance(knows, str) else None


def whom(knows: Knows) -> str:
    """In words: those who know ..."""
    if knows == "nothing":
        return "nothing else"
    return "anything" if knows == "anything" else ", ".join(knows)
