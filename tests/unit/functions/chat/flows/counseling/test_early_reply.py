"""The Counselor begins while the message is read: what is shown, when, and what a changed plan costs."""

import asyncio
import json

import pytest

from functions.chat.flows.counseling.detectors.task_completion import SlotFound
from functions.chat.flows.counseling.selectors.module_selector import NO_LONGER_FITS
from functions.chat.flows.counseling.turn_options import (
    CHANGES_IN_A_ROW,
    PAUSE,
    Speculating,
    SpeculationPolicy,
    TurnOptions,
)
from shared.contracts.events import Token
from shared.domain.counseling.task import TaskKind
from shared.domain.errors import ModelUnavailable
from shared.domain.ids import ConversationId
from shared.engine.send_budget import TURN_SENDS, SendBudget
from tests.builders.answers import joint, module_pick, task_choice, task_completion, user_state_reading
from tests.builders.sessions import slot, task
from tests.builders.talk import REPLY, Talk

ALWAYS = TurnOptions(speculation=Speculating.ALWAYS)
ANALYST, CHECKER, DETECTOR, COUNSELOR = (
    "message_analyst",
    "task_completion_checker",
    "user_state_detector",
    "counselor",
)
LOSS = "강아지가 간 지 이틀 됐어요. 밥그릇을 못 치우겠어요."
PLAIN = "오늘은 그냥 집에 있었어요"
NEXT = "그 다음 이야기도 들려주시겠어요?"


@pytest.fixture
def early():
    """Part 2 with a task in progress that one sign completes, and one that waits."""
    talk = Talk(options=ALWAYS)
    talk.plan(task("work", 2), task("mother", 2))
    talk.work_on("work")
    return talk


def outcome(said):
    return said.run("speculation").output


def counselors(said):
    return [run for run in said.runs if run.agent == COUNSELOR]


async def test_a_plan_that_holds_costs_one_call_of_the_analyst_and_one_of_the_counselor(early):
    said = await early.say(PLAIN)
    assert [request.agent for request in early.model.requests] == [ANALYST, COUNSELOR]
    assert (said.reply, outcome(said)) == (REPLY, "held")
    assert {said.run(agent).reason for agent in (CHECKER, DETECTOR)} == {f"answered by {ANALYST}"}


async def test_a_completed_task_cancels_the_early_reply_and_counts_its_tokens_as_wasted(early):
    early.model.scripts[CHECKER] = task_completion(complete=True, evidence="집에 있었어요")
    early.model.scripts[COUNSELOR] = lambda request: NEXT if 'id="mother"' in request.system else REPLY
    said = await early.say(PLAIN)
    assert (said.reply, said.shown, said.directive["task_id"]) == (NEXT, NEXT, "mother")
    assert outcome(said) == "changed"
    assert [run.cancelled for run in counselors(said)] == [True, False]


async def test_nothing_is_shown_when_only_the_model_hears_a_danger(early):
    early.model.scripts[DETECTOR] = user_state_reading(risk="crisis", evidence=PLAIN)
    said = await early.say(PLAIN)
    assert REPLY not in said.shown
    assert "109" in said.shown
    assert [run.cancelled for run in counselors(said) if run.attempts] == [True]


async def test_no_token_is_shown_before_the_first_look_is_in(early):
    arrived, shown, gate = asyncio.Event(), [], asyncio.Event()
    stream = early.model.stream

    async def held_back(request):
        if request.agent == ANALYST:
            await gate.wait()
        async for chunk in stream(request):
            yield chunk
        if request.agent == COUNSELOR:
            arrived.set()

    early.model.stream = held_back
    running = asyncio.create_task(early.flow.run(early.turn(PLAIN, shown)))
    await asyncio.wait_for(arrived.wait(), 5)
    assert [event for event in shown if isinstance(event, Token)] == []
    gate.set()
    assert (await running).reply == REPLY


