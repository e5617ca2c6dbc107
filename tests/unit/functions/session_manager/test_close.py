"""The closing work is done once, and holds only what the user said."""

import asyncio

import pytest

from functions.session_manager.close import GoalKept, close, next_level
from functions.session_manager.dispatch import give_up, stand_in
from shared.content.catalogue import content
from shared.contracts.tasks import JobKind
from shared.domain.counseling.due import still_due
from shared.domain.counseling.lifecycle import Work
from shared.domain.counseling.session import SessionStatus
from shared.domain.counseling.session_events import SessionClosed
from shared.domain.counseling.task import SufficientReason
from shared.domain.counseling.task_events import TaskCovered
from shared.domain.errors import ModelUnavailable
from shared.domain.event import apply_all
from shared.domain.ids import TaskId
from shared.engine.jobs import JobResult
from shared.locale import Locale, Register
from tests.fakes.answers import closing_work
from tests.fakes.background_room import ID, Room, payload
from tests.fakes.counselling import NOW, session, slot, task

SAID = ("발표가 무서워요", "덜 떨고 싶어요", "이제 그만할게요")
JOB = payload(JobKind.CLOSE, 3)
CLOSE = payload(JobKind.CLOSE, 0)
ENDED = {"status": SessionStatus.COMPLETED}
WORK = closing_work(
    suggested_level=4,
    goals=(GoalKept(goal="덜 떨기", quote="덜 떨고 싶어요"), GoalKept(goal="승진", quote="승진하고 싶어요")),
    summary="오늘 발표 앞의 두려움을 나눴어요.",
    next_session="떨리는 순간을 함께 살펴봐요.",
)


async def ended_room(answer: object, **fields: object) -> Room:
    room = Room({"closer": answer})
    await room.open(session(task(), **(ENDED | fields)), SAID)
    return room


async def test_summary_and_goals_are_kept_with_the_next_step() -> None:
    room = await ended_room(WORK)
    assert await close(room.context, JOB) is JobResult.DONE
    state = await room.session()
    assert (state.summary_text, state.goals) == (WORK.summary, ("덜 떨기",))
    assert state.watermarks.summarized == 3
    record = await room.record("closings", "final")
    assert (record["next_session"], record["suggested_level"]) == (WORK.next_session, 2)


async def test_the_closing_is_asked_for_in_the_register_of_the_talk() -> None:
    prompts = {}
    for register in Register:
        room = await ended_room(WORK, register_=register)
        await close(room.context, JOB)
        (request,) = room.model.requests
        prompts[register] = request.system
    assert "반말" in prompts[Register.CASUAL]
    assert "반말" not in prompts[Register.FORMAL]


@pytest.mark.parametrize("locale", Locale)
async def test_the_prompt_holds_what_was_said(locale: Locale) -> None:
    room = await ended_room(WORK, locale=locale, user_info={"name": "민지"})
    await close(room.context, JOB)
    asked = room.model.asked("closer")[0].messages[0].text
    assert SAID[1] in asked
    assert "민지" in asked


async def test_deliveries_at_once_and_again_close_once() -> None:
    room = await ended_room([WORK, *[WORK.model_copy(update={"summary": "다른 글"})] * 3])
    results = await asyncio.gather(*(close(room.context, JOB) for _ in range(3)))
    assert results.count(JobResult.DONE) == 1
    before = await room.documents()
    assert await close(room.context, payload(JobKind.CLOSE, 2)) is JobResult.MOOT
    assert await room.documents() == before


@pytest.mark.parametrize("job", [close, give_up])
async def test_the_closing_writes_the_completions_that_no_job_has_written(job) -> None:
    room = Room({"closer": WORK})
    events = [TaskCovered(task_id=TaskId(one), reason=SufficientReason.GATE, seq=2) for one in ("task_a", "task_b")]
    state = apply_all(session(task("task_a"), task("task_b"), task("task_c")), [*events, SessionClosed()], NOW)
    await room.open(state, SAID)
    for _ in range(2):
        await job(room.context, CLOSE)
    assert await room.records("completions") == {"2-task_a", "2-task_b"}
    assert await room.records("closings") == {"final"}


async def test_an_open_silent_or_missing_session_is_not_closed() -> None:
    room = Room({"closer": WORK})
    assert await close(room.context, JOB) is JobResult.MOOT
    await room.open(session(task(), **ENDED))
    assert await close(room.context, JOB) is JobResult.MOOT
    opened = await ended_room(WORK, status=SessionStatus.ACTIVE)
    assert await close(opened.context, JOB) is JobResult.MOOT
    assert not room.model.requests
    assert not opened.model.requests


async def test_a_session_erased_meanwhile_gets_nothing() -> None:
    room = await ended_room(WORK)
    room.model.meanwhile = lambda: room.store.erase(ID)
    assert await close(room.context, JOB) is JobResult.MOOT
    assert not await room.documents()


async def test_a_failing_model_leaves_the_work_for_later() -> None:
    room = await ended_room(ModelUnavailable("down"))
    before = await room.essence()
    assert await close(room.context, JOB) is JobResult.RETRY
    assert await room.essence() == before
    assert not await room.records("closings")
    assert (await room.session()).budget.background_calls == 2, "the fallback was asked as well"


