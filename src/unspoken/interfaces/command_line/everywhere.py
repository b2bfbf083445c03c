"""Options before the command and after it: people write them on either side."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

from unspoken.core.errors import InputError

__all__ = ["Everywhere"]

OF_NO_COMMAND = {"--version", "--quiet", "--outside"}


class Everywhere(TyperGroup):
    """Its own options are understood after a command too; of the commands' own it says where."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = super().get_command(ctx, cmd_name)
        if command is not None:
            mine = [option for option in self.params if OF_NO_COMMAND & {*option.opts}]
            command.params += [o for o in mine if not _options(command) & {*o.opts}]
        return command

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        before = next((word for word in args if word not in self._own()), "")
        if before.startswith("-"):
            name = before.partition("=")[0]
            takers = [
                command_name
                for command_name, command in self.commands.items()
                if name in _options(command)
            ]
            if takers:
                meant = next((taker for taker in takers if taker in args), takers[0])
                raise InputError(f"{name}: stands after the command: unspoken {meant} {name}")
        return super().parse_args(ctx, args)

    def _own(self) -> set[str]:
        return {word for option in self.params for word in option.opts}


def _options(command: Any) -> set[str]:
    """All words by which an option of a command is given."""
    return {word for option in command.params for word in (*option.opts, *option.secondary_opts)}
