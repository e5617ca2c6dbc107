"""Summaries keep what must be kept, in bounds."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from functions.session_manager.dispatch import give_up
from functions.session_manager.summarize import DIALOGUE_CHARACTERS, MOST_TURNS, Summary, summarize
from shared.contracts.chat import MAX_TEXT
from shared.contracts.tasks import JobKind
from shared.domain.conversation import MOST_RECENT_MESSAGES, Message, Role, remember
from shared.domain.counseling.background_events import Summarized
from shared.domain.counseling.due import heard_upto, still_due
from shared.domain.counseling.lifecycle import SUMMARIZE_EVERY, Work, due_work
from shared.domain.counseling.session import SessionStatus, Watermarks
from shared.domain.counseling.sources import SourcedText
from shared.domain.slots import SlotKind
from shared.engine.jobs import JobResult
from shared.engine.memory import LONGEST_SUMMARY, dialogue
from shared.locale import Locale
from shared.observability.events import LogEvent
from shared.observability.log_event import entry_of
from tests.builders.answers import resting_on, summary_resting_on
from tests.builders.job_room import ID, Room, payload
from tests.builders.sessions import session, slot, task

SAID = ("민지라고 불러 주세요", "3월 2일에 헤어졌어요", "잠을 못 자요", "네", "그랬죠", "다시 시작하고 싶어요")
BEFORE = {"summary_text": "앞선 요약."}
ASKED = task(
    required_slots=(slot("name", kind=SlotKind.NAME, label="이름"),), optional_slots=(slot("before", label="Before"),)
)


def stories(number):
    return tuple(f"{each}번째 이야기예요" for each in range(1, number + 1))


async def room_with(*summaries, said=SAID, **fields):
    """A session of a user whose name is known; the summarizer's answers come in turn, the last one again and again."""
    quote = "번째 이야기예요" if "번째" in said[-1] else said[0]
    texts = [summary_resting_on(quote, one, len(said)) if isinstance(one, str) else one for one in summaries]
    room = Room({"summarizer": texts if len(texts) > 1 else texts[0]})
    await room.open(session(ASKED, **({"user_info": {"name": "민지"}} | fields)), said)
    return room


async def summed_up(room, seq=6, work=summarize):
    return await work(room.context, payload(JobKind.SUMMARIZE, seq))


async def memory(room):
    state = await room.session()
    return state.summary_text, state.watermarks.summarized


def heard(room):
    """Return all that summaries were asked about."""
    return "\n".join(request.messages[0].text for request in room.model.asked("summarizer"))


async def test_the_turns_since_the_last_summary_are_folded_in():
    room = await room_with("민지. “3월 2일에 헤어졌”다고 했다.", **BEFORE)
    assert await summed_up(room) is JobResult.DONE
    assert await memory(room) == ("민지. “3월 2일에 헤어졌”다고 했다.", 6)
    assert [text for text in ("앞선 요약.", *SAID) if text not in heard(room)] == []


@pytest.mark.parametrize(("locale", "no"), [(Locale.KO, "아니요"), (Locale.EN, "no")])
async def test_only_what_is_new_is_read_and_a_yes_or_no_is_told_in_words(locale, no):
    said, known = (*SAID, *(f"새 이야기 {number}" for number in range(6))), {"name": "민지", "before": False}
    room = await room_with("민지.", said=said, watermarks=Watermarks(summarized=6), locale=locale, user_info=known)
    assert await summed_up(room, 12) is JobResult.DONE
    assert [text in heard(room) for text in ("새 이야기 0", f"- Before: {no}", SAID[5], "False")] == [True] * 2 + [
        False
    ] * 2


KEPT = (
    SourcedText(text="3월에 헤어졌다.", seq=1, quote="3월 2일에 헤어졌어요"),
    SourcedText(text="죽고 싶었다고 했다.", seq=2, quote="죽고 싶었어요"),
)
LATER = ("네", "그랬죠", "동생이 도와줘요", "잠은 좀 자요", "네", "그래요")


