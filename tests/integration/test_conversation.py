"""The demo as a person meets it: `python -m local` without a key, ten Korean messages, from hello into Part 2."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from shared.domain.counseling.session import Session
from shared.domain.turn import DecidedBy, TurnRecord
from tests.support.chat_client import Conversation, Event, Person, signed_in, spoken
from tests.support.first_session import BETWEEN, NAME, PART_1, PART_2, SLOTS
from tests.support.forked import ForkedServer
from tests.support.local_server import LocalServer
from tests.support.polling import eventually
from tests.support.simulator import Simulator
from tests.support.stored import stored

TOKEN_MS = 5
SNAPSHOT = {"status", "part", "task", "module", "progress", "plan_status", "wrap_up", "risk", "asks"}
IN_THE_TURN = {"TaskCompletion", "UserStateReading", "TaskChoice", "ModulePick", "WrapUpAnswer", "Counselor"}
MORE_TURNS = 8
"""Turns more than ten that the way to Part 2 may take: each of Part 1's tasks is bounded."""


@dataclass
class Told:
    """What was said and what is stored after it."""

    conversation: Conversation
    replies: list[dict[str, Any]] = field(default_factory=list)
    streams: list[list[Event]] = field(default_factory=list)
    history: list[dict[str, Any]] = field(default_factory=list)
    turns: list[TurnRecord] = field(default_factory=list)
    session: Session | None = None


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    """The demo, with its own model."""
    home = tmp_path_factory.mktemp("demo")
    with ForkedServer(home, CBOT_SIMULATOR_TTFT_MS="10", CBOT_SIMULATOR_TOKEN_MS=str(TOKEN_MS)) as running:
        yield running


@pytest.fixture(scope="module")
def told() -> dict[str, Told]:
    """The conversation, kept for all tests of this module."""
    return {}


@pytest.fixture
async def story(demo: LocalServer, told: dict[str, Told]) -> Told:
    """Ten messages and what came of them; every other one over SSE."""
    if "story" not in told:
        async with signed_in(demo.address) as person:
            told["story"] = await _talk(person)
            told["story"].history = await person.messages(told["story"].conversation.id)
        async with stored(demo.database) as store:
            told["story"].turns = await store.turns(told["story"].conversation.id)
            told["story"].session = await store.session(told["story"].conversation.id)
    return told["story"]


async def _talk(person: Person) -> Told:
    story = Told(await person.open())

    async def planned() -> bool:
        return (await person.snapshot(story.conversation.id))["part"] == 2

    for line in (*PART_1, BETWEEN):
        await _say(person, story, line.text)
        if story.replies[-1]["state_snapshot"]["plan_status"] == "planning":
            await eventually(planned, what="Part 2")
    for _ in range(MORE_TURNS):
        if await planned():
            break
        await _say(person, story, "그때 생각이 자꾸 나서 마음이 무거웠어요.")
        if story.replies[-1]["state_snapshot"]["plan_status"] == "planning":
            await eventually(planned, what="Part 2")
    for line in PART_2:
        await _say(person, story, line.text)
    return story


async def _say(person: Person, story: Told, text: str) -> None:
    if len(story.replies) % 2:
        story.replies.append(await person.say(story.conversation.id, text))
    else:
        events = await person.hear(story.conversation.id, text)
        story.streams.append(events)
        story.replies.append(events[-1].data)


async def test_ten_messages_lead_through_part_1_into_part_2(story: Told) -> None:
    parts = [reply["state_snapshot"]["part"] for reply in story.replies]
    assert (parts, parts[0], parts[-1]) == (sorted(parts), 1, 2)
    assert story.session is not None
    assert story.session.part2_goal
    assert {task.status.value for task in story.session.tasks if task.part == 1} == {"completed"}
    assert story.replies[-1]["state_snapshot"]["task"]["id"].startswith("task_part2")


async def test_within_ten_messages(story: Told) -> None:
    assert len(story.replies) == len(PART_1) + 1 + len(PART_2) == 10


async def test_every_message_has_its_reply_in_the_history(story: Told) -> None:
    count = len(story.replies)
    assert [(entry["seq"], entry["role"]) for entry in story.history] == [
        (0, "counselor"),
        *((seq, role) for seq in range(1, count + 1) for role in ("user", "counselor")),
    ]
    assert [entry["text"] for entry in story.history if entry["role"] == "counselor"] == [
        story.conversation.greeting,
        *(reply["reply"] for reply in story.replies),
    ]


async def test_the_name_is_kept(story: Told) -> None:
    assert story.session is not None
    assert story.session.user_info["name"] == NAME
    after = [turn.directive for turn in story.turns if turn.seq is not None and turn.seq > 2]
    assert all(directive is not None and NAME in str(directive["known"]) for directive in after)


async def test_everything_asked_for_in_part_1_was_understood(story: Told) -> None:
    assert story.session is not None
    assert set(story.session.user_info) >= SLOTS


