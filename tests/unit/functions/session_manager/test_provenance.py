"""A closing and a stored summary name the turn and the user's words for what they say, and nothing without them."""

import pytest

from functions.session_manager.close import GoalKept, close
from functions.session_manager.dispatch import give_up
from functions.session_manager.summarize import summarize
from shared.contracts.tasks import JobKind
from shared.domain.counseling.carried import Carried
from shared.domain.counseling.sources import Source, SourcedText
from shared.engine.jobs import JobResult
from tests.builders.answers import closing_work, resting_on, summary_resting_on
from tests.builders.closings import CLOSE, WORK, closing_of, ended_room, profile_of
from tests.builders.job_room import Room, payload
from tests.builders.sessions import session, slot, task

SAID = ("발표가 무서워요", "팀장님이 세 번이나 혼냈어요", "덜 떨고 싶어요", "네")
NAMED = task(required_slots=(slot("name", kind="name", label="이름"), slot("session_goal", label="상담 목표")))


async def closed(*sentences, said=SAID, work=WORK, **fields):
    """Close a session with these sentences of the model, which it repeats if it is asked again."""
    told = tuple(one for sentence in sentences for one in sentence)
    room = await ended_room(work.model_copy(update={"sentences": told}), NAMED, said=said, **fields)
    assert await close(room.context, CLOSE) is JobResult.DONE
    return room, await closing_of(room)


TOLD = resting_on("발표가 무서워요", "발표 앞의 두려움을 나눴어요.")


async def test_the_record_names_turn_and_words_of_each_sentence_and_goal_and_so_does_the_profile():
    room, record = await closed(TOLD, resting_on("세 번이나 혼냈어요", "팀장님께 혼난 일을 말해 주셨어요.", 2))
    sources = [(one["text"], one["seq"], one["quote"]) for one in record["summary_sources"]]
    assert sources == [
        ("발표 앞의 두려움을 나눴어요.", 1, "발표가 무서워요"),
        ("팀장님께 혼난 일을 말해 주셨어요.", 2, "세 번이나 혼냈어요"),
    ]
    assert [(one["text"], one["seq"]) for one in record["goal_sources"]] == [("덜 떨기", 3)]
    profile = await profile_of(room)
    assert [one.seq for one in profile.summary_sources] == [one.seq for one in (await room.session()).summary_sources]
    assert [kept.source for kept in profile.goals] == [Source(seq=3, quote="덜 떨고 싶어요")]


async def test_a_sentence_without_the_users_words_is_asked_for_once_more_and_then_left_out():
    room, record = await closed(TOLD, resting_on("아주 편안해졌어요", "마음이 편안해지셨어요."))
    assert len(room.model.asked("closer")) == 2
    assert record["summary"] == "발표 앞의 두려움을 나눴어요."


async def test_one_quote_bears_two_sentences_and_no_story():
    story = "발표 앞의 두려움을 나눴어요. 오래 참으셨어요. 다 나으셨어요."
    room, record = await closed(resting_on("발표가 무서워요", story))
    assert len(room.model.asked("closer")) == 2
    assert record["summary"] == "발표 앞의 두려움을 나눴어요. 오래 참으셨어요."


async def test_an_outlook_needs_the_users_words_too():
    ahead = (
        *resting_on("팀장님이 세 번이나 혼냈어요", "팀장님께 혼난 자리를 더 들여다볼 수 있어요.", 2),
        *resting_on("가족 때문에 힘들어요", "가족 관계를 이어 가요."),
    )
    _, record = await closed(TOLD, work=closing_work(next_session=ahead))
    assert record["next_session"] == "팀장님께 혼난 자리를 더 들여다볼 수 있어요."


@pytest.mark.parametrize(
    "told",
    [
        "팀장님이 3번 혼내셨지요.",
        "상사에게 혼난 일이에요.",
        "힘들 때는 109에 전화할 수 있어요.",
        "그 자리가 많이 아프셨지요.",
    ],
)
async def test_a_sentence_with_the_users_words_stays_in_whatever_words(told):
    _, record = await closed(resting_on("팀장님이 세 번이나 혼냈어요", told, 2))
    assert record["summary"] == told