async def summed_up_again(*sentences, kept=KEPT, **fields):
    """Sum up turns 7 to 12, the model repeating itself; return the room and the new summary's sentences."""
    before = {"summary_text": " ".join(one.text for one in kept), "summary_sources": kept}
    answer = Summary(sentences=tuple(one for each in sentences for one in each))
    fields = {"watermarks": Watermarks(summarized=6), **before, **fields}
    room = await room_with(answer, answer, said=(*("…",) * 6, *LATER), **fields)
    assert await summed_up(room, 12) is JobResult.DONE
    return room, [(one.text, one.seq, one.quote) for one in (await room.session()).summary_sources]


async def test_earlier_sentences_keep_their_sources_when_the_model_repeats_them():
    new = resting_on("동생이 도와줘요", "동생이 돕는다.", 9)
    room, found = await summed_up_again(
        resting_on("", KEPT[0].text, 0), resting_on("죽고 싶었어요", "그때 죽고 싶었다.", 2), new
    )
    assert found == [
        ("3월에 헤어졌다.", 1, "3월 2일에 헤어졌어요"),
        ("그때 죽고 싶었다.", 2, "죽고 싶었어요"),
        ("동생이 돕는다.", 9, "동생이 도와줘요"),
    ]
    assert len(room.model.asked("summarizer")) == 2, "a quote is missing"
    _, found = await summed_up_again(resting_on("하지 않은 말이에요", "지어낸 말이다.", 9))
    assert [text for text, *_ in found] == [one.text for one in KEPT], "what was known is not lost for nothing"


@pytest.mark.parametrize(
    ("seq", "quote", "found"),
    [(9, "동생이 도와줘요", 9), (8, "동생이 도와줘요", 9), (9, "동생이 싫어요", None), (7, "네", None), (9, "", None)],
)
async def test_a_sentence_needs_the_users_words_in_the_turn_that_it_names_or_in_another(seq, quote, found):
    _, sources = await summed_up_again(resting_on("", KEPT[0].text, 0), resting_on(quote, "동생이 돕는다.", seq))
    assert [turn for text, turn, _ in sources if text == "동생이 돕는다."] == ([found] if found else [])


async def test_a_sentence_of_an_older_summary_without_sources_may_stay():
    fields = {"summary_text": "앞선 요약.", "summary_sources": ()}
    room, _ = await summed_up_again(resting_on("", "앞선 요약.", 0), resting_on("잠은 좀", "잠은 잔다.", 10), **fields)
    assert (await room.session()).summary_text == "앞선 요약. 잠은 잔다."


async def test_over_its_length_it_is_asked_for_again_and_then_loses_the_oldest_sentences_but_none_about_a_danger():
    long = [resting_on("동생이 도와줘요", f"{number}: " + "가" * 95 + ".", 9) for number in range(15)]
    room, found = await summed_up_again(
        resting_on("", KEPT[0].text, 0), resting_on("", KEPT[1].text, 0), *long, danger_turns=(2,)
    )
    assert [text[:3] for text, *_ in found] == [KEPT[1].text[:3], *(f"{number}: "[:3] for number in range(4, 15))]
    assert len((await room.session()).summary_text) <= LONGEST_SUMMARY
    asked = room.model.asked("summarizer")
    assert len(asked) == 2
    assert str(LONGEST_SUMMARY) in asked[1].messages[-1].text


async def test_an_empty_summary_is_asked_again_and_never_stored():
    room = await room_with(" ", "", **BEFORE)
    assert await summed_up(room) is JobResult.RETRY
    assert (await room.session()).summary_text == "앞선 요약."
    assert (await room.session()).budget.background_calls == len(room.model.requests) == 2


async def test_an_older_task_does_not_undo_a_newer_summary():
    room = await room_with("민지, 새 요약.", "민지, 옛 요약.", said=(*SAID, "하나 더"))
    assert [await summed_up(room, seq) for seq in (7, 6)] == [JobResult.DONE, JobResult.MOOT]
    assert (await room.session()).summary_text.startswith("민지, 새 요약.")


async def test_of_turns_that_no_model_can_sum_up_the_summary_stays_as_it_is_after_the_last_attempt():
    room = await room_with("", summary_text=KEPT[0].text, summary_sources=KEPT[:1])
    assert await summed_up(room, work=give_up) is JobResult.DONE
    assert await memory(room) == (KEPT[0].text, 6)
    assert (await room.session()).summary_sources == KEPT[:1]
    assert await room.records("failures") == {"summarize-6"}
    assert not [due for due in room.policy.due(await room.session()) if due.kind is JobKind.SUMMARIZE]
    for work in (summarize, give_up):
        assert await summed_up(room, work=work) is JobResult.MOOT
    assert not room.model.requests


