"""No clause beside a crisis silences it: the shipped rules over statements with neutral clauses before and behind."""

from collections import Counter
from pathlib import Path

import pytest

from local.safety_metamorphic.messages import read_clauses, read_plain, read_probe
from local.safety_metamorphic.trials import outcome_of, shares, trials
from shared.domain.locale import Locale
from shared.domain.safety.levels import CrisisOutcome

_FIXTURES = Path(__file__).parents[3] / "fixtures"
CLAUSES = read_clauses(_FIXTURES / "safety/neutral_clauses.yaml")
PLAIN = read_plain(_FIXTURES / "safety/plain_crises.yaml")
STATEMENTS = {"plain": PLAIN, "probe": read_probe(_FIXTURES / "crisis_probe.jsonl")}
_TOPICS = {"film", "song", "game", "news", "book", "food", "weather", "work", "exam", "friends", "family", "nobody"}


@pytest.mark.parametrize("locale", Locale)
def test_there_are_enough_statements_and_clauses_of_every_topic(locale):
    clauses = CLAUSES[locale]
    assert sum(statement.locale is locale for statement in PLAIN) >= 30
    assert (len(clauses.before) >= 25, len(clauses.behind) >= 10) == (True, True)
    assert {clause.topic for clause in (*clauses.before, *clauses.behind)} >= _TOPICS | {"feeling"}


@pytest.mark.parametrize("locale", Locale)
def test_no_neutral_clause_is_an_alarm_by_itself(locale):
    clauses = (*CLAUSES[locale].before, *CLAUSES[locale].behind)
    assert [clause.text for clause in clauses if outcome_of(clause.text) is not CrisisOutcome.NONE] == []


@pytest.mark.parametrize("statement", PLAIN, ids=lambda statement: statement.text)
def test_a_plain_crisis_is_found_at_its_level(statement):
    assert outcome_of(statement.text).severity >= statement.level.severity


@pytest.mark.parametrize("name", STATEMENTS)
def test_hardly_any_statement_loses_its_level_to_a_neutral_clause_and_no_imminent_one(name):
    tried = list(trials(STATEMENTS[name], CLAUSES))
    lost = [f"{trial.alone} → {trial.together}: {trial.text}" for trial in tried if trial.result != "stays"]
    assert shares(tried).share_lost <= 0.01, lost
    assert [line for line in lost if line.startswith(CrisisOutcome.IMMINENT)] == []
    missed = Counter(trial.clause.text for trial in tried if trial.result != "stays")
    assert [text for text, count in missed.items() if count > 0.1 * len(STATEMENTS[name])] == []