async def test_of_a_turn_that_is_no_longer_read_the_summarys_quote_is_ground_enough():
    kept = SourcedText(text="언니와 산다고 했다.", seq=1, quote="언니랑 둘이 살아요")
    said = ("언니랑 둘이 살아요", *(f"{number}번째 이야기예요" for number in range(2, 40)))
    told = resting_on("언니랑 둘이 살아요", "언니와 지내는 이야기를 나눴어요.")
    room, record = await closed(told, said=said, summary_sources=(kept,), summary_text=kept.text)
    assert record["summary_sources"][0]["seq"] == 1
    assert f"[1] {kept.text}" in room.model.asked("closer")[0].messages[0].text


async def test_a_closing_by_rule_has_the_sources_of_its_values_and_sentences():
    sources = {"name": Source(seq=1, quote="민지예요"), "session_goal": Source(seq=3, quote="덜 떨고 싶어요")}
    kept = SourcedText(text="발표가 무섭다고 했다.", seq=1, quote="발표가 무서워요")
    given = {"user_info": {"name": "민지", "session_goal": "덜 떨고 싶어요"}, "info_sources": sources}
    room = await ended_room(WORK, NAMED, said=SAID, summary_text=kept.text, summary_sources=(kept,), **given)
    assert await give_up(room.context, CLOSE) is JobResult.DONE
    record = await closing_of(room)
    found = [(one["text"], one["seq"]) for one in (*record["summary_sources"], *record["goal_sources"])]
    assert found == [("이름: 민지", 1), ("상담 목표: 덜 떨고 싶어요", 3), (kept.text, 1), ("덜 떨고 싶어요", 3)]


async def test_a_summary_is_stored_with_its_sources_which_the_next_one_is_shown():
    room = Room(
        {
            "summarizer": [
                summary_resting_on("무서워요", "발표가 무섭다.", 1),
                *(summary_resting_on("떨려요", "떨린다.", 8),) * 2,
            ]
        }
    )
    said = ("발표가 무서워요", *("그랬죠",) * 6, "목소리가 떨려요", *("그랬죠",) * 4)
    await room.open(session(task()), said)
    for seq in (6, 12):
        assert await summarize(room.context, payload(JobKind.SUMMARIZE, seq)) is JobResult.DONE
    assert "[1] 발표가 무섭다. (내담자의 말: “무서워요”)" in room.model.asked("summarizer")[-1].messages[0].text
    assert [(one.seq, one.quote) for one in (await room.session()).summary_sources] == [(8, "떨려요")]


async def test_the_profile_repeats_no_words_of_a_turn_about_a_danger_and_keeps_the_turn():
    said = ("죽고 싶다는 생각이 들어요", "민지예요. 발표가 무서워요", "네")
    given = {"user_info": {"name": "민지"}, "info_sources": {"name": Source(seq=2, quote="민지예요")}}
    told = resting_on("죽고 싶다는 생각이 들어요", "힘든 마음을 들려주셨어요.")
    room, record = await closed(
        told, resting_on("발표가 무서워요", "두려움을 나눴어요.", 2), said=said, danger_turns=(1,), **given
    )
    profile = await profile_of(room)
    assert next((one["seq"], one["quote"]) for one in record["summary_sources"]) == (1, "죽고 싶다는 생각이 들어요")
    found = [(one.seq, one.quote) for one in (profile.name_source, *profile.summary_sources)]
    assert found == [(2, "민지예요"), (1, ""), (2, "발표가 무서워요")]


async def test_a_goal_of_an_earlier_session_is_no_goal_of_this_one():
    carried = Carried(goals=("언니와 화해하고 싶어요",), conversation_id="c0")
    goals = (GoalKept(goal="언니와 화해하기", quote="언니와 화해하고 싶어요"),)
    told = resting_on("발표가 무서워요", "언니와의 일과는 다른 두려움을 나눴어요.")
    _, record = await closed(told, work=closing_work(goals=goals), carried=carried)
    assert (record["summary"], record["goals"]) == (told[0].text, [])
