"""The simulator's plans hold against the product's own checks, and its re-plans answer the feedback they were given."""

from dataclasses import replace

import pytest

from functions.planner.plan_checks import FEWEST_REPLANNED, FEWEST_TASKS, MOST_REPLANNED, MOST_TASKS
from functions.planner.replan import replan
from functions.planner.transitions import carry_out
from shared.config.agents import agent_settings
from shared.content.catalogue import content
from shared.domain.counseling.persona import persona_of
from shared.domain.counseling.plans import PlanOrigin, PlanRecord
from shared.domain.counseling.records import FeedbackKind, FeedbackSource
from shared.domain.counseling.replanning import feedback
from shared.domain.counseling.session import PlanStatus, Session
from shared.domain.counseling.task import CompletionRule, TaskStatus
from shared.engine.jobs import JobResult
from shared.engine.runner import AgentRunner
from shared.locale import Locale, Register
from tests.fakes.background_room import Room, created, transition
from tests.fakes.counselling import NOW, session, task
from tests.unit.local.gemini.counsellor.conversation import BrainModel

SAID = {
    Locale.KO: (
        "회사 일이 너무 힘들어서 왔어요",
        "발표에서 실수한 뒤로 제가 한심하게 느껴져요",
        "완벽주의라는 말도 자주 들어요",
        "팀장님 눈치를 보느라 할 말을 못 해요",
    ),
    Locale.EN: (
        "Work has been so hard that I came here",
        "Since I failed in a presentation I feel worthless",
        "I worry all night and cannot sleep",
        "My boss ignored me and I did not argue",
    ),
}
TURNED = {
    Locale.KO: ("사실은 어머니가 걱정이에요", "어머니와 자꾸 싸우게 돼요"),
    Locale.EN: ("My mother called again", "It is late now"),
}


async def room_with(said: tuple[str, ...], state: Session) -> Room:
    room = Room()
    room.context = replace(room.context, runner=AgentRunner(BrainModel(), agent_settings(), room.clock))
    if state.register_ is Register.CASUAL:
        room.reply = "그랬구나. 조금 더 들려줄래?"
    await room.open(state, said, (transition("1-2"),))
    return room


async def planned(locale: Locale, *more: str, **fields: object) -> Room:
    persona = persona_of(content().personas, "Type_A")
    known = {"plan_status": PlanStatus.PLANNING, "user_persona": persona, "locale": locale} | fields
    room = await room_with((*SAID[locale], *more), session(task(status=TaskStatus.SUFFICIENT), **known))
    assert await carry_out(room.context, created("part_transitions", "1-2")) is JobResult.DONE
    return room


async def record(room: Room, number: int) -> PlanRecord:
    return PlanRecord.model_validate(await room.record("plans", str(number)))


async def answered(kind: FeedbackKind, locale: Locale, *more: str) -> tuple[Room, PlanRecord]:
    """Plan Part 2, begin its first task, and have feedback of a kind answered."""
    room = await planned(locale, *more)
    state = await room.session()
    begun = state.tasks[1].model_copy(update={"status": TaskStatus.IN_PROGRESS})
    why = feedback(state, FeedbackSource.USER_STATE, kind=kind.value, reason="이대로는 어렵다", seq=5, at=NOW)
    await room.change(tasks=(state.tasks[0], begun, *state.tasks[2:]), current_task=begun.id, replans=1)
    await room.add(why)
    assert await replan(room.context, created("planner_feedback", why.record_id)) is JobResult.DONE
    return room, await record(room, 1)


@pytest.mark.parametrize("locale", Locale)
async def test_a_plan_needs_no_correction_and_rests_on_the_persons_words(locale: Locale) -> None:
    found = await record(await planned(locale), 0)
    assert (found.origin, found.counted) == (PlanOrigin.MODEL, {})
    assert FEWEST_TASKS <= len(found.tasks) <= MOST_TASKS
    assert len(found.keywords) == 8
    chosen = [one for one in found.keywords if one.chosen]
    assert chosen
    assert all(any(one.quote in said for said in SAID[locale]) and one.relevance >= 5 for one in chosen)


