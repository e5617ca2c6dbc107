"""The rules of the output guard keep what their examples promise, and leave our own sentences alone."""

import re

import pytest

from shared.content.catalogue import content
from shared.content.guard_rules import PREDICATES, GuardWords, guard_files, guard_rule
from shared.content.loader import load_yaml
from shared.content.safety_rules import RULES, predicates, rule_files
from shared.content.schemas.guard import GuardEntry, GuardFile
from shared.content.schemas.safety_rules import PredicateFile, RuleFile
from shared.domain.errors import ContentError
from shared.locale import Locale, Register
from shared.safety.output_guard.categories import Category
from shared.safety.output_guard.guard import OutputGuard
from shared.safety.output_guard.rules import GuardRules, Told
from shared.safety.output_guard.sentence import folded_letter
from shared.safety.output_guard.situation import Situation, When
from shared.safety.predicates import Makes

SITUATIONS = {
    When.ALWAYS: Situation(record=True),
    When.FORMAL: Situation(Register.FORMAL, record=True),
    When.CASUAL: Situation(Register.CASUAL, record=True),
    When.NO_RECORD: Situation(),
    When.NOTICED: Situation(record=True, noticed=True),
    When.IN_DANGER: Situation(record=True, in_danger=True),
    When.HURT: Situation(record=True, hurt=True),
}
FILES = [path for locale in Locale for path in guard_files(locale)]
COMPILED = {rule.id: rule for rule in content().guard_rules.rules}
MOST_LINES, MOST_EXAMPLES, MOST_BYTES = 300, 6, 91 * 1024
VOICES = [(Locale.KO, Register.FORMAL), (Locale.KO, Register.CASUAL), (Locale.EN, Register.FORMAL)]


def guarded(text, situation, rules=None):
    return OutputGuard(rules or content().guard_rules, situation, str).over(text)


def spoken_in(locale, register):
    return Situation(register if locale is Locale.KO else None)


def written(path):
    return load_yaml(path, GuardFile).rules


def test_each_rule_of_a_file_finds_what_it_says_and_no_rule_what_it_denies():
    missed, mistaken = [], []
    for rule in (rule for path in FILES for rule in written(path)):
        alone = GuardRules((COMPILED[rule.id],))
        for text in rule.found:
            found = guarded(text, SITUATIONS[rule.when], alone)
            missed += [] if found.rule == rule.id or found.left_out else [(rule.id, text)]
        for text in rule.not_found:
            found = guarded(text, SITUATIONS[rule.when])
            mistaken += [(rule.id, text, found.rule)] if found.rule or found.left_out else []
    assert (missed, mistaken) == ([], [])


def test_a_file_stays_short_enough_to_be_read():
    lines = {path: len(path.read_text("utf-8").splitlines()) for path in FILES}
    assert {path: count for path, count in lines.items() if count > MOST_LINES} == {}
    rules = [rule for path in FILES for rule in written(path)]
    assert [rule.id for rule in rules if max(len(rule.found), len(rule.not_found)) > MOST_EXAMPLES] == []


def test_all_rules_together_stay_small():
    assert sum(path.stat().st_size for locale in Locale for path in (RULES / locale).glob("guard_*")) <= MOST_BYTES


@pytest.mark.parametrize("locale", Locale)
def test_each_predicate_holds_of_the_sentences_it_names_and_makes_nothing_of_a_hit(locale):
    known = predicates(locale, GuardWords(locale).vocabulary, PREDICATES)
    wrong = []
    for entry in load_yaml(RULES / locale / f"{PREDICATES}.yaml", PredicateFile).predicates:
        assert entry.makes is Makes.NOTHING
        for line, expected in [*((line, True) for line in entry.holds), *((line, False) for line in entry.not_holds)]:
            folded = "".join(map(folded_letter, line))
            span = folded.index("["), folded.index("]") - 1
            reading = Told(re.sub(r"[\[\]]", "", folded))
            wrong += [] if known[entry.id].holds(reading, span) is expected else [(entry.id, line)]
    assert wrong == []


