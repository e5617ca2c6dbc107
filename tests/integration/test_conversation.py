"""`python -m local` without a key: a conversation of ten Korean messages, from the greeting into Part 2."""

from types import SimpleNamespace

import pytest
import pytest_asyncio

from tests.builders.first_session import BETWEEN, NAME, PART_1, PART_2, SLOTS, await_the_plan
from tests.support.chat_client import signed_in, spoken
from tests.support.forked import ForkedServer
from tests.support.stored import stored

TOKEN_MS = 5
SNAPSHOT = {"status", "part", "task", "module", "progress", "plan_status", "wrap_up", "risk", "asks"}
SNAPSHOT |= {"may_skip", "measures", "service", "document_id", "booking"}


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The server with its own model."""
    pace = {"CBOT_SIMULATOR_TTFT_MS": "10", "CBOT_SIMULATOR_TOKEN_MS": str(TOKEN_MS)}
    with ForkedServer(tmp_path_factory.mktemp("demo"), **pace) as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def story(demo):
    """Twelve messages, every other one over SSE, with their replies, turns and session."""
    replies, streams = [], []
    async with signed_in(demo.address) as person:
        conversation = await person.open()
        for line in (*PART_1, BETWEEN, *PART_2):
            if len(replies) % 2:
                replies.append(await person.say(conversation.id, line.client))
            else:
                streams.append(await person.hear(conversation.id, line.client))
                replies.append(streams[-1][-1].data)
            await await_the_plan(person, conversation.id, replies[-1])
        history = await person.messages(conversation.id)
    async with stored(demo.database) as store:
        turns, session = await store.turns(conversation.id), await store.session(conversation.id)
    return SimpleNamespace(
        greeting=conversation.greeting, replies=replies, streams=streams, history=history, turns=turns, session=session
    )


def test_a_conversation_of_twelve_messages_goes_through_part_1_into_part_2(story):
    parts = [reply["state_snapshot"]["part"] for reply in story.replies]
    assert len(parts) == 12
    assert (parts, parts[0], parts[-1]) == (sorted(parts), 1, 2)
    assert story.session.part2_goal
    assert {task.status.value for task in story.session.tasks if task.part == 1} == {"completed"}
    assert story.replies[-1]["state_snapshot"]["task"]["id"].startswith("task_part2")
    said = [(seq, role) for seq in range(1, 13) for role in ("user", "counselor")]
    assert [(entry["seq"], entry["role"]) for entry in story.history] == [(0, "counselor"), *said]
    texts = [entry["text"] for entry in story.history if entry["role"] == "counselor"]
    assert texts == [story.greeting, *(reply["reply"] for reply in story.replies)]


def test_all_slots_of_part_1_are_filled_and_no_filled_slot_is_asked_for_again(story):
    assert set(story.session.user_info) >= SLOTS
    assert story.session.user_info["name"] == NAME
    labels = {slot.name: slot.label for task in story.session.tasks for slot in task.slots}
    asked = [turn for turn in story.turns if turn.directive["ask"]]
    assert asked
    assert [turn.seq for turn in asked if labels[turn.directive["ask"]["slot"]] in turn.directive["known"]] == []
    assert all(NAME in str(turn.directive["known"]) for turn in story.turns if turn.seq > 2)


def test_sse_streams_a_reply_by_tokens_in_numbered_events_with_the_same_fields_as_json(story):
    spread = [events for events in story.streams if _as_they_come([one for one in events if one.name == "token"])]
    assert spread, "a reply held back until its end would come at once"
    for events in story.streams:
        last, names = events[-1].data, [event.name for event in events]
        assert [event.id for event in events] == [f"{last['seq']}.{number}" for number in range(len(events))]
        assert names.index("done") == len(events) - 1
        tokens = [event for event in events if event.name == "token"]
        assert len(tokens) > 1, "the first sentence word by word, the others one by one"
        assert spoken(events) == last["reply"]
        started, ended = ([e.data for e in events if e.name == name] for name in ("agent_start", "agent_done"))
        assert sorted(one["agent"] for one in started) == sorted(one["agent"] for one in ended)
        assert all("가" <= one["label"][0] <= "힣" for one in started)
    assert len({frozenset(reply) for reply in story.replies}) == 1
    assert {frozenset(reply["state_snapshot"]) for reply in story.replies} == {frozenset(SNAPSHOT)}


def _as_they_come(tokens):
    """Tell whether the tokens took about as long as the model takes for them."""
    return tokens[-1].at - tokens[0].at > (len(tokens) - 1) * TOKEN_MS / 1000 / 3


async def test_the_ledger_counts_every_call_that_the_model_received(person, model, store):
    conversation = await person.open()
    model.forget_calls()
    for line in PART_1[:4]:
        await person.say(conversation.id, line.client)
    counted = sum(turn.spent.llm_calls for turn in await store.turns(conversation.id))
    given_up = counted - model.turn_calls()
    assert given_up in {0, 1}, "on a slow machine a call may be given up before it is sent"


async def test_a_session_ends_only_after_the_user_agrees_to_end_it(demo):
    async with signed_in(demo.address) as person:
        conversation = await person.open()
        answered = await person.say(conversation.id, "혹시 사람이에요, AI예요?")
        assert "AI" in answered["reply"]
        asked = await person.say(conversation.id, "오늘은 여기까지 할게요.")
        assert asked["state_snapshot"]["status"] == "active"
        assert asked["state_snapshot"]["wrap_up"] == {"stage": "proposed", "aim": "end"}
        ended = await person.say(conversation.id, "네, 그만할게요.")
    assert ended["state_snapshot"]["status"] == "completed"
    assert [hook["type"] for hook in ended["hooks"]] == ["session_completed"]