async def test_the_reply_is_shown_at_the_look_while_the_evidence_still_arrives(early):
    first, gate, shown = asyncio.Event(), asyncio.Event(), []
    stream = early.model.stream

    async def slow_end(request):
        async for chunk in stream(request):
            yield chunk
            if request.agent == ANALYST and not first.is_set() and "]" in chunk.text:
                first.set()
                await gate.wait()

    early.model.stream = slow_end
    running = asyncio.create_task(early.flow.run(early.turn(PLAIN, shown)))
    await asyncio.wait_for(first.wait(), 5)
    for _ in range(50):
        await asyncio.sleep(0)
    assert "".join(event.text for event in shown if isinstance(event, Token)) == REPLY
    assert not running.done(), "the commit waits for the whole analysis"
    gate.set()
    await running


async def test_late_evidence_that_is_not_the_users_words_leaves_what_was_shown_and_keeps_the_values():
    early = Talk(options=ALWAYS)
    early.plan(task("work", 2, optional_slots=(slot("place", label="집"),)), task("mother", 2))
    early.work_on("work")
    found = (SlotFound(name="place", value="집에 있었어요", quote="집에 있었어요", corrects=False),)
    early.model.scripts[CHECKER] = task_completion(complete=True, evidence="아무도 하지 않은 말", slots=found)
    said = await early.say(PLAIN)
    assert outcome(said) == "contradicted"
    assert said.shown.rstrip() == said.reply.rstrip()
    assert early.state.user_info["place"] == "집에 있었어요"


@pytest.mark.parametrize("found", [{}, {"topic_changed": True}])
async def test_a_reply_that_a_selector_may_still_change_waits_for_it(early, found):
    early.model.scripts |= {
        DETECTOR: user_state_reading(**found),
        "task_selector": task_choice(task_id="mother", execution_guide="천천히"),
    }
    said = await early.say(PLAIN)
    assert said.directive["task_id"] == ("mother" if found else "work")
    assert said.shown == said.reply


async def test_a_model_that_says_nothing_is_asked_twice_and_apologized_for(early):
    early.model.scripts[COUNSELOR] = ModelUnavailable("503")
    said = await early.say(PLAIN)
    assert "degraded" in said.outcome.flags
    assert len(early.model.asked(COUNSELOR)) == 2


async def test_a_cancelled_turn_closes_the_early_stream(early):
    begun, closed = asyncio.Event(), asyncio.Event()

    async def endless(request):
        try:
            begun.set() if request.agent == COUNSELOR else None
            await asyncio.Event().wait()
            yield
        finally:
            closed.set() if request.agent == COUNSELOR else None

    early.model.stream = endless
    running = asyncio.create_task(early.flow.run(early.turn(PLAIN)))
    await asyncio.wait_for(begun.wait(), 5)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert closed.is_set()


async def test_a_danger_that_only_a_second_answer_tells_of_takes_the_place_of_what_was_shown(early):
    harmless = '{"look": [], "slots": [], "intensity": 99}'
    danger = json.dumps(joint(task_completion(), user_state_reading(risk="crisis", evidence=PLAIN)))
    early.model.scripts[ANALYST] = [harmless, danger]
    said = await early.say(PLAIN)
    assert "crisis" in said.outcome.flags
    assert (said.shown, said.outcome.directive) == (said.reply, None)
    assert [run.cancelled for run in counselors(said) if run.attempts] == [True]


async def test_a_selector_is_asked_once_and_before_the_analysis_ends(early):
    early.model.scripts |= {
        "task_selector": task_choice(task_id="mother", execution_guide="천천히"),
        DETECTOR: user_state_reading(topic_changed=True),
    }
    generate, stream, selecting = early.model.generate, early.model.stream, asyncio.Event()

    async def noting(request):
        selecting.set() if request.agent == "task_selector" else None
        return await generate(request)

    async def slow_end(request):
        async for chunk in stream(request):
            yield chunk
            if request.agent == ANALYST and "]" in chunk.text:
                await asyncio.wait_for(selecting.wait(), 5)

    early.model.generate, early.model.stream = noting, slow_end
    said = await early.say("그건 그렇고 엄마 이야기를 하고 싶어요")
    assert said.directive["task_id"] == "mother"
    assert not said.run("task_selector").cancelled