def test_rules_about_replies_are_not_read_for_messages_nor_others_for_replies():
    for locale in Locale:
        assert not set(guard_files(locale)) & set(rule_files(locale))
    with pytest.raises(ContentError, match="guard_"):
        load_yaml(FILES[0], RuleFile)


def test_every_category_has_a_rule_in_both_languages_where_it_is_about_words():
    assert {rule.category for rule in COMPILED.values()} == set(Category)
    by_language = {"ko": set(), "en": set()}
    for rule in COMPILED.values():
        by_language[rule.id[:2]].add(rule.category)
    both = set(Category) - {Category.REGISTER, Category.NUMBER, Category.LINK, Category.REPEATED}
    assert both <= by_language["ko"] & by_language["en"]


def test_no_pattern_goes_on_without_a_bound():
    sources = [(rule.id, source) for rule in COMPILED.values() for source in rule.looks_for.sources]
    unbounded = re.compile(r"(?:\.|\[\^[^\]]*\])[*+]|\{\d+,\}")
    assert [(rule_id, source) for rule_id, source in sources if unbounded.search(source)] == []


@pytest.mark.parametrize("wrong", [{"pattern": ("<no>",)}, {"not_if": ("no",)}, {"triggers": ("<no>가",)}])
def test_what_is_not_there_is_named(wrong):
    words = GuardWords(Locale.KO)
    entry = GuardEntry.model_validate(written(FILES[0])[0].model_dump() | wrong)
    with pytest.raises(KeyError, match="no"):
        guard_rule(entry, words, predicates(Locale.KO, words.vocabulary, PREDICATES), frozenset())


@pytest.mark.parametrize("wrong", [{"outcome": "no"}, {"excuses": ("no",)}])
def test_an_unknown_category_or_excuse_is_refused(wrong):
    with pytest.raises(ValueError, match="no"):
        GuardEntry.model_validate(written(FILES[0])[0].model_dump() | wrong)


@pytest.mark.parametrize("voice", VOICES)
def test_where_somebody_else_is_in_danger_a_hit_of_means_ends_in_other_words(voice):
    endings = {
        content().safe_endings.ending(Category.MEANS, *voice, variant, others=others)
        for variant in (0, 1)
        for others in (0, 1)
    }
    assert len(endings) == 4
    assert not [text for text in endings if guarded(text, spoken_in(*voice)).category]


def test_it_knows_who_tells_of_others():
    others = ["친구가 작년에 투신했어요", "엄마가 죽고 싶대요", "my best friend died last year"]
    texts = [*others, "죽고 싶어요", "친구랑 싸웠어요", "my job is killing me"]
    assert [text for text in texts if content().safe_endings.tells_of_others(text)] == others


@pytest.mark.parametrize("voice", VOICES)
def test_an_ending_is_clean_itself_asks_nothing_and_differs_from_the_next(voice):
    endings = {
        category: [content().safe_endings.ending(category, *voice, variant) for variant in (0, 1)]
        for category in Category
    }
    assert {category: both for category, both in endings.items() if both[0] == both[1]} == {}
    texts = [text for both in endings.values() for text in both]
    assert {text: found for text in texts if (found := guarded(text, spoken_in(*voice)).category)} == {}
    assert [text for text in texts if set("?？") & set(text)] == []


@pytest.mark.parametrize("voice", VOICES)
def test_our_own_questions_and_notices_are_clean(voice):
    messages = content().messages(*voice)
    texts = [messages.text(key) for key in ("greeting", "ai_notice", "ai_reminder", "break_reminder", "confirm_end")]
    texts += messages.variants("degraded_reply")
    for session_type in ("first_session", "follow_up", "closing"):
        tasks = content().templates(session_type, *voice)
        texts += [question for task in tasks for slot in task.slots for question in slot.questions]
    cut = {text: guarded(text, spoken_in(*voice)).rule for text in texts}
    assert not {text: rule for text, rule in cut.items() if rule}
