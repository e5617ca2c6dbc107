"""Reason and level are heard in Part 1, each in the user's words, and change the plan that is made from it."""

import pytest

from shared.content.catalogue import content
from shared.domain.counseling.level import LevelSign, LevelSource
from shared.domain.counseling.persona import UserPersona, persona_of
from shared.domain.counseling.plans import PlanRecord
from shared.domain.counseling.reason import Reason
from shared.domain.counseling.sources import Source
from shared.domain.errors import ModelUnavailable
from shared.locale import Locale
from tests.builders.answers import persona_guess
from tests.builders.planning import PERSONAS, carried_out, covered_room
from tests.builders.plans import proposal
from tests.support.tags import element, elements

SLEEPLESS = ("요즘 잠이 안 와요", "새벽마다 깨서 뒤척여요")
LEVEL_3 = (*SLEEPLESS, "예전에 학교에서 상담을 받았어요", "왜 자꾸 이러는지 알고 싶어요")
LEVEL_5 = (*LEVEL_3, "이제는 좀 달라지고 싶어요", "일기를 써 봤는데 도움이 됐어요")
SIGNS = ("experience", "depth", "change", "begun")
DOWN = ModelUnavailable("down")


def heard(said, reason="sleep", reason_quote=SLEEPLESS[0], signs=SIGNS):
    """Return what a careful model hears in these words."""
    found = [{"sign": sign, "quote": quote} for sign, quote in zip(signs, said[2:], strict=False)]
    return persona_guess(signs=found, reason=reason, reason_quote=reason_quote)


async def planned(said, model=DOWN, guess=None, *, level=None, **fields):
    """Plan Part 2 of a session without a type; return its room, its state and the plan's record."""
    persona = persona_of(PERSONAS, None) if level is None else persona_of(PERSONAS, None, level, LevelSource.GIVEN)
    room = await covered_room(model, said, **({"user_persona": persona} | fields))
    room.model.scripts["persona_inferrer"] = heard(said) if guess is None else guess
    await carried_out(room)
    return room, await room.session(), PlanRecord.model_validate(await room.record("plans", "0"))


def titles(state):
    return [task.title for task in state.tasks[1:]]


async def test_levels_1_3_and_5_heard_in_part_1_lead_to_different_plans():
    found = {said: await planned(said) for said in (SLEEPLESS, LEVEL_3, LEVEL_5)}
    assert [state.user_persona.counseling_level for _, state, _ in found.values()] == [1, 3, 5]
    assert [record.level for _, _, record in found.values()] == [1, 3, 5]
    goals = {state.part2_goal for _, state, _ in found.values()}
    assert goals == {content().part2_reasons.of(Reason.SLEEP).goals.at(level, Locale.KO) for level in (1, 3, 5)}
    low, middle, high = ({task.title for task in state.tasks[1:]} for _, state, _ in found.values())
    assert not low & middle
    assert not middle & high


async def test_levels_1_3_and_5_ask_the_model_for_different_depths():
    depths = set()
    for said in (SLEEPLESS, LEVEL_3, LEVEL_5):
        room, state, _ = await planned(said, proposal())
        text = room.model.asked("planner")[0].messages[0].text
        assert f'<depth level="{state.user_persona.counseling_level}">' in text
        depths.add(element(text, "depth"))
    assert len(depths) == 3


async def test_the_record_holds_the_reason_and_each_sign_with_the_users_words():
    _, state, record = await planned(LEVEL_5)
    assert (record.reason.reason, record.reason.quote) == (Reason.SLEEP, "요즘 잠이 안 와요")
    assert {ground.sign: ground.quote for ground in record.level_grounds} == {
        LevelSign.EXPERIENCE: LEVEL_5[2],
        LevelSign.DEPTH: LEVEL_5[3],
        LevelSign.CHANGE: LEVEL_5[4],
        LevelSign.BEGUN: LEVEL_5[5],
    }
    assert state.user_persona.level_source is LevelSource.HEARD


