"""The simulator's plans hold against the product's own checks, and its re-plans answer the feedback they were given."""

from dataclasses import replace

import pytest

from functions.planner.plan_checks import FEWEST_REPLANNED, FEWEST_TASKS, MOST_REPLANNED, MOST_TASKS
from functions.planner.replan import replan
from functions.planner.transitions import carry_out
from local.gemini.counsellor.planning import plan
from local.gemini.counsellor.prompt import Prompt
from shared.content.catalogue import content
from shared.domain.counseling.level import LevelSource
from shared.domain.counseling.persona import persona_of
from shared.domain.counseling.plans import PlanOrigin, PlanRecord
from shared.domain.counseling.records import FeedbackKind, FeedbackSource
from shared.domain.counseling.replanning import feedback
from shared.domain.counseling.session import PlanStatus
from shared.domain.counseling.task import TaskStatus
from shared.engine.jobs import JobResult
from shared.engine.runner import AgentRunner
from shared.locale import Locale, Register
from tests.builders.job_room import Room, created, transition
from tests.builders.sessions import NOW, session, task
from tests.builders.shipped_settings import shipped_settings
from tests.unit.local.gemini.counsellor.conversation import BrainModel

SAID = {
    Locale.KO: (
        *("회사 일이 너무 힘들어서 왔어요", "발표에서 실수한 뒤로 제가 한심하게 느껴져요"),
        *("완벽주의라는 말도 자주 들어요", "팀장님 눈치를 보느라 할 말을 못 해요"),
    ),
    Locale.EN: (
        *("Work has been so hard that I came here", "Since I failed in a presentation I feel worthless"),
        *("I worry all night and cannot sleep", "My boss ignored me and I did not argue"),
    ),
}


async def planned(locale: Locale, *more: str, register: Register = Register.FORMAL, level: int = 1) -> Room:
    room = Room()
    room.context = replace(room.context, runner=AgentRunner(BrainModel(), shipped_settings(), room.clock))
    if register is Register.CASUAL:
        room.reply = "그랬구나. 조금 더 들려줄래?"
    persona = persona_of(content().personas, "Type_A", level, LevelSource.GIVEN)
    known = {"plan_status": PlanStatus.PLANNING, "user_persona": persona, "locale": locale, "register": register}
    state = session(task(status=TaskStatus.SUFFICIENT), **known)
    await room.open(state, (*SAID[locale], *more), (transition("1-2"),))
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


@pytest.mark.parametrize(("level", "step"), [(1, False), (4, True)])
async def test_a_plan_of_a_higher_level_works_on_a_step(level, step):
    found = await record(await planned(Locale.KO, level=level), 0)
    assert ("해 볼 걸음 하나 정하기" in [task.title for task in found.tasks]) == step


async def test_a_death_is_the_subject_however_often_the_family_is_named_and_grief_has_its_technique():
    said = ("엄마가 돌아가셨어요", "엄마 목소리가 그리워요. 아빠도 동생도 엄마 얘기를 안 해요")
    found = await record(await planned(Locale.KO, *said), 0)
    assert found.tasks[0].title == "떠나보낸 일 들여다보기"
    assert found.tasks[0].module_id == "grief_support"


@pytest.mark.parametrize("locale", Locale)
async def test_a_plan_needs_no_correction_and_rests_on_the_persons_words(locale):
    found = await record(await planned(locale), 0)
    assert (found.origin, found.counted, len(found.keywords)) == (PlanOrigin.MODEL, {}, 8)
    assert FEWEST_TASKS <= len(found.tasks) <= MOST_TASKS
    chosen = [one for one in found.keywords if one.chosen]
    assert chosen
    assert all(any(one.quote in said for said in SAID[locale]) and one.relevance >= 5 for one in chosen)
    if locale is Locale.KO:
        # what nobody spoke of is not rated high
        assert {one.relevance for one in found.keywords if not one.quote} == {2}
        (given,) = [one for one in found.keywords if one.keyword == "완벽주의"]
        assert (given.relevance, given.quote) == (9, "완벽주의라는 말도 자주 들어요")


MODULES = {
    FeedbackKind.RESISTANCE: "trust_building",
    FeedbackKind.EMOTION_CHANGE: "emotion_regulation",
    FeedbackKind.CIRCULAR: "reframing",
    FeedbackKind.STRATEGY_CHANGE: "empathy_expression",
}


@pytest.mark.parametrize("kind", FeedbackKind)
@pytest.mark.parametrize("locale", Locale)
async def test_a_replan_answers_every_kind_with_a_task_of_its_own_first(kind, locale):
    room, found = await answered(kind, locale)
    before = await record(room, 0)
    assert found.counted == {}
    assert FEWEST_REPLANNED <= len(found.tasks) <= MOST_REPLANNED
    assert found.tasks[0].title not in {one.title for one in before.tasks}
    assert kind not in MODULES or found.tasks[0].module_id == MODULES[kind]
    kept = [each for each in (await room.session()).tasks if each.id in found.kept]
    assert TaskStatus.IN_PROGRESS in {each.status for each in kept} <= {TaskStatus.IN_PROGRESS, TaskStatus.PENDING}
    titles = [each.title for each in (*kept, *found.tasks)]
    assert len(set(titles)) == len(titles), "nothing is planned while it is under way"
    if kind is FeedbackKind.RESISTANCE:
        assert found.goal == before.goal
    if (kind, locale) == (FeedbackKind.GOAL_OUT_OF_REACH, Locale.KO):
        assert "한 가지만" in found.goal


def test_a_replan_of_a_talk_that_has_been_through_every_task_takes_one_up_once_more():
    done: list[str] = []
    for _ in range(20):
        tags = "".join(f'<task status="completed">{title} — x</task>' for title in done)
        titles = [
            one["title"] for one in plan(Prompt(f"<dialogue>\n내담자: 시험을 망쳤어요.\n</dialogue>{tags}"))["tasks"]
        ]
        assert titles
        assert not {*titles} & {*done}
        done += titles
    assert "한 번 더" in done[-1]


def test_the_speaker_of_a_line_is_read_by_its_label_not_by_its_place():
    lines = Prompt("<dialogue>\n상담사: 많이 지치셨겠어요.\n내담자: 네, 잠을 못 자요.\n</dialogue>").dialogue
    assert [(one.by_user, one.text) for one in lines] == [(False, "많이 지치셨겠어요."), (True, "네, 잠을 못 자요.")]
