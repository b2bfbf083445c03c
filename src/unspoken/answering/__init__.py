"""Answers with noise: which query, how much noise, charged, drawn once and kept."""

from unspoken.answering.answer import NoisyAnswer, Promised
from unspoken.answering.beside import refused_beside
from unspoken.answering.flow import query
from unspoken.answering.given import GivenAnswer, given_answers, odds_beside, together
from unspoken.answering.offers import Offer, offers, undeclared_values
from unspoken.answering.room import RoomForAnswers

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
