"""A closing and a stored summary name the turn and the user's words for what they say, and nothing without them."""

import pytest

from functions.session_manager.close import GoalKept, close
from functions.session_manager.dispatch import give_up
from functions.session_manager.summarize import summarize
from shared.content.catalogue import content
from shared.contracts.tasks import JobKind
from shared.domain.counseling.carried import Carried
from shared.domain.counseling.sources import Source, SourcedText
from shared.engine.jobs import JobResult
from shared.locale import Locale
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


@pytest.mark.parametrize(
    "invented",
    ["쉽지 않은 이야기를 자기 말로 하나씩 풀어 놓으신 시간이었어요.", "가족 관계를 돌아보셨어요.", "많이 슬프셨지요."],
)
async def test_an_outlook_that_nothing_told_bears_is_left_out(invented):
    work = closing_work(next_session=f"{invented} 다른 이야기가 떠오르면 그것부터 하셔도 괜찮아요.")
    _, record = await closed(TOLD, work=work)
    assert record["next_session"] == "다른 이야기가 떠오르면 그것부터 하셔도 괜찮아요."


@pytest.mark.parametrize(
    ("said", "little"),
    [
        (("네", "몰라요", "그냥요", "아니요, 없어요", "이제 그만할게요"), True),
        (("네", "언니랑 싸웠어요", "몰라요"), False),
    ],
)
async def test_of_a_session_with_almost_nothing_told_the_closing_says_just_that(said, little):
    invented = resting_on("그냥요" if little else "몰라요", "쉽지 않은 이야기를 풀어 놓으셨어요.", 3)
    _, record = await closed(invented, said=said, work=closing_work(next_session="가족 관계를 이어 가요."))
    short = content().messages(Locale.KO).text("closing_of_little")
    assert (record["summary"] == short, record["next_session"]) == (little, "")


@pytest.mark.parametrize(
    "unsaid",
    [
        "어머니와의 일도 말해 주셨어요.",
        "발표가 5번 있었지요.",
        "수현 씨 이야기도 하셨어요.",
        "남자친구가 곁에 있지요.",
        "You told me about your sister.",
    ],
)
async def test_a_person_a_number_or_a_name_that_the_user_did_not_tell_of_is_in_no_part_of_a_closing(unsaid):
    goals = (GoalKept(goal=f"발표 {unsaid}", quote="발표가 무서워요"),)
    work = closing_work(goals=goals, next_session=f"떨리는 순간을 살펴봐요. {unsaid}")
    _, record = await closed(TOLD, resting_on("발표가 무서워요", unsaid), work=work)
    assert (record["summary"], record["goals"]) == ("발표 앞의 두려움을 나눴어요.", [])
    assert record["next_session"] == "떨리는 순간을 살펴봐요."


@pytest.mark.parametrize(
    "told",
    [
        "팀장님이 3번 혼내셨지요.",
        "상사에게 혼난 일이에요.",
        "힘들 때는 109에 전화할 수 있어요.",
        "혼난 형편이 어떠셨는지 나눴어요.",
    ],
)
async def test_what_the_user_told_in_other_words_and_the_help_lines_stay(told):
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
                summary_resting_on("떨려요", "떨린다.", 8),
            ]
        }
    )
    said = ("발표가 무서워요", *("그랬죠",) * 6, "목소리가 떨려요", *("그랬죠",) * 4)
    await room.open(session(task()), said)
    for seq in (6, 12):
        assert await summarize(room.context, payload(JobKind.SUMMARIZE, seq)) is JobResult.DONE
    assert "[1] 발표가 무섭다. (내담자의 말: “무서워요”)" in room.model.asked("summarizer")[-1].messages[0].text
    assert [(one.seq, one.quote) for one in (await room.session()).summary_sources] == [(8, "떨려요")]


async def test_the_profile_repeats_no_alarming_words_and_keeps_their_turn():
    alarm = "민지예요. 죽고 싶다는 생각이 들어요. 덜 떨고 싶어요"
    said = (alarm, "발표가 무서워요", "네")
    given = {"user_info": {"name": "민지"}, "info_sources": {"name": Source(seq=1, quote=alarm)}}
    told = resting_on("죽고 싶다는 생각이 들어요", "힘든 마음을 들려주셨어요.")
    room, record = await closed(told, said=said, **given)
    profile = await profile_of(room)
    assert [(one["seq"], one["quote"]) for one in record["summary_sources"]] == [(1, "죽고 싶다는 생각이 들어요")]
    assert [(one.seq, one.quote) for one in (profile.name_source, *profile.summary_sources)] == [(1, ""), (1, "")]


async def test_a_goal_of_an_earlier_session_is_ground_for_a_sentence_and_for_no_goal_of_this_one():
    carried = Carried(goals=("언니와 화해하고 싶어요",), conversation_id="c0")
    goals = (GoalKept(goal="언니와 화해하기", quote="언니와 화해하고 싶어요"),)
    told = resting_on("발표가 무서워요", "언니와의 일과는 다른 두려움을 나눴어요.")
    _, record = await closed(told, work=closing_work(goals=goals), carried=carried)
    assert (record["summary"], record["goals"]) == (told[0].text, [])
