"""`make safety-report` and `make safety-metamorphic`: what they count, what they refuse."""

import json

import pytest

from local.safety_metamorphic import __main__ as metamorphic
from local.safety_metamorphic.messages import Clause, Place, Statement, read_clauses, read_plain, read_probe
from local.safety_metamorphic.trials import Result, Trial, by_clause, shares, trials
from local.safety_report.__main__ import main
from local.safety_report.measure import measure
from local.safety_report.rows import Category, Label, Row
from local.safety_report.wilson import Share
from shared.locale import Locale
from shared.model import Model
from shared.safety.levels import CrisisOutcome


class Outcome(Model):
    """What a message came out at, in place of what the rules find."""

    outcome: CrisisOutcome
    rule_ids: tuple[str, ...] = ()


def measured(*rows):
    """Measure rows whose texts name their outcomes."""
    return measure(rows, lambda text: Outcome(outcome=CrisisOutcome(text)), lambda _told: None)


def row(lang, label, category, text):
    return Row(text=text, label=label, category=category, lang=lang)


def test_each_category_of_a_language_is_counted_in_the_order_of_the_categories():
    found = measured(
        row("ko", "non_crisis", "hard_negative", "none"),
        row("ko", "crisis", "explicit", "crisis"),
        row("ko", "crisis", "explicit", "concern"),
        row("en", "crisis", "oblique", "none"),
    ).categories()
    assert [(one.language, one.category) for one in found] == [
        ("en", Category.OBLIQUE),
        ("ko", Category.EXPLICIT),
        ("ko", Category.HARD_NEGATIVE),
    ]
    assert (found[1].at_crisis.hits, found[1].any_alarm.hits, found[1].heard.hits) == (1, 2, 1)
    assert found[2].heard.hits == 1


def test_past_violence_that_was_told_is_heard_and_is_no_alarm_of_another_row():
    violence, negative = measured(
        row("en", "violence", "violence", "abuse_told"), row("ko", "non_crisis", "hard_negative", "abuse_told")
    ).categories()
    assert (violence.any_alarm.hits, violence.heard.hits) == (1, 1)
    assert (negative.any_alarm.hits, negative.heard.hits) == (0, 1)


@pytest.mark.parametrize(
    ("label", "heard", "not_heard"),
    [
        *(("crisis", "imminent", "concern"), ("ambiguous", "concern", "abuse_told")),
        *(("non_crisis", "none", "concern"), ("violence", "abuse", "none")),
        *(("harm_to_others", "harm_to_others", "crisis"), ("third_party", "third_party_now", "crisis")),
    ],
)
def test_each_label_is_heard_as_what_it_is(label, heard, not_heard):
    assert Label(label).heard_in(CrisisOutcome(heard))
    assert not Label(label).heard_in(CrisisOutcome(not_heard))


def test_what_must_be_heard_and_was_not_is_a_miss():
    rows = [Row(text="none", label=Label(label)) for label in ("violence", "third_party", "ambiguous", "non_crisis")]
    assert [one.row.label for one in measured(*rows).misses()] == [Label.VIOLENCE, Label.THIRD_PARTY]


def test_the_bounds_are_those_that_the_literature_gives_for_wilsons_interval():
    bounds = {(37, 40): (0.801, 0.974), (0, 18): (0, 0.176), (24, 24): (0.862, 1), (81, 263): (0.255, 0.366)}
    for (hits, of), (low, high) in bounds.items():
        assert Share(hits, of).interval == pytest.approx((low, high), abs=0.0006)