async def test_nothing_is_asked_again_once_it_was_given(story: Told) -> None:
    assert story.session is not None
    labels = {slot.name: slot.label for task in story.session.tasks for slot in task.slots}
    asked = 0
    for turn in story.turns:
        assert turn.directive is not None
        known, ask = turn.directive["known"], turn.directive["ask"]
        assert isinstance(known, dict)
        if isinstance(ask, dict):
            asked += 1
            assert labels[str(ask["slot"])] not in known, f"turn {turn.seq} asks for {ask['slot']} again"
    assert asked


async def test_tokens_come_one_after_the_other_while_the_reply_is_made(story: Told) -> None:
    for events in story.streams:
        tokens = [event for event in events if event.name == "token"]
        assert len(tokens) > 1, "the first sentence word by word, the others one by one"
        # The model takes this long at least; a reply that was held back to its end would come at once.
        lasted = tokens[-1].at - tokens[0].at
        assert lasted > (len(tokens) - 1) * TOKEN_MS / 1000 / 3
        assert spoken(events) == events[-1].data["reply"]


async def test_events_are_numbered_within_their_turn_and_done_is_last_with_the_state(story: Told) -> None:
    for events in story.streams:
        seq = events[-1].data["seq"]
        assert [event.id for event in events] == [f"{seq}.{number}" for number in range(len(events))]
        assert [event.name for event in events].index("done") == len(events) - 1
        assert set(events[-1].data["state_snapshot"]) == SNAPSHOT


async def test_every_agent_that_starts_is_named_in_korean_and_ends(story: Told) -> None:
    for events in story.streams:
        started = [event.data["agent"] for event in events if event.name == "agent_start"]
        ended = [event.data["agent"] for event in events if event.name == "agent_done"]
        assert sorted(started) == sorted(ended)
        labels = [event.data["label"] for event in events if event.name == "agent_start"]
        assert all("가" <= label[0] <= "힣" for label in labels)


async def test_json_and_sse_tell_the_same_things(story: Told) -> None:
    over_sse, over_json = story.replies[0::2], story.replies[1::2]
    assert {frozenset(reply) for reply in over_sse} == {frozenset(reply) for reply in over_json}
    assert {frozenset(reply["state_snapshot"]) for reply in story.replies} == {frozenset(SNAPSHOT)}


async def test_the_ledger_names_for_every_turn_who_decided_and_what_it_took(story: Told) -> None:
    assert [turn.result.reply for turn in story.turns] == [reply["reply"] for reply in story.replies]
    for turn in story.turns:
        assert {"safety_gate", "part_check", "counselor"} <= {run.agent for run in turn.agents}
        for run in turn.agents:
            if run.decided_by is DecidedBy.RULE:
                assert run.attempts == 0
                assert run.reason
            else:
                assert run.attempts >= 1
                assert run.prompt
                assert run.model
                assert run.input_digest
                assert run.latency_ms > 0
                assert run.prompt_tokens > 0
                assert run.output_tokens > 0
                assert run.cost_krw > 0
        (reply,) = (run for run in turn.agents if run.agent == "counselor")
        assert reply.first_token_ms is not None
        assert reply.first_token_ms <= reply.latency_ms
        assert turn.spent.llm_calls == sum(run.attempts for run in turn.agents)
        assert 0 <= turn.overhead_ms <= turn.total_ms


async def test_the_ledger_counts_the_calls_that_the_model_really_got(
    person: Person, model: Simulator, server: LocalServer
) -> None:
    conversation = await person.open()
    model.forget_calls()
    for line in PART_1[:4]:
        await person.say(conversation.id, line.text)
    made = sum(count for agent, count in model.calls().items() if agent in IN_THE_TURN)
    async with stored(server.database) as store:
        turns = await store.turns(conversation.id)
    assert sum(turn.spent.llm_calls for turn in turns) == made


@pytest.mark.parametrize("locale", ["ko", "en"])
async def test_who_asks_for_a_person_is_told_that_this_is_an_ai(demo: LocalServer, locale: str) -> None:
    question = {"ko": "혹시 사람이에요, AI예요?", "en": "Are you a real person or a bot?"}[locale]
    async with signed_in(demo.address) as person:
        conversation = await person.open(locale=locale)
        reply = await person.say(conversation.id, question)
    assert "AI" in reply["reply"]


async def test_the_user_ends_the_session_by_agreeing_and_only_so(demo: LocalServer) -> None:
    async with signed_in(demo.address) as person:
        conversation = await person.open()
        await person.say(conversation.id, PART_1[0].text)
        asked = await person.say(conversation.id, "오늘은 여기까지 할게요.")
        assert asked["state_snapshot"]["status"] == "active"
        assert asked["state_snapshot"]["wrap_up"] == {"stage": "proposed", "aim": "end"}
        ended = await person.say(conversation.id, "네, 그만할게요.")
    assert ended["state_snapshot"]["status"] == "completed"
    assert [hook["type"] for hook in ended["hooks"]] == ["session_completed"]
