"""Part transitions, delivered as triggers deliver them."""

import asyncio

import pytest

from functions.planner.transitions import carry_out, recover
from shared.adapters.documents import writes
from shared.contracts.tasks import JobKind
from shared.domain.counseling.lifecycle import Work, due_work, overdue_work
from shared.domain.counseling.persona import persona_of
from shared.domain.counseling.session import PlanStatus, Session, SessionStatus, SessionType, WrapUp, WrapUpStage
from shared.domain.counseling.session_events import WentBack
from shared.domain.counseling.task import Part, TaskOrigin, TaskStatus
from shared.domain.errors import ModelUnavailable
from shared.engine.jobs import JobResult
from shared.locale import Locale
from tests.fakes.answers import persona_guess
from tests.fakes.background_room import ID, Room, created, payload, transition
from tests.fakes.counselling import NOW, session, task
from tests.fakes.plans import SAID, proposal, rating, wording

PLANNING = {"plan_status": PlanStatus.PLANNING}
CATALOGUE = Room().context.content.personas
PERSONA = persona_of(CATALOGUE, "Type_A", 2)


async def planning_room(scripts: dict[str, object], **fields: object) -> Room:
    room = Room(scripts)
    await room.open(opening(**fields), SAID, (transition("1-2"),))
    return room


def opening(**fields: object) -> Session:
    covered = task(status=TaskStatus.SUFFICIENT)
    return session(covered, **({**PLANNING, "user_persona": PERSONA} | fields))


def part2(state: Session) -> list[str]:
    return [str(each.id) for each in state.tasks if each.part is Part.EXPLORATION]


async def test_part_two_begins_with_goal_keywords_and_tasks() -> None:
    room = await planning_room({"planner": proposal()})
    assert await carry_out(room.context, created("part_transitions", "1-2")) is JobResult.DONE
    state = await room.session()
    assert (state.current_part, state.plan_status) == (Part.EXPLORATION, PlanStatus.READY)
    assert state.part2_goal == "발표 앞의 마음을 함께 살펴본다"
    assert state.selected_keywords == ("완벽주의", "자기 비판")
    assert part2(state) == ["task_part2_1", "task_part2_2", "task_part2_3"]
    assert {each.origin for each in state.tasks[1:]} == {TaskOrigin.PLANNER}
    assert state.tasks[0].status is TaskStatus.COMPLETED
    assert state.tasks[1].created_at is not None


@pytest.mark.parametrize("locale", Locale)
async def test_the_prompt_holds_depth_keywords_techniques_and_dialogue(locale: Locale) -> None:
    room = await planning_room({"planner": proposal()}, locale=locale)
    await carry_out(room.context, created("part_transitions", "1-2"))
    asked = room.model.asked("planner")[0].messages[0].text
    assert "coping_strategy" in asked
    assert SAID[0] in asked
    shown = room.context.content.part2_templates.keyword("완벽주의", locale)
    assert shown in asked


async def test_many_deliveries_at_once_and_again_make_one_plan() -> None:
    room = await planning_room({"planner": [proposal("가", "나", "다"), *[proposal("라", "마", "바")] * 5]})
    event = created("part_transitions", "1-2")
    results = await asyncio.gather(*(carry_out(room.context, event) for _ in range(3)))
    assert results.count(JobResult.DONE) == 1
    before = await room.documents()
    assert await carry_out(room.context, event) is JobResult.MOOT
    assert await room.documents() == before
    assert len(part2(await room.session())) == 3


@pytest.mark.parametrize("order", [("1-2", "2-3"), ("2-3", "1-2")])
async def test_a_late_event_of_a_part_that_is_over_changes_nothing(order: tuple[str, ...]) -> None:
    room = await planning_room({"planner": proposal()})
    await carry_out(room.context, created("part_transitions", "1-2"))
    await room.change(leaving_seq=3)
    await room.database.commit(writes.records(ID, [transition("2-3")]))
    for name in order:
        for _ in range(3):
            await carry_out(room.context, created("part_transitions", name))
    state = await room.session()
    assert (state.current_part, state.status) == (Part.CLOSING, SessionStatus.WRAPPING_UP)
    assert len(part2(state)) == 3
    assert all(each.status is TaskStatus.COMPLETED for each in state.tasks if each.part is not Part.CLOSING)
    assert [each.kind.value for each in state.tasks if each.part is Part.CLOSING] == [
        "summary",
        "goal_setting",
        "next_session",
        "further_questions",
    ]