class TestReport:
    @pytest.fixture
    def reported(self, tmp_path, capsys):
        """Report rows; return the exit code, what is shown, what is complained of, and what is written down."""

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

    def test_it_counts_by_label_category_and_language_and_exits_cleanly(self, reported):
        code, shown, _, told = reported(*self.ROWS, separator="\n\n")
        assert code == 0
        assert "내일은 비가 온대요" in shown
        assert "en-want-to-die" in shown
        totals = {total["label"]: total for total in told["totals"]}
        assert (totals["crisis"]["rows"], totals["crisis"]["at_crisis"]) == (2, 0.5)
        assert (totals["ambiguous"]["at_crisis"], totals["ambiguous"]["any_alarm"]) == (0.0, 1.0)
        assert [group["lang"] for group in told["groups"]] == ["ko", "ko", "ko", "en"]

    def test_each_category_and_each_language_has_its_own_figures(self, reported):
        texts = {"ko": ("죽고 싶어요", "죽고 싶어요"), "en": ("I want to die", "It rains")}
        _, shown, _, told = reported(
            *(
                {"text": text, "label": "crisis", "category": category, "lang": lang}
                for lang, both in texts.items()
                for text, category in zip(both, ("wish", "farewell"), strict=True)
            )
        )
        assert {group["lang"]: group["at_crisis"] for group in told["languages"]} == {"ko": 1.0, "en": 0.5}
        assert {group["category"]: group["at_crisis"] for group in told["categories"]} == {"wish": 1.0, "farewell": 0.5}
        lines = [line.split()[:4] for line in shown.splitlines()]
        assert ["crisis", "all", "ko", "2"] in lines
        assert ["crisis", "farewell", "all", "2"] in lines

    def test_it_shows_the_counts_with_their_intervals_and_says_what_counts(self, reported):
        _, shown, _, told = reported(*[{"text": "비가 와요", "label": "non_crisis", "category": "hard_negative"}] * 10)
        line = next(line for line in shown.splitlines() if line.startswith("ko    hard_negative"))
        assert "100.0% (72.2–100.0)" in line
        assert "third_party: at third_party or third_party_now" in shown
        (counted,) = told["by_category"]
        assert (counted["category"], counted["rows"], counted["heard"]["share"]) == ("hard_negative", 10, 1.0)

    def test_what_steers_a_terminal_is_not_passed_on(self, reported):
        steering = {"text": "I want to die \x1b[2J", "label": "non_crisis", "category": "a\x1b[31m\nb"}
        code, shown, *_ = reported(steering)
        assert (code, "\x1b" in shown) == (0, False)

    def test_violence_is_read_too_and_past_violence_is_no_alarm(self, reported):
        rows = (
            {"text": "남편이 지금 칼 들고 저를 때려요", "label": "crisis"},
            {"text": "어릴 때 아빠한테 맞고 자랐어요", "label": "non_crisis"},
        )
        assert reported(*rows, options=("--min-recall", "1", "--max-false-alarms", "0"))[0] == 0
        code, shown, _, told = reported(*rows)
        now, past = told["totals"]
        assert code == 0
        assert (now["outcomes"]["abuse_now"], now["at_crisis"]) == (1, 1.0)
        assert (past["outcomes"]["abuse_told"], past["any_alarm"]) == (1, 0.0)
        assert "false alarms: 0" in shown

    @pytest.mark.parametrize("options", [("--min-recall", "0.6"), ("--max-false-alarms", "0.1")])
    def test_a_missed_bound_is_told_and_the_exit_code_is_1(self, reported, options):
        code, _, complained, _ = reported(*self.ROWS, options=options)
        assert (code, complained.startswith("cbot: ")) == (1, True)

    def test_a_bound_without_rows_is_exit_code_2(self, reported):
        code, _, complained, _ = reported(self.ROWS[3], options=("--min-recall", "0.9"))
        assert (code, "no crisis row" in complained) == (2, True)

    @pytest.mark.parametrize(
        ("content", "told"),
        [
            *((None, "none.jsonl"), (b"", "no rows"), (b'{"text": "a", "label": "crisis"}\n{"text": "a"', ":2")),
            *((b'{"text": "a", "label": "perhaps"}', "label"), (b'{"label": "crisis"}', "text")),
            (b"\xff\xfe\x00", "UTF-8"),
        ],
    )
    def test_a_wrong_file_is_one_clear_line_and_exit_code_2(self, tmp_path, capsys, content, told):
        path = tmp_path / "none.jsonl"
        if content is not None:
            path.write_bytes(content)
        assert main([str(path)]) == 2
        error = capsys.readouterr().err
        assert told in error
        assert error.count("\n") == 1


TEXTS = {
    "clauses": """
ko:
  before: [{topic: food, text: '밥 먹고 '}]
  behind: [{topic: weather, text: '. 비가 와요'}, {topic: news, text: '. 뉴스 봤어요'}]
en:
  before: [{topic: film, text: 'after a film '}]
  behind: [{topic: food, text: '. i ate'}]
""",
    "plain": """
ko: {crisis: [죽고 싶어요], imminent: [유서 썼어요]}
en: {crisis: [i want to die], imminent: []}
""",
    "probe": '{"text": "자살하고 싶어요"}\n\n{"text": "hello"}\n',
}


class TestMetamorphic:
    @pytest.fixture
    def files(self, tmp_path):
        for name, text in TEXTS.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        return {name: tmp_path / name for name in TEXTS}

    @pytest.mark.parametrize(
        ("alone", "together", "result"),
        [
            *(("crisis", "crisis", Result.STAYS), ("crisis", "imminent", Result.STAYS)),
            *(("imminent", "crisis", Result.LOWERED), ("crisis", "third_party", Result.THIRD_PARTY)),
            *(("concern", "third_party", Result.THIRD_PARTY), ("third_party", "third_party_now", Result.STAYS)),
            ("crisis", "none", Result.NONE),
        ],
    )
    def test_a_level_stays_is_lowered_goes_to_somebody_else_or_is_gone(self, alone, together, result):
        statement, clause = Statement(text="죽고 싶어요", locale=Locale.KO), Clause(topic="food", text="밥 먹고 ")
        levels = (CrisisOutcome(alone), CrisisOutcome(together))
        assert Trial(statement, Place.BEFORE, clause, *levels).result is result

    def test_each_statement_that_is_found_meets_each_clause_of_its_language(self, files):
        statements = [*read_plain(files["plain"]), *read_probe(files["probe"])]
        tried = list(trials(statements, read_clauses(files["clauses"])))
        assert [trial.text for trial in tried if trial.statement.locale is Locale.EN] == [
            "after a film i want to die",
            "i want to die. i ate",
        ]
        assert sum(trial.statement.locale is Locale.KO for trial in tried) == 3 * 3
        assert shares(tried).trials == 11
        assert all(counted.trials in (1, 3) for counted in by_clause(tried).values())

    def test_the_command_prints_both_tables_and_the_messages_that_did_not_stay(self, files, capsys):
        arguments = [part for name, path in files.items() for part in (f"--{name}", str(path))]
        assert metamorphic.main([*arguments, "--texts"]) == 0
        shown = capsys.readouterr().out
        assert "| plain | all |" in shown
        assert "| before | `밥 먹고 ` | food | 2 |" in shown
