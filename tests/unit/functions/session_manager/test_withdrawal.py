"""Background work of a person who has withdrawn a consent: none is done, and none is kept."""

import pytest

from functions.session_manager.dispatch import dispatch, give_up
from functions.session_manager.summarize import Summary
from shared.contracts.tasks import JobKind
from shared.domain.consents import ConsentsGiven, ConsentsWithdrawn, given
from shared.domain.counseling.session import Session
from shared.engine.jobs import JobResult
from shared.engine.unit_of_work import update
from tests.fakes.background_room import ID, Room, payload
from tests.fakes.counselling import NOW, session, task

SAID = tuple(f"요즘 이런 일이 있었어요 ({number})" for number in range(6))
VERSIONS = {"overseas_transfer": "2026-11"}
WITHDRAWN: ConsentsWithdrawn[Session] = ConsentsWithdrawn(
    names=("overseas_transfer",), versions=VERSIONS, withdrawn_at=NOW
)
KINDS = (JobKind.SUMMARIZE, JobKind.REVIEW)


async def opened() -> Room:
    room = Room({"summarizer": Summary(summary="밤에 걱정이 많아 잠을 못 잔다.")})
    await room.open(session(task(), consents=given(VERSIONS, VERSIONS, NOW)), SAID)
    return room


async def withdraw(room: Room) -> None:
    await update(room.store, room.policy, room.clock, ID, WITHDRAWN)


async def test_no_text_goes_to_a_model_any_more(subtests: pytest.Subtests) -> None:
    for kind in KINDS:
        with subtests.test(kind=kind):
            room = await opened()
            await withdraw(room)
            before = await room.documents()
            for work in (dispatch, give_up):
                assert await work(room.context, payload(kind, 6)) is JobResult.MOOT
            assert room.model.requests == []
            assert await room.documents() == before


async def test_what_was_found_meanwhile_is_not_kept() -> None:
    room = await opened()
    room.model.meanwhile = lambda: withdraw(room)
    assert await dispatch(room.context, payload(JobKind.SUMMARIZE, 6)) is JobResult.MOOT
    state = await room.session()
    assert (state.summary_text, state.watermarks.summarized) == ("", 0)
    assert state.budget.background_calls == 1, "what the call cost is no content"


async def test_an_answer_that_does_not_fit_is_not_asked_for_again() -> None:
    room = await opened()
    room.model.scripts["summarizer"] = ["no JSON", Summary(summary="밤에 걱정이 많아 잠을 못 잔다.")]
    room.model.meanwhile = lambda: withdraw(room)
    await dispatch(room.context, payload(JobKind.SUMMARIZE, 6))
    assert len(room.model.requests) == 1
    assert (await room.session()).summary_text == ""


async def test_no_work_is_due_while_it_is_withdrawn_and_all_of_it_after_it_is_given_again() -> None:
    room = await opened()
    due = room.policy.due(await room.session())
    assert due
    await withdraw(room)
    withdrawn = await room.session()
    assert (room.policy.due(withdrawn), withdrawn.due_since) == ((), None)
    anew: ConsentsGiven[Session] = ConsentsGiven(consents=given(VERSIONS, VERSIONS, NOW))
    await update(room.store, room.policy, room.clock, ID, anew)
    assert {one.kind for one in room.policy.due(await room.session())} == {one.kind for one in due}
