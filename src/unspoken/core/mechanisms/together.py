"""Several mechanisms seen by the same eyes: their joint view, never the sum of their leakages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from unspoken.core.adversary import Adversary
from unspoken.core.display import Shown
from unspoken.core.errors import InputError
from unspoken.core.mechanisms.arguments import PARTS
from unspoken.core.mechanisms.mechanism import Mechanism, RecordCoin
from unspoken.core.mechanisms.parts import Parts
from unspoken.core.types.domain import Domain, Value
from unspoken.core.types.kinds import items

__all__ = ["Together"]


@dataclass(frozen=True, repr=False)
class Together(Mechanism, Shown):
    """All of these at once. Releases with persistent coins share the coin of a cell; all other
    noise is independent. What any of them calls sensitive is secret by default.
    """

    mechanisms: Iterable[Mechanism]

    kind: ClassVar = "together"
    arguments: ClassVar = {"parts": PARTS}

    def __post_init__(self) -> None:
        parts = items(self.mechanisms, "together, at least one mechanism")
        if not parts or not all(isinstance(part, Mechanism) for part in parts):
            raise InputError("together: a list of at least one mechanism is expected")
        object.__setattr__(self, "mechanisms", parts)

    def describe(self) -> dict[str, Any]:
        return {"kind": self.kind, "parts": [part.describe() for part in self.mechanisms]}

    @classmethod
    def made(
        cls,
        given: Mapping[str, Any],
        where: str,
        part: Callable[[Mapping[str, Any], str], Mechanism],
    ) -> Mechanism:
        parts = PARTS.held(given["parts"], f"{where}.parts")
        return cls([part(each, f"{where}.parts[{i}]") for i, each in enumerate(parts)])

    def parts(self, domain: Domain, adversary: Adversary) -> Parts:
        return Parts.of(part.parts(domain, adversary) for part in self.mechanisms)

    def exponents(self) -> Mapping[str, float]:
        """Its parts share the coin of a cell: the largest shows all that any of them does."""
        largest: dict[str, float] = {}
        for part in self.mechanisms:
            for name, exponent in part.exponents().items():
                largest[name] = max(exponent, largest.get(name, 0.0))
        return largest

    def record_coins(self) -> tuple[RecordCoin, ...]:
        return tuple(coin for part in self.mechanisms for coin in part.record_coins())

    def drawn_anew(self) -> tuple[Mechanism, ...]:
        return tuple(anew for part in self.mechanisms for anew in part.drawn_anew())

    def scaled(self, share: float) -> Together:
        return Together([part.scaled(share) for part in self.mechanisms])

    def sensitive_values(self, domain: Domain, name: str) -> tuple[Value, ...] | None:
        said = [part.sensitive_values(domain, name) or () for part in self.mechanisms]
        union = dict.fromkeys(value for values in said for value in values)
        return tuple(union) or None

    def facts(self) -> list[tuple[str, str]]:
        return [(type(part).__name__, "") for part in self.mechanisms]
