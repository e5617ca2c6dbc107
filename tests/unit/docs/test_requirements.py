"""The page of requirements: what it names is there, and nothing is called done that no test shows."""

import re
from dataclasses import dataclass

from tests.support.named import entries, missing_places
from tests.support.process import ROOT

PAGE = (ROOT / "docs" / "requirements.md").read_text("utf-8")
DOCUMENTS = ("R000", "R001")
ROW = re.compile(r"^\| (R\d{3}-\d{2,3}) \| (.+) \| (.+) \| (.+) \| (.+) \|$", re.MULTILINE)
HEADER = "| ID | Requirement | Where | Shown by | State |"
STATE = re.compile(r"`done`|`partly`: \S.*|`open`")
OPEN_ONES = PAGE.partition("## Open and partly")[2]


@dataclass(frozen=True)
class Row:
    """One requirement."""

    id: str
    requirement: str
    where: str
    shown_by: str
    state: str

    @property
    def done(self):
        return self.state == "`done`"


ROWS = [Row(*found) for found in ROW.findall(PAGE)]


def test_every_line_of_a_table_is_a_requirement():
    lines = [line for line in PAGE.splitlines() if line.startswith("|")]
    assert len(ROWS) == len([line for line in lines if line != HEADER and not re.fullmatch(r"[|-]+", line)])
    assert ROWS


def test_ids_run_from_one_without_a_gap_in_each_document():
    wanted = [f"{document}-{n:02}" for document in DOCUMENTS for n in range(1, PAGE.count(f"\n| {document}-") + 1)]
    assert [row.id for row in ROWS] == wanted


def test_a_state_is_one_of_three_and_says_what_is_missing():
    assert {row.id: row.state for row in ROWS if not STATE.fullmatch(row.state)} == {}


def test_what_a_row_names_is_there():
    assert {row.id: missing for row in ROWS if (missing := missing_places(row.where))} == {}


def test_the_tests_that_a_row_names_are_there():
    assert {row.id: missing for row in ROWS if (missing := missing_places(row.shown_by))} == {}


def test_what_is_done_has_code_and_a_test_that_shows_it():
    assert [row.id for row in ROWS if row.done and not (entries(row.where) and entries(row.shown_by))] == []


def test_the_list_at_the_end_names_what_is_not_done_once_each():
    named = re.findall(r"R\d{3}-\d{2,3}", OPEN_ONES)
    assert sorted(named) == sorted(row.id for row in ROWS if not row.done)


def test_lines_outside_of_tables_are_of_readable_length():
    assert [line for line in PAGE.splitlines() if not line.startswith("|") and len(line) > 180] == []


def test_what_is_not_there_is_missed():
    here = "tests/unit/docs/test_requirements.py"
    assert missing_places(f"`{here}:Row`, `{here}:Rows`, `nowhere.py`") == [f"{here}:Rows", "nowhere.py"]
    assert (missing_places("Row"), missing_places("`a` and `b`")) == (["Row"], ["`a` and `b`"])
