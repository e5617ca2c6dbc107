"""The page of requirements: named code and tests exist, and each done requirement has both."""

import re
from typing import NamedTuple

from tests.support.named import entries, missing_places
from tests.support.process import ROOT

PAGE = (ROOT / "docs" / "requirements.md").read_text("utf-8")
DOCUMENTS = ("R000", "R001", "R002", "R003", "R004")
ROW = re.compile(r"^\| (R\d{3}-\d{2,3}) \| (.+) \| (.+) \| (.+) \| (.+) \|$", re.MULTILINE)
HEADER = "| ID | Requirement | Where | Shown by | State |"
STATE = re.compile(r"`done`|`partly`: \S.*|`open`")
OPEN_ONES = PAGE.partition("## Open and partly")[2]


class Row(NamedTuple):
    id: str
    requirement: str
    where: str
    shown_by: str
    state: str


ROWS = [Row(*found) for found in ROW.findall(PAGE)]


def test_every_line_of_a_table_is_a_requirement():
    lines = [line for line in PAGE.splitlines() if line.startswith("|")]
    assert len(ROWS) == len([line for line in lines if line != HEADER and not re.fullmatch(r"[|-]+", line)])
    assert ROWS


def test_ids_are_numbered_without_a_gap_in_each_document():
    wanted = [f"{document}-{n:02}" for document in DOCUMENTS for n in range(1, PAGE.count(f"\n| {document}-") + 1)]
    assert [row.id for row in ROWS] == wanted


def test_every_state_is_valid_and_partly_names_the_missing_part():
    assert {row.id: row.state for row in ROWS if not STATE.fullmatch(row.state)} == {}


def test_the_code_and_the_tests_that_a_row_names_exist():
    places = {row.id: missing_places(row.where) + missing_places(row.shown_by) for row in ROWS}
    assert {requirement: missing for requirement, missing in places.items() if missing} == {}


def test_every_done_requirement_names_code_and_a_test():
    assert [
        row.id for row in ROWS if row.state == "`done`" and not (entries(row.where) and entries(row.shown_by))
    ] == []


def test_the_final_list_names_each_unfinished_requirement_once():
    named = re.findall(r"R\d{3}-\d{2,3}", OPEN_ONES)
    assert sorted(named) == sorted(row.id for row in ROWS if row.state != "`done`")


def test_lines_outside_of_tables_are_of_readable_length():
    assert [line for line in PAGE.splitlines() if not line.startswith("|") and len(line) > 180] == []


def test_missing_places_are_found():
    here = "tests/unit/docs/test_requirements.py"
    assert missing_places(f"`{here}:Row`, `{here}:Rows`, `nowhere.py`") == [f"{here}:Rows", "nowhere.py"]
    assert (missing_places("Row"), missing_places("`a` and `b`")) == (["Row"], ["`a` and `b`"])
