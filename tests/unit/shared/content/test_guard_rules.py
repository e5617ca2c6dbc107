"""The shipped rules of the output guard keep what their own examples promise, and leave our own sentences alone."""

import re
from itertools import product

import pytest

from shared.content.catalogue import content
from shared.content.guard_rules import Compiler, guard_file, guard_rules, safe_ending, tells_of_others
from shared.content.schemas.guard import ExampledRule
from shared.domain.errors import ContentError
from shared.locale import Locale, Register
from shared.safety.output_guard.guard import LOOK_BACK, OutputGuard
from shared.safety.output_guard.rules import Category, GuardRules, Situation, When
from tests.unit.shared.content.guard_kept import FILE, written

RULES = guard_file().rules
SITUATIONS = {
    When.ALWAYS: Situation(record=True),
    When.FORMAL: Situation(Register.FORMAL, record=True),
    When.CASUAL: Situation(Register.CASUAL, record=True),
    When.NO_RECORD: Situation(),
    When.NOTICED: Situation(record=True, noticed=True),
    When.IN_DANGER: Situation(record=True, in_danger=True),
    When.HURT: Situation(record=True, hurt=True),
}
VOICES = [(Locale.KO, Register.FORMAL), (Locale.KO, Register.CASUAL), (Locale.EN, Register.FORMAL)]


def guarded(text, situation, rules=None):
    return OutputGuard(rules or guard_rules(), situation, str).over(text)


def spoken_in(locale, register):
    return Situation(register if locale is Locale.KO else None)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_cuts_its_positive_examples_by_itself(rule):
    alone = GuardRules(tuple(one for one in guard_rules().rules if one.id == rule.id))
    for text in rule.positives:
        found = guarded(text, SITUATIONS[rule.when], alone)
        assert (found.rule or rule.id, found.category or Category.REPEATED) == (rule.id, rule.category), text
        assert found.category or found.left_out, text


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_no_rule_cuts_its_negative_examples(rule):
    for text in rule.negatives:
        found = guarded(text, SITUATIONS[rule.when])
        assert (found.rule, found.left_out) == ("", 0), text


def test_every_category_has_a_rule_in_both_languages_where_it_is_about_words():
    assert {rule.category for rule in RULES} == set(Category)
    by_language = {"ko": set(), "en": set()}
    for rule in RULES:
        by_language.get(rule.id[:2], set()).add(rule.category)
    both = set(Category) - {Category.REGISTER, Category.NUMBER, Category.LINK, Category.REPEATED}
    assert both <= by_language["ko"] & by_language["en"]


def test_what_is_kept_of_the_file_is_what_stands_in_it():
    renew = "the rules changed: python -m tests.unit.shared.content.guard_kept"
    assert FILE.read_text(encoding="utf-8") == written(), renew


def test_windows_have_an_upper_bound_and_no_hit_reaches_beyond_the_look_back():
    for rule in guard_rules().rules:
        hits = [pattern for hit in rule.hits for pattern in hit.then]
        around = [pattern for one in rule.unless for pattern in (*one.before, *one.behind)]
        assert all(hit.reach <= LOOK_BACK for hit in rule.hits)
        for pattern in (*hits, *around, *rule.exclusions):
            assert isinstance(pattern.regex, re.Pattern)
            assert not re.search(r"(?:\.|\[\^[^\]]*\])[*+]|\{\d+,\}", pattern.source), (rule.id, pattern.source)


@pytest.mark.parametrize(
    "wrong", [{"exclusions": ("<no>",)}, {"unless": ("no",)}, {"hits": ({"starts": ("<no> 가",)},)}]
)
def test_what_is_not_there_is_a_content_error_that_names_the_rule(wrong):
    written = RULES[0].model_dump() | {"id": "ko-x"} | wrong
    with pytest.raises(ContentError, match="ko-x"):
        Compiler(guard_file()).rule(ExampledRule.model_validate(written))


@pytest.mark.parametrize("voice", VOICES)
def test_where_somebody_else_is_in_danger_a_hit_of_means_ends_in_other_words(voice):
    endings = {safe_ending(Category.MEANS, *voice, variant, others=others) for variant in (0, 1) for others in (0, 1)}
    assert len(endings) == 4
    assert not [text for text in endings if guarded(text, spoken_in(*voice)).category]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("친구가 작년에 투신했어요", True),
        ("엄마가 죽고 싶대요", True),
        ("my best friend died last year", True),
        ("죽고 싶어요", False),
        ("친구랑 싸웠어요", False),
        ("my job is killing me", False),
    ],
)
def test_it_knows_who_tells_of_others(text, expected):
    assert tells_of_others(text) is expected


@pytest.mark.parametrize(("voice", "category"), list(product(VOICES, Category)))
def test_an_ending_is_clean_itself_asks_nothing_and_differs_from_the_next(voice, category):
    endings = [safe_ending(category, *voice, variant) for variant in (0, 1)]
    assert len(set(endings)) == 2
    for text in endings:
        assert guarded(text, spoken_in(*voice)).category is None, text
        assert not set("?？") & set(text)


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
