"""The planner's prompt as a real transition renders it."""

import pytest

from functions.planner.plan_part2 import DIALOGUE_CHARACTERS, PART1_TURNS
from functions.planner.proposal import NO_PLAN
from functions.planner.transitions import carry_out
from shared.domain.counseling.carried import Carried
from shared.domain.counseling.persona import persona_of
from shared.domain.counseling.session import PlanStatus
from shared.domain.counseling.task import TaskStatus
from shared.locale import Locale, Register
from tests.fakes.answers import persona_guess
from tests.fakes.background_room import Room, created, transition
from tests.fakes.counselling import NOW, session, slot, task
from tests.fakes.plans import KEYWORDS, proposal, rating
from tests.support.tags import element, elements

SAID = ("발표만 앞두면 밤을 새워요", "남들은 괜찮다는데 저는 모자란 것 같아요", "완벽주의라는 말을 들어요")
SPEAKERS = {Locale.KO: ("내담자", "상담사"), Locale.EN: ("Client", "Counsellor")}
CONTENT = Room().context.content


@pytest.fixture(params=Locale, ids=lambda locale: locale.value)
def locale(request):
    return request.param


async def asked(locale, type_id="Type_A", level=2):
    """Let Part 1 pass over into Part 2, and return what the planner was asked."""
    room = Room({"planner": NO_PLAN, "persona_inferrer": persona_guess()})
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
    await carry_out(room.context, created("part_transitions", "1-2"))
    return room.model.asked("planner")[0]


async def test_all_that_was_said_in_part_1_in_order_by_whom(locale):
    user, counselor = SPEAKERS[locale]
    shown = element((await asked(locale)).messages[0].text, "dialogue").splitlines()
    assert [line for line in shown if line.startswith(f"{user}: ")] == [f"{user}: {text}" for text in SAID]
    assert len([line for line in shown if line.startswith(f"{counselor}: ")]) >= len(SAID)


@pytest.mark.parametrize("type_id", ["Type_A", "Type_K"])
async def test_the_type_in_words(locale, type_id):
    shown = element((await asked(locale, type_id)).messages[0].text, "persona")
    assert CONTENT.personas.find(type_id).description(locale) in shown


async def test_no_type_where_none_is_known(locale):
    assert elements((await asked(locale, None)).messages[0].text, "persona") == []


@pytest.mark.parametrize(("type_id", "number"), [("Type_A", 8), (None, 4)])
async def test_every_keyword_of_the_persona(locale, type_id, number):
    keywords = persona_of(CONTENT.personas, type_id).keywords
    shown = element((await asked(locale, type_id)).messages[0].text, "keywords").split(", ")
    assert shown == [CONTENT.part2_templates.keyword(word, locale) for word in keywords]
    assert len(shown) == number


async def test_the_level_and_how_deep_it_goes(locale, subtests):
    for level in range(1, 6):
        with subtests.test(level=level):
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
    steps = [system.index(step) for step in ("1. ratings:", "<keywords>", "2. goal:", "<depth>", "3. tasks:")]
    assert steps == sorted(steps)


async def test_every_keyword_is_to_be_rated_with_the_clients_words(locale):
    system = (await asked(locale)).system
    told = system[system.index("1. ratings:") : system.index("2. goal:")]
    assert all(each in told for each in ("<keywords>", "relevance", "quote", "0", "5", "10"))


LONG = tuple(f"{number}번째로 드리는 긴 이야기예요. " + "그래서 잠을 못 잤어요. " * 70 for number in range(1, 16))


async def planned(said, **fields):
    """Return what the planner was asked after a Part 1 of these words, and the room."""
    room = Room({"planner": NO_PLAN})
    persona = persona_of(CONTENT.personas, "Type_A", 2)
    known = {"plan_status": PlanStatus.PLANNING, "user_persona": persona} | fields
    await room.open(session(task(status=TaskStatus.SUFFICIENT), **known), said, (transition("1-2"),))
    await carry_out(room.context, created("part_transitions", "1-2"))
    return room.model.asked("planner")[0]


async def test_of_a_long_part_1_the_summary_stands_before_the_newest_words(locale):
    text = (await planned(LONG, summary_text="승진 발표 때문에 찾아왔다.", locale=locale)).messages[0].text
    shown = element(text, "dialogue")
    assert LONG[-1].strip() in shown
    assert f": {LONG[0].strip()}" not in shown
    assert len(shown) < DIALOGUE_CHARACTERS + 1000
    assert element(text, "summary") == "승진 발표 때문에 찾아왔다."
    assert text.index("<summary>") < text.index("<dialogue>")


async def test_a_part_1_of_more_turns_than_are_read_has_its_summary_too(locale):
    short = tuple(f"이야기 {number}" for number in range(1, PART1_TURNS + 4))
    text = (await planned(short, summary_text="승진 발표 때문에 찾아왔다.", locale=locale)).messages[0].text
    assert f"이야기 {PART1_TURNS + 3}" in text
    assert "이야기 3\n" not in text
    assert element(text, "summary") == "승진 발표 때문에 찾아왔다."


async def test_a_part_1_that_stands_there_whole_needs_no_summary(locale):
    text = (await planned(SAID, summary_text="승진 발표 때문에 찾아왔다.", locale=locale)).messages[0].text
    assert elements(text, "summary") == []


async def test_quotes_from_the_whole_of_a_long_part_1_count(locale):
    room = Room(
        {"planner": proposal(ratings=tuple(rating(word, 9, "1번째로 드리는 긴 이야기") for word in KEYWORDS[4:5]))}
    )
    state = session(task(status=TaskStatus.SUFFICIENT), plan_status=PlanStatus.PLANNING, locale=locale)
    state = state.model_copy(update={"user_persona": persona_of(CONTENT.personas, "Type_A", 2)})
    await room.open(state, LONG, (transition("1-2"),))
    await carry_out(room.context, created("part_transitions", "1-2"))
    assert (await room.session()).selected_keywords == (KEYWORDS[4],)


async def test_what_was_wished_for_and_noted_in_the_session_before(locale):
    agreed = Carried(
        goals=("발표 전날 일찍 자기", "<b>쉬기</b>"),
        next_plan="떨리던 순간 이어 보기",
        conversation_id="c0",
        ended_at=NOW,
    )
    asked = await planned(SAID, carried=agreed, locale=locale)
    shown = element(asked.messages[0].text, "carried")
    assert all(each in shown for each in ("발표 전날 일찍 자기", "‹b›쉬기‹/b›", "떨리던 순간 이어 보기"))
    assert "<carried>" in asked.system
    assert ("함께 정한 것이 아닙니다" if locale is Locale.KO else "nothing in it was agreed") in asked.system
    assert elements((await planned(SAID, locale=locale)).messages[0].text, "carried") == []


@pytest.mark.parametrize(("register", "told"), [(Register.CASUAL, "questions는 반말로"), (Register.FORMAL, "해요체로")])
async def test_questions_of_slots_are_asked_for_in_the_register_of_the_session(register, told):
    assert told in (await planned(SAID, register=register)).system
