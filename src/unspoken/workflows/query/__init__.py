"""Answers with noise: which query, how much noise, charged, drawn once and kept."""

from unspoken.workflows.query.answer import NoisyAnswer, Promised
from unspoken.workflows.query.beside import refused_beside
from unspoken.workflows.query.flow import query
from unspoken.workflows.query.given import GivenAnswer, given_answers, odds_beside, together
from unspoken.workflows.query.offers import Offer, offers, undeclared_values
from unspoken.workflows.query.room import RoomForAnswers

__all__ = [
    "GivenAnswer",
    "NoisyAnswer",
    "Offer",
    "Promised",
    "RoomForAnswers",
    "given_answers",
    "odds_beside",
    "offers",
    "query",
    "refused_beside",
    "together",
    "undeclared_values",
]
