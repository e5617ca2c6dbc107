"""What a closing holds is the user's, calm, and true on the day that it is read; whoever made it."""

import pytest

from functions.session_manager.close import GoalKept, close
from functions.session_manager.closing_words import ClosingWords, undated
from functions.session_manager.dispatch import give_up
from shared.content.catalogue import content
from shared.contracts.tasks import JobKind
from shared.domain.counseling.profile import Profile
from shared.domain.counseling.session import SessionStatus
from shared.engine.jobs import JobResult
from shared.locale import Locale
from tests.fakes.answers import closing_work
from tests.fakes.background_room import Room, payload
from tests.fakes.counselling import session, slot, task

CLOSE = payload(JobKind.CLOSE, 0)
SAID = ("발표가 무서워요", "덜 떨고 싶어요", "네")
WORK = closing_work(
    suggested_level=1,
    summary="발표 앞의 두려움을 나눴어요.",
    next_session="떨리는 순간을 함께 살펴봐요.",
)
ASKED = task(
    required_slots=(slot("name", kind="name", label="이름"), slot("worry", label="고민"), slot("session_goal"))
)
ALARMS = ["죽고 싶다는 생각이 들어요", "I just want to die"]

WORDS = ClosingWords(content())


async def closed(*answers, said=SAID, by_rule=False, **fields):
    room = Room({"closer": list(answers) or [WORK]})
    await room.open(session(ASKED, **({"status": SessionStatus.COMPLETED} | fields)), said)
    assert await (give_up if by_rule else close)(room.context, CLOSE) is JobResult.DONE
    found = await room.store.user((await room.session()).user_id, Profile)
    return room, await room.record("closings", "final"), found.document


def all_told(room_state, record, profile):
    kept = [record["summary"], *record["goals"], record["next_session"], room_state.summary_text, *room_state.goals]
    return [*kept, profile.summary, profile.next_plan, profile.name or "", *(one.goal for one in profile.goals)]


@pytest.mark.parametrize("alarm", ALARMS)
async def test_words_of_danger_that_the_memory_holds_are_not_read_by_the_user_of_a_closing_by_rule(alarm):
    room, record, profile = await closed(by_rule=True, summary_text=f"발표가 무섭다고 했다. “{alarm}”. 잠을 설쳤다.")
    assert "발표가 무섭다고 했다. 잠을 설쳤다." in record["summary"]
    assert not any(content().text_rules.alarming(text) for text in all_told(await room.session(), record, profile))


@pytest.mark.parametrize("alarm", ALARMS)
async def test_no_value_that_alarms_is_read_out_whatever_it_was_given_for(alarm):
    given = {"name": alarm, "worry": alarm, "session_goal": "덜 떨고 싶어요"}
    room, record, profile = await closed(by_rule=True, user_info=given, goals=(alarm,))
    assert record["goals"] == ["덜 떨고 싶어요"]
    assert profile.name is None
    assert not any(content().text_rules.alarming(text) for text in all_told(await room.session(), record, profile))


@pytest.mark.parametrize("alarm", ALARMS)
class TestASummaryOfTheModelsThatAlarms:
    async def test_is_asked_for_again(self, alarm):
        room, record, _ = await closed(WORK.model_copy(update={"summary": alarm}), WORK)
        assert len(room.model.asked("closer")) == 2
        assert record["summary"] == WORK.summary

    async def test_loses_those_sentences_when_they_come_again(self, alarm):
        bad = WORK.model_copy(update={"summary": f"{WORK.summary} {alarm}."})
        room, record, profile = await closed(bad, bad)
        assert (record["summary"], record["origin"]) == (WORK.summary, "model")
        assert not any(content().text_rules.alarming(text) for text in all_told(await room.session(), record, profile))

    async def test_gives_way_to_the_rules_when_nothing_is_left(self, alarm):
        bad = WORK.model_copy(update={"summary": f"{alarm}."})
        room, record, profile = await closed(bad, bad, user_info={"worry": "발표"})
        opening = content().messages(Locale.KO).text("closing_by_rule")
        assert (record["summary"], record["origin"]) == (f"{opening}\n고민: 발표", "rule")
        assert profile.summary == record["summary"] == (await room.session()).summary_text


@pytest.mark.parametrize(("alarm", "wish"), [(ALARMS[0], "잠을 푹 자고 싶어요"), (ALARMS[1], "I want to sleep well")])
async def test_words_of_a_crisis_become_no_goal_and_no_next_step(alarm, wish):
    quoted = ((alarm, alarm), ("a quieter mind", alarm), (alarm, wish), (wish, wish))
    goals = tuple(GoalKept(goal=goal, quote=quote) for goal, quote in quoted)
    work = WORK.model_copy(update={"goals": goals, "next_session": f"{wish}: {alarm}"})
    room, record, profile = await closed(work, said=(f"{alarm}. {wish}", wish))
    assert (record["goals"], record["next_session"]) == ([wish], "")
    assert not any(content().text_rules.alarming(text) for text in all_told(await room.session(), record, profile))


