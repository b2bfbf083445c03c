"""Columns whose values say who somebody is: by what the values look like, or by the column's name.

What is recognised is neither released nor written: it says of whom a row is, and nothing else.
"""

from __future__ import annotations

import re

from unspoken.tables.column import ColumnInfo

__all__ = ["identity_of", "without_identities"]

DIGITS = 9  # of whole numbers, all as long: codes given out one by one
LARGE = 99_999  # what is called a telephone number and is no more than this is none
DATED = (946_684_800, 2_208_988_800)  # seconds since 1970, from 2000 to 2039: moments, no codes

_PERSON = """
person people user customer client member patient pupil student employee staff worker contact
owner tenant occupant resident first last full family given middle maiden sur fore user nick
"""
# Columns of texts that hold names of persons: these words alone, or "name" after one of _PERSON.
_NAMES = """
name names naam nom nome nombre surname surnames forename firstname lastname fullname familyname
middlename nickname username login prenom prénom vorname nachname voornaam achternaam familienaam
apellido apellidos cognome fname lname custname familienname
"""
_TELEPHONES = "phone telephone tel mobile whatsapp cellphone gsm fax telefoon telefon téléphone"
_NATIONAL = "ssn bsn nin nhs nino insz inss niss rijksregisternummer passport iban cpf dni nif"
_WORD = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![^\W\d_A-Z])")


def identity_of(column: ColumnInfo) -> str:
    """What identifiers of persons its values look like, in the plural; empty if they do not."""
    words = [word.casefold() for word in _WORD.findall(column.name)]
    if column.kind not in ("text", "integer", "number") or column.distinct < 1:
        return ""
    if column.looks_like:
        return column.looks_like
    if column.kind == "text":
        return "names of persons" if _says_name(words) else ""
    if column.quantiles[-1:] > (LARGE,):
        if {*words} & {*_TELEPHONES.split()}:
            return "telephone numbers"
        if {*words} & {*_NATIONAL.split()}:
            return "numbers of persons"
    return "long codes" if _is_long(column) else ""


def without_identities(columns: list[ColumnInfo]) -> list[ColumnInfo]:
    """Those that do not identify persons, or only by codes, as a column called id may."""
    return [column for column in columns if identity_of(column) in ("", "long codes", "UUIDs")]


def _says_name(words: list[str]) -> bool:
    """Whether a column is called as one of names of persons would be."""
    return (
        words in [[name] for name in _NAMES.split()]
        or (words[-1:] in (["name"], ["names"], ["naam"]) and words[0] in _PERSON.split())
        or (
            words[:1] in [[name] for name in _NAMES.split()]  # Name (Patient), surname_of_patient
            and {*words[1:]} - {"of"} <= {*_PERSON.split()}
        )
    )


def _is_long(column: ColumnInfo) -> bool:
    """Whether all are whole numbers of as many digits, and many, but no moments."""
    if column.kind != "integer" or not column.quantiles:
        return False
    least, largest = column.quantiles[0], column.quantiles[-1]
    dated = any(DATED[0] * n <= least and largest < DATED[1] * n for n in (1, 1000, 10**6, 10**9))
    alike = len(f"{abs(least):.0f}") == len(f"{abs(largest):.0f}") >= DIGITS
    return alike and least > 0 and not dated
