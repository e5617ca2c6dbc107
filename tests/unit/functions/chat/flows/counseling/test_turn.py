"""A whole turn, its ledger, and the hooks of the flow's manifest."""

import asyncio
import logging

from functions.chat.flows.counseling.manifest import counseling
from functions.chat.flows.counseling.opening import FLOW
from shared.content.catalogue import content
from shared.domain.counseling.background_events import ClosingStarted
from shared.domain.counseling.session import PlanStatus, SessionStatus, WrapUpStage
from shared.domain.counseling.task import Part
from shared.domain.turn import TurnResult
from shared.engine.hooks import HookContext, run_hooks
from shared.engine.runner import AgentRunner
from tests.builders.prompt_inputs import of_a_turn
from tests.builders.sessions import task
from tests.builders.shipped_settings import shipped_settings
from tests.fakes.scripted_model import ScriptedModel
from tests.support.tags import element

PLAIN = "오늘은 그냥 집에 있었어요"
VERSIONS = {prompt.agent: prompt.version for prompt, _ in of_a_turn(str)}
DETECTORS = {"task_completion_checker", "user_state_detector"}
MET_WITHIN_S = 2


class Meeting(ScriptedModel):
    """Answers the detectors once both have asked; a detector that waits alone fails."""

    def __init__(self, scripts):
        super().__init__(scripts)
        self.both = asyncio.Barrier(len(DETECTORS))

    async def generate(self, request):
        if request.agent in DETECTORS:
            await asyncio.wait_for(self.both.wait(), MET_WITHIN_S)
        return await super().generate(request)


async def test_the_detectors_run_in_parallel(talk):
    talk.runner = AgentRunner(Meeting(talk.model.scripts), shipped_settings(), talk.clock)
    said = await talk.say(PLAIN)
    assert {run.agent for run in said.runs if run.decided_by.value == "model"} >= DETECTORS


async def test_a_session_reaches_its_end_with_a_model_that_never_finds_anything(talk):
    """Only the bounds move it on; the test writes what the planner would."""
    for _ in range(200):
        state = talk.state
        if state.ended:
            break
        if state.plan_status is PlanStatus.PLANNING and state.current_part is Part.OPENING:
            talk.plan(task("p1", 2), task("p2", 2))
        elif state.status is SessionStatus.WRAPPING_UP and state.current_part is not Part.CLOSING:
            talk.happen(ClosingStarted(tasks=(task("c1", 3), task("c2", 3, completion_rule="reply"))))
        proposed = talk.state.wrap_up is not None and talk.state.wrap_up.stage is WrapUpStage.PROPOSED
        await talk.say("네, 좋아요" if proposed else PLAIN)
    assert talk.state.ended
    assert talk.state.current_part is Part.CLOSING


class TestTheLedger:
    async def test_lists_every_agent_of_the_turn_with_its_decider_prompt_and_cost(self, talk):
        said = await talk.say(PLAIN)
        by_model = {"task_completion_checker", "user_state_detector", "counselor"}
        by_rule = {"safety_gate", "part_check", "task_selector", "module_selector"}
        found = sorted((run.agent, run.decided_by.value) for run in said.runs)
        assert found == sorted([*((one, "model") for one in by_model), *((one, "rule") for one in by_rule)])
        for run in said.runs:
            if run.agent in by_model:
                assert run.prompt == f"{run.agent}/v{VERSIONS[run.agent]}.ko"
                assert run.input_digest
                assert (run.prompt_tokens, run.output_tokens) == (100, 10)
                assert run.cost_krw > 0

    async def test_every_model_gets_the_history_before_the_turn_and_the_new_message(self, talk):
        """The history is a snapshot of the turn's start, without the events of the turn itself."""
        for earlier in ("회사가 힘들어요", "팀장이 무서워요"):
            await talk.say(earlier)
        talk.model.requests.clear()
        before = talk.state.recent
        await talk.say(PLAIN)
        detectors = [talk.model.asked(name)[0].messages[0].text for name in sorted(DETECTORS)]
        assert element(detectors[0], "dialogue") == element(detectors[1], "dialogue")
        assert [line.partition(": ")[2] for line in element(detectors[0], "dialogue").splitlines()] == [
            message.text for message in before
        ]
        assert {element(one, "newest_message") for one in detectors} == {PLAIN}
        spoken = [message.text for message in talk.model.asked("counselor")[0].messages]
        assert spoken == [*(message.text for message in before if message.seq > 0), PLAIN]

    async def test_a_backchannel_asks_the_counselors_model_alone(self, talk):
        talk.work_on("task_info_1", covered=["task_welcome_1"])
        said = await talk.say("네")
        assert [run.agent for run in said.runs if run.decided_by.value == "model"] == ["counselor"]

    async def test_lists_the_safe_defaults_when_every_model_fails(self, talk):
        talk.model.scripts = {}
        said = await talk.say(PLAIN)
        first, second = (run for run in said.runs if run.agent == "counselor")
        assert {run.decided_by.value for run in said.runs if run is not first} == {"rule", "safe_default"}
        assert first.error == second.error == "model_unavailable: nothing is scripted for counselor"
        assert first.model != second.model, "the fallback was asked"


async def test_a_crisis_and_an_end_are_logged_without_words_of_the_user(talk, caplog):
    caplog.set_level(logging.INFO)
    for seq, text in enumerate(("요즘 자꾸 죽고 싶어요", "오늘은 그만하고 싶어요", "네"), start=1):
        said = await talk.say(text)
        result = TurnResult(message_id="m", seq=seq, reply=said.reply, state_snapshot={}, hooks=said.outcome.hooks)
        await run_hooks(HookContext(talk.state, result), counseling(content()).hook_handlers, [])
    assert "crisis_detected level=crisis conversation=c1" in caplog.text
    assert "session_completed conversation=c1 turns=3" in caplog.text
    assert "죽고" not in caplog.text


def test_a_session_opens_in_the_flow_that_the_manifest_names(talk):
    assert counseling(content()).name == FLOW == talk.state.flow
