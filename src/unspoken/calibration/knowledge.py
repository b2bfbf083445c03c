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
    if isinstance(knows, str):
        if knows not in ("anything", "nothing"):
            raise unknown(f"{where}.knows", knows, ["anything", "nothing", "a list of names"])
        return knows
    if not isinstance(knows, Iterable) or not all(isinstance(name, str) for name in knows):
        raise unknown(f"{where}.knows", knows, ["anything", "nothing", "a list of names"])
    knows = tuple(dict.fromkeys(knows))
    for name in knows:
        domain.axis(name, f"{where}.knows")
    if len(knows) == len(domain.names):
        raise InputError(f"{where}.knows: names every variable; nobody is left to protect")
    return knows or "nothing"


def whom(knows: Knows) -> str:
    """In words: those who know ..."""
    if knows == "nothing":
        return "nothing else"
    return "anything" if knows == "anything" else ", ".join(knows)
