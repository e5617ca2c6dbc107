"""The fault table shows what changed, and keeps the rows that a run leaves out."""

from dataclasses import replace
from pathlib import Path

from tests.chaos.measured import Measured, Measurement, read_measurement, write_measurement
from tests.chaos.rendering import BEGIN, END, write_table

HANG = Measured("every model hangs", "1", 23.6, 23.6, 5, "apology", "message, reply")
FINE = Measured("none", "1", 1.0, 1.2, 4, "reply", "message, reply")


def test_a_cell_shows_both_values_only_where_they_differ(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", encoding="utf-8")
    mended = replace(HANG, first_word_s=2.0, total_s=None)
    write_table(page, Measurement("abc", 0.1, (HANG, FINE)), Measurement("def", 0.2, (mended,)))
    text = page.read_text("utf-8")
    assert "| every model hangs | 1 | 23.6 → 2.0 | 23.6 → – | 5 | apology | message, reply |" in text
    assert "| none | 1 | 1.0 | 1.2 | 4 | reply | message, reply |" in text
    assert "commit abc" in text
    assert "commit def" in text
    assert text.startswith("before\n")
    assert text.endswith("\nafter\n")
    assert "old" not in text


def test_rows_that_were_not_measured_again_are_kept_in_their_place(tmp_path: Path) -> None:
    file = tmp_path / "after.json"
    write_measurement(file, Measurement("abc", 0.1, (HANG, FINE)))
    newer = replace(HANG, total_s=3.0)
    merged = Measurement("def", 0.2, (newer,)).over(read_measurement(file))
    assert merged == Measurement("def", 0.2, (newer, FINE))
