"""Summaries keep what must be kept, in bounds."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.session_manager.dispatch import give_up
from functions.session_manager.summarize import LONGEST_SUMMARY, Summary, kept, summarize
from shared.contracts.tasks import TaskKind
from shared.domain.counseling.session import SessionStatus, Watermarks
from shared.domain.errors import ModelUnavailable
from shared.domain.locale import Locale
from shared.domain.slots import SlotKind
from shared.engine.jobs import JobResult
from tests.fakes.background_room import ID, Room, payload
from tests.fakes.counselling import session, slot, task

SAID = ("민지라고 불러 주세요", "3월 2일에 헤어졌어요", "잠을 못 자요", "네", "그랬죠", "다시 시작하고 싶어요")
JOB = payload(TaskKind.SUMMARIZE, 6)
NAMED = task(required_slots=(slot("name", kind=SlotKind.NAME, label="이름"),))
KNOWN = {"user_info": {"name": "민지"}}


async def room_with(answer: object, said: tuple[str, ...] = SAID, **fields: object) -> Room:
    room = Room({"summarizer": answer})
    await room.open(session(NAMED, **(KNOWN | fields)), said)
    return room


async def test_the_turns_since_the_last_summary_are_folded_in() -> None:
    room = await room_with(Summary(summary="민지. “3월 2일에 헤어졌”다고 했다."), summary_text="앞선 요약.")
    assert await summarize(room.bench, JOB) is JobResult.DONE
    state = await room.session()
    assert state.summary_text == "민지. “3월 2일에 헤어졌”다고 했다."
    assert state.watermarks.summarized == 6
    asked = room.model.asked("summarizer")[0].messages[0].text
    assert "앞선 요약." in asked
    assert all(text in asked for text in SAID)


@pytest.mark.parametrize("locale", Locale)
async def test_only_what_is_new_is_read(locale: Locale) -> None:
    said = (*SAID, *(f"새 이야기 {number}" for number in range(6)))
    room = await room_with(Summary(summary="민지."), said, watermarks=Watermarks(summarized=6), locale=locale)
    assert await summarize(room.bench, payload(TaskKind.SUMMARIZE, 12)) is JobResult.DONE
    asked = room.model.asked("summarizer")[0].messages[0].text
    assert "새 이야기 0" in asked
    assert SAID[5] not in asked


async def test_a_forgotten_name_is_put_in_front() -> None:
    room = await room_with(Summary(summary="헤어진 뒤로 잠을 못 잔다."))
    await summarize(room.bench, JOB)
    assert (await room.session()).summary_text == "이름: 민지. 헤어진 뒤로 잠을 못 잔다."


@given(st.text(alphabet="가나다. 민지", max_size=3000), st.sampled_from([{}, {"이름": "민지"}]))
def test_a_summary_is_never_too_long_and_never_without_the_name(text: str, names: dict[str, str]) -> None:
    summary = kept(text, names)
    assert len(summary) <= LONGEST_SUMMARY
    assert all(value in summary for value in names.values())


def test_a_long_summary_is_cut_at_a_sentence() -> None:
    summary = kept("한 문장입니다. " * 300, {})
    assert summary.endswith("한 문장입니다.")


async def test_an_empty_summary_is_asked_again_and_never_stored() -> None:
    room = await room_with([Summary(summary=" "), Summary(summary="")], summary_text="앞선 요약.")
    assert await summarize(room.bench, JOB) is JobResult.RETRY
    assert (await room.session()).summary_text == "앞선 요약."
    assert (await room.session()).budget.llm_calls == len(room.model.requests) == 2


async def test_deliveries_at_once_and_in_any_order_fold_once() -> None:
    room = await room_with([Summary(summary="민지 1."), Summary(summary="민지 2."), Summary(summary="민지 3.")])
    results = await asyncio.gather(*(summarize(room.bench, JOB) for _ in range(3)))
    assert results.count(JobResult.DONE) == 1
    before = await room.documents()
    assert await summarize(room.bench, JOB) is JobResult.MOOT
    assert await room.documents() == before


async def test_an_older_task_does_not_undo_a_newer_summary() -> None:
    room = await room_with([Summary(summary="민지, 새 요약."), Summary(summary="민지, 옛 요약.")], (*SAID, "하나 더"))
    assert await summarize(room.bench, payload(TaskKind.SUMMARIZE, 7)) is JobResult.DONE
    assert await summarize(room.bench, JOB) is JobResult.MOOT
    assert (await room.session()).summary_text == "민지, 새 요약."


async def test_a_failing_model_leaves_the_summary_as_it_is() -> None:
    room = await room_with(ModelUnavailable("down"))
    before = await room.essence()
    assert await summarize(room.bench, JOB) is JobResult.RETRY
    assert await room.essence() == before
    assert (await room.session()).budget.llm_calls == 1


async def test_turns_that_no_model_can_sum_up_are_left_out_after_the_last_attempt() -> None:
    room = await room_with(Summary(summary=""), summary_text="앞선 요약.")
    assert await give_up(room.bench, JOB) is JobResult.DONE
    state = await room.session()
    assert (state.summary_text, state.watermarks.summarized) == ("앞선 요약.", 6)
    assert await room.records("failures") == {"summarize-6"}
    assert not [due for due in room.house.due(state) if due.kind is TaskKind.SUMMARIZE]
    assert await summarize(room.bench, JOB) is JobResult.MOOT
    assert await give_up(room.bench, JOB) is JobResult.MOOT
    assert not room.model.requests


async def test_ended_and_erased_sessions_get_nothing() -> None:
    room = await room_with(Summary(summary="민지."), status=SessionStatus.COMPLETED)
    assert await summarize(room.bench, JOB) is JobResult.MOOT
    erased = await room_with(Summary(summary="민지."))
    erased.model.meanwhile = lambda: erased.store.erase(ID)
    assert await summarize(erased.bench, JOB) is JobResult.MOOT
    assert not await erased.documents()
