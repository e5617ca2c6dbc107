"""The shipped safety rules keep what they promise: their examples, their size, and that every form has a trigger."""

import json
import re
from collections import defaultdict
from itertools import product
from pathlib import Path

import pytest

from shared.content.catalogue import content
from shared.content.loader import load_yaml
from shared.content.safety_rules import RULES, compiled, predicates, rule_files, vocabulary
from shared.content.schemas.safety_rules import PredicateFile, RuleEntry, RuleFile
from shared.locale import Locale
from shared.safety.levels import CrisisOutcome
from shared.safety.matcher import Family
from shared.safety.reading import Reading
from shared.safety.screening import readings_of

FILES = [path for locale in Locale for path in rule_files(locale)]
WRITTEN = [rule for path in FILES for rule in load_yaml(path, RuleFile).rules]
_FIXTURES = Path(__file__).parents[3] / "fixtures"
PROBE = [json.loads(line)["text"] for line in (_FIXTURES / "crisis_probe.jsonl").read_text("utf-8").splitlines()]
LONGEST_FILE = 300
"""Lines (docs/safety-rules.md)."""


def _findings(text):
    """Return the ids of the rules that find something in a text which nothing takes down."""
    return {match.rule.id for match in content().screening.matches(text) if match.by is None}


def test_the_rules_of_a_file_find_their_examples_and_leave_the_others_alone():
    wrong = defaultdict(list)
    for rule in WRITTEN:
        wrong[rule.id] += [f"missed: {text}" for text in rule.found if rule.id not in _findings(text)]
        wrong[rule.id] += [f"found: {text}" for text in rule.not_found if rule.id in _findings(text)]
    assert {rule_id: texts for rule_id, texts in wrong.items() if texts} == {}


def test_every_form_of_a_pattern_has_a_trigger():
    """Without its triggers a rule would find more: then one is missing."""
    by_id = {rule.id: rule for rule in content().screening.rules}
    probe = [reading for text in PROBE for reading in readings_of(text)]
    missing = set()
    for path in FILES:
        written = load_yaml(path, RuleFile).rules
        examples = (text for rule in written for text in (*rule.found, *rule.not_found))
        readings = [*probe, *(reading for text in examples for reading in readings_of(text))]
        missing |= {
            (rule.id, found[0])
            for rule in (by_id[one.id] for one in written)
            for reading in readings
            if not _has_trigger(rule, reading) and (found := rule.pattern.search(reading.text))
        }
    assert missing == set()


def _has_trigger(rule, reading):
    return any(trigger in reading.squeezed for trigger in rule.triggers)


@pytest.mark.parametrize("locale", Locale)
def test_a_predicate_holds_of_its_examples_and_of_no_others(locale):
    known = predicates(locale, vocabulary(locale))
    wrong = defaultdict(list)
    for one in _written_predicates(locale):
        wrong[one.id] += [text for text in one.holds if not _holds(known[one.id], text)]
        wrong[one.id] += [text for text in one.not_holds if _holds(known[one.id], text)]
    assert {name: texts for name, texts in wrong.items() if texts} == {}


def _written_predicates(locale):
    files = (load_yaml(path, PredicateFile) for path in (RULES / locale.value).glob("predicates*.yaml"))
    return [one for written in files for one in written.predicates]


def _holds(predicate, text):
    """Return whether a predicate holds of the words in square brackets."""
    before, words, behind = re.fullmatch(r"(.*)\[(.*)\](.*)", text).groups()
    return predicate.holds(Reading(before + words + behind), (len(before), len(before + words)))


def test_every_pattern_compiles_and_every_predicate_is_used():
    rules = content().screening.rules
    assert len({rule.id for rule in rules}) == len(rules)
    assert [rule.id for rule in rules if rule.pattern.groups] == [], "(?: instead of ("
    assert [rule.id for rule in rules if rule.pattern.match("")] == [], "finds nothing at all"
    for locale in Locale:
        used = {name for path in rule_files(locale) for rule in load_yaml(path, RuleFile).rules for name in rule.not_if}
        assert predicates(locale, vocabulary(locale)).keys() - used == set()


def test_a_file_is_short_enough_to_be_read_at_one_sitting():
    lines = {str(path): path.read_text("utf-8").count("\n") for path in RULES.rglob("*.yaml")}
    assert {path: count for path, count in lines.items() if count > LONGEST_FILE} == {}


def test_every_outcome_has_a_rule():
    abuse = {CrisisOutcome.ABUSE_TOLD, CrisisOutcome.ABUSE, CrisisOutcome.ABUSE_NOW}
    found = {CrisisOutcome(rule.outcome) for rule in content().screening.rules if rule.family is Family.CRISIS}
    assert found == set(CrisisOutcome) - {CrisisOutcome.NONE} - abuse


def _entry(**given):
    written = {
        "id": "ko-x",
        "outcome": "crisis",
        "ground": "test",
        "triggers": "죽",
        "pattern": "죽고 싶",
        "found": "죽고 싶어\n죽고 싶다",
        "not_found": "살고 싶어",
    }
    return RuleEntry.model_validate(written | given)


@pytest.mark.parametrize(
    "given", [{"pattern": "<nothing>"}, {"pattern": "{nothing:었}"}, {"not_if": "nothing"}], ids=str
)
def test_an_unknown_name_is_an_error_that_names_it(given):
    words = vocabulary(Locale.KO)
    with pytest.raises(KeyError, match="nothing"):
        compiled(_entry(**given), Family.CRISIS, words, predicates(Locale.KO, words))


@pytest.mark.parametrize("outcome", ["imminent", "attempted"])
def test_a_rule_of_what_is_imminent_that_a_denial_takes_down_is_refused(outcome):
    words = vocabulary(Locale.KO)
    known = predicates(Locale.KO, words)
    assert compiled(_entry(outcome=outcome, not_if="another"), Family.CRISIS, words, known)
    with pytest.raises(ValueError, match="nothing lowers"):
        compiled(_entry(outcome=outcome, not_if="negated"), Family.CRISIS, words, known)


def test_a_text_with_words_of_a_crisis_is_alarming_wherever_they_stand():
    texts = ("요즘은 그냥 죽고 싶다는 생각이 들어요", "죽을 것 같아요", "I just want to die")
    assert [text for text in texts if not content().text_rules.alarming(text)] == []
    assert [
        text
        for text in texts
        if not content().text_rules.alarming("잠을 푹 자고 싶어요", f"우리는 이야기했다. {text}.")
    ] == []


def test_wishes_and_idioms_are_not_alarming():
    texts = ("", "덜 떨고 싶어요", "배고파 죽겠다", "I want to sleep through the night")
    assert [text for text in texts if content().text_rules.alarming(text)] == []


def test_no_plan_of_our_own_is_alarming():
    personas = content().personas
    keywords = {*personas.common_keywords, *(word for one in personas.types for word in one.type_specific_keywords)}
    plans = {
        (level, locale): content().part2_templates.plan(level, sorted(keywords), locale)
        for level, locale in product(range(1, 6), Locale)
    }
    assert {
        case: plan.goal
        for case, plan in plans.items()
        if content().text_rules.alarming(plan.goal, *(f"{task.title}. {task.target}" for task in plan.tasks))
    } == {}
