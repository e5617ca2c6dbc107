"""How a session comes to its end with the simulated model: by a goal reached, or by a person who has had enough."""

import asyncio

import pytest

from functions.session_manager.review import review
from shared.config.agents import agent_settings
from shared.content.catalogue import content
from shared.contracts.tasks import JobKind
from shared.domain.conversation import Role
from shared.domain.counseling.session import Session, SessionStatus, WrapUpAim, WrapUpStage
from shared.domain.counseling.task import Part
from shared.engine.jobs import JobResult
from shared.engine.runner import AgentRunner
from shared.services.counseling.job_context import CounselingJobContext
from tests.fakes.background_room import Room, payload
from tests.unit.local.gemini.counsellor.conversation import BrainModel, Conversation
from tests.unit.local.gemini.counsellor.test_conversation import TALK

TIRED = "얘기하다 보니 이제 좀 지치네요"
FAREWELL = content().messages(Conversation().state.locale).text("session_ended")


async def _reviewed(state: Session, said: tuple[str, ...]) -> tuple[Session, dict[str, object], set[str]]:
    room = Room()
    context = CounselingJobContext(
        store=room.store,
        policy=room.policy,
        runner=AgentRunner(BrainModel(), agent_settings(), room.clock),
        content=content(),
    )
    await room.open(state, said)
    assert await review(context, payload(JobKind.REVIEW, len(said))) is JobResult.DONE
    record = await room.record("reviews", str(len(said)))
    assert record is not None
    return await room.session(), dict(record), await room.records("part_transitions")


def reviewed(conversation: Conversation) -> tuple[dict[str, object], set[str]]:
    """Let the session manager review the conversation; what it finds is in its state afterwards."""
    said = tuple(message.text for message in conversation.messages if message.role is Role.USER)
    conversation.state, record, transitions = asyncio.run(_reviewed(conversation.state, said))
    return record, transitions


def talked(*more: str, upto: int) -> Conversation:
    conversation = Conversation()
    for text in (*TALK[:upto], *more):
        conversation.say(text)
    assert conversation.state.current_part is Part.EXPLORATION
    return conversation


@pytest.fixture(scope="module")
def reached() -> Conversation:
    """A client has told all that Part 2 was for."""
    conversation = talked(upto=len(TALK))
    record, transitions = reviewed(conversation)
    assert (record["part2_completed"], record["recommendation"], transitions) == (True, "wrap_up", set())
    assert [task["title"] for task in record["wrap_up_tasks"]]  # type: ignore[attr-defined]
    assert conversation.state.wrap_up is not None
    assert conversation.state.wrap_up.stage is WrapUpStage.SUGGESTED
    return conversation


def again(conversation: Conversation) -> Conversation:
    """Return a conversation that goes on from another one."""
    copy = Conversation()
    copy.state, copy.messages = conversation.state, list(conversation.messages)
    return copy


def test_whose_goal_is_reached_is_asked_whether_to_close_and_a_yes_leads_to_the_end(reached: Conversation) -> None:
    conversation = again(reached)
    asked = conversation.say("네, 그러게요")
    assert conversation.state.wrap_up is not None
    assert (conversation.state.wrap_up.stage, conversation.state.wrap_up.aim) == (
        WrapUpStage.PROPOSED,
        WrapUpAim.WRAP_UP,
    )
    assert content().session_words.asks_to_wrap_up(asked), "the simulator asks in words that are understood"
    conversation.say("네, 좋아요")
    assert (conversation.state.current_part, conversation.state.status) == (Part.CLOSING, SessionStatus.WRAPPING_UP)
    for _ in range(12):
        wrap_up = conversation.state.wrap_up
        to_the_end = wrap_up is not None and (wrap_up.stage, wrap_up.aim) == (WrapUpStage.PROPOSED, WrapUpAim.END)
        if conversation.say("네" if to_the_end else "네, 그렇게 해 볼게요") == FAREWELL:
            break
    assert conversation.state.ended


def test_who_says_no_goes_on_and_is_not_led_to_the_closing(reached: Conversation) -> None:
    conversation = again(reached)
    conversation.say("네, 그러게요")
    conversation.say("아니요, 조금 더 얘기하고 싶어요")
    state = conversation.state
    assert (state.current_part, state.status) == (Part.EXPLORATION, SessionStatus.ACTIVE)
    assert state.wrap_up is not None
    assert (state.wrap_up.stage, state.wrap_up.declined) == (WrapUpStage.DECLINED, 1)
    conversation.say("사실은 수고했다는 말 한마디 듣고 싶었던 것 같아요")
    record, transitions = reviewed(conversation)
    assert (record["recommendation"], transitions) == ("continue", set())
    assert conversation.state.wrap_up == state.wrap_up


def test_who_is_tired_in_the_middle_of_the_plan_is_not_led_out_of_it_and_may_stop_by_saying_so() -> None:
    conversation = talked(TIRED, upto=11)
    record, transitions = reviewed(conversation)
    assert (record["part2_completed"], record["recommendation"], transitions) == (False, "continue", set())
    conversation.say("오늘은 여기까지 할게요")
    assert conversation.state.wrap_up is not None
    assert (conversation.state.wrap_up.stage, conversation.state.wrap_up.aim) == (WrapUpStage.PROPOSED, WrapUpAim.END)


def test_a_story_still_told_leads_nowhere_yet() -> None:
    conversation = talked(upto=11)
    record, transitions = reviewed(conversation)
    assert (record["part2_completed"], transitions) == (False, set())
    assert conversation.state.status is SessionStatus.ACTIVE
