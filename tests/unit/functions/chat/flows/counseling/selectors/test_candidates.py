"""When a task is chosen again, and which covered tasks may be resumed."""

import pytest

from functions.chat.findings import Findings
from functions.chat.flows.counseling.selectors.task_selector import choices
from shared.domain.counseling.background_events import ClosingStarted
from shared.domain.counseling.records import FeedbackSource
from shared.domain.counseling.risk_events import RiskRaised
from shared.domain.counseling.session import WrapUp, WrapUpStage
from shared.domain.counseling.task import MAX_RETURNS, TaskStatus
from shared.domain.counseling.task_events import TaskStarted
from tests.builders.answers import task_choice, task_completion, user_state_reading
from tests.builders.sessions import task

SELECTOR, DETECTOR, CHECKER = "task_selector", "user_state_detector", "task_completion_checker"
PLAIN = "오늘은 그냥 집에 있었어요"
BACK = "아까 그 엄마 이야기를 조금 더 하고 싶어요"
RETURN = task_choice(task_id="mother", return_quote="엄마 이야기를 조금 더", execution_guide="다시 듣기")
ELSEWHERE = user_state_reading(topic_changed=True)


@pytest.fixture
def covered(talk):
    """Part 2 with every task covered, and a model that finds a new topic and answers with the return to a task."""
    talk.plan(task("work", 2), task("mother", 2))
    talk.work_on("none", covered=["work", "mother"])
    talk.model.scripts |= {DETECTOR: ELSEWHERE, SELECTOR: RETURN}
    return talk


def offered(talk):
    """Return the answers that the selector's last schema allowed."""
    schema = talk.model.asked(SELECTOR)[-1].response_schema.model_json_schema()
    return schema["properties"]["task_id"]["enum"]


class TestACoveredTask:
    async def test_is_resumed_when_no_task_waits_and_the_user_returns_to_it(self, covered):
        said = await covered.say(BACK)
        assert (said.directive["task_id"], said.directive["stance"]) == ("mother", "work")
        chosen = covered.state.task_in_progress
        assert (chosen.id, chosen.turns_spent, chosen.returns) == ("mother", 0, 1)

    async def test_is_not_resumed_when_the_model_finds_no_return_or_fails(self, covered):
        covered.model.scripts[SELECTOR] = task_choice(task_id="none")
        said = await covered.say(PLAIN)
        feedback = [one for one in said.records("planner_feedback") if one.source is FeedbackSource.TASK_SELECTOR]
        assert (said.directive["stance"], feedback) == ("accompany", [])
        assert covered.state.task("mother").status is TaskStatus.SUFFICIENT
        covered.model.scripts.pop(SELECTOR)
        said = await covered.say(BACK)
        assert (said.directive["stance"], said.run(SELECTOR).decided_by.value) == ("accompany", "safe_default")

    async def test_costs_no_call_while_the_topic_stays(self, covered):
        covered.model.scripts[DETECTOR] = user_state_reading()
        said = await covered.say(PLAIN)
        assert (covered.model.asked(SELECTOR), said.run(SELECTOR).reason) == ([], "no task waits")

    @pytest.mark.parametrize("quote", ["", "아빠 이야기를 더"])
    async def test_is_resumed_only_with_a_quote_of_the_user(self, covered, quote):
        covered.model.scripts[SELECTOR] = RETURN.model_copy(update={"return_quote": quote})
        said = await covered.say(BACK)
        assert (said.directive["stance"], said.run(SELECTOR).decided_by.value) == ("accompany", "safe_default")
        assert len(covered.model.asked(SELECTOR)) == 2

    @pytest.mark.parametrize("text", ["네", "오늘은 여기까지 할게요"])
    async def test_is_no_candidate_for_a_backchannel_or_a_farewell(self, covered, text):
        said = await covered.say(text)
        assert (covered.model.asked(SELECTOR), said.run(SELECTOR).reason) == ([], "no task waits")

    async def test_is_no_candidate_in_a_crisis_after_an_agreement_to_close_or_when_completed(self, covered):
        before = covered.state
        covered.happen(RiskRaised(outcome="crisis", rule_ids=("r",), seq=1))
        await covered.say(BACK)
        covered.state = before.model_copy(update={"wrap_up": WrapUp(stage=WrapUpStage.AGREED)})
        await covered.say(BACK)
        completed = (one.model_copy(update={"status": TaskStatus.COMPLETED}) for one in before.tasks)
        covered.state = before.model_copy(update={"tasks": tuple(completed)})
        assert (await covered.say(BACK)).run(SELECTOR).reason == "no task waits"
        assert covered.model.asked(SELECTOR) == []

    async def test_is_not_resumed_in_the_turn_that_covered_it(self, covered):
        covered.work_on("mother", covered=["work"])
        covered.model.scripts[CHECKER] = task_completion(complete=True, evidence="엄마 이야기를 조금 더")
        said = await covered.say(BACK)
        assert (covered.state.task("mother").status, said.directive["stance"]) == (TaskStatus.SUFFICIENT, "gather")
        assert covered.model.asked(SELECTOR) == []

    async def test_is_not_offered_with_others_in_the_turn_that_covered_it(self, planned):
        planned.model.scripts[CHECKER] = task_completion(complete=True, evidence="집에 있었어요")
        planned.model.scripts |= {DETECTOR: ELSEWHERE, SELECTOR: task_choice(task_id="high")}
        await planned.say(PLAIN)
        assert planned.state.task("medium").status is TaskStatus.SUFFICIENT
        assert offered(planned) == ["high", "low", "none"]

    async def test_returns_a_bounded_number_of_times_and_ignores_a_late_event(self, covered):
        stances = []
        for _ in range(MAX_RETURNS + 2):
            stances.append((await covered.say(BACK)).directive["stance"])
            covered.work_on("none", covered=["work", "mother"])
        assert stances == ["work"] * MAX_RETURNS + ["accompany"] * 2
        assert offered(covered) == ["work", "none"]
        before = covered.state
        assert TaskStarted(task_id="mother").apply(before, covered.clock.now()) is before

    async def test_is_offered_last_among_waiting_tasks_after_a_change_of_topic(self, planned):
        planned.work_on("medium", covered=["low"])
        planned.model.scripts[DETECTOR] = ELSEWHERE
        planned.model.scripts[SELECTOR] = task_choice(task_id="low", return_quote="그 얘기로 돌아가면")
        await planned.say("그 얘기로 돌아가면 저도 잘못했어요")
        assert (planned.state.task_in_progress.id, offered(planned)) == ("low", ["high", "medium", "low", "none"])

    async def test_is_offered_with_a_single_waiting_task_after_a_change_of_topic(self, covered):
        covered.work_on("work", covered=["mother"])
        covered.model.scripts[DETECTOR] = ELSEWHERE
        await covered.say(BACK)
        assert covered.state.task_in_progress.id == "mother"
        assert covered.state.task("work").status is TaskStatus.PENDING

    async def test_of_part_3_may_return_and_none_is_not_offered_while_others_wait(self, talk):
        talk.plan()
        talk.happen(ClosingStarted(tasks=(task("c1", 3), task("c2", 3), task("c3", 3))))
        talk.work_on("none", covered=["c3"])
        again = task_choice(task_id="c3", return_quote="목표를 다시 정하고")
        talk.model.scripts |= {DETECTOR: ELSEWHERE, SELECTOR: again}
        await talk.say("목표를 다시 정하고 싶어졌어요")
        assert (offered(talk), talk.state.task_in_progress.id) == (["c1", "c2", "c3"], "c3")

    async def test_of_part_1_does_not_return(self, talk):
        talk.work_on("none", covered=["task_welcome_1", "task_info_1"])
        talk.model.scripts[DETECTOR] = ELSEWHERE
        said = await talk.say(PLAIN)
        assert (talk.model.asked(SELECTOR), said.run(SELECTOR).reason) == ([], "the plan's order")


