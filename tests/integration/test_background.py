"""Background work happens, once in effect, whatever dies meanwhile (reliability.md, promises 5 and 6)."""

import asyncio
from collections.abc import Sequence

from shared.domain.counseling.session import PlanStatus, Session
from tests.fakes.answers import SUPERVISOR, filled
from tests.support.chat_client import Person, signed_in
from tests.support.first_session import PART_1, PART_2, Line, coach
from tests.support.local_server import LocalServer
from tests.support.polling import eventually
from tests.support.simulator import Simulator
from tests.support.stored import Stored, stored

PART_2_TASKS = range(3, 7)
"""domain.md, "1 → 2": three to six."""


async def test_three_messages_are_supervised_once(person: Person, model: Simulator, store: Stored) -> None:
    conversation = await person.open()
    await _talk(person, model, conversation.id, PART_1[:3])
    session = await _supervised(store, conversation.id, 3)
    assert [entry.seq for entry in session.supervision_log] == [3]
    (record,) = await store.documents(conversation.id, "supervision")
    assert record.path.endswith("/supervision/3")
    scores = record.data["scores"]
    assert isinstance(scores, dict)
    assert len(scores) == 8
    assert model.calls()["Judgement"] == 1


async def test_the_tasks_that_turns_completed_are_written_down_by_the_jobs_and_the_rest_by_the_closing(
    person: Person, model: Simulator, store: Stored
) -> None:
    conversation = await person.open()
    await _talk(person, model, conversation.id, PART_1[:3])
    session = await _supervised(store, conversation.id, 3)
    assert session.watermarks.completions == 3
    assert await _completions(store, conversation.id) == ["1-task_welcome_1", "3-task_info_1"]

    await _talk(person, model, conversation.id, PART_1[3:4])
    assert await _completions(store, conversation.id) == ["1-task_welcome_1", "3-task_info_1"]
    await person.http.post(f"/api/conversations/{conversation.id}/end")

    async def closed() -> bool:
        return (await store.session(conversation.id)).closing_made

    await eventually(closed, what="the closing work")
    (_, _, last) = await store.documents(conversation.id, "completions")
    assert last.path.endswith("/4-task_rapport_1")
    assert (last.data["reason"], last.data["evidence"]) == ("judged", PART_1[3].complete)


async def test_what_the_supervisor_wants_mended_reaches_the_next_reply_and_its_praise_does_not(
    person: Person, model: Simulator, store: Stored
) -> None:
    conversation = await person.open()
    scores = dict.fromkeys(
        (
            "empathy",
            "appropriate_questions",
            "non_judgement",
            "advice_timing",
            "register",
            "task_adherence",
            "information_stage",
            "length",
        ),
        4,
    )
    judgement = filled(SUPERVISOR, scores=scores, improvements=["한 번에 하나만 물으세요"], strengths=["따뜻한 말투"])
    await _talk(person, model, conversation.id, PART_1[:2])
    model.script({"TaskCompletion": [PART_1[2].finding()], "Judgement": [judgement]})
    await person.say(conversation.id, PART_1[2].text)
    await _supervised(store, conversation.id, 3)
    await person.say(conversation.id, PART_1[3].text)

    asked = [call["request"] for call in model.recent_calls() if call["agent"] == "Counselor"][-1]
    system = str(asked["systemInstruction"])
    assert "한 번에 하나만 물으세요" in system
    assert "따뜻한 말투" not in system


async def test_five_messages_are_reviewed_and_six_are_summarised(
    person: Person, model: Simulator, store: Stored
) -> None:
    conversation = await person.open()
    await _talk(person, model, conversation.id, PART_1[:6])

    async def done() -> Session | None:
        session = await store.session(conversation.id)
        marks = session.watermarks
        return session if marks.reviewed and marks.summarized and marks.supervised >= 3 else None

    session = await eventually(done, what="review and summary")
    assert session.watermarks.reviewed in {5, 6}
    assert session.summary_text
    assert "지우" in session.summary_text, "a summary keeps the name"
    (review,) = await store.documents(conversation.id, "reviews")
    assert review.data["recommendation"] in {"continue", "wrap_up", "complete"}


async def test_when_part_1_is_covered_part_2_is_planned(person: Person, model: Simulator, store: Stored) -> None:
    conversation = await person.open()
    await _talk(person, model, conversation.id, PART_1)
    session = await _planned(store, conversation.id)
    assert session.part2_goal
    part2 = [task for task in session.tasks if task.part == 2]
    assert len(part2) in PART_2_TASKS
    assert all(task.status == "completed" for task in session.tasks if task.part == 1)
    assert [
        document.path.rpartition("/")[2] for document in await store.documents(conversation.id, "part_transitions")
    ] == ["1-2"]
    reply = await person.say(conversation.id, PART_2[0].text)
    assert reply["state_snapshot"]["part"] == 2
    assert reply["state_snapshot"]["task"]["id"] in {task.id for task in part2}


