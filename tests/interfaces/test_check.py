"""`unspoken check`: everything that is wrong with a project file, at once; and errors as JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.interfaces.conftest import Run
from unspoken.workflows.release import check


def test_a_sound_project_is_said_to_be(run: Run, edited: Path) -> None:
    done = run("check")
    assert (done.code, done.out) == (0, "")
    assert done.err == (
        "unspoken.toml: nothing is wrong with it, nor with the columns of its table; whether "
        "values occur in rows, unspoken leak says\n"
    )
    assert run("check", "--json").json == {
        "unspoken": "check", "format": 1, "project": "unspoken.toml", "table": True,
        "unread": [], "faults": [],
    }  # fmt: skip


def test_a_project_is_checked_before_there_is_a_table(run: Run, edited: Path) -> None:
    (edited.parent / "occupancy.parquet").unlink()
    done = run("check")
    assert done.code == 0
    first, last = done.err.splitlines()
    assert first.startswith("not looked at: unspoken.toml:6 source.table: there is no file")
    assert "occupancy.parquet" in first
    assert "as far as can be said without its table" in last
    told = run("check", "--json").json
    assert told["table"] is False
    assert f"not looked at: {told['unread'][0]}" == first


def test_a_table_that_is_not_there_is_named_beside_what_is_wrong(run: Run, edited: Path) -> None:
    text = edited.read_text().replace('"occupancy.parquet"', '"ocupancy.parquet"')
    edited.write_text(text.replace("exceed = 0.0", "exceed = 2.0"))
    first = run("check").err.splitlines()[0]
    assert "limit.exceed" in first  # a file that is no project reads no table
    edited.write_text(text)
    assert 'Did you mean "occupancy.parquet"?' in run("check").err


def test_every_complaint_is_named_at_once(run: Run, edited: Path) -> None:
    text = edited.read_text().replace("odds_cap = 4.0", "odds_cap = 0.5")
    text = text.replace('label = "1"', 'label = ""').replace("exceed = 0.0", "exceed = 2.0")
    edited.write_text(text)
    done = run("check")
    assert (done.code, done.out) == (2, "")
    lines = done.err.splitlines()
    assert [line.partition(": ")[0].split()[1] for line in lines] == [
        "epoch.label",
        "limit.odds_cap",
        "limit.exceed",
    ]
    numbers = [int(line.split(":")[1].split()[0]) for line in lines]
    assert numbers == sorted(numbers)
    told = run("check", "--json")
    assert told.code == 2
    assert [f"{fault['place']}: {fault['message']}" for fault in told.json["faults"]] == lines


def test_every_key_of_a_wrong_kind_is_named(run: Run, edited: Path) -> None:
    text = edited.read_text().replace("close = true", 'close = "yes"\nclsoe = true')
    edited.write_text(text.replace("odds_cap = 4.0", 'odds_cap = "4"'))
    faults = run("check", "--json").json["faults"]
    assert [fault["place"].split()[1] for fault in faults] == [
        "limit.odds_cap",
        "limit.close",
        "limit.clsoe",
    ]


def test_what_does_not_fit_the_table_is_named_too(run: Run, edited: Path) -> None:
    text = edited.read_text().replace("[attribute.exits]", "[attribute.exit]")
    text = text.replace('"exits"', '"exit"').replace("first_arrival >= 11", "first_arival >= 11")
    edited.write_text(text)
    messages = [str(fault) for fault in check(edited).faults]
    assert len(messages) == 2
    assert 'Did you mean "exits"?' in messages[0]
    assert 'Did you mean "first_arrival"?' in messages[1]


def test_keys_that_name_no_row_do_not_hide_the_rest(run: Run, edited: Path) -> None:
    text = edited.read_text().replace('keys = ["office", "day"]', 'keys = ["office"]')
    edited.write_text(text.replace("first_arrival >= 11", "first_arrival + 11"))
    messages = [str(fault) for fault in check(edited).faults]
    assert any("rows of occupancy.parquet have the same" in message for message in messages)
    assert any("a condition is true or false" in message for message in messages)


def test_what_is_wrong_once_is_named_once(run: Run, edited: Path) -> None:
    text = edited.read_text()
    edited.write_text(text.replace('["office"', '["offce"'))
    of_keys = [str(fault) for fault in check(edited).faults if "source.keys" in str(fault)]
    assert len(of_keys) == 1
    folder = re.sub(r"(?m)^manifest = .*$", "", text)
    edited.write_text(folder.replace('release = "released.parquet"', 'release = "released"'))
    (fault,) = check(edited).faults
    assert "output.release: must end in .parquet: a folder is for epochs" in str(fault)


def test_an_epoch_of_no_key_is_named(run: Run, edited: Path) -> None:
    edited.write_text(edited.read_text().replace('label = "1"', 'of = "exits"'))
    (fault,) = check(edited).faults
    assert "an epoch is a function of the keys alone" in str(fault)


def test_what_is_no_toml_is_one_line(run: Run, edited: Path) -> None:
    edited.write_text("[limit\n")
    run("check").refused_with(2, "unspoken.toml:1", "this is not TOML")


def test_errors_are_an_object_too_where_json_was_asked_for(run: Run, edited: Path) -> None:
    edited.write_text(edited.read_text().replace("odds_cap = 4.0", "odds_cap = 0.5"))
    done = run("plan", "--json")
    place, _, message = done.err.rstrip("\n").partition(": ")
    assert done.code == 2
    assert done.json == {
        "unspoken": "error",
        "format": 1,
        "error": {"place": place, "message": message, "exit": 2},
    }
    wrong = run("leak", "--jsno", "--json")
    assert wrong.json["error"]["exit"] == wrong.code == 2
    assert run("plan").out == ""


@pytest.mark.slow
def test_a_refusal_by_a_limit_is_an_object_too(run: Run, edited: Path) -> None:
    assert run("release").code == 0
    text = edited.read_text().replace("limit_bits = 0.5", "limit_bits = 0.0001")
    edited.write_text(re.sub(r"(?m)^(of|label) = .*$", 'label = "again"', text))
    done = run("release", "--json")
    assert (done.code, done.json["error"]["exit"]) == (3, 3)
    assert done.err.startswith("refused: ")


def test_the_schema_explains_every_key(run: Run) -> None:
    schema = run("check", "--schema").json
    tables = [schema, *schema["$defs"].values()]
    for table in tables:
        assert table["additionalProperties"] is False
        for name, key in table["properties"].items():
            assert "description" in key or "$ref" in json.dumps(key), name
    source = schema["$defs"]["SourceTable"]
    assert source["required"] == ["keys"]
    assert source["properties"]["keys"]["examples"] == [["office", "day"]]