async def test_a_plan_that_does_not_hold_is_asked_again_and_then_made_from_the_template(
    subtests: pytest.Subtests,
) -> None:
    cases = [
        proposal("하나", "둘"), proposal(ratings=(rating("축구", 9, SAID[0]),)), proposal(goal="  "),
        proposal(tasks=tuple(wording(title, kind="surgery") for title in "가나다")),
        proposal(tasks=tuple(wording(title, completion_criteria=" ") for title in "가나다")),
        proposal("같은 제목", "같은 제목", "같은 제목"), proposal(goal="죽고 싶다는 생각을 함께 살펴본다"),
        proposal(goal="To look at why they just want to die"), proposal("하나", "둘", "요즘은 그냥 죽고 싶어요"),
        proposal(tasks=tuple(wording(title, target="a reason why they want to kill themselves") for title in "가나다")),
    ]  # fmt: skip
    for broken in cases:
        with subtests.test(broken=broken):
            mended = await planning_room({"planner": [broken, proposal()]})
            await carry_out(mended.context, created("part_transitions", "1-2"))
            assert {each.origin for each in (await mended.session()).tasks[1:]} == {TaskOrigin.PLANNER}

            given_up = await planning_room({"planner": [broken, broken]})
            assert await carry_out(given_up.context, created("part_transitions", "1-2")) is JobResult.DONE
            state = await given_up.session()
            assert {each.origin for each in state.tasks[1:]} == {TaskOrigin.TEMPLATE}
            assert len(given_up.model.asked("planner")) == 2


async def test_what_is_too_much_or_unknown_is_cut_and_corrected() -> None:
    tasks = (
        wording("모르는 기법", module_id="hypnosis", kind="coping", priority="urgent"),
        wording("위기 기법은 계획하지 않는다", module_id="crisis_support"),
        wording("모르는 종류", kind="surgery"),
        wording("긴 제목 " * 40),
        *(wording(f"과제 {number}") for number in range(9)),
    )
    room = await planning_room({"planner": proposal(tasks=tasks)})
    await carry_out(room.context, created("part_transitions", "1-2"))
    state = await room.session()
    assert part2(state) == [f"task_part2_{number}" for number in range(1, 7)]
    first, second, third, *_ = state.tasks[1:]
    assert (first.module_id, first.priority.value) == ("coping_strategy", "medium")
    assert second.module_id == "empathy_expression"
    assert len(third.title) <= 60


async def test_a_task_of_words_of_a_crisis_is_dropped_and_the_others_stay() -> None:
    alarms = (wording("죽고 싶은 마음"), wording("넷", completion_criteria="I want to die, they said"))
    tasks = (*alarms, *(wording(title) for title in ("하나", "둘", "셋")))
    room = await planning_room({"planner": proposal(tasks=tasks)})
    await carry_out(room.context, created("part_transitions", "1-2"))
    assert [each.title for each in (await room.session()).tasks[1:]] == ["하나", "둘", "셋"]


async def test_english_keywords_are_understood() -> None:
    english = rating("Perfectionism", 8, SAID[2])
    room = await planning_room({"planner": proposal(ratings=(english,))}, locale=Locale.EN)
    assert room.context.content.part2_templates.keyword("완벽주의", Locale.EN).casefold() == "perfectionism"
    await carry_out(room.context, created("part_transitions", "1-2"))
    assert (await room.session()).selected_keywords == ("완벽주의",)


async def test_without_a_model_the_template_of_level_and_spoken_keywords_holds() -> None:
    room = await planning_room({"planner": ModelUnavailable("down")})
    assert await carry_out(room.context, created("part_transitions", "1-2")) is JobResult.DONE
    state = await room.session()
    assert state.selected_keywords == ("완벽주의",)
    assert "완벽주의" in (state.part2_goal or "")
    assert 3 <= len(part2(state)) <= 6


GUESS = persona_guess(type="Type_A", confidence=0.8, evidence=("밤을 새워서 고치고 또 고쳐요", "늘 모자란 것 같아요"))


async def test_the_persona_is_inferred_with_confidence_and_evidence_or_not_at_all(subtests: pytest.Subtests) -> None:
    cases = [
        (GUESS, "Type_A"),
        (GUESS.model_copy(update={"confidence": 0.59}), None),
        (GUESS.model_copy(update={"type": "Type_Q"}), None),
        (GUESS.model_copy(update={"type": ""}), None),
        (GUESS.model_copy(update={"evidence": ("밤을 새워서 고치고 또 고쳐요", "저는 완벽주의자예요")}), None),
        (GUESS.model_copy(update={"evidence": ("조금 더 들려주시겠어요?", "그러셨군요.")}), None),
        (ModelUnavailable("down"), None),
    ]
    for guess, persona in cases:
        with subtests.test(guess=guess):
            unknown = persona_of(CATALOGUE, None, 3)
            room = await planning_room({"planner": proposal(), "persona_inferrer": guess}, user_persona=unknown)
            assert await carry_out(room.context, created("part_transitions", "1-2")) is JobResult.DONE
            found = (await room.session()).user_persona
            assert (found.type, found.counseling_level) == (persona, 3)
            assert len(found.keywords) == (8 if persona else 4)


async def test_a_given_persona_is_not_inferred() -> None:
    room = await planning_room({"planner": proposal()})
    await carry_out(room.context, created("part_transitions", "1-2"))
    assert not room.model.asked("persona_inferrer")


