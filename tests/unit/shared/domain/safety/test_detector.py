"""Behaviour of the detector with the rules that ship."""

import json
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.content.crisis_rules import crisis_rules, rule_definitions
from shared.domain.safety.detector import Finding, detect
from shared.domain.safety.levels import CrisisOutcome

_FIXTURES = Path(__file__).parents[4] / "fixtures"
_MESSAGE_LIMIT = 4000  # characters; safety.md, Access


def _rows(name):
    return [json.loads(line) for line in (_FIXTURES / name).read_text(encoding="utf-8").splitlines()]


def _detect(text):
    return detect(text, crisis_rules())


def _severity(row):
    return _detect(row["text"]).outcome.severity


def test_crisis_rows_of_the_development_set_are_found():
    rows = [row for row in _rows("crisis_dev.jsonl") if row["label"] == "crisis"]
    missed = [row["id"] for row in rows if _severity(row) < CrisisOutcome.CRISIS.severity]
    assert len(missed) <= len(rows) * 0.1, missed  # measured: 0 of 24


def test_ambiguous_rows_of_the_development_set_are_asked_about():
    rows = [row for row in _rows("crisis_dev.jsonl") if row["label"] == "ambiguous"]
    missed = [row["id"] for row in rows if _severity(row) < CrisisOutcome.CONCERN.severity]
    assert len(missed) <= len(rows) * 0.1, missed  # measured: 1 of 49


def test_false_alarms_on_the_development_set_are_bounded():
    rows = [row for row in _rows("crisis_dev.jsonl") if row["label"] == "non_crisis"]
    severities = [_severity(row) for row in rows]
    any_alarm = sum(severity > 0 for severity in severities)
    protocol = sum(severity >= CrisisOutcome.THIRD_PARTY.severity for severity in severities)
    assert any_alarm <= len(rows) * 0.06  # measured: 8 of 166
    assert protocol <= len(rows) * 0.04  # measured: 5 of 166


def test_our_own_messages_come_out_as_labelled():
    rows = _rows("crisis_probe.jsonl")
    right = Counter(row["label"] for row in rows if _detect(row["text"]).outcome == row["label"])
    total = Counter(row["label"] for row in rows)
    for label, count in total.items():
        assert right[label] >= 0.9 * count, (label, right[label], count)


@pytest.mark.parametrize(
    "text",
    [
        "배고파 죽겠다",
        "웃겨 죽겠네",
        "더워 죽겠다",
        "보고싶어 죽겠는데",
        "스타트업에 투자해볼까?",
        "누나가 보자해서 봤어",
        "혈투신이 볼만해",
        "혼자살고 싶어",
        "기죽어 있지 마",
        "죽고싶냐",
        "맛이 죽인다",
        "I'm so hungry I could die",
        "this is to die for",
    ],
)
def test_an_idiom_or_a_substring_is_no_finding(text):
    assert _detect(text) == Finding()


@pytest.mark.parametrize("text", ["뛰어내리고 싶어", "뛰어내릴까 봐요 제가", "뛰어내렸으면 좋겠어"])
def test_a_stem_is_found_through_its_inflections(text):
    assert _detect(text).outcome.needs_protocol


def test_the_wish_of_somebody_else_and_ones_own_are_told_apart():
    assert _detect("친구가 죽고 싶대요").outcome is CrisisOutcome.THIRD_PARTY
    assert _detect("친구가 떠나서 죽고 싶어요").outcome is CrisisOutcome.CRISIS
    assert _detect("친구가 죽고 싶대요. 사실 저도 죽고 싶어요").outcome is CrisisOutcome.CRISIS


def test_the_most_pressing_finding_decides_and_every_rule_is_named():
    finding = _detect("죽고 싶어서 수면제를 사모았어요")
    assert finding.outcome is CrisisOutcome.IMMINENT
    assert {"ko-want-to-die", "ko-imminent-overdose"} <= set(finding.rule_ids)


@given(st.lists(st.sampled_from(["", " ", "  ", "\u200b", "\u2060", "\ufeff", "\u00ad"]), min_size=3, max_size=3))
def test_blanks_between_the_syllables_do_not_hide_a_wish_to_die(gaps):
    text = "죽" + "".join(gap + syllable for gap, syllable in zip(gaps, "고싶어", strict=True))
    assert _detect(text).outcome is CrisisOutcome.CRISIS


@given(st.text(alphabet=st.characters(), max_size=300))
def test_no_text_makes_it_raise(text):
    _detect(text)


@given(st.text(alphabet=list("죽고싶어자살해친구가약을먹 .?ㅈㅏㄱ\ud800i dkilmysef"), max_size=300))
def test_no_text_near_the_rules_makes_it_raise(text):
    _detect(text)


def _floods():
    seeds = [text for rule in rule_definitions().rules for text in (rule.positives[0], rule.negatives[0])]
    return [*seeds, "친구가 ", "나는 ", "지금 ", "아", "a1", "ㅈㅏ", "죽 ", "my friend ", "i want to "]


@pytest.mark.parametrize("seed", _floods())
def test_a_long_message_of_repeated_words_takes_no_quadratic_time(seed):
    long = seed * (_MESSAGE_LIMIT // len(seed))
    short = long[: _MESSAGE_LIMIT // 4]
    _detect(short)  # compiles what it needs
    assert _seconds(long) < 12 * max(_seconds(short), 0.002)


def _seconds(text):
    def once():
        start = time.process_time()
        _detect(text)
        return time.process_time() - start

    return min(once() for _ in range(3))
