"""The page on safety: each promise names existing code and tests, and the lists are complete."""

import re
from typing import NamedTuple

from shared.content.catalogue import content
from shared.domain.counseling.staff_review import FlagReason
from shared.safety.levels import CrisisOutcome
from shared.safety.needs import Need
from shared.safety.output_guard.categories import Category
from tests.support.audit_actions import written_actions
from tests.support.named import entries, missing_places
from tests.support.phone_numbers import numbers_in
from tests.support.process import ROOT

PAGE = (ROOT / "docs" / "safety.md").read_text("utf-8")
PROMISES = PAGE.partition("## What is promised")[2].partition("## When the model is dead")[0]
TO_PUBLISH = "\n".join(line for line in PAGE.splitlines() if line.startswith("> "))
ROW = re.compile(r"^\| (S-\d{2}) \| (.+) \| (.+) \| (.+) \|$", re.MULTILINE)
HEADER = "| ID | Promise | Where | Shown by |"
FIGURES = re.compile(r"<!-- measured figures.*?-->\n(.*?)<!-- end of measured figures -->", re.DOTALL)
MOST_LINES = 350


class Row(NamedTuple):
    id: str
    promise: str
    where: str
    shown_by: str


ROWS = [Row(*found) for found in ROW.findall(PROMISES)]


def test_every_table_line_is_a_promise_with_a_unique_id():
    lines = [line for line in PROMISES.splitlines() if line.startswith("|")]
    assert len(ROWS) == len([line for line in lines if line != HEADER and not re.fullmatch(r"[|-]+", line)])
    ids = [row.id for row in ROWS]
    assert ids == sorted(set(ids))
    assert ROWS


def test_every_promise_names_existing_code_and_tests():
    places = {row.id: missing_places(row.where) + missing_places(row.shown_by) for row in ROWS}
    assert {promise: missing for promise, missing in places.items() if missing} == {}
    assert [row.id for row in ROWS if not (entries(row.where) and entries(row.shown_by))] == []


def test_the_page_refers_to_no_unknown_promise():
    assert set(re.findall(r"S-\d{2}", PAGE)) == {row.id for row in ROWS}


def test_every_outcome_category_and_reason_is_explained():
    assert [found for found in (*CrisisOutcome, *Category, *FlagReason) if f"`{found.value}`" not in PAGE] == []


def test_every_consent_has_its_law():
    laws = PAGE.partition("## Where the law stands")[2].partition("## The protocol, to publish")[0]
    assert {text.id for text in content().consents.consents} == {"terms", "sensitive_data", "overseas_transfer"}
    assert all(article in laws for article in ("arts. 15, 22", "art. 23", "art. 28-8"))


def test_every_law_row_ends_with_its_check_date():
    laws = PAGE.partition("| law, in force |")[2].partition("\n\n")[0].splitlines()[2:]
    assert len(laws) > 8
    assert [line for line in laws if not re.search(r"\| \d{4}-\d{2}-\d{2} \|$", line)] == []


def test_the_text_to_publish_names_only_help_lines_that_the_protocol_shows():
    shown = {
        entry.number
        for entry in (*content().crisis_replies.written.resources.ko, *content().crisis_replies.written.resources.en)
    }
    numbers = numbers_in(TO_PUBLISH)
    assert numbers
    assert set(numbers) <= shown


def test_the_page_lists_the_flag_reasons_in_their_order():
    (row,) = (row for row in ROWS if row.id == "S-40")
    assert entries(row.promise) == [reason.value for reason in FlagReason]


def test_the_page_lists_exactly_the_audit_actions():
    listed = PAGE.partition("`action` is one of")[2].partition(".")[0]
    assert sorted(entries(listed)) == sorted(written_actions())


def test_the_page_lists_exactly_the_needs_of_help_lines():
    listed = PAGE.partition("- `needs`: ")[2].partition(".")[0]
    assert sorted(entries(listed)) == sorted(need.value for need in Need)


def test_every_measured_figure_is_complete_and_dated():
    (table,) = FIGURES.findall(PAGE)
    rows = table.strip().splitlines()[2:]
    assert rows
    assert all(re.search(r"\| \d{4}-\d{2}-\d{2} \|$", row) and row.count("|") == 8 for row in rows)


def test_the_page_stays_short_with_readable_lines():
    assert len([line for line in PAGE.splitlines() if not line.startswith("| be")]) <= MOST_LINES  # rows by clause
    assert [line for line in PAGE.splitlines() if not line.startswith("|") and len(line) > 180] == []
