"""The ledger: what was released, as events that outlive every plan, policy and epoch."""

from unspoken.storage.ledger.account import Account, fold, reaches
from unspoken.storage.ledger.answers import Answered, AnswerEvent
from unspoken.storage.ledger.decisions import Adoption, Decision, Event, Learning
from unspoken.storage.ledger.disclosures import Disclosure, Known, unions
from unspoken.storage.ledger.drawn import Charged
from unspoken.storage.ledger.epoch_parts import Given
from unspoken.storage.ledger.event import EXACT, Release
from unspoken.storage.ledger.exposure import EarlierPolicy, Exposure
from unspoken.storage.ledger.naming import rows_by, rows_of, tossing
from unspoken.storage.ledger.record_coins import merged
from unspoken.storage.ledger.requests import KeyedRequest
from unspoken.storage.ledger.seal import Head, Seal, head_file
from unspoken.storage.ledger.store import Ledger

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
