"""What an adversary may know beside the belief, as it is asked for."""

from __future__ import annotations

from collections.abc import Sequence

from unspoken.core.errors import InputError, unknown
from unspoken.core.types.domain import Domain
from unspoken.core.types.kinds import items

__all__ = ["Knows", "checked", "whom"]

# "anything": whichever of the other variables is worst; "nothing"; or names.
Knows = str | Sequence[str]


def checked(domain: Domain, knows: Knows, where: str) -> Knows:
    """A word or names, as they are; no names are "nothing"."""
    if isinstance(knows, str) and knows in ("anything", "nothing"):
        return knows
    if isinstance(knows, str):
        raise unknown(f"{where}.knows", knows, ["anything", "nothing", "a list of names"])
    listed = items(knows, f"{where}.knows")
    for name in listed:
        domain.axis(name, f"{where}.knows")
    names = tuple(dict.fromkeys(listed))
    if len(names) == len(domain.names):
        raise InputError(f"{where}.knows: names every variable; nobody is left to protect")
    return names or "nothing"


def whom(knows: Knows) -> str:
    """In words: those who know ..."""
    if knows == "nothing":
        return "nothing else"
    return "anything" if knows == "anything" else ", ".join(knows)