async def test_both_selectors_are_asked_at_once(early):
    """The Task Selector does not answer before the Module Selector is asked."""
    early.model.scripts |= {
        "task_selector": task_choice(task_id="mother", execution_guide="천천히"),
        "module_selector": module_pick(module_id="grief_support"),
    }
    generate, asked = early.model.generate, asyncio.Event()

    async def in_parallel(request):
        if request.agent == "module_selector":
            asked.set()
        if request.agent == "task_selector":
            await asyncio.wait_for(asked.wait(), 5)
        return await generate(request)

    await early.say(PLAIN)
    early.model.generate = in_parallel
    early.model.scripts[DETECTOR] = user_state_reading(
        emotion="sadness", intensity=5, emotion_change="turned", evidence=LOSS
    )
    said = await early.say(LOSS)
    assert (said.directive["task_id"], said.directive["module_id"]) == ("mother", "grief_support")
    assert [len(early.model.asked(agent)) for agent in ("task_selector", "module_selector")] == [1, 1]


async def test_a_module_chosen_ahead_that_does_not_fit_the_look_gives_way_to_the_rules():
    """The model is not asked a second time while the user waits."""
    early = Talk(options=ALWAYS)
    plain = {"kind": TaskKind.EXPLORATION, "module_id": "questioning_technique"}
    early.plan(task("work", 2, **plain), task("mother", 2, **plain))
    early.work_on("work")
    early.set(module_open=True)
    early.model.scripts |= {
        "module_selector": module_pick(module_id="questioning_technique"),
        DETECTOR: user_state_reading(emotion="sadness", intensity=5, evidence=LOSS),
    }
    said = await early.say(LOSS)
    assert said.directive["module_id"] == "empathy_expression"
    assert len(early.model.asked("module_selector")) == 1
    assert [run.reason for run in said.runs if run.agent == "module_selector"][-1] == NO_LONGER_FITS


async def test_calls_ahead_leave_the_requests_that_the_decisions_need(early):
    early.model.scripts |= {
        "task_selector": task_choice(task_id="mother", execution_guide="천천히"),
        "module_selector": module_pick(module_id="information_gathering"),
        DETECTOR: user_state_reading(topic_changed=True, emotion="anger", intensity=8, evidence="화가 나요"),
    }
    turn = early.turn("엄마 생각만 하면 화가 나요")
    turn.scope.sends = SendBudget(TURN_SENDS)
    await early.flow.run(turn)
    assert not [run.agent for run in turn.scope.ledger.runs if run.error and not run.cancelled]


class TestThePolicy:
    conversation = ConversationId("c")

    def reasons(self, policy, turns):
        return [policy.reason_not_to(self.conversation, SendBudget()) is not None for _ in range(turns)]

    def test_pauses_a_conversation_whose_plan_keeps_changing_and_then_tries_once(self):
        policy = SpeculationPolicy(Speculating.ADAPTIVE)
        for _ in range(CHANGES_IN_A_ROW):
            policy.note(self.conversation, held=False)
        assert self.reasons(policy, PAUSE + 1) == [True] * PAUSE + [False]
        policy.note(self.conversation, held=False)
        assert self.reasons(policy, 1) == [True]
        policy.note(self.conversation, held=True)
        assert self.reasons(policy, 1) == [False]

    def test_never_pauses_when_it_is_always_on_but_for_few_requests(self):
        policy = SpeculationPolicy(Speculating.ALWAYS)
        for _ in range(9):
            policy.note(self.conversation, held=False)
        assert self.reasons(policy, 3) == [False] * 3
        assert policy.reason_not_to(self.conversation, SendBudget(1)) == "few requests are left"
