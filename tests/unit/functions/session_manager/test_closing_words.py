"""What a closing holds is the user's, calm, and true on the day that it is read; whoever made it."""

import pytest

from functions.session_manager.close import GoalKept, close
from functions.session_manager.closing_words import ClosingWords, undated
from functions.session_manager.dispatch import give_up
from shared.content.catalogue import content
from shared.domain.counseling.sources import Source
from shared.engine.jobs import JobResult
from shared.locale import Locale
from tests.builders.answers import resting_on
from tests.builders.closings import CLOSE, closing_of, ended_room, profile_of
from tests.builders.closings import WORK as WITH_GOALS
from tests.builders.sessions import slot, task

SAID = ("발표가 무서워요", "덜 떨고 싶어요", "네")
WORK = WITH_GOALS.model_copy(update={"goals": ()})
ASKED = task(
    required_slots=(slot("name", kind="name", label="이름"), slot("worry", label="고민"), slot("session_goal"))
)
ALARMS = ["죽고 싶다는 생각이 들어요", "I just want to die"]
GOAL = "발표를 끝까지 하고 싶어요"
WORDS = ClosingWords(content())


def with_summary(text):
    return WORK.model_copy(update={"sentences": resting_on(SAID[0], text)})


async def closed(*answers, said=SAID, by_rule=False, **fields):
    """Make the closing, and return it with the room and the profile; nothing that the user may read alarms."""
    room = await ended_room(list(answers) or [WORK], ASKED, said=said, **fields)
    assert await (give_up if by_rule else close)(room.context, CLOSE) is JobResult.DONE
    record, state, profile = await closing_of(room), await room.session(), await profile_of(room)
    told = [record["summary"], *record["goals"], record["next_session"], state.summary_text, *state.goals]
    told += [profile.summary, profile.next_plan, profile.name or "", *(one.goal for one in profile.goals)]
    assert [text for text in told if content().text_rules.alarming(text)] == []
    return room, record, profile


@pytest.mark.parametrize("alarm", ALARMS)
async def test_words_of_danger_of_the_memory_and_of_values_are_not_read_by_the_user_of_a_closing_by_rule(alarm):
    _, record, _ = await closed(by_rule=True, summary_text=f"발표가 무섭다고 했다. “{alarm}”. 잠을 설쳤다.")
    assert "발표가 무섭다고 했다. 잠을 설쳤다." in record["summary"]
    given = {"name": alarm, "worry": alarm, "session_goal": "덜 떨고 싶어요"}
    _, record, profile = await closed(by_rule=True, user_info=given, goals=(alarm,))
    assert (record["goals"], profile.name) == (["덜 떨고 싶어요"], None)


@pytest.mark.parametrize("alarm", ALARMS)
class TestASummaryOfTheModelsThatAlarms:
    async def test_is_asked_for_again_and_loses_those_sentences_when_they_come_again(self, alarm):
        room, record, _ = await closed(with_summary(alarm), WORK)
        assert (len(room.model.asked("closer")), record["summary"]) == (2, WORK.summary)
        bad = with_summary(f"{WORK.summary} {alarm}.")
        _, record, _ = await closed(bad, bad)
        assert (record["summary"], record["origin"]) == (WORK.summary, "model")

    async def test_gives_way_to_the_rules_when_nothing_is_left(self, alarm):
        bad = with_summary(f"{alarm}.")
        room, record, profile = await closed(bad, bad, user_info={"worry": "발표"})
        opening = content().messages(Locale.KO).text("closing_by_rule")
        assert (record["summary"], record["origin"]) == (f"{opening}\n고민: 발표", "rule")
        assert profile.summary == record["summary"] == (await room.session()).summary_text


@pytest.mark.parametrize(("alarm", "wish"), [(ALARMS[0], "잠을 푹 자고 싶어요"), (ALARMS[1], "I want to sleep well")])
async def test_words_of_a_crisis_become_no_goal_and_no_next_step(alarm, wish):
    quoted = ((alarm, alarm), ("a quieter mind", alarm), (alarm, wish), (wish, wish))
    goals = tuple(GoalKept(goal=goal, quote=quote) for goal, quote in quoted)
    told = resting_on(wish, "이야기를 나눴어요.", 2)
    work = WORK.model_copy(update={"goals": goals, "sentences": told, "next_session": f"{wish}: {alarm}"})
    _, record, _ = await closed(work, said=(f"{alarm}. {wish}", wish))
    assert (record["goals"], record["next_session"]) == ([wish], "")