@pytest.mark.parametrize("source", [LevelSource.GIVEN, LevelSource.CARRIED])
async def test_a_level_that_was_given_or_carried_over_stays(source):
    persona = persona_of(PERSONAS, None, 2, source)
    _, state, record = await planned(LEVEL_5, user_persona=persona)
    assert (state.user_persona, record.level, record.level_grounds) == (persona, 2, ())


async def test_nothing_known_is_level_1():
    _, state, record = await planned(("그냥 이야기하고 싶어요",), guess=persona_guess())
    assert (state.user_persona.counseling_level, record.level_grounds, record.reason) == (1, (), None)


@pytest.mark.parametrize(
    ("reason", "quote"), [("sleep", "한숨도 못 자요"), ("insomnia", SLEEPLESS[0]), ("sleep", ""), ("", SLEEPLESS[0])]
)
async def test_a_reason_and_a_sign_without_the_users_words_do_not_count(reason, quote):
    unsaid = [{"sign": "change", "quote": "꼭 달라질 거예요"}, {"sign": "depth", "quote": ""}]
    _, state, record = await planned(SLEEPLESS, guess=persona_guess(signs=unsaid, reason=reason, reason_quote=quote))
    assert (state.user_persona.counseling_level, record.level_grounds, record.reason) == (1, (), None)


async def test_the_answer_about_earlier_counselling_counts_with_and_against_the_words():
    async def signs(guess, **given):
        _, _, record = await planned(LEVEL_3, guess=guess, user_info=given)
        return [ground.sign for ground in record.level_grounds]

    told = heard(LEVEL_3, signs=SIGNS[:1])
    assert await signs(persona_guess(), prior_counseling=True) == [LevelSign.EXPERIENCE]
    assert await signs(told, prior_counseling=False) == []
    assert await signs(told) == [LevelSign.EXPERIENCE]


async def test_without_a_model_the_level_follows_the_answer_about_earlier_counselling():
    _, state, record = await planned(LEVEL_5, guess=DOWN, user_info={"prior_counseling": True})
    assert (state.user_persona.counseling_level, record.reason) == (2, None)


async def test_a_crisis_holds_a_heard_level_low():
    _, state, _ = await planned(LEVEL_5, protocol_replies=1)
    assert state.user_persona.counseling_level == 2


async def test_without_a_reason_the_levels_plan_holds():
    _, state, _ = await planned(("그냥 이야기하고 싶어요",), guess=persona_guess(), level=4)
    assert titles(state) == [task.title for task in content().part2_templates.plan(4, (), Locale.KO).tasks]


async def test_a_model_gets_the_usual_plan_for_the_reason_as_its_starting_point():
    room, _, _ = await planned(SLEEPLESS, proposal(), level=4)
    shown = element(room.model.asked("planner")[0].messages[0].text, "starting_point")
    assert "내담자의 말" not in shown, "no such reason was given"
    assert "잠자리 앞 한 시간 정하기" in shown
    given = {"user_info": {"reason": "불면"}, "info_sources": {"reason": Source(seq=1, quote=SLEEPLESS[0])}}
    room, _, _ = await planned(SLEEPLESS, proposal(), level=4, **given)
    shown = element(room.model.asked("planner")[0].messages[0].text, "starting_point")
    assert f"내담자의 말: {SLEEPLESS[0]}" in shown
    room, _, _ = await planned(("그냥 이야기하고 싶어요",), proposal(), persona_guess())
    assert elements(room.model.asked("planner")[0].messages[0].text, "starting_point") == []


async def test_no_keyword_is_chosen_for_the_plan_that_the_user_did_not_name():
    persona = UserPersona(type="Type_A", type_specific_keywords=("완벽주의", "자기 비판"))
    _, state, _ = await planned(("그냥 이야기하고 싶어요",), user_persona=persona)
    assert (state.selected_keywords, "지금의 어려움" in state.part2_goal) == ((), True)
