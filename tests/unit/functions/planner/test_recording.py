"""Every plan leaves a record: from what it was made, what was wrong, and what it changed."""

import pytest

from functions.planner.replan import replan
from functions.planner.transitions import carry_out
from shared.domain.counseling.lifecycle import FEEDBACK_REST, awaits_planner
from shared.domain.counseling.persona import UserPersona, persona_of
from shared.domain.counseling.plans import MOST_FAULTS, Fault, PlanOrigin, PlanRecord
from shared.domain.counseling.records import FeedbackSource, PlannerFeedback
from shared.domain.counseling.replanning import feedback
from shared.domain.counseling.session import PlanStatus, Session
from shared.domain.counseling.task import Part, TaskOrigin, TaskStatus, waits
from shared.domain.errors import ModelTimeout, ModelUnavailable
from shared.engine.jobs import JobResult
from tests.fakes.answers import persona_guess
from tests.fakes.background_room import Room, created, transition
from tests.fakes.counselling import NOW, session, task
from tests.fakes.plans import KEYWORDS, SAID, proposal, rating, ratings, slot_wording, wording

CATALOGUE = Room().context.content.personas
GUESS = persona_guess(type="Type_A", confidence=0.8, evidence=("밤을 새워서 고치고 또 고쳐요", "늘 모자란 것 같아요"))


def opening(**fields: object) -> Session:
    persona = persona_of(CATALOGUE, "Type_A", 2)
    known = {"plan_status": PlanStatus.PLANNING, "user_persona": persona} | fields
    return session(task(status=TaskStatus.SUFFICIENT), **known)


async def planned(scripts: dict[str, object], **fields: object) -> tuple[Room, PlanRecord]:
    room = Room(scripts)
    await room.open(opening(**fields), SAID, (transition("1-2"),))
    assert await carry_out(room.context, created("part_transitions", "1-2")) is JobResult.DONE
    return room, await record(room, 0)


async def record(room: Room, number: int) -> PlanRecord:
    return PlanRecord.model_validate(await room.record("plans", str(number)))


def why(number: int, reason: str = "이 이야기는 하기 싫대요") -> PlannerFeedback:
    return feedback(opening(), FeedbackSource.USER_STATE, kind="resistance", reason=reason, seq=number, at=NOW)


async def revised(room: Room, given: PlannerFeedback) -> PlanRecord:
    """Have feedback answered, and return the record of the plan that answers it."""
    state = await room.session()
    await room.add(given)
    await room.change(replans=1)
    assert await replan(room.context, created("planner_feedback", given.record_id)) is JobResult.DONE
    return await record(room, state.part2_task_update_count + 1)


async def test_the_first_plan_tells_its_goal_ratings_tasks_and_level() -> None:
    given = proposal(tasks=(wording("하나", slots=(slot_wording(),)), wording("둘"), wording("셋")))
    room, found = await planned({"planner": given})
    state = await room.session()
    assert (found.number, found.seq, found.level, found.origin) == (0, 3, 2, PlanOrigin.MODEL)
    assert (found.goal, found.attempts) == (state.part2_goal, 1)
    assert [one.keyword for one in found.keywords] == list(KEYWORDS)
    assert [(one.relevance, one.quote) for one in found.keywords if one.chosen] == [
        (9, SAID[0]),
        (9, "늘 모자란 것 같아요"),
    ]
    assert [(str(one.id), one.title, one.slots) for one in found.tasks] == [
        ("task_part2_1", "하나", ("since_when",)),
        ("task_part2_2", "둘", ()),
        ("task_part2_3", "셋", ()),
    ]
    assert (found.persona, found.found, found.feedback, found.kept, found.retired) == (None, (), (), (), ())


async def test_what_a_refused_proposal_did_wrong_is_counted_beside_what_the_second_did() -> None:
    broken = proposal("하나", "둘")
    second = proposal(tasks=(wording("하나", module_id="hypnosis"), wording("둘"), wording("셋")))
    _, found = await planned({"planner": [broken, second]})
    assert (found.origin, found.attempts) == (PlanOrigin.MODEL, 2)
    assert found.counted == {Fault.TOO_FEW_TASKS: 1, Fault.UNKNOWN_MODULE: 1}
    assert ("hypnosis", Fault.UNKNOWN_MODULE) in [(one.what, one.fault) for one in found.found]


async def test_a_templates_plan_says_so_and_why(subtests: pytest.Subtests) -> None:
    cases = [
        (ModelUnavailable("down"), {Fault.MODEL_FAILED: 1}),
        ("no JSON at all", {Fault.MODEL_FAILED: 1}),
        (proposal("하나", "둘"), {Fault.MODEL_FAILED: 1, Fault.TOO_FEW_TASKS: 2}),
    ]
    for model, counted in cases:
        with subtests.test(model=model):
            room, found = await planned({"planner": model})
            assert (found.origin, found.counted) == (PlanOrigin.TEMPLATE, counted)
            assert [one.keyword for one in found.keywords if one.chosen] == ["완벽주의"]
            assert {each.origin for each in (await room.session()).tasks[1:]} == {TaskOrigin.TEMPLATE}


