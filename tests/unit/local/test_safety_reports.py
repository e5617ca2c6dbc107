"""`make safety-report`, `make safety-metamorphic` and `make explain`: what they count, refuse and name."""

import json

import pytest

from local.explain import explanation
from local.safety_report.__main__ import main
from local.safety_report.measure import measure
from local.safety_report.rows import Label, Row
from local.safety_report.wilson import Share
from shared.model import Model
from shared.safety.levels import CrisisOutcome


class Outcome(Model):
    """Stands in for the outcome that the rules find."""

    outcome: CrisisOutcome
    rule_ids: tuple[str, ...] = ()


def measured(*rows):
    """Measure rows whose texts name their outcomes."""
    return measure(rows, lambda text: Outcome(outcome=CrisisOutcome(text)), lambda _told: None)


def row(lang, label, category, text):
    return Row(text=text, label=label, category=category, lang=lang)


def test_told_past_violence_counts_as_detected_and_is_no_alarm_of_a_negative_row():
    violence, negative = measured(
        row("en", "violence", "violence", "abuse_told"), row("ko", "non_crisis", "hard_negative", "abuse_told")
    ).categories()
    assert (violence.any_alarm.hits, violence.heard.hits) == (1, 1)
    assert (negative.any_alarm.hits, negative.heard.hits) == (0, 1)


def test_an_undetected_violence_or_third_party_row_is_a_miss():
    rows = [Row(text="none", label=Label(label)) for label in ("violence", "third_party", "ambiguous", "non_crisis")]
    assert [one.row.label for one in measured(*rows).misses()] == [Label.VIOLENCE, Label.THIRD_PARTY]


def test_the_interval_is_wilsons_as_published():
    bounds = {(37, 40): (0.801, 0.974), (0, 18): (0, 0.176), (24, 24): (0.862, 1), (81, 263): (0.255, 0.366)}
    for (hits, of), (low, high) in bounds.items():
        assert Share(hits, of).interval == pytest.approx((low, high), abs=0.0006)


class TestReport:
    @pytest.fixture
    def reported(self, tmp_path, capsys):
        """Report rows; return the exit code, stdout, stderr and the JSON report."""

        def reported(*rows, options=None, separator="\n"):
            path, out = tmp_path / "rows.jsonl", tmp_path / "out.json"
            path.write_text(separator.join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
            code = main([str(path), *(options or ("--json", str(out)))])
            return code, *capsys.readouterr(), json.loads(out.read_text("utf-8")) if out.exists() else None

        return reported

    ROWS = (
        {"text": "죽고 싶어요", "label": "crisis", "category": "wish", "lang": "ko"},
        {"text": "내일은 비가 온대요", "label": "crisis", "category": "wish"},
        {"text": "친구가 죽고 싶대요", "label": "ambiguous"},
        {"text": "배고파 죽겠다", "label": "non_crisis", "source": "ours"},
        {"text": "I want to die", "label": "non_crisis", "category": "trap"},
    )

    def test_counts_by_label_category_and_language_and_exits_with_0(self, reported):
        code, shown, _, report = reported(*self.ROWS, separator="\n\n")
        assert code == 0
        assert "내일은 비가 온대요" in shown
        assert "en-want-to-die" in shown
        totals = {total["label"]: total for total in report["totals"]}
        assert (totals["crisis"]["rows"], totals["crisis"]["at_crisis"]) == (2, 0.5)
        assert (totals["ambiguous"]["at_crisis"], totals["ambiguous"]["any_alarm"]) == (0.0, 1.0)
        assert [group["lang"] for group in report["groups"]] == ["ko", "ko", "ko", "en"]

    @pytest.mark.parametrize("options", [("--min-recall", "0.6"), ("--max-false-alarms", "0.1")])
    def test_a_missed_bound_is_reported_with_exit_code_1(self, reported, options):
        code, _, complained, _ = reported(*self.ROWS, options=options)
        assert (code, complained.startswith("cbot: ")) == (1, True)

    def test_a_bound_without_rows_is_exit_code_2(self, reported):
        code, _, complained, _ = reported(self.ROWS[3], options=("--min-recall", "0.9"))
        assert (code, "no crisis row" in complained) == (2, True)

    @pytest.mark.parametrize(
        ("content", "words"),
        [
            *((None, "none.jsonl"), (b"", "no rows"), (b'{"text": "a", "label": "crisis"}\n{"text": "a"', ":2")),
            *((b'{"text": "a", "label": "perhaps"}', "label"), (b'{"label": "crisis"}', "text")),
            (b"\xff\xfe\x00", "UTF-8"),
        ],
    )
    def test_an_invalid_file_is_reported_in_one_line_with_exit_code_2(self, tmp_path, capsys, content, words):
        path = tmp_path / "none.jsonl"
        if content is not None:
            path.write_bytes(content)
        assert main([str(path)]) == 2
        error = capsys.readouterr().err
        assert words in error
        assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("요즘은 그냥 죽고 싶어요", "outcome   crisis: ideation or self-harm"),
        ("요즘은 그냥 죽고 싶어요", '- ko-want-to-die found "죽고 싶'),
        ("요즘은 그냥 죽고 싶어요", "Ground: C-SSRS 1"),
        *(("그동안 정말 고마웠어요", "weak sign of"), ("남편이 저를 때려요", "abuse, domestic")),
        ("저는 13살이에요", "age       under_14"),
    ],
)
def test_the_explanation_names_the_rule_its_words_and_its_ground(text, words):
    assert words in "\n".join(explanation(text))
