"""Background work is done once in effect, even if a server dies meanwhile (reliability.md, promises 5 and 6)."""

import asyncio

from shared.domain.counseling.session import PlanStatus
from tests.builders.answers import SUPERVISOR, filled, scores
from tests.builders.first_session import PART_1, PART_2
from tests.support.chat_client import signed_in
from tests.support.moments import calls_begun
from tests.support.polling import eventually
from tests.support.stored import stored


async def talk(person, model, conversation, lines):
    for line in lines:
        await person.say(conversation.id, line.client)
    model.script({})


async def reached(store, conversation, what, holds):
    """Return the session once a condition is true of it."""

    async def looked():
        session = await store.session(conversation.id)
        return session if holds(session) else None

    return await eventually(looked, what=what)


async def supervised(store, conversation):
    return await reached(store, conversation, "the supervision", lambda session: session.watermarks.supervised >= 3)


async def planned(store, conversation):
    session = await reached(store, conversation, "the plan", lambda session: session.plan_status is PlanStatus.READY)
    assert session.current_part == 2
    part2 = [task for task in session.tasks if task.part == 2]
    assert 3 <= len(part2) <= 6
    assert len({task.id for task in session.tasks}) == len(session.tasks)
    return session, part2


async def named(store, conversation, collection):
    return [document.path.rpartition("/")[2] for document in await store.documents(conversation.id, collection)]


async def test_three_messages_are_supervised_once(person, model, store):
    """The queue retries failed attempts; the job also records the tasks covered so far."""
    conversation = await person.open()
    model.fault("bad_request", "Judgement", times=2)
    await talk(person, model, conversation, PART_1[:3])
    session = await supervised(store, conversation)
    assert [entry.seq for entry in session.supervision_log] == [3]
    (record,) = await store.documents(conversation.id, "supervision")
    assert record.path.endswith("/supervision/3")
    assert len(record.data["scores"]) == len(scores(4))
    assert model.calls()["Judgement"] == 3, "two that failed, and one"
    assert session.watermarks.completions == 3
    assert await named(store, conversation, "completions") == ["1-task_welcome_1", "3-task_info_1"]


async def test_a_session_ended_by_its_user_gets_one_closing(person, model, store):
    """A repeated end makes no second closing; the job records the tasks that no other job has recorded."""
    conversation = await person.open()
    await talk(person, model, conversation, PART_1[:3])
    await supervised(store, conversation)
    await talk(person, model, conversation, PART_1[3:5])
    assert await named(store, conversation, "completions") == ["1-task_welcome_1", "3-task_info_1"]
    ends = [await person.http.post(f"/api/conversations/{conversation.id}/end") for _ in range(2)]
    session = await reached(store, conversation, "the closing work", lambda session: session.closing_made)
    ends.append(await person.http.post(f"/api/conversations/{conversation.id}/end"))
    assert [end.status_code for end in ends] == [200] * 3
    assert session.status == "completed"
    assert len(await store.documents(conversation.id, "closings")) == 1
    (_, _, last) = await store.documents(conversation.id, "completions")
    assert last.path.endswith("/5-task_process_1")
    assert last.data["reason"] == "gate"


async def test_the_supervisors_improvements_reach_the_next_prompt_and_its_strengths_do_not(person, model, store):
    conversation = await person.open()
    judgement = filled(
        SUPERVISOR, scores=scores(4), improvements=["한 번에 하나만 물으세요"], strengths=["따뜻한 말투"]
    )
    await talk(person, model, conversation, PART_1[:2])
    model.script({"Judgement": [judgement]})
    await person.say(conversation.id, PART_1[2].client)
    await supervised(store, conversation)
    await person.say(conversation.id, PART_1[3].client)
    asked = [call["request"] for call in model.recent_calls() if call["agent"] == "Counselor"][-1]
    system = str(asked["systemInstruction"])
    assert "한 번에 하나만 물으세요" in system
    assert "따뜻한 말투" not in system


async def test_a_session_is_reviewed_after_five_messages_and_summarised_after_six(person, model, store):
    conversation = await person.open()
    await talk(person, model, conversation, PART_1[:6])

    def done(session):
        return session.watermarks.reviewed and session.watermarks.summarized and session.watermarks.supervised >= 3

    session = await reached(store, conversation, "review and summary", done)
    assert session.watermarks.reviewed in {5, 6}
    assert "지우" in session.summary_text, "a summary keeps the name"
    (review,) = await store.documents(conversation.id, "reviews")
    assert review.data["recommendation"] in {"continue", "wrap_up", "complete"}


async def test_when_part_1_is_covered_part_2_is_planned(person, model, store):
    conversation = await person.open()
    await talk(person, model, conversation, PART_1)
    session, part2 = await planned(store, conversation)
    assert session.part2_goal
    assert all(task.status == "completed" for task in session.tasks if task.part == 1)
    assert await named(store, conversation, "part_transitions") == ["1-2"]
    state = (await person.say(conversation.id, PART_2[0].client))["state_snapshot"]
    assert (state["part"], state["task"]["id"] in {task.id for task in part2}) == (2, True)


async def test_the_user_gets_replies_while_the_plan_is_made(person, model, store):
    conversation = await person.open()
    model.fault("hang", "PlanProposal")
    model.fault("hang", "PersonaGuess")
    await talk(person, model, conversation, PART_1)
    reply = await person.say(conversation.id, "네, 그런 것 같아요. 잠을 푹 자고 싶어요.")
    assert reply["reply"]
    state = reply["state_snapshot"]
    assert (reply["flags"], state["plan_status"], state["part"]) == ([], "planning", 1)
    assert (await store.turns(conversation.id))[-1].directive["stance"] == "bridge"


async def test_a_supervision_and_a_plan_interrupted_by_sigkill_are_made_once_by_the_next_server(own_server, model):
    async with signed_in(own_server.address) as person:
        judged, conversation = await person.open(), await person.open()
        model.fault("hang", "Judgement")
        await talk(person, model, judged, PART_1[:3])
        await calls_begun(model, "Judgement")
        model.fault("hang", "PlanProposal")
        await talk(person, model, conversation, PART_1)
        await calls_begun(model, "PlanProposal")
    await asyncio.to_thread(own_server.kill)
    model.heal()
    await own_server.restart()
    async with stored(own_server.database) as store:
        await supervised(store, judged)
        assert len(await store.documents(judged.id, "supervision")) == 1
        await planned(store, conversation)
    async with signed_in(own_server.address, person.uid) as again:
        reply = await again.say(conversation.id, PART_2[0].client)
    assert reply["state_snapshot"]["part"] == 2