async def test_a_plan_that_stands_in_for_the_models_asks_for_it_and_is_replaced_with_the_persona() -> None:
    down = {"planner": ModelUnavailable("down"), "persona_inferrer": ModelTimeout("late")}
    room, first = await planned(down, user_persona=UserPersona(common_keywords=KEYWORDS, counseling_level=2))
    assert awaits_planner(await room.session())
    own = created("planner_feedback", "3-planner")
    for _ in range(2):
        assert await replan(room.context, own) is JobResult.RETRY
    room.model.scripts["persona_inferrer"] = GUESS
    room.model.scripts["planner"] = proposal("새 하나", "새 둘")
    assert await replan(room.context, own) is JobResult.DONE
    found = await record(room, 1)
    assert (await room.session()).user_persona.type == GUESS.type
    assert not awaits_planner(await room.session())
    assert (found.number, found.origin, found.retired) == (1, PlanOrigin.MODEL, tuple(one.id for one in first.tasks))
    waiting = [each for each in (await room.session()).tasks if waits(each)]
    assert [each.title for each in waiting] == ["새 하나", "새 둘"]
    asked = room.model.asked("planner")[-1]
    assert '<goal origin="template">' in asked.messages[0].text
    assert "틀에서 가져온 것입니다" in asked.system


async def test_a_replan_names_the_feedback_that_it_answers_and_what_became_of_the_plan_before() -> None:
    room, _ = await planned({"planner": proposal()})
    state = await room.session()
    begun = state.tasks[1].model_copy(update={"status": TaskStatus.IN_PROGRESS})
    await room.change(tasks=(state.tasks[0], begun, *state.tasks[2:]), current_task=begun.id)
    room.model.scripts["planner"] = proposal("가벼운 이야기")
    given = why(3)
    found = await revised(room, given)
    assert [(one.id, one.source, one.kind, one.reason) for one in found.feedback] == [
        (given.record_id, given.source, "resistance", "이 이야기는 하기 싫대요")
    ]
    assert (found.kept, found.retired) == (("task_part2_1",), ("task_part2_2", "task_part2_3"))
    assert [str(one.id) for one in found.tasks] == ["task_part2_r1_1"]
    assert (await room.session()).replanned_seq == 3
    assert "origin" not in room.model.asked("planner")[-1].messages[0].text.partition("<goal")[2][:9]
    await room.change(seq=3 + FEEDBACK_REST)
    room.model.scripts["planner"] = proposal("조용한 이야기")
    assert (await revised(room, why(4))).retired == ("task_part2_r1_1",)
    assert await room.records("plans") == {"0", "1", "2"}


async def test_the_inference_of_the_persona_stands_in_the_first_plan(subtests: pytest.Subtests) -> None:
    cases = [
        (GUESS, True, None),
        (GUESS.model_copy(update={"type": "Type_Q"}), False, Fault.UNKNOWN_PERSONA),
        (GUESS.model_copy(update={"confidence": 0.59}), False, Fault.UNSURE_PERSONA),
        (GUESS.model_copy(update={"evidence": ("저는 완벽주의자예요",)}), False, Fault.UNSURE_PERSONA),
        (GUESS.model_copy(update={"type": ""}), False, None),
    ]
    for guess, held, fault in cases:
        with subtests.test(guess=guess):
            room, found = await planned(
                {"planner": proposal(), "persona_inferrer": guess}, user_persona=persona_of(CATALOGUE, None)
            )
            assert found.persona is not None
            assert (found.persona.type, found.persona.confidence, found.persona.held) == (
                guess.type,
                guess.confidence,
                held,
            )
            assert set(found.persona.evidence) <= set(GUESS.evidence), "the user's own words alone"
            assert [one.fault for one in found.found if "persona" in one.fault] == ([fault] if fault else [])
            assert ((await room.session()).user_persona.type is not None) is held


async def test_a_record_stays_small_however_much_was_wrong() -> None:
    strange = tuple(rating(f"낯선 말 {number}") for number in range(200))
    _, found = await planned({"planner": proposal(ratings=(*ratings(), *strange))})
    assert len(found.found) == MOST_FAULTS
    assert found.counted == {Fault.UNKNOWN_KEYWORD: 200}


async def test_another_part_than_the_second_leaves_no_record() -> None:
    room, _ = await planned({"planner": proposal()})
    await room.change(leaving_seq=3)
    await room.add(transition("2-3"))
    assert await carry_out(room.context, created("part_transitions", "2-3")) is JobResult.DONE
    assert (await room.session()).current_part is Part.CLOSING
    assert await room.records("plans") == {"0"}
