"""No clause beside a crisis silences it: the shipped rules over statements with neutral clauses before and behind."""

import json
from collections import Counter
from pathlib import Path

import pytest

from local.safety_metamorphic.messages import read_clauses, read_plain, read_probe
from local.safety_metamorphic.trials import outcome_of, shares, trials
from shared.locale import Locale
from shared.safety.levels import CrisisOutcome, RiskLevel, risk_level

_FIXTURES = Path(__file__).parents[3] / "fixtures"
CLAUSES = read_clauses(_FIXTURES / "safety/neutral_clauses.yaml")
PLAIN = read_plain(_FIXTURES / "safety/plain_crises.yaml")
SECOND = read_plain(_FIXTURES / "safety/second_crises.yaml")
SECOND_CLAUSES = read_clauses(_FIXTURES / "safety/second_clauses.yaml")
SETS = {
    "plain": (PLAIN, CLAUSES),
    "probe": (read_probe(_FIXTURES / "crisis_probe.jsonl"), CLAUSES),
    "second": (SECOND, SECOND_CLAUSES),
}
MESSAGES = [json.loads(line) for line in (_FIXTURES / "safety/second_messages.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("locale", Locale)
def test_no_neutral_clause_is_an_alarm_by_itself(locale):
    clauses = (*CLAUSES[locale].before, *CLAUSES[locale].behind)
    assert [clause.text for clause in clauses if outcome_of(clause.text) is not CrisisOutcome.NONE] == []


def test_a_plain_crisis_is_found_at_its_level():
    found = {one.text: outcome_of(one.text) for one in PLAIN}
    assert {one.text: found[one.text] for one in PLAIN if found[one.text].severity < one.level.severity} == {}


def test_nearly_every_crisis_of_the_second_set_is_found_at_its_level():
    missed = [one.text for one in SECOND if outcome_of(one.text).severity < one.level.severity]
    assert len(missed) <= 0.05 * len(SECOND), missed


def test_what_is_denied_told_of_others_or_past_in_another_clause_lowers_no_crisis():
    crises = [message["text"] for message in MESSAGES if message["label"] == "crisis"]
    assert len(crises) >= 20
    assert [text for text in crises if risk_level(outcome_of(text)) < RiskLevel.CRISIS] == []


def test_hardly_any_message_without_danger_to_its_writer_is_a_crisis():
    others = [message["text"] for message in MESSAGES if message["label"] != "crisis"]
    alarms = [text for text in others if risk_level(outcome_of(text)) >= RiskLevel.CRISIS]
    assert len(alarms) <= 0.06 * len(others), alarms


def test_somebody_elses_danger_is_not_missed():
    told = {message["text"] for message in MESSAGES if message["category"].startswith("third_party")}
    assert len(told) >= 10
    assert [text for text in told if risk_level(outcome_of(text)) is not RiskLevel.CONCERN] == []


@pytest.mark.parametrize("name", SETS)
def test_hardly_any_statement_loses_its_level_to_a_neutral_clause_and_no_imminent_one(name):
    statements, clauses = SETS[name]
    tried = list(trials(statements, clauses))
    lost = [f"{trial.alone} → {trial.together}: {trial.text}" for trial in tried if trial.result != "stays"]
    assert shares(tried).share_lost <= 0.01, lost
    assert [line for line in lost if line.startswith(CrisisOutcome.IMMINENT)] == []
    missed = Counter(trial.clause.text for trial in tried if trial.result != "stays")
    assert [text for text, count in missed.items() if count > 0.1 * len(statements)] == []