class TestTheTaskInProgress:
    @pytest.mark.parametrize(
        "reading",
        [{"resistance": "strong"}, {"emotion": "anger", "intensity": 9}, {"circular": True}, {"topic_changed": True}],
    )
    async def test_is_chosen_again_when_the_users_state_changed(self, planned, reading):
        await planned.say(PLAIN)
        planned.model.scripts[DETECTOR] = user_state_reading(**reading)
        planned.model.scripts[SELECTOR] = task_choice(task_id="low")
        await planned.say("어제는 바다에 다녀왔어요")
        assert (planned.state.task_in_progress.id, planned.state.task("medium").status) == ("low", TaskStatus.PENDING)
        assert 'current="true"' in planned.model.asked(SELECTOR)[0].messages[0].text

    async def test_is_chosen_again_once_and_not_in_every_turn_of_a_lasting_state(self, planned):
        planned.model.scripts[DETECTOR] = user_state_reading(resistance="strong")
        planned.model.scripts[SELECTOR] = task_choice(task_id="medium")
        for _ in range(3):
            await planned.say(PLAIN)
            assert planned.state.task_in_progress.id == "medium"
        assert len(planned.model.asked(SELECTOR)) == 1

    async def test_goes_on_when_no_other_task_waits(self, talk):
        talk.plan(task("only", 2))
        talk.work_on("only")
        talk.model.scripts[DETECTOR] = ELSEWHERE
        said = await talk.say(PLAIN)
        assert (talk.model.asked(SELECTOR), said.run(SELECTOR).reason) == ([], "no other task waits")

    @pytest.mark.parametrize("reading", [{"resistance": "strong"}, {"topic_changed": True}])
    async def test_of_part_1_goes_on_in_any_state(self, talk, reading):
        talk.work_on("task_info_1", covered=["task_welcome_1"])
        talk.model.scripts[DETECTOR] = user_state_reading(**reading)
        await talk.say(PLAIN)
        assert (talk.state.current_task, talk.model.asked(SELECTOR)) == ("task_info_1", [])


async def test_a_parked_task_is_offered_last_and_resumed_only_with_a_quote_of_the_user(talk):
    talk.plan(task("now", 2), task("aside", 2, parked=True))
    talk.work_on("now")
    found = choices(talk.state, Findings())
    assert ([one.id for one in found.waiting], [one.id for one in found.returning]) == (["now"], ["aside"])
    talk.model.scripts[DETECTOR] = ELSEWHERE
    talk.model.scripts[SELECTOR] = task_choice(task_id="aside")
    await talk.say("오늘은 비가 많이 왔어요")
    assert talk.state.current_task == "now"
    talk.model.scripts[SELECTOR] = task_choice(task_id="aside", return_quote="룸메이트 이야기")
    await talk.say("아까 하던 룸메이트 이야기를 마저 할게요")
    assert (talk.state.current_task, talk.state.task("aside").parked) == ("aside", False)
