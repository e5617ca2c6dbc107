"""Neutral clauses before or after a crisis statement do not hide it from the shipped rules."""

import json
from collections import Counter

import pytest

from local.safety_metamorphic.messages import Clauses, read_clauses, read_plain, read_probe
from local.safety_metamorphic.trials import outcome_of, shares, trials
from shared.locale import Locale
from shared.safety.levels import CrisisOutcome, RiskLevel, risk_level
from tests.builders.sentences import FOLDER

CLAUSES = read_clauses(FOLDER / "safety/neutral_clauses.yaml")
PLAIN, SECOND = (read_plain(FOLDER / f"safety/{name}_crises.yaml") for name in ("plain", "second"))
SETS = {
    "plain": (PLAIN, CLAUSES),
    "probe": (read_probe(FOLDER / "crisis_probe.jsonl"), CLAUSES),
    "second": (SECOND, read_clauses(FOLDER / "safety/second_clauses.yaml")),
}
MESSAGES = [json.loads(line) for line in (FOLDER / "safety/second_messages.jsonl").read_text("utf-8").splitlines()]


def part_of(clauses, start, parts):
    return Clauses(before=clauses.before[start::parts], behind=clauses.behind[start::parts])


@pytest.mark.parametrize("locale", Locale)
def test_no_neutral_clause_is_an_alarm_by_itself(locale):
    clauses = (*CLAUSES[locale].before, *CLAUSES[locale].behind)
    assert [clause.text for clause in clauses if outcome_of(clause.text) is not CrisisOutcome.NONE] == []


def test_a_plain_crisis_is_found_at_its_level():
    assert [one.text for one in PLAIN if outcome_of(one.text).severity < one.level.severity] == []


def test_nearly_every_crisis_of_the_second_set_is_found_at_its_level():
    missed = [one.text for one in SECOND if outcome_of(one.text).severity < one.level.severity]
    assert len(missed) <= 0.05 * len(SECOND), missed


def test_a_denied_past_or_third_party_clause_lowers_no_crisis_in_another_clause():
    crises = [message["text"] for message in MESSAGES if message["label"] == "crisis"]
    assert len(crises) >= 20
    assert [text for text in crises if risk_level(outcome_of(text)) < RiskLevel.CRISIS] == []


def test_hardly_any_message_without_danger_to_its_writer_is_a_crisis():
    others = [message["text"] for message in MESSAGES if message["label"] != "crisis"]
    alarms = [text for text in others if risk_level(outcome_of(text)) >= RiskLevel.CRISIS]
    assert len(alarms) <= 0.06 * len(others), alarms


def test_danger_to_another_person_is_a_concern():
    texts = {message["text"] for message in MESSAGES if message["category"].startswith("third_party")}
    assert len(texts) >= 10
    assert [text for text in texts if risk_level(outcome_of(text)) is not RiskLevel.CONCERN] == []


@pytest.mark.parametrize("parts", [4, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", SETS)
def test_hardly_any_statement_loses_its_level_to_a_neutral_clause_and_no_imminent_one(name, parts):
    """Every statement with a quarter of the clauses, and every clause with a quarter of the statements; or all."""
    statements, clauses = SETS[name]
    tried = [
        trial
        for start in range(parts)
        for trial in trials(
            statements[start::parts], {locale: part_of(clauses[locale], start, parts) for locale in Locale}
        )
    ]
    lost = [f"{trial.alone} → {trial.together}: {trial.text}" for trial in tried if trial.result != "stays"]
    assert shares(tried).share_lost <= 0.01, lost
    assert [line for line in lost if line.startswith(CrisisOutcome.IMMINENT)] == []
    missed = Counter(trial.clause.text for trial in tried if trial.result != "stays")
    assert [text for text, count in missed.items() if count > 0.1 * len(statements) / parts] == []
