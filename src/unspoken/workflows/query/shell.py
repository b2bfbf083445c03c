"""A query as a command that a shell reads."""

from __future__ import annotations

import re
import shlex

__all__ = ["command"]

READ = re.compile(r'(["$`\\])')  # by a shell, between double quotes


def command(
    query: str,
    reader: str | None,
    epsilon: float | None = None,
    share: float = 1.0,
    draw: int = 1,
) -> str:
    """To one application, where not all pool what they get."""
    # History would be looked up in double quotes, but for the one before an equals sign.
    looked_up = "!" in query.replace("!=", "")
    escaped = READ.sub(r"\\\1", query)
    quoted = shlex.quote(query) if looked_up else f'"{escaped}"'
    to = "" if reader is None else f" --for {shlex.quote(reader)}"
    noise = "" if epsilon is None else f" --epsilon {epsilon!r}"
    part = "" if share == 1.0 else f" --share {share!r}"
    return f"unspoken query {quoted}{to}{noise}{part}{'' if draw == 1 else f' --draw {draw}'}"
