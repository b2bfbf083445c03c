"""Several mechanisms seen by the same eyes: their joint view, never the sum of their leakages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce

from unspoken.adversary import Adversary
from unspoken.display import Shown
from unspoken.errors import InputError
from unspoken.mechanisms.mechanism import Mechanism
from unspoken.mechanisms.parts import Parts
from unspoken.types.domain import Domain, Value

__all__ = ["Together"]


@dataclass(frozen=True, repr=False)
class Together(Mechanism, Shown):
    """All of these at once. Releases with persistent coins share the coin of a cell; all other

    noise is independent. What any of them calls sensitive is secret by default.
    """

    mechanisms: Iterable[Mechanism]

    def __post_init__(self) -> None:
        own = tuple(self.mechanisms) if isinstance(self.mechanisms, Iterable) else ()
        if not own or not all(isinstance(one, Mechanism) for one in own):
            raise InputError("together: a list of at least one mechanism is expected")
        object.__setattr__(self, "mechanisms", own)

    def parts(self, domain: Domain, adversary: Adversary) -> Parts:
        return reduce(Parts.beside, (own.parts(domain, adversary) for own in self.mechanisms))

    def sensitive_values(self, domain: Domain, name: str) -> tuple[Value, ...] | None:
        said = [own.sensitive_values(domain, name) or () for own in self.mechanisms]
        union = dict.fromkeys(value for values in said for value in values)
        return tuple(union) or None

    def facts(self) -> list[tuple[str, str]]:
        return [(type(own).__name__, "") for own in self.mechanisms]