@pytest.mark.parametrize("interruption", ["ended", "erased", "closing"])
async def test_a_plan_that_comes_too_late_is_dropped(interruption: str) -> None:
    room = await planning_room({"planner": proposal()})
    meanwhile = {
        "ended": lambda: room.change(status=SessionStatus.COMPLETED),
        "erased": lambda: room.store.erase(ID),
        "closing": lambda: room.change(current_part=Part.CLOSING),
    }
    room.model.meanwhile = meanwhile[interruption]
    assert await carry_out(room.context, created("part_transitions", "1-2")) is JobResult.MOOT
    assert not any("task_part2" in str(data) for data in (await room.documents()).values())


async def test_a_transition_that_is_none_is_acknowledged(subtests: pytest.Subtests) -> None:
    for name in ("2-1", "3-3", "1-2-3", "x", "1-9"):
        with subtests.test(name=name):
            room = await planning_room({"planner": proposal()})
            assert await carry_out(room.context, created("part_transitions", name)) is JobResult.MOOT
            assert not room.model.requests


async def test_an_event_without_its_document_does_nothing() -> None:
    room = Room({"planner": proposal()})
    await room.open(opening(), SAID)
    for name in ("1-2", "1-3"):
        assert await carry_out(room.context, created("part_transitions", name)) is JobResult.MOOT
    assert (await room.session()).current_part is Part.OPENING


@pytest.mark.parametrize("session_type", SessionType)
async def test_a_closing_that_overtakes_the_plan_ends_the_planning(session_type: SessionType) -> None:
    room = Room({"planner": proposal()})
    agreed = WrapUp(stage=WrapUpStage.AGREED)
    state = opening(wrap_up=agreed, session_type=session_type, leaving_seq=3)
    await room.open(state, SAID, (transition("1-2"), transition("1-3")))
    for name in ("1-3", "1-2", "1-3"):
        await carry_out(room.context, created("part_transitions", name))
    found = await room.session()
    assert (found.current_part, found.plan_status) == (Part.CLOSING, PlanStatus.NONE)
    assert len([each for each in found.tasks if each.part is Part.CLOSING]) >= 3
    wrap_up = {each.id for each in found.tasks if each.origin is TaskOrigin.WRAP_UP}
    assert wrap_up == {"task_summary_1", "task_next_1", "task_questions_1"}
    assert not room.model.requests


async def test_a_lost_plan_is_made_up_for() -> None:
    room = await planning_room({"planner": proposal()})
    assert await recover(room.context, payload(JobKind.PLAN, 3)) is JobResult.DONE
    assert await recover(room.context, payload(JobKind.PLAN, 3)) is JobResult.MOOT
    assert (await room.session()).current_part is Part.EXPLORATION


async def test_a_lost_closing_is_due_after_a_turn_and_made_up_for() -> None:
    room = Room()
    await room.open(opening(leaving_seq=len(SAID)), SAID, (transition("1-3"),))
    asked = await room.session()
    assert Work.PLAN not in due_work(asked)
    assert Work.PLAN in overdue_work(asked)
    assert Work.PLAN in due_work(asked.model_copy(update={"seq": len(SAID) + 1}))
    assert await recover(room.context, payload(JobKind.PLAN, 3)) is JobResult.DONE
    carried_out = await room.session()
    assert carried_out.current_part is Part.CLOSING
    assert Work.PLAN not in overdue_work(carried_out)


async def test_nothing_is_made_up_for_in_a_session_that_waits_for_nothing() -> None:
    room = Room()
    assert await recover(room.context, payload(JobKind.PLAN, 3)) is JobResult.MOOT
    await room.open(session(task()), SAID)
    assert await recover(room.context, payload(JobKind.PLAN, 3)) is JobResult.MOOT


async def test_an_event_of_a_closing_that_the_user_took_back_comes_too_late_and_the_next_one_counts() -> None:
    room = await planning_room({"planner": proposal()})
    await carry_out(room.context, created("part_transitions", "1-2"))
    await room.change(leaving_seq=3)
    await room.add(transition("2-3"))
    assert await carry_out(room.context, created("part_transitions", "2-3")) is JobResult.DONE
    back = WentBack(seq=4).apply(await room.session(), NOW)
    await room.change(**{name: getattr(back, name) for name in type(back).model_fields if name != "state_version"})
    await room.add(transition("3-2"))

    assert await carry_out(room.context, created("part_transitions", "3-2")) is JobResult.MOOT
    assert await carry_out(room.context, created("part_transitions", "2-3")) is JobResult.MOOT
    assert (await room.session()).current_part is Part.EXPLORATION

    await room.change(leaving_seq=5)
    again = transition("2-3").model_copy(update={"record_id": "2-3-2"})
    await room.add(again)
    assert await carry_out(room.context, created("part_transitions", "2-3-2")) is JobResult.DONE
    assert (await room.session()).current_part is Part.CLOSING
