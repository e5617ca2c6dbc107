"""The planner's prompt as a real transition renders it."""

import pytest

from functions.planner.infer_persona import PersonaGuess
from functions.planner.proposal import NO_PLAN
from functions.planner.transitions import carry_out
from shared.domain.counseling.persona import persona_of
from shared.domain.counseling.session import PlanStatus
from shared.domain.counseling.task import TaskStatus
from shared.domain.locale import Locale
from tests.fakes.background_room import Room, created, transition
from tests.fakes.counselling import session, slot, task
from tests.support.tags import element, elements

SAID = ("발표만 앞두면 밤을 새워요", "남들은 괜찮다는데 저는 모자란 것 같아요", "완벽주의라는 말을 들어요")
SPEAKERS = {Locale.KO: ("내담자", "상담사"), Locale.EN: ("Client", "Counsellor")}
CONTENT = Room().bench.content


@pytest.fixture(params=Locale, ids=lambda locale: locale.value)
def locale(request):
    return request.param


async def asked(locale, type_id="Type_A", level=2):
    """Let Part 1 pass over into Part 2, and return what the planner was asked."""
    room = Room({"planner": NO_PLAN, "persona_inferrer": PersonaGuess()})
    welcome = task(status=TaskStatus.SUFFICIENT, required_slots=(slot("name"),))
    persona = persona_of(CONTENT.personas, type_id, level)
    state = session(
        welcome,
        plan_status=PlanStatus.PLANNING,
        user_persona=persona,
        user_info={"name": "민지"},
        locale=locale,
    )
    await room.open(state, SAID, (transition("1-2"),))
    await carry_out(room.bench, created("part_transitions", "1-2"))
    return room.model.asked("planner")[0]


async def test_all_that_was_said_in_part_1_in_order_by_whom(locale):
    user, counselor = SPEAKERS[locale]
    shown = element((await asked(locale)).messages[0].text, "dialogue").splitlines()
    assert [line for line in shown if line.startswith(f"{user}: ")] == [f"{user}: {text}" for text in SAID]
    assert len([line for line in shown if line.startswith(f"{counselor}: ")]) >= len(SAID)


@pytest.mark.parametrize("type_id", ["Type_A", "Type_K"])
async def test_the_type_in_words(locale, type_id):
    shown = element((await asked(locale, type_id)).messages[0].text, "persona")
    assert CONTENT.personas.find(type_id).description_ko in shown


async def test_no_type_where_none_is_known(locale):
    assert elements((await asked(locale, None)).messages[0].text, "persona") == []


@pytest.mark.parametrize(("type_id", "number"), [("Type_A", 8), (None, 4)])
async def test_every_keyword_of_the_persona(locale, type_id, number):
    keywords = persona_of(CONTENT.personas, type_id).keywords
    shown = element((await asked(locale, type_id)).messages[0].text, "keywords").split(", ")
    assert shown == [CONTENT.part2_templates.keyword(word, locale) for word in keywords]
    assert len(shown) == number


@pytest.mark.parametrize("level", range(1, 6))
async def test_the_level_and_how_deep_it_goes(locale, level):
    text = (await asked(locale, level=level)).messages[0].text
    assert f'<depth level="{level}">' in text
    assert element(text, "depth") == CONTENT.part2_templates.depth(level, locale)


async def test_what_the_user_gave_and_every_technique(locale):
    text = (await asked(locale)).messages[0].text
    assert element(text, "known") == "- Name: 민지"
    shown = element(text, "techniques").splitlines()
    assert shown == [f"{one.id}: {one.name} — {one.description}" for one in CONTENT.modules(locale)]


async def test_keywords_are_to_be_weighed_before_the_goal_and_the_goal_before_the_tasks(locale):
    system = (await asked(locale)).system
    steps = [system.index(step) for step in ("1. selected_keywords:", "<keywords>", "2. goal:", "<depth>", "3. tasks:")]
    assert steps == sorted(steps)