@pytest.mark.parametrize("when", ["오늘 이야기를", "다음에는", "다음 시간에", "지난번처럼", "next time", "Today"])
async def test_the_next_step_names_no_day_that_is_another_when_it_is_read(when):
    relative = WORK.model_copy(update={"next_session": f"{when} 이어 가요. 떨리는 순간을 살펴봐요."})
    room, record, _ = await closed(relative, WORK)
    assert (len(room.model.asked("closer")), record["next_session"]) == (2, WORK.next_session)
    _, record, _ = await closed(relative, relative)
    assert record["next_session"] == "떨리는 순간을 살펴봐요."


def test_what_only_sounds_like_a_day_stays():
    assert undated("오늘날 흔한 고민이에요. 숨을 고르고 그다음에 말해 봐요.") != ""


async def test_the_goals_begin_with_the_one_that_the_user_gave_as_such_unless_it_alarms():
    work = WORK.model_copy(update={"goals": (GoalKept(goal="덜 떨기", quote="덜 떨고 싶어요"),)})
    for answer, given, goals in ((work, GOAL, [GOAL, "덜 떨기"]), (WORK, GOAL, [GOAL]), (WORK, ALARMS[0], [])):
        _, record, profile = await closed(answer, user_info={"session_goal": given})
        assert record["goals"] == [one.goal for one in profile.goals] == goals
    stated = {"session_goal": Source(seq=2, quote="덜 떨고 싶어요")}
    _, record, _ = await closed(work, user_info={"session_goal": "발표 불안 줄이기"}, info_sources=stated)
    assert record["goals"] == ["발표 불안 줄이기"], "the same words of the user are one goal"


@pytest.mark.parametrize(
    ("goal", "quote", "kept"),
    [
        ("덜 떨기", "덜 떨고 싶어요", True),
        ("더는 떨지 않기", "더는 떨고 싶지 않아요", True),
        ("매일 10km 달리기", "네", False),
        ("매일 10km 달리기", "덜 떨고 싶어요", False),
        (" ", "덜 떨고 싶어요", False),
        ("그렇게 해 보고 싶어요", "그렇게 해 보고 싶어요", False),
        ("산책해 보기", "네, 그렇게 해 볼게요", False),
        ("발표하기", "발표는 하고 싶지 않아요", False),
        ("발표하기", "발표 하고 싶진 않아요", False),
        ("speak at work", "I don't want to speak", False),
    ],
)
def test_a_goal_needs_words_that_hold_it_and_is_not_what_is_not_wished_for(goal, quote, kept):
    found = WORDS.kept_goals([GoalKept(goal=goal, quote=quote)], quote, "")
    assert found == ((goal,) if kept else ())


def test_goals_in_the_same_words_are_one_those_of_nobodys_words_none_and_three_at_most():
    same = [GoalKept(goal="덜 떨기", quote="덜 떨고 싶어요")]
    assert WORDS.kept_goals(same, " ".join(SAID), "덜 떨고 싶어요") == ("덜 떨고 싶어요",)
    assert WORDS.kept_goals([GoalKept(goal="승진", quote="승진하고 싶어요")], " ".join(SAID), "") == ()
    wishes = ["산책을 하고 싶어요", "그림을 그리고 싶어요", "잠을 자고 싶어요", "친구를 만나고 싶어요"]
    assert len(WORDS.kept_goals([GoalKept(goal=one, quote=one) for one in wishes], " ".join(wishes), "")) == 3


@pytest.mark.parametrize(
    "wrong",
    [
        *("말씀을 들어 보니 우울증이에요.", "렉사프로 10mg을 하루 한 번 드세요.", "1393으로 전화해 보세요."),
        *("https://evil.kr 을 읽어 보세요.", "이 이야기는 비밀로 할게요.", "저도 사람이라 그 마음을 알아요."),
    ],
)
def test_what_no_reply_may_say_stands_in_no_closing(wrong):
    for cleaned in (WORDS.calm, WORDS.sayable):
        assert cleaned(f"발표 이야기를 나눴어요. {wrong}") == "발표 이야기를 나눴어요."
        assert cleaned(wrong) == ""


@pytest.mark.parametrize(
    "told",
    [
        "병원에서 우울증이라는 말을 들었다고 하셨어요. 약을 드시고 있지만 잠이 오지 않는다고 하셨지요.",
        "You said that your doctor told you it is depression. We stop here for today.",
        "힘들 때는 109에 전화할 수 있어요.",
        "매일 밤 수면제 한 알을 드신다고 하셨어요.",
        "병원에서 ADHD라고 들으셨고, 콘서타 18mg을 처방받으셨어요.",
        "“우울증이에요.” 병원에서 들은 이 말이 무거우셨어요.",
        "You told me that you have depression and take 20 mg of fluoxetine.",
        "You take two pills at night, as your doctor prescribed.",
        "You have generalised anxiety disorder, according to your psychiatrist.",
        "Your friend told you to stop taking your medication, which confused you.",
    ],
)
def test_what_the_user_told_of_stays_in_a_closing(told):
    assert WORDS.sayable(told) == told
