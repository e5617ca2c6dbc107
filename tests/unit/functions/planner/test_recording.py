"""Every plan leaves a record: from what it was made, what was wrong, and what it changed."""

import pytest

from shared.domain.counseling.lifecycle import FEEDBACK_REST, awaits_planner
from shared.domain.counseling.persona import UserPersona, persona_of
from shared.domain.counseling.plans import MOST_FAULTS, Fault, PlanOrigin, PlanRecord
from shared.domain.counseling.records import FeedbackSource
from shared.domain.counseling.replanning import feedback
from shared.domain.counseling.task import TaskOrigin, TaskStatus, waits
from shared.domain.errors import ModelTimeout, ModelUnavailable
from shared.engine.jobs import JobResult
from tests.builders.job_room import transition
from tests.builders.planning import GUESS, PERSONAS, carried_out, covered, covered_room, replanned
from tests.builders.plans import KEYWORDS, SAID, proposal, rating, ratings, slot_wording, wording
from tests.builders.sessions import NOW

UNKNOWN = persona_of(PERSONAS, None, 3)


async def record(room, number):
    return PlanRecord.model_validate(await room.record("plans", str(number)))


async def planned(planner=None, inferrer=None, **fields):
    room = await covered_room(planner, **fields)
    if inferrer is not None:
        room.model.scripts["persona_inferrer"] = inferrer
    assert await carried_out(room) is JobResult.DONE
    return room, await record(room, 0)


async def revised(room, seq, *titles):
    """Have feedback answered by tasks of these titles, and return the record of the plan that answers it."""
    state = await room.session()
    room.model.scripts["planner"] = proposal(*titles)
    source, reason = FeedbackSource.USER_STATE, "이 이야기는 하기 싫대요"
    given = feedback(covered(), source, kind="resistance", reason=reason, seq=seq, at=NOW)
    await room.add(given)
    await room.change(replans=1)
    assert await replanned(room, given.record_id) is JobResult.DONE
    return await record(room, state.part2_task_update_count + 1)


async def test_the_first_plan_tells_its_goal_ratings_tasks_and_level():
    given = proposal(tasks=(wording("하나", slots=(slot_wording(),)), wording("둘"), wording("셋")))
    room, found = await planned(given)
    assert (found.number, found.seq, found.level, found.origin) == (0, 3, 2, PlanOrigin.MODEL)
    assert (found.goal, found.attempts) == ((await room.session()).part2_goal, 1)
    assert [one.keyword for one in found.keywords] == list(KEYWORDS)
    chosen = [(one.relevance, one.quote) for one in found.keywords if one.chosen]
    assert chosen == [(9, SAID[0]), (9, "늘 모자란 것 같아요")]
    assert [(str(one.id), one.title, one.slots) for one in found.tasks] == [
        ("task_part2_1", "하나", ("since_when",)),
        ("task_part2_2", "둘", ()),
        ("task_part2_3", "셋", ()),
    ]
    assert (found.persona, found.found, found.feedback, found.kept, found.retired) == (None, (), (), (), ())


async def test_what_a_refused_proposal_did_wrong_is_counted_beside_what_the_second_did():
    second = proposal(tasks=(wording("하나", module_id="hypnosis"), wording("둘"), wording("셋")))
    _, found = await planned([proposal("하나", "둘"), second])
    assert (found.origin, found.attempts) == (PlanOrigin.MODEL, 2)
    assert found.counted == {Fault.TOO_FEW_TASKS: 1, Fault.UNKNOWN_MODULE: 1}
    assert ("hypnosis", Fault.UNKNOWN_MODULE) in [(one.what, one.fault) for one in found.found]


@pytest.mark.parametrize(
    ("model", "counted"),
    [
        (ModelUnavailable("down"), {Fault.MODEL_FAILED: 1}),
        ("no JSON at all", {Fault.MODEL_FAILED: 1}),
        (proposal("하나", "둘"), {Fault.MODEL_FAILED: 1, Fault.TOO_FEW_TASKS: 2}),
    ],
)
async def test_a_templates_plan_says_so_and_why(model, counted):
    room, found = await planned(model)
    assert (found.origin, found.counted) == (PlanOrigin.TEMPLATE, counted)
    assert [one.keyword for one in found.keywords if one.chosen] == ["완벽주의"]
    assert {each.origin for each in (await room.session()).tasks[1:]} == {TaskOrigin.TEMPLATE}


