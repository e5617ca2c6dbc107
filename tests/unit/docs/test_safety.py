"""The page on safety: each promise names code and a test that are there, and nothing that the code does is left out."""

import re
from dataclasses import dataclass

from shared.content.catalogue import content
from shared.domain.counseling.staff_review import FlagReason
from shared.safety.levels import CrisisOutcome
from shared.safety.needs import Need
from shared.safety.output_guard.categories import Category
from tests.support.named import entries, missing_places
from tests.support.phone_numbers import numbers_in
from tests.support.process import ROOT

PAGE = (ROOT / "docs" / "safety.md").read_text("utf-8")
PROMISES = PAGE.partition("## What is promised")[2].partition("## When the model is dead")[0]
TO_PUBLISH = "\n".join(line for line in PAGE.splitlines() if line.startswith("> "))
ROW = re.compile(r"^\| (S-\d{2}) \| (.+) \| (.+) \| (.+) \|$", re.MULTILINE)
HEADER = "| ID | Promise | Where | Shown by |"
FIGURES = re.compile(r"<!-- measured figures.*?-->\n(.*?)<!-- end of measured figures -->", re.DOTALL)
MOST_LINES = 390


@dataclass(frozen=True)
class Row:
    """One promise."""

    id: str
    promise: str
    where: str
    shown_by: str


ROWS = [Row(*found) for found in ROW.findall(PROMISES)]


def test_every_line_of_a_table_of_promises_is_one_and_each_has_its_own_id():
    lines = [line for line in PROMISES.splitlines() if line.startswith("|")]
    assert len(ROWS) == len([line for line in lines if line != HEADER and not re.fullmatch(r"[|-]+", line)])
    ids = [row.id for row in ROWS]
    assert ids == sorted(set(ids))
    assert ROWS


def test_a_promise_is_kept_by_code_that_is_there():
    assert {row.id: missing for row in ROWS if (missing := missing_places(row.where))} == {}
    assert [row.id for row in ROWS if not entries(row.where)] == []


def test_a_promise_is_shown_by_tests_that_are_there():
    assert {row.id: missing for row in ROWS if (missing := missing_places(row.shown_by))} == {}
    assert [row.id for row in ROWS if not entries(row.shown_by)] == []


def test_a_promise_that_is_named_elsewhere_on_the_page_is_there():
    assert set(re.findall(r"S-\d{2}", PAGE)) == {row.id for row in ROWS}


def test_every_outcome_category_and_reason_is_explained():
    assert [found for found in (*CrisisOutcome, *Category, *FlagReason) if f"`{found.value}`" not in PAGE] == []


def test_every_consent_has_its_law():
    laws = PAGE.partition("## Where the law stands")[2].partition("## The protocol, to publish")[0]
    assert {text.id for text in content().consents.consents} == {"terms", "sensitive_data", "overseas_transfer"}
    assert all(article in laws for article in ("arts. 15, 22", "art. 23", "art. 28-8"))


def test_every_row_of_law_says_when_it_was_checked():
    laws = PAGE.partition("| law, in force |")[2].partition("\n\n")[0].splitlines()[2:]
    assert len(laws) > 8
    assert [line for line in laws if not re.search(r"\| \d{4}-\d{2}-\d{2} \|$", line)] == []


def test_the_text_to_publish_names_only_lines_that_the_protocol_shows():
    shown = {
        entry.number
        for entry in (*content().crisis_replies.written.resources.ko, *content().crisis_replies.written.resources.en)
    }
    numbers = numbers_in(TO_PUBLISH)
    assert numbers
    assert set(numbers) <= shown


def test_a_session_is_flagged_for_what_the_page_says_in_that_order():
    (row,) = (row for row in ROWS if row.id == "S-40")
    assert entries(row.promise) == [reason.value for reason in FlagReason]


def test_the_actions_of_the_audit_trail_that_the_page_lists_are_in_the_code():
    listed = PAGE.partition("`action` is one of")[2].partition(".")[0]
    code = "".join(path.read_text("utf-8") for top in ("functions", "shared") for path in (ROOT / top).rglob("*.py"))
    assert [action for action in entries(listed) if f'"{action}"' not in code] == []


def test_every_need_of_a_line_is_named():
    listed = PAGE.partition("- `needs`: ")[2].partition(".")[0]
    assert sorted(entries(listed)) == sorted(need.value for need in Need)


def test_figures_say_what_was_measured_and_when():
    (table,) = FIGURES.findall(PAGE)
    rows = table.strip().splitlines()[2:]
    assert rows
    assert all(re.search(r"\| \d{4}-\d{2}-\d{2} \|$", row) and row.count("|") == 8 for row in rows)


def test_links_lead_to_files():
    assert [link for link in re.findall(r"\]\(([^):]+)\)", PAGE) if not (ROOT / "docs" / link).is_file()] == []
    assert [name for name in re.findall(r"docs/\w+\.md", PAGE) if not (ROOT / name).is_file()] == []


def test_each_item_of_the_public_rubric_names_code_and_a_test_that_are_there():
    table = PAGE.partition("## What VERA-MH asks")[2].partition("\n## ")[0]
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line.startswith("| ")
    ]
    rows = cells[1:]
    assert {number for row in rows for number in _numbers(row[0])} == set(range(1, 37)) - {5, 9}, "5 and 9 only lead on"
    assert {row[0]: missing for row in rows if (missing := missing_places(row[2]) + missing_places(row[3]))} == {}


def _numbers(item):
    """Return the numbers that an item of the rubric begins with: 10, 16, or 1 to 4."""
    first = re.match(r"[\d, –]+", item)[0]
    for part in first.replace(" ", "").strip(",").split(","):
        low, _, high = part.partition("–")
        yield from range(int(low), int(high or low) + 1)


def test_it_can_be_read_in_one_go():
    assert len([line for line in PAGE.splitlines() if not line.startswith("| be")]) <= MOST_LINES  # rows by clause
    assert [line for line in PAGE.splitlines() if not line.startswith("|") and len(line) > 180] == []
