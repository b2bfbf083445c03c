"""The attacks, by name."""

from collections.abc import Mapping

from unspoken.workflows.audit.attacks.protocol import Attack, PublicKnowledge, Scorer
from unspoken.workflows.audit.attacks.trained import classified, digits, frequent, nearest
from unspoken.workflows.audit.attacks.untrained import blanks, largest, least, posterior, spread

__all__ = ["ATTACKS", "Attack", "PublicKnowledge", "Scorer"]

ATTACKS: Mapping[str, Attack] = {
    "blanks": blanks,
    "classified": classified,
    "digits": digits,
    "frequent": frequent,
    "largest": largest,
    "least": least,
    "nearest": nearest,
    "posterior": posterior,
    "spread": spread,
}
