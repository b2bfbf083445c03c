"""The data sets that some rows read: they are not in this repository; how to get each."""

from __future__ import annotations

import csv
import gzip
import os
from pathlib import Path

__all__ = ["FOLDER", "HOW", "Absent", "columns", "folder", "missing"]

FOLDER = "UNSPOKEN_DATA"  # names the folder that holds them; or --data
HOW = {
    "occupancy_keti_sdh": (
        "KETI's motes in Sutardja Dai Hall (Hong, Gu, Whitehouse, 2017), pir.csv of each room in "
        "github.com/selcuksan/bitirme-projesi, data/, as pir_minute.csv.gz: epoch_minute (s, UTC), "
        "and of each room 1 where a sample of the minute is not 0, 0 where all are, else nothing"
    ),
    "gowalla_capri": (
        "check-ins and friendships of Gowalla (SNAP's loc-gowalla), the subset in "
        "github.com/CapriRecSys/CAPRI, Data/Gowalla: train, tune and test.txt as visits.csv.gz "
        "(user,location,checkins,split), poiCoos.txt as locations.csv.gz (location,lat,lon), "
        "socialRelations.txt as friends.csv.gz (user_a,user_b, each friendship once)"
    ),
    "adult": (
        "adult.data of the UCI Machine Learning Repository as adult.csv.gz, with a first line "
        "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,"
        "sex,capital-gain,capital-loss,hours-per-week,native-country,income"
    ),
    "ego_facebook": (
        "SNAP's ego-Facebook: facebook_combined.txt as edges.csv.gz (node_a,node_b), and the "
        ".feat and .egofeat files as features.csv.gz (ego,node,feature: a line for each 1)"
    ),
}


class Absent(Exception):
    """A data set is not there."""


def folder(name: str) -> Path:
    """Where the data set of this name is."""
    given = os.environ.get(FOLDER)
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    found = (Path(given) if given else beside) / name
    if not found.is_dir():
        raise Absent(
            f"needs the data set {name}: {HOW[name]}; put into a folder {name}, and name the "
            f"folder above it by --data or {FOLDER}"
        )
    return found


def missing(name: str) -> str:
    """Why a row that needs this data set cannot be computed here; empty if it can."""
    try:
        folder(name)
    except Absent as absent:
        return str(absent)
    return ""


def columns(name: str, file: str) -> dict[str, list[str]]:
    """The columns of a .csv.gz file, as text."""
    with gzip.open(folder(name) / file, "rt", encoding="utf-8", newline="") as lines:
        reader = csv.reader(lines)
        head = next(reader)
        return dict(zip(head, map(list, zip(*reader, strict=True)), strict=True))
