"""Finitely many beliefs, of any kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from unspoken.core.adversary import Adversary
from unspoken.core.beliefs import A_BELIEF, Belief
from unspoken.core.beliefs.asking import Shows
from unspoken.core.errors import InputError
from unspoken.core.families.family import Family
from unspoken.core.types.channel import Output
from unspoken.core.types.kinds import expect, items
from unspoken.core.types.premise import weakest
from unspoken.core.views import MembersView, View

__all__ = ["Beliefs"]


class Beliefs(Family):
    """Finitely many beliefs about the same variables; any kind, any mechanism, any measure.

    The set is these and nothing between them: a mixture of beliefs may leak more than each.
    """

    kind = "beliefs"

    def __init__(self, members: Iterable[Belief]) -> None:
        given = items(members, "beliefs")
        if not given:
            raise InputError("beliefs: is empty; give a list of at least one belief")
        for member in given:
            expect(member, Belief, "beliefs", A_BELIEF)
        self.members, self.domain = given, given[0].domain
        for at, member in enumerate(given):
            if member.domain != self.domain:
                raise InputError(
                    f"beliefs: number {at} has other names or values than number 0; "
                    "all are about the same variables"
                )
        self.premise = weakest(member.premise for member in self.members)

    @property
    def candidates(self) -> tuple[Belief, ...]:
        return tuple(each for member in self.members for each in member.candidates)

    def blanket(self, name: str) -> tuple[str, ...]:
        """Under each of them these leave the rest independent of this one."""
        beside = {other for member in self.members for other in member.blanket(name)}
        return tuple(other for other in self.domain.names if other in beside)

    def viewed(
        self, mechanism: Shows, adversary: Adversary, outcome: Mapping[str, Output] | None
    ) -> View:
        return MembersView(
            tuple(member.viewed(mechanism, adversary, outcome) for member in self.members)
        )

    def facts(self) -> list[tuple[str, str]]:
        shown = [("members", str(len(self.members))), ("not", "their mixtures")]
        return [*shown, *super().facts()]
