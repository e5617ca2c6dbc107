"""What the planner adds in code's own words: the levels' restriction, and what the user is told of a value."""

import pytest
from pydantic import ValidationError

from shared.content.catalogue import content
from shared.content.schemas.plans import SlotErrors
from shared.domain.slots import SlotKind
from shared.locale import Locale, Register

PLANS = content().part2_templates
PLAIN = {"ko": "다시요.", "en": "Again."}
SOUND = {
    **dict.fromkeys(("text", "boolean", "integer"), PLAIN),
    "integer_range": {"ko": "{minimum}~{maximum}", "en": "{minimum}-{maximum}"},
    "choice": {"ko": "{choices}", "en": "{choices}"},
}


def test_the_restriction_is_added_where_it_is_not_said():
    left_out = {
        ("", Locale.KO): True,
        ("감정을 평가하지 않는다.", Locale.KO): True,
        ("해결책 제시 금지", Locale.KO): False,
        ("조언하지 않는다", Locale.KO): False,
        ("Only listen.", Locale.EN): True,
        ("No Solutions yet.", Locale.EN): False,
    }
    assert {told: bool(PLANS.restriction_left_out(1, *told)) for told in left_out} == left_out


def test_the_templates_tasks_say_it_themselves():
    for level in range(1, PLANS.restriction.upto + 1):
        for locale in Locale:
            tasks = PLANS.plan(level, ("완벽주의",), locale).tasks
            assert [
                each.title for each in tasks if PLANS.restriction_left_out(level, each.restrictions or "", locale)
            ] == []


@pytest.mark.parametrize("register", Register)
def test_the_choices_and_bounds_stand_in_what_the_user_is_told(register):
    choice = PLANS.slot_error(SlotKind.CHOICE, ("가끔", "매일"), (None, None), Locale.KO, register)
    assert "가끔, 매일" in choice
    within = PLANS.slot_error(SlotKind.INTEGER, (), (0, 10), Locale.KO, register)
    assert "0에서 10" in within
    for bounds in ((0, None), (None, 10), (None, None)):
        assert "{" not in PLANS.slot_error(SlotKind.INTEGER, (), bounds, Locale.KO, register)
    assert ("괜찮아요" in choice) is (register is Register.FORMAL)


@pytest.mark.parametrize(
    ("name", "text"),
    [("text", "{choices}"), ("choice", "다시요."), ("integer_range", "{minimum}"), ("boolean", "{who}")],
)
def test_a_text_that_names_what_it_does_not_know_is_refused(name, text):
    assert SlotErrors.model_validate(SOUND)
    with pytest.raises(ValidationError, match=name):
        SlotErrors.model_validate(SOUND | {name: {"ko": text, "en": text}})