async def test_while_the_plan_is_made_the_person_can_go_on_talking(
    person: Person, model: Simulator, store: Stored
) -> None:
    conversation = await person.open()
    model.fault("hang", "PlanProposal")
    model.fault("hang", "PersonaGuess")
    await _talk(person, model, conversation.id, PART_1)
    reply = await person.say(conversation.id, "네, 그런 것 같아요. 잠을 푹 자고 싶어요.")
    assert reply["reply"]
    assert (reply["flags"], reply["state_snapshot"]["plan_status"]) == ([], "planning")
    assert reply["state_snapshot"]["part"] == 1
    newest = (await store.turns(conversation.id))[-1]
    assert newest.directive is not None
    assert newest.directive["stance"] == "bridge"


async def test_a_planner_that_gets_no_sense_from_the_model_takes_the_template(
    person: Person, model: Simulator, store: Stored
) -> None:
    conversation = await person.open()
    model.fault("not_json", "PlanProposal")
    await _talk(person, model, conversation.id, PART_1)
    session = await _planned(store, conversation.id)
    part2 = [task for task in session.tasks if task.part == 2]
    assert len(part2) in PART_2_TASKS
    assert {task.origin for task in part2} == {"template"}


async def test_a_supervision_that_kill_9_cut_is_done_by_the_next_server(mortal: LocalServer, model: Simulator) -> None:
    async with signed_in(mortal.address) as person:
        conversation = await person.open()
        model.fault("hang", "Judgement")
        await _talk(person, model, conversation.id, PART_1[:3])
        await _called(model, "Judgement")
    await asyncio.to_thread(mortal.kill)
    model.heal()
    await mortal.restart()
    async with stored(mortal.database) as store:
        await _supervised(store, conversation.id, 3)
        assert len(await store.documents(conversation.id, "supervision")) == 1


async def test_a_plan_that_kill_9_cut_is_made_by_the_next_server_once(mortal: LocalServer, model: Simulator) -> None:
    async with signed_in(mortal.address) as person:
        conversation = await person.open()
        model.fault("hang", "PlanProposal")
        await _talk(person, model, conversation.id, PART_1)
        await _called(model, "PlanProposal")
    await asyncio.to_thread(mortal.kill)
    model.heal()
    await mortal.restart()
    async with stored(mortal.database) as store:
        session = await _planned(store, conversation.id)
        assert len({task.id for task in session.tasks}) == len(session.tasks)
    async with signed_in(mortal.address, person.uid) as again:
        reply = await again.say(conversation.id, PART_2[0].text)
    assert reply["state_snapshot"]["part"] == 2


async def test_a_supervisor_that_fails_at_first_is_tried_again(person: Person, model: Simulator, store: Stored) -> None:
    conversation = await person.open()
    model.fault("bad_request", "Judgement", times=2)
    await _talk(person, model, conversation.id, PART_1[:3])
    await _supervised(store, conversation.id, 3)
    assert model.calls()["Judgement"] == 3


async def test_a_session_that_its_user_ended_gets_its_closing_work(
    person: Person, model: Simulator, store: Stored
) -> None:
    conversation = await person.open()
    await _talk(person, model, conversation.id, PART_1[:3])
    for _ in range(2):
        assert (await person.http.post(f"/api/conversations/{conversation.id}/end")).status_code == 200

    async def closed() -> bool:
        return bool(await store.documents(conversation.id, "closings"))

    await eventually(closed, what="the closing work")
    assert (await person.http.post(f"/api/conversations/{conversation.id}/end")).status_code == 200
    session = await store.session(conversation.id)
    assert (session.status, session.closing_made) == ("completed", True)
    assert model.calls()["ClosingWork"] == 1


async def test_turns_that_outrun_the_supervisor_ask_it_once_a_period(mortal: LocalServer, model: Simulator) -> None:
    async with signed_in(mortal.address) as person:
        conversation = await person.open()
        model.fault("hang", "Judgement")
        await _talk(person, model, conversation.id, PART_1[:3])
        await _called(model, "Judgement")
        await _talk(person, model, conversation.id, PART_1[3:5])
        await _called(model, "SessionReview")
    assert model.calls()["Judgement"] == 1


async def _talk(person: Person, model: Simulator, conversation_id: str, lines: Sequence[Line]) -> None:
    for line in lines:
        coach(model, line)
        await person.say(conversation_id, line.text)
    model.script({})


async def _completions(store: Stored, conversation_id: str) -> list[str]:
    found = await store.documents(conversation_id, "completions")
    return [document.path.rpartition("/")[2] for document in found]


async def _supervised(store: Stored, conversation_id: str, upto: int) -> Session:
    async def marked() -> Session | None:
        session = await store.session(conversation_id)
        return session if session.watermarks.supervised >= upto else None

    return await eventually(marked, what="the supervision")


async def _planned(store: Stored, conversation_id: str) -> Session:
    async def ready() -> Session | None:
        session = await store.session(conversation_id)
        return session if session.plan_status is PlanStatus.READY else None

    session = await eventually(ready, what="the plan")
    assert session.current_part == 2
    return session


async def _called(model: Simulator, agent: str) -> None:
    async def begun() -> bool:
        return agent in model.calls()

    await eventually(begun, what=f"a call of {agent}")
