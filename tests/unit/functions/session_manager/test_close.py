"""The closing work is done once, and holds only what the user said."""

import pytest

from functions.session_manager.close import close
from functions.session_manager.dispatch import give_up, stand_in
from shared.content.catalogue import content
from shared.contracts.tasks import JobKind
from shared.domain.counseling.due import still_due
from shared.domain.counseling.lifecycle import Work
from shared.domain.counseling.session import SessionStatus
from shared.domain.counseling.session_events import SessionClosed
from shared.domain.counseling.task import Part, SufficientReason, TaskStatus
from shared.domain.counseling.task_events import TaskCovered
from shared.domain.errors import ModelUnavailable
from shared.domain.event import apply_all
from shared.domain.ids import TaskId
from shared.engine.jobs import JobResult
from shared.locale import Locale, Register
from tests.builders.closings import AHEAD, CLOSE, SAID, WORK, closing_of, ended_room, profile_of
from tests.builders.job_room import ID, Room, payload
from tests.builders.sessions import NOW, session, slot, task

DOWN = ModelUnavailable("down")


async def test_summary_and_goals_are_kept_with_the_next_step():
    room = await ended_room()
    assert await close(room.context, payload(JobKind.CLOSE, 3)) is JobResult.DONE
    state, record = await room.session(), await closing_of(room)
    assert (state.summary_text, state.goals) == (WORK.summary, ("덜 떨기",))
    assert state.watermarks.summarized == 3
    assert (record["next_session"], record["suggested_level"]) == (AHEAD, 1)


@pytest.mark.parametrize("locale", Locale)
@pytest.mark.parametrize("register", Register)
async def test_the_prompt_holds_what_was_said_and_the_register_of_the_talk(locale, register):
    room = await ended_room(locale=locale, register_=register, user_info={"name": "민지"})
    await close(room.context, CLOSE)
    (asked,) = room.model.asked("closer")
    assert all(words in asked.messages[0].text for words in (SAID[1], "민지"))
    if locale is Locale.KO:
        assert ("반말" in asked.system) is (register is Register.CASUAL)


@pytest.mark.parametrize("turns", [3, 45])
async def test_of_a_session_that_no_summary_could_be_made_of_the_closing_reads_every_turn(turns):
    said = tuple(f"{number}번째 이야기예요. " + "그래서 " * 40 for number in range(1, turns + 1))
    room = await ended_room(said=said)
    await close(room.context, CLOSE)
    asked = room.model.asked("closer")[0].messages[0].text
    assert [text[:8] for text in said if text[:8] not in asked] == []


@pytest.mark.parametrize("job", [close, give_up])
async def test_the_closing_writes_the_completions_that_no_job_has_written(job):
    room = Room({"closer": WORK})
    events = [TaskCovered(task_id=TaskId(one), reason=SufficientReason.GATE, seq=2) for one in ("task_a", "task_b")]
    state = apply_all(session(task("task_a"), task("task_b"), task("task_c")), [*events, SessionClosed()], NOW)
    await room.open(state, SAID)
    for _ in range(2):
        await job(room.context, CLOSE)
    assert await room.records("completions") == {"2-task_a", "2-task_b"}
    assert await room.records("closings") == {"final"}
    assert await profile_of(room) is not None, "they take nothing from the profile"


@pytest.mark.parametrize("job", [close, give_up])
async def test_an_open_silent_or_missing_session_is_not_closed(job):
    missing, silent = Room({"closer": WORK}), await ended_room(said=())
    opened = await ended_room(status=SessionStatus.ACTIVE, ended_at=None)
    for room in (missing, silent, opened):
        assert await job(room.context, CLOSE) is JobResult.MOOT
        assert not room.model.requests
        assert not await room.records("closings")


async def test_a_session_erased_meanwhile_gets_nothing():
    room = await ended_room()
    room.model.meanwhile = lambda: room.store.erase(ID)
    assert await close(room.context, CLOSE) is JobResult.MOOT
    assert not await room.documents()


async def test_a_failing_model_leaves_the_work_for_later():
    room = await ended_room(DOWN)
    before = await room.essence()
    assert await close(room.context, CLOSE) is JobResult.RETRY
    assert await room.essence() == before
    assert not await room.records("closings")
    assert await profile_of(room) is None
    assert (await room.session()).budget.background_calls == 2, "the fallback was asked as well"


LONG = "".join(map(chr, range(ord("가"), ord("가") + 1200)))
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


@pytest.mark.parametrize("locale", Locale)
@pytest.mark.parametrize("register", Register)
async def test_without_a_model_the_closing_holds_what_was_given_and_says_who_made_it(locale, register):
    room = await ended_room(DOWN, ASKED, locale=locale, register=register, **GIVEN)
    assert await give_up(room.context, CLOSE) is JobResult.DONE
    record, messages = await closing_of(room), content().messages(locale, register)
    assert (record["origin"], record["suggested_level"], record["next_session"]) == ("rule", 1, "")
    gathered = [
        "이름: 민지",
        "상담 목표: 덜 떨고 싶어요",
        f"상담 경험: {messages.text('said_no')}",
        GIVEN["summary_text"],
    ]
    assert str(record["summary"]).split("\n") == [messages.text("closing_by_rule"), *gathered]
    state, profile = await room.session(), await profile_of(room)
    assert (state.summary_text, state.goals) == (record["summary"], ("덜 떨고 싶어요",))
    assert (profile.summary, profile.next_plan, profile.sessions) == (record["summary"], "", 1)
    assert (state.closing_made, room.policy.due(state), room.model.requests) == (True, (), [])


async def test_without_a_model_and_anything_given_the_closing_is_honest_and_stays_within_its_length():
    room = await ended_room(DOWN, ASKED)
    assert await give_up(room.context, CLOSE) is JobResult.DONE
    record = await closing_of(room)
    assert record["summary"] == content().messages(Locale.KO).text("closing_by_rule_without_words")
    assert record["goals"] == []
    room = await ended_room(DOWN, ASKED, **(GIVEN | {"summary_text": LONG}))
    await give_up(room.context, CLOSE)
    assert len((await room.session()).summary_text) == 1200


async def test_a_closing_that_stands_in_replaces_none():
    room = await ended_room()
    assert await close(room.context, CLOSE) is JobResult.DONE
    before = await room.documents()
    assert await stand_in(room.context, CLOSE) is JobResult.MOOT
    assert await room.documents() == before
    other = await ended_room()
    other.model.meanwhile = lambda: stand_in(other.context, CLOSE)
    assert await close(other.context, CLOSE) is JobResult.DONE
    assert (await closing_of(other))["origin"] == "model"
    assert not still_due(await other.session(), Work.CLOSE, 0)


async def test_a_closing_by_rule_is_replaced_by_none():
    room = await ended_room()
    room.model.meanwhile = lambda: give_up(room.context, CLOSE)
    assert [await close(room.context, CLOSE) for _ in range(2)] == [JobResult.MOOT] * 2
    assert (await closing_of(room))["origin"] == "rule"
    assert (await room.session()).budget.background_calls == len(room.model.requests) == 1


@pytest.mark.parametrize(("covered", "level"), [(None, 1), (NOW, 2)])
async def test_a_higher_level_is_suggested_only_after_a_covered_task_of_part_2(covered, level):
    room = await ended_room(WORK, task("p1", Part.EXPLORATION, status=TaskStatus.COMPLETED, sufficient_at=covered))
    assert await close(room.context, CLOSE) is JobResult.DONE
    assert (await closing_of(room))["suggested_level"] == level
