"""Behaviour of the report's counts by language and category."""

import json

from local.safety_report.__main__ import main
from local.safety_report.measure import measure
from local.safety_report.rows import Category, Label, Row
from shared.model import Model
from shared.safety.levels import CrisisOutcome


class Outcome(Model):
    """What a message came out at, in place of what the rules find."""

    outcome: CrisisOutcome
    rule_ids: tuple[str, ...] = ()


def read(text):
    """Return the outcome that the text names."""
    return Outcome(outcome=CrisisOutcome(text))


def counted(*rows):
    made = [Row(text=text, label=label, category=category, lang=lang) for lang, label, category, text in rows]
    return measure(made, read, lambda _told: None).categories()


def test_each_category_of_a_language_is_counted_in_the_order_of_the_categories():
    found = counted(
        ("ko", "non_crisis", "hard_negative", "none"),
        ("ko", "crisis", "explicit", "crisis"),
        ("ko", "crisis", "explicit", "concern"),
        ("en", "crisis", "oblique", "none"),
    )
    assert [(one.language, one.category) for one in found] == [
        ("en", Category.OBLIQUE),
        ("ko", Category.EXPLICIT),
        ("ko", Category.HARD_NEGATIVE),
    ]
    assert (found[1].at_crisis.hits, found[1].any_alarm.hits, found[1].heard.hits) == (1, 2, 1)
    assert found[2].heard.hits == 1


def test_past_violence_that_was_told_is_heard_and_is_no_alarm_of_another_row():
    violence, negative = counted(
        ("en", "violence", "violence", "abuse_told"), ("ko", "non_crisis", "hard_negative", "abuse_told")
    )
    assert (violence.any_alarm.hits, violence.heard.hits) == (1, 1)
    assert (negative.any_alarm.hits, negative.heard.hits) == (0, 1)


def test_each_label_is_heard_as_what_it_is(subtests):
    cases = [
        ("crisis", "imminent", "concern"),
        ("ambiguous", "concern", "abuse_told"),
        ("non_crisis", "none", "concern"),
        ("violence", "abuse", "none"),
        ("harm_to_others", "harm_to_others", "crisis"),
        ("third_party", "third_party_now", "crisis"),
    ]
    for label, heard, not_heard in cases:
        with subtests.test(label=label):
            assert Label(label).heard_in(CrisisOutcome(heard))
            assert not Label(label).heard_in(CrisisOutcome(not_heard))


def test_what_must_be_heard_and_was_not_is_a_miss():
    rows = [Row(text="none", label=Label(label)) for label in ("violence", "third_party", "ambiguous", "non_crisis")]
    missed = measure(rows, read, lambda _told: None).misses()
    assert [one.row.label for one in missed] == [Label.VIOLENCE, Label.THIRD_PARTY]


def test_the_report_shows_the_counts_with_their_intervals_and_says_what_counts(tmp_path, capsys):
    path, out = tmp_path / "rows.jsonl", tmp_path / "out.json"
    rows = [{"text": "비가 와요", "label": "non_crisis", "category": "hard_negative"}] * 10
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    assert main([str(path), "--json", str(out)]) == 0
    shown = capsys.readouterr().out
    line = next(line for line in shown.splitlines() if line.startswith("ko    hard_negative"))
    assert "100.0% (72.2–100.0)" in line
    assert "third_party: at third_party or third_party_now" in shown
    told = json.loads(out.read_text(encoding="utf-8"))["by_category"][0]
    assert (told["category"], told["rows"], told["heard"]["share"]) == ("hard_negative", 10, 1.0)
