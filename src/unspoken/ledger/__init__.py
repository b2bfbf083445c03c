"""The ledger: what was released, as events that outlive every plan, policy and epoch."""

from unspoken.ledger.account import Account, fold, reaches
from unspoken.ledger.answers import Answered, AnswerEvent
from unspoken.ledger.decisions import Adoption, Decision, Event, Learning
from unspoken.ledger.disclosures import Disclosure, Known, unions
from unspoken.ledger.drawn import Charged
from unspoken.ledger.epoch_parts import Given
from unspoken.ledger.event import EXACT, Release
from unspoken.ledger.exposure import EarlierPolicy, Exposure
from unspoken.ledger.naming import rows_by, rows_of, tossing
from unspoken.ledger.record_coins import merged
from unspoken.ledger.requests import KeyedRequest
from unspoken.ledger.seal import Head, Seal, head_file
from unspoken.ledger.store import Ledger

__all__ = [
    "EXACT",
    "Account",
    "Adoption",
    "AnswerEvent",
    "Answered",
    "Charged",
    "Decision",
    "Disclosure",
    "EarlierPolicy",
    "Event",
    "Exposure",
    "Given",
    "Head",
    "Known",
    "Learning",
    "Ledger",
    "Release",
    "KeyedRequest",
    "Seal",
    "fold",
    "head_file",
    "merged",
    "reaches",
    "rows_by",
    "rows_of",
    "tossing",
    "unions",
]