async def test_what_nobody_spoke_of_is_not_rated_high() -> None:
    room = await planned(Locale.KO)
    given = {one.keyword: one for one in (await record(room, 0)).keywords}
    assert (given["완벽주의"].relevance, given["완벽주의"].quote) == (9, "완벽주의라는 말도 자주 들어요")
    assert {one.relevance for one in given.values() if not one.quote} == {2}


@pytest.mark.parametrize(
    ("locale", "register", "question"),
    [
        (Locale.KO, Register.FORMAL, "그 가운데 지금 가장 힘든 점은 무엇인가요?"),
        (Locale.KO, Register.CASUAL, "그중에 지금 가장 힘든 점은 뭐야?"),
        (Locale.EN, Register.FORMAL, "Of all this, what is hardest right now?"),
    ],
)
async def test_one_task_brings_a_slot_in_the_sessions_register(
    locale: Locale, register: Register, question: str
) -> None:
    state = await (await planned(locale, register=register)).session()
    (bringing,) = [each for each in state.tasks if each.required_slots]
    assert bringing.completion_rule is CompletionRule.SLOTS
    assert bringing.required_slots[0].question(0) == question


@pytest.mark.parametrize("kind", FeedbackKind)
@pytest.mark.parametrize("locale", Locale)
async def test_a_replan_answers_every_kind_with_a_task_of_its_own_first(kind: FeedbackKind, locale: Locale) -> None:
    before = {one.title for one in (await record(await planned(locale), 0)).tasks}
    room, found = await answered(kind, locale)
    assert found.counted == {}
    assert FEWEST_REPLANNED <= len(found.tasks) <= MOST_REPLANNED
    assert found.tasks[0].title not in before
    kept = {each.status for each in (await room.session()).tasks if each.id in found.kept}
    assert TaskStatus.IN_PROGRESS in kept
    assert kept <= {TaskStatus.IN_PROGRESS, TaskStatus.PENDING}


MODULES = {
    FeedbackKind.RESISTANCE: "trust_building",
    FeedbackKind.EMOTION_CHANGE: "emotion_regulation",
    FeedbackKind.CIRCULAR: "reframing",
    FeedbackKind.STRATEGY_CHANGE: "empathy_expression",
}


@pytest.mark.parametrize(("kind", "module"), MODULES.items())
async def test_the_first_task_takes_the_way_that_the_feedback_asks_for(kind: FeedbackKind, module: str) -> None:
    _, found = await answered(kind, Locale.KO)
    assert found.tasks[0].module_id == module


@pytest.mark.parametrize(("locale", "topic"), [(Locale.KO, "가족 관계"), (Locale.EN, "your family")])
async def test_a_new_topic_gets_a_task_and_a_goal_about_it(locale: Locale, topic: str) -> None:
    room, found = await answered(FeedbackKind.TOPIC_CHANGE, locale, *TURNED[locale])
    before = await record(room, 0)
    assert topic in found.tasks[0].title
    assert topic in found.goal
    assert found.goal != before.goal


async def test_other_feedback_leaves_the_goal_and_an_unreachable_one_is_made_smaller() -> None:
    room, found = await answered(FeedbackKind.RESISTANCE, Locale.KO)
    assert found.goal == (await record(room, 0)).goal
    room, found = await answered(FeedbackKind.GOAL_OUT_OF_REACH, Locale.KO)
    assert "한 가지만" in found.goal


async def test_no_title_is_planned_while_it_is_under_way() -> None:
    room, found = await answered(FeedbackKind.NO_FITTING_TASK, Locale.KO)
    kept = [each.title for each in (await room.session()).tasks if each.id in found.kept]
    named = [*kept, *(one.title for one in found.tasks)]
    assert len(set(named)) == len(named)