GIVEN = {
    "user_info": {"name": "민지", "session_goal": "덜 떨고 싶어요", "prior_counseling": False, "unknown": "x"},
    "summary_text": "발표가 무섭다고 했다.",
}
ASKED = task(
    required_slots=(
        slot("name", kind="name", label="이름"),
        slot("session_goal", label="상담 목표"),
        slot("prior_counseling", kind="boolean", label="상담 경험"),
    )
)


async def given_up_room(**fields: object) -> Room:
    room = Room({"closer": ModelUnavailable("down")})
    await room.open(session(ASKED, **(ENDED | fields)), SAID)
    return room


async def test_without_a_model_the_closing_holds_what_was_given_and_says_who_made_it(subtests: pytest.Subtests) -> None:
    for locale in Locale:
        for register in Register:
            with subtests.test(locale=locale, register=register):
                room = await given_up_room(locale=locale, register=register, **GIVEN)
                assert await give_up(room.context, CLOSE) is JobResult.DONE
                record = await room.record("closings", "final")
                assert (record["origin"], record["suggested_level"], record["next_session"]) == ("rule", 1, "")
                opening, *gathered = str(record["summary"]).split("\n")
                assert opening == content().messages(locale, register).text("closing_by_rule")
                no = content().messages(locale, register).text("said_no")
                assert gathered == [
                    "이름: 민지",
                    "상담 목표: 덜 떨고 싶어요",
                    f"상담 경험: {no}",
                    "발표가 무섭다고 했다.",
                ]
                state = await room.session()
                assert (state.summary_text, state.goals, state.closing_made) == (
                    record["summary"],
                    ("덜 떨고 싶어요",),
                    True,
                )
                assert room.policy.due(state) == ()
                assert not room.model.requests


async def test_without_anything_given_the_closing_is_honest_all_the_same() -> None:
    room = await given_up_room()
    assert await give_up(room.context, CLOSE) is JobResult.DONE
    record = await room.record("closings", "final")
    assert record["summary"] == content().messages(Locale.KO).text("closing_by_rule_without_words")
    assert record["goals"] == []


async def test_a_closing_by_rule_stays_within_its_length() -> None:
    room = await given_up_room(**(GIVEN | {"summary_text": "가" * 1200}))
    await give_up(room.context, CLOSE)
    assert len((await room.session()).summary_text) == 1200


@pytest.mark.parametrize("turns", [3, 45])
async def test_of_a_session_that_no_summary_could_be_made_of_the_closing_reads_every_turn(turns: int) -> None:
    said = tuple(f"{number}번째 이야기예요. " + "그래서 " * 40 for number in range(1, turns + 1))
    room = Room({"closer": WORK})
    await room.open(session(task(), **ENDED), said)
    await close(room.context, CLOSE)
    asked = room.model.asked("closer")[0].messages[0].text
    assert [text[:8] for text in said if text[:8] not in asked] == []


async def test_a_closing_that_stands_in_replaces_none() -> None:
    room = await ended_room(WORK)
    assert await close(room.context, CLOSE) is JobResult.DONE
    before = await room.documents()
    assert await stand_in(room.context, CLOSE) is JobResult.MOOT
    assert await room.documents() == before
    other = await ended_room(WORK)
    other.model.meanwhile = lambda: stand_in(other.context, CLOSE)
    assert await close(other.context, CLOSE) is JobResult.DONE
    assert (await other.record("closings", "final") or {})["origin"] == "model"
    assert not still_due(await other.session(), Work.CLOSE, 0)


async def test_a_closing_by_rule_replaces_none_and_is_replaced_by_none() -> None:
    room = await ended_room(WORK)
    room.model.meanwhile = lambda: give_up(room.context, CLOSE)
    assert await close(room.context, CLOSE) is JobResult.MOOT
    assert await close(room.context, CLOSE) is JobResult.MOOT
    assert (await room.record("closings", "final") or {})["origin"] == "rule"
    assert (await room.session()).budget.background_calls == len(room.model.requests) == 1
    other = await ended_room(WORK)
    assert await close(other.context, CLOSE) is JobResult.DONE
    before = await other.documents()
    assert await give_up(other.context, CLOSE) is JobResult.MOOT
    assert await other.documents() == before
    assert (await other.record("closings", "final") or {})["origin"] == "model"


async def test_an_open_silent_or_missing_session_is_not_closed_by_rule_either() -> None:
    room = Room()
    assert await give_up(room.context, CLOSE) is JobResult.MOOT
    await room.open(session(task(), **ENDED))
    assert await give_up(room.context, CLOSE) is JobResult.MOOT
    opened = await given_up_room(status=SessionStatus.ACTIVE)
    assert await give_up(opened.context, CLOSE) is JobResult.MOOT
    assert not await opened.records("closings")


def test_a_level_moves_one_step_at_most() -> None:
    assert {
        (present, suggested, level): got
        for present, suggested, level in ((1, 5, 2), (3, 1, 2), (5, 5, 5), (1, 1, 1), (2, 2, 2))
        if (got := next_level(present, suggested)) != level
    } == {}