async def test_the_next_step_names_no_day_that_is_another_when_it_is_read(subtests):
    for when in ("오늘 이야기를", "다음에는", "다음 시간에", "지난번처럼", "next time", "Today"):
        with subtests.test(when=when):
            relative = WORK.model_copy(update={"next_session": f"{when} 이어 가요. 떨리는 순간을 살펴봐요."})
            room, record, _ = await closed(relative, WORK)
            assert (len(room.model.asked("closer")), record["next_session"]) == (2, WORK.next_session)
            _, record, _ = await closed(relative, relative)
            assert record["next_session"] == "떨리는 순간을 살펴봐요."


def test_what_only_sounds_like_a_day_stays():
    assert undated("오늘날 흔한 고민이에요. 숨을 고르고 그다음에 말해 봐요.") != ""


class TestTheGoals:
    def kept(self, *goals, own="", words=None):
        return WORDS.kept_goals(
            [GoalKept(goal=goal, quote=quote) for goal, quote in goals], words or " ".join(SAID), own
        )

    async def test_begin_with_the_one_that_the_user_gave_as_such(self):
        given = {"session_goal": "발표를 끝까지 하고 싶어요"}
        work = WORK.model_copy(update={"goals": (GoalKept(goal="덜 떨기", quote="덜 떨고 싶어요"),)})
        _, record, profile = await closed(work, user_info=given)
        assert record["goals"] == ["발표를 끝까지 하고 싶어요", "덜 떨기"]
        assert [one.goal for one in profile.goals] == record["goals"]
        _, record, _ = await closed(WORK, user_info=given)
        assert record["goals"] == ["발표를 끝까지 하고 싶어요"]

    async def test_hold_nothing_that_alarms_though_it_was_given_as_one(self):
        _, record, _ = await closed(WORK, user_info={"session_goal": ALARMS[0]})
        assert record["goals"] == []

    def test_in_the_same_words_are_one(self):
        assert self.kept(("덜 떨기", "덜 떨고 싶어요"), own="덜 떨고 싶어요") == ("덜 떨고 싶어요",)

    def test_need_words_that_hold_them(self):
        assert self.kept(("덜 떨기", "덜 떨고 싶어요")) == ("덜 떨기",)
        assert self.kept(("매일 10km 달리기", "네")) == ()
        assert self.kept(("매일 10km 달리기", "덜 떨고 싶어요")) == ()
        assert self.kept(("승진", "승진하고 싶어요")) == ()
        assert self.kept((" ", "덜 떨고 싶어요")) == ()

    def test_are_not_what_was_said_not_to_be_wished_for(self):
        cases = [
            ("발표하기", "발표는 하고 싶지 않아요"),
            ("발표하기", "발표 하고 싶진 않아요"),
            ("speak at work", "I don't want to speak"),
        ]
        assert {quote: got for goal, quote in cases if (got := self.kept((goal, quote), words=quote)) != ()} == {}

    def test_are_what_somebody_wants_no_more(self):
        assert self.kept(("더는 떨지 않기", "더는 떨고 싶지 않아요"), words="더는 떨고 싶지 않아요") == (
            "더는 떨지 않기",
        )

    def test_are_three_at_most(self):
        wishes = ["산책을 하고 싶어요", "그림을 그리고 싶어요", "잠을 자고 싶어요", "친구를 만나고 싶어요"]
        assert len(self.kept(*((wish, wish) for wish in wishes), words=" ".join(wishes))) == 3


def test_what_no_reply_may_say_stands_in_no_closing(subtests):
    cases = [
        "말씀을 들어 보니 우울증이에요.", "렉사프로 10mg을 하루 한 번 드세요.", "1393으로 전화해 보세요.",
        "https://evil.kr 을 읽어 보세요.", "이 이야기는 비밀로 할게요.", "저도 사람이라 그 마음을 알아요.",
    ]  # fmt: skip
    for wrong in cases:
        for cleaned in (WORDS.calm, WORDS.sayable):
            with subtests.test(wrong=wrong):
                assert cleaned(f"발표 이야기를 나눴어요. {wrong}") == "발표 이야기를 나눴어요."
                assert cleaned(wrong) == ""


def test_what_the_user_told_of_stays_in_a_closing():
    cases = [
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
    ]
    assert {told: got for told in cases if (got := WORDS.sayable(told)) != told} == {}