async def test_a_plan_that_stands_in_for_the_models_asks_for_it_and_is_replaced_with_the_persona():
    persona = UserPersona(common_keywords=KEYWORDS, counseling_level=2)
    room, first = await planned(ModelUnavailable("down"), ModelTimeout("late"), user_persona=persona)
    assert awaits_planner(await room.session())
    for _ in range(2):
        assert await replanned(room, "3-planner") is JobResult.RETRY
    room.model.scripts |= {"persona_inferrer": GUESS, "planner": proposal("새 하나", "새 둘")}
    assert await replanned(room, "3-planner") is JobResult.DONE
    found, state = await record(room, 1), await room.session()
    assert (state.user_persona.type, awaits_planner(state)) == (GUESS.type, False)
    assert (found.number, found.origin, found.retired) == (1, PlanOrigin.MODEL, tuple(one.id for one in first.tasks))
    assert [each.title for each in state.tasks if waits(each)] == ["새 하나", "새 둘"]
    asked = room.model.asked("planner")[-1]
    assert '<goal origin="template">' in asked.messages[0].text
    assert "틀에서 가져온 것입니다" in asked.system


async def test_a_replan_names_the_feedback_that_it_answers_and_what_became_of_the_plan_before():
    room, _ = await planned()
    state = await room.session()
    begun = state.tasks[1].model_copy(update={"status": TaskStatus.IN_PROGRESS})
    await room.change(tasks=(state.tasks[0], begun, *state.tasks[2:]), current_task=begun.id)
    found = await revised(room, 3, "가벼운 이야기")
    assert [(one.id, one.source, one.kind, one.reason) for one in found.feedback] == [
        ("3-user_state", FeedbackSource.USER_STATE, "resistance", "이 이야기는 하기 싫대요")
    ]
    assert (found.kept, found.retired) == (("task_part2_1",), ("task_part2_2", "task_part2_3"))
    assert [str(one.id) for one in found.tasks] == ["task_part2_r1_1"]
    assert (await room.session()).replanned_seq == 3
    assert '<goal origin="template">' not in room.model.asked("planner")[-1].messages[0].text
    await room.change(seq=3 + FEEDBACK_REST)
    assert (await revised(room, 4, "조용한 이야기")).retired == ("task_part2_r1_1",)
    assert await room.records("plans") == {"0", "1", "2"}


@pytest.mark.parametrize(
    ("change", "held", "fault"),
    [
        ({}, True, None),
        ({"type": "Type_Q"}, False, Fault.UNKNOWN_PERSONA),
        ({"confidence": 0.59}, False, Fault.UNSURE_PERSONA),
        ({"evidence": ("저는 완벽주의자예요",)}, False, Fault.UNSURE_PERSONA),
        ({"evidence": ("밤을 새워서 고치고 또 고쳐요", "저는 완벽주의자예요")}, False, Fault.UNSURE_PERSONA),
        ({"evidence": ("조금 더 들려주시겠어요?", "그러셨군요.")}, False, Fault.UNSURE_PERSONA),
        ({"type": ""}, False, None),
    ],
)
async def test_the_persona_is_inferred_with_confidence_and_evidence_or_not_at_all_and_stands_in_the_first_plan(
    change, held, fault
):
    guess = GUESS.model_copy(update=change)
    room, found = await planned(inferrer=guess, user_persona=UNKNOWN)
    assert (found.persona.type, found.persona.confidence, found.persona.held) == (guess.type, guess.confidence, held)
    assert set(found.persona.evidence) <= set(GUESS.evidence), "the user's own words alone"
    assert [one.fault for one in found.found if "persona" in one.fault] == ([fault] if fault else [])
    persona = (await room.session()).user_persona
    assert (persona.type, persona.counseling_level) == ("Type_A" if held else None, 3)
    assert len(persona.keywords) == (8 if held else 4)


async def test_without_a_model_no_persona_is_inferred_and_the_plan_is_made_all_the_same():
    room, found = await planned(inferrer=ModelUnavailable("down"), user_persona=UNKNOWN)
    persona = (await room.session()).user_persona
    assert (found.origin, persona.type, len(persona.keywords)) == (PlanOrigin.MODEL, None, 4)


async def test_a_record_stays_small_however_much_was_wrong():
    strange = tuple(rating(f"낯선 말 {number}") for number in range(200))
    _, found = await planned(proposal(ratings=(*ratings(), *strange)))
    assert len(found.found) == MOST_FAULTS
    assert found.counted == {Fault.UNKNOWN_KEYWORD: 200}


async def test_another_part_than_the_second_leaves_no_record():
    room, _ = await planned()
    await room.change(leaving_seq=3)
    await room.add(transition("2-3"))
    assert await carried_out(room, "2-3") is JobResult.DONE
    assert await room.records("plans") == {"0"}
