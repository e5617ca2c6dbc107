"""The turn as a whole."""

from functions.chat.flows.counseling.detectors.task_completion import TaskCompletion
from shared.domain.counseling.background_events import ClosingStarted
from shared.domain.counseling.session import PlanStatus, SessionStatus, WrapUpStage
from shared.domain.counseling.task import Part
from tests.fakes.counselling import task

PLAIN = "오늘은 그냥 집에 있었어요"


class TestAWholeSession:
    async def test_comes_to_its_end_with_a_model_that_never_finds_anything(self, talk):
        """Bounds alone carry it through; workers do what their triggers would."""
        for _ in range(200):
            state = talk.state
            if state.ended:
                break
            if state.plan_status is PlanStatus.PLANNING and state.current_part is Part.OPENING:
                talk.plan(task("p1", 2), task("p2", 2))
            elif state.status is SessionStatus.WRAPPING_UP and state.current_part is not Part.CLOSING:
                talk.happen(ClosingStarted(tasks=(task("c1", 3), task("c2", 3, completion_rule="reply"))))
            proposed = talk.state.wrap_up is not None and talk.state.wrap_up.stage is WrapUpStage.PROPOSED
            talk.model.scripts["task_completion_checker"] = TaskCompletion(complete=False)
            await talk.say("네, 좋아요" if proposed else PLAIN)
        assert talk.state.ended
        assert talk.state.current_part is Part.CLOSING


class TestTheLedger:
    async def test_shows_every_agent_of_the_turn_as_decided_by_model_or_rule(self, talk):
        talk.model.scripts["task_selector"] = '{"task_id": "task_info_1"}'
        said = await talk.say(PLAIN)
        assert {run.agent: run.decided_by.value for run in said.runs} == {
            "safety_gate": "rule",
            "task_completion_checker": "model",
            "user_state_detector": "model",
            "part_check": "rule",
            "task_selector": "model",
            "module_selector": "rule",
            "counselor": "model",
        }
        assert len(said.runs) == 7

    async def test_shows_what_the_models_were_asked_with(self, talk):
        said = await talk.say(PLAIN)
        for run in said.runs:
            if run.decided_by.value == "model":
                assert run.prompt == f"{run.agent}/v1.ko"
                assert run.input_digest
                assert (run.prompt_tokens, run.output_tokens) == (100, 10)
                assert run.cost_krw > 0

    async def test_of_a_mere_sound_shows_that_one_model_spoke(self, talk):
        talk.work_on("task_info_1", covered=["task_welcome_1"])
        said = await talk.say("네")
        assert [run.agent for run in said.runs if run.decided_by.value == "model"] == ["counselor"]

    async def test_with_every_model_down_shows_the_safe_defaults(self, talk):
        talk.model.scripts = {}
        said = await talk.say(PLAIN)
        assert {run.decided_by.value for run in said.runs} == {"rule", "safe_default"}
        assert said.run("counselor").error == "model_unavailable: nothing is scripted for counselor"
