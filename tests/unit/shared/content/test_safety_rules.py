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
from shared.domain.errors import ContentError
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
"""Lines that somebody reads at one sitting."""
ALL_BYTES = 350_000
MOST_NAMES = 6
"""Fragments and stems in one line of a pattern: what somebody can look up and hold in mind."""
DEEPEST = 3
"""Fragments within one another."""
_NAME = re.compile(r"<([a-z_]+)>")
_SHARED = re.compile(r"<[a-z_]+>|\{\S+?:.\}")


def _named(path):
    return f"{path.parent.name}/{path.stem}"


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


def test_no_rule_says_a_thing_twice():
    assert {rule.id for rule in WRITTEN if len(set(rule.pattern)) < len(rule.pattern)} == set()
    assert {rule.id: words for rule in WRITTEN if (words := _twice(rule.triggers))} == {}


def _twice(words):
    return {word for word in words if words.count(word) > 1}


def test_every_rule_has_a_name_of_its_own():
    ids = [rule.id for rule in content().screening.rules]
    assert len(ids) == len(set(ids))


def test_every_pattern_compiles_and_every_predicate_is_used():
    rules = content().screening.rules
    assert [rule.id for rule in rules if rule.pattern.groups] == [], "(?: instead of ("
    assert [rule.id for rule in rules if rule.pattern.match("")] == [], "finds nothing at all"
    for locale in Locale:
        used = {name for path in rule_files(locale) for rule in load_yaml(path, RuleFile).rules for name in rule.not_if}
        assert predicates(locale, vocabulary(locale)).keys() - used == set()


def test_a_clinician_can_read_the_rules():
    assert {
        _named(path): lines
        for path in RULES.rglob("*.yaml")
        if (lines := path.read_text("utf-8").count("\n")) > LONGEST_FILE
    } == {}
    about_messages = (path for path in RULES.rglob("*.yaml") if not path.name.startswith("guard_"))
    assert sum(path.stat().st_size for path in about_messages) <= ALL_BYTES


def test_few_fragments_make_a_pattern_and_they_are_not_nested_deep():
    assert {line for rule in WRITTEN for line in rule.pattern if len(_SHARED.findall(line)) > MOST_NAMES} == set()
    for locale in Locale:
        fragments = vocabulary(locale).fragments
        assert {name for name in fragments if _depth(name, fragments) > DEEPEST} == set()


def _depth(name, fragments):
    return 1 + max((_depth(inner, fragments) for inner in _NAME.findall(fragments[name])), default=0)


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


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("id: ko-x", "outcome"),
        (f"id: ko-x\n    outcome: crisis\n    pattern: {'가' * 121}", "120"),
        ("id: ko-x\n    outcome: nonsense", "CrisisOutcome"),
    ],
)
def test_a_wrong_file_says_where_and_why(tmp_path, written, told):
    rest = "".join(
        f"\n    {name}: {value}"
        for name, value in {
            "ground": "test",
            "triggers": "죽",
            "pattern": "죽",
            "found": '"죽\\n죽다"',
            "not_found": "살",
        }.items()
        if f"{name}:" not in written
    )
    path = tmp_path / "wrong.yaml"
    path.write_text(f"family: crisis\nrules:\n  - {written}{rest}\n", encoding="utf-8")
    with pytest.raises(ContentError, match=told) as error:
        load_yaml(path, RuleFile)
    assert "wrong.yaml" in str(error.value)


def test_rules_are_compiled_once():
    assert content().screening is content().screening


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
