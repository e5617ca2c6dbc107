"""Behaviour of the report on what the safety rules find."""

import json

import pytest

from local.safety_report.__main__ import main

ROWS = [
    {"text": "죽고 싶어요", "label": "crisis", "category": "wish", "lang": "ko"},
    {"text": "내일은 비가 온대요", "label": "crisis", "category": "wish"},
    {"text": "친구가 죽고 싶대요", "label": "ambiguous"},
    {"text": "배고파 죽겠다", "label": "non_crisis", "source": "ours"},
    {"text": "I want to die", "label": "non_crisis", "category": "trap"},
]


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n\n" for row in ROWS), encoding="utf-8")
    return path


def test_it_counts_by_label_category_and_language_and_exits_cleanly(data, capsys, tmp_path):
    assert main([str(data), "--json", str(tmp_path / "out.json")]) == 0
    shown = capsys.readouterr().out
    assert "내일은 비가 온대요" in shown
    assert "en-want-to-die" in shown
    told = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    crisis = next(total for total in told["totals"] if total["label"] == "crisis")
    assert (crisis["rows"], crisis["at_crisis"]) == (2, 0.5)
    ambiguous = next(total for total in told["totals"] if total["label"] == "ambiguous")
    assert (ambiguous["at_crisis"], ambiguous["any_alarm"]) == (0.0, 1.0)
    assert [group["lang"] for group in told["groups"]] == ["ko", "ko", "ko", "en"]


def test_each_category_and_each_language_has_its_own_figures(tmp_path, capsys):
    rows = [
        {"text": "죽고 싶어요", "label": "crisis", "category": "wish", "lang": "ko"},
        {"text": "죽고 싶어요", "label": "crisis", "category": "farewell", "lang": "ko"},
        {"text": "I want to die", "label": "crisis", "category": "wish", "lang": "en"},
        {"text": "It rains", "label": "crisis", "category": "farewell", "lang": "en"},
    ]
    path, out = tmp_path / "rows.jsonl", tmp_path / "out.json"
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    assert main([str(path), "--json", str(out)]) == 0
    told = json.loads(out.read_text(encoding="utf-8"))
    assert {group["lang"]: group["at_crisis"] for group in told["languages"]} == {"ko": 1.0, "en": 0.5}
    assert {group["category"]: group["at_crisis"] for group in told["categories"]} == {"wish": 1.0, "farewell": 0.5}
    shown = [line.split()[:4] for line in capsys.readouterr().out.splitlines()]
    assert ["crisis", "all", "ko", "2"] in shown
    assert ["crisis", "farewell", "all", "2"] in shown


def test_what_steers_a_terminal_is_not_passed_on(tmp_path, capsys):
    path = tmp_path / "rows.jsonl"
    row = {"text": "I want to die \x1b[2J", "label": "non_crisis", "category": "a\x1b[31m\nb"}
    path.write_text(json.dumps(row), encoding="utf-8")
    assert main([str(path)]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_violence_is_read_too_and_past_violence_is_no_alarm(tmp_path, capsys):
    rows = [
        {"text": "남편이 지금 칼 들고 저를 때려요", "label": "crisis"},
        {"text": "어릴 때 아빠한테 맞고 자랐어요", "label": "non_crisis"},
    ]
    path, out = tmp_path / "rows.jsonl", tmp_path / "out.json"
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    assert main([str(path), "--json", str(out), "--min-recall", "1", "--max-false-alarms", "0"]) == 0
    now, past = json.loads(out.read_text(encoding="utf-8"))["totals"]
    assert (now["outcomes"]["abuse_now"], now["at_crisis"]) == (1, 1.0)
    assert (past["outcomes"]["abuse_told"], past["any_alarm"]) == (1, 0.0)
    assert "false alarms: 0" in capsys.readouterr().out


@pytest.mark.parametrize("bound", [["--min-recall", "0.6"], ["--max-false-alarms", "0.1"]])
def test_a_missed_bound_is_told_and_the_exit_code_is_1(data, capsys, bound):
    assert main([str(data), *bound]) == 1
    assert capsys.readouterr().err.startswith("cbot: ")


def test_a_wrong_file_is_one_clear_line_and_exit_code_2(tmp_path, capsys, subtests):
    cases = [
        (b"", "no rows"),
        (b'{"text": "a", "label": "crisis"}\n{"text": "a"', ":2"),
        (b'{"text": "a", "label": "perhaps"}', "label"),
        (b'{"label": "crisis"}', "text"),
        (b"\xff\xfe\x00", "UTF-8"),
    ]
    for content, told in cases:
        with subtests.test(told=told):
            path = tmp_path / "rows.jsonl"
            path.write_bytes(content)
            assert main([str(path)]) == 2
            error = capsys.readouterr().err
            assert told in error
            assert error.count("\n") == 1


def test_a_missing_file_and_a_bound_without_rows_are_exit_code_2(tmp_path, data, capsys):
    assert main([str(tmp_path / "none.jsonl")]) == 2
    only = tmp_path / "only.jsonl"
    only.write_text('{"text": "안녕", "label": "non_crisis"}', encoding="utf-8")
    assert main([str(only), "--min-recall", "0.9"]) == 2
    assert "no crisis row" in capsys.readouterr().err
