"""The shipped safety rules: their examples, their size, and a trigger for every form of a pattern."""

import json
import re
from collections import defaultdict
from itertools import product

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
from tests.builders.sentences import FOLDER

FILES = [path for locale in Locale for path in rule_files(locale)]
WRITTEN = [rule for path in FILES for rule in load_yaml(path, RuleFile).rules]
PROBE = [json.loads(line)["text"] for line in (FOLDER / "crisis_probe.jsonl").read_text("utf-8").splitlines()]


def _findings(text):
    """Return the ids of the rules whose match in a text no predicate lowers."""
    return {match.rule.id for match in content().screening.matches(text) if match.by is None}


def test_each_rule_finds_its_examples_and_none_of_its_counterexamples():
    wrong = defaultdict(list)
    for rule in WRITTEN:
        wrong[rule.id] += [f"missed: {text}" for text in rule.found if rule.id not in _findings(text)]
        wrong[rule.id] += [f"found: {text}" for text in rule.not_found if rule.id in _findings(text)]
    assert {rule_id: texts for rule_id, texts in wrong.items() if texts} == {}


def test_every_form_of_a_pattern_has_a_trigger():
    """If a pattern matches a text without a trigger, a trigger is missing."""
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
            if not any(trigger in reading.squeezed for trigger in rule.triggers)
            and (found := rule.pattern.search(reading.text))
        }
    assert missing == set()


@pytest.mark.parametrize("locale", Locale)
def test_a_predicate_holds_for_its_examples_and_not_for_its_counterexamples(locale):
    known = predicates(locale, vocabulary(locale))
    wrong = defaultdict(list)
    files = (load_yaml(path, PredicateFile) for path in (RULES / locale.value).glob("predicates*.yaml"))
    for one in (one for written in files for one in written.predicates):
        wrong[one.id] += [text for text in one.holds if not _holds(known[one.id], text)]
        wrong[one.id] += [text for text in one.not_holds if _holds(known[one.id], text)]
    assert {name: texts for name, texts in wrong.items() if texts} == {}


def _holds(predicate, text):
    """Return whether a predicate holds of the words in square brackets."""
    before, words, after = re.fullmatch(r"(.*)\[(.*)\](.*)", text).groups()
    return predicate.holds(Reading(before + words + after), (len(before), len(before + words)))


def test_ids_are_unique_patterns_have_no_groups_and_no_empty_match_and_predicates_are_used():
    rules = content().screening.rules
    assert len({rule.id for rule in rules}) == len(rules)
    assert [rule.id for rule in rules if rule.pattern.groups] == [], "(?: instead of ("
    assert [rule.id for rule in rules if rule.pattern.match("")] == [], "it matches the empty text"
    for locale in Locale:
        used = {name for path in rule_files(locale) for rule in load_yaml(path, RuleFile).rules for name in rule.not_if}
        assert predicates(locale, vocabulary(locale)).keys() - used == set()


def test_no_rule_file_exceeds_300_lines():
    """The limit of docs/safety-rules.md."""
    lines = {str(path): path.read_text("utf-8").count("\n") for path in RULES.rglob("*.yaml")}
    assert {path: count for path, count in lines.items() if count > 300} == {}


def test_every_outcome_has_a_rule():
    abuse = {CrisisOutcome.ABUSE_TOLD, CrisisOutcome.ABUSE, CrisisOutcome.ABUSE_NOW}
    found = {CrisisOutcome(rule.outcome) for rule in content().screening.rules if rule.family is Family.CRISIS}
    assert found == set(CrisisOutcome) - {CrisisOutcome.NONE} - abuse


def _entry(**given):
    rule = {"id": "ko-x", "outcome": "crisis", "ground": "test", "triggers": "죽", "pattern": "죽고 싶"}
    examples = {"found": "죽고 싶어\n죽고 싶다", "not_found": "살고 싶어"}
    return RuleEntry.model_validate(rule | examples | given)


@pytest.mark.parametrize(
    "given", [{"pattern": "<nothing>"}, {"pattern": "{nothing:었}"}, {"not_if": "nothing"}], ids=str
)
def test_an_unknown_word_list_or_predicate_raises_an_error_with_its_name(given):
    words = vocabulary(Locale.KO)
    with pytest.raises(KeyError, match="nothing"):
        compiled(_entry(**given), Family.CRISIS, words, predicates(Locale.KO, words))


@pytest.mark.parametrize("outcome", ["imminent", "attempted"])
def test_a_rule_for_imminent_danger_that_a_negation_lowers_is_refused(outcome):
    words = vocabulary(Locale.KO)
    known = predicates(Locale.KO, words)
    assert compiled(_entry(outcome=outcome, not_if="another"), Family.CRISIS, words, known)
    with pytest.raises(ValueError, match="nothing lowers"):
        compiled(_entry(outcome=outcome, not_if="negated"), Family.CRISIS, words, known)


def test_a_text_with_crisis_words_is_alarming_in_any_position():
    texts = ("요즘은 그냥 죽고 싶다는 생각이 들어요", "죽을 것 같아요", "I just want to die")
    alarming = content().text_rules.alarming
    assert [text for text in texts if not alarming(text)] == []
    assert [text for text in texts if not alarming("잠을 푹 자고 싶어요", f"우리는 이야기했다. {text}.")] == []


def test_wishes_and_idioms_are_not_alarming():
    texts = ("", "덜 떨고 싶어요", "배고파 죽겠다", "I want to sleep through the night")
    assert [text for text in texts if content().text_rules.alarming(text)] == []


def test_no_plan_template_is_alarming():
    personas = content().personas
    keywords = {*personas.common_keywords, *(word for one in personas.types for word in one.type_specific_keywords)}
    for level, locale in product(range(1, 6), Locale):
        plan = content().part2_templates.plan(level, sorted(keywords), locale)
        texts = (plan.goal, *(f"{task.title}. {task.target}" for task in plan.tasks))
        assert not content().text_rules.alarming(*texts), (level, locale)