async def test_giving_up_one_summary_leaves_the_turns_of_the_next_one_due():
    room = await room_with("", said=stories(60))
    assert await summed_up(room, 60, give_up) is JobResult.DONE
    state = await room.session()
    assert state.watermarks.summarized == MOST_TURNS
    assert JobKind.SUMMARIZE in {due.kind for due in room.policy.due(state)}


@pytest.mark.parametrize("turns", [12, 36, 60, 90])
async def test_after_summaries_have_failed_for_a_while_no_turn_is_left_out(turns):
    room = await room_with("민지.", said=stories(turns))
    assert await summed_up(room, turns) is JobResult.DONE
    assert (await room.session()).watermarks.summarized == turns
    assert [text for text in stories(turns) if f": {text}\n" not in heard(room)] == []


async def test_long_messages_are_folded_in_whole_and_none_is_left_out():
    said = tuple(f"{number}:" + "가" * (MAX_TEXT - 4) + "끝" for number in range(12))
    room = await room_with("민지.", said=said)
    assert await summed_up(room, 12) is JobResult.DONE
    left = 12 - (await room.session()).watermarks.summarized
    assert left < SUMMARIZE_EVERY
    assert [text[:9] for text in said[: 12 - left] if text not in heard(room)] == []
    assert all(len(request.messages[0].text) < DIALOGUE_CHARACTERS * 1.1 for request in room.model.requests)


async def test_a_summary_that_fails_while_catching_up_loses_nothing():
    room = await room_with("민지.", "", "", said=stories(60))
    assert await summed_up(room, 60) is JobResult.RETRY
    assert (await room.session()).watermarks.summarized == MOST_TURNS
    room.model.scripts["summarizer"] = summary_resting_on("번째 이야기예요", "민지.", 60)
    assert await summed_up(room, 60) is JobResult.DONE
    assert (await room.session()).watermarks.summarized == 60
    assert [text for text in stories(60) if f": {text}\n" not in heard(room)] == []


@settings(max_examples=25, deadline=None)
@given(st.lists(st.booleans(), min_size=30, max_size=30))
@example([True] * 30)
def test_every_message_is_in_the_window_or_was_read_by_a_summary_though_none_can_be_made_for_thirty_turns(fails):
    """Turn for turn: the summary runs when it is due, one turn late at worst, and fails in some turns."""
    state, read = session(), 0
    for seq, failing in enumerate(fails, start=1):
        assert set(range(read + 1, seq)) <= {message.seq for message in state.recent}
        told = "".join(message.text for message in dialogue(state, "네"))
        assert [message.seq for message in state.recent if f"[{message.seq}]" not in told] == []
        user = Message(seq=seq, role=Role.USER, text=f"[{seq}]" + "네" * 400, created_at=state.created_at)
        state = remember(state, user, user.model_copy(update={"role": Role.COUNSELOR}))
        if Work.SUMMARIZE in due_work(state) and not failing:
            assert still_due(state, Work.SUMMARIZE, seq)
            read = heard_upto(state, seq)
            state = Summarized(summary="요약.", upto=read).apply(state, state.created_at)
            assert len(state.recent) <= MOST_RECENT_MESSAGES


async def test_what_was_left_out_of_it_is_counted_in_the_log(caplog):
    caplog.set_level("INFO")
    answer = Summary(sentences=(*resting_on(SAID[0], "민지."), *resting_on("하지 않은 말", "지어낸 말이다.")))
    await summed_up(await room_with(answer, answer))
    (entry,) = (one for one in map(entry_of, caplog.records) if one and one.event is LogEvent.SUMMARY)
    counted = {"seq": 6, "unsourced": 1, "instructive": 0, "cut": 0}
    assert {key: entry.fields[key] for key in counted} == counted


async def test_ended_and_erased_sessions_get_nothing():
    assert await summed_up(await room_with("민지.", status=SessionStatus.COMPLETED)) is JobResult.MOOT
    erased = await room_with("민지.")
    erased.model.meanwhile = lambda: erased.store.erase(ID)
    assert await summed_up(erased) is JobResult.MOOT
    assert not await erased.documents()
