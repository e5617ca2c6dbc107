"""What a closing holds is the user's own, and nothing that no reply may say; whoever made it."""

import pytest

from functions.session_manager.close import GoalKept, close, sayable
from functions.session_manager.dispatch import give_up
from shared.content.catalogue import content
from shared.domain.counseling.sources import Source, SourcedText
from shared.engine.jobs import JobResult
from shared.locale import Locale
from shared.safety.follow_through import Risk
from tests.builders.answers import closing_work, resting_on
from tests.builders.closings import CLOSE, WORK, closing_of, ended_room, profile_of
from tests.builders.reviews import CRISIS
from tests.builders.sessions import slot, task

SAID = ("발표가 무서워요", "덜 떨고 싶어요", "죽고 싶다는 생각이 들어요", "네")
DANGER = 3
"""The turn that is about a danger."""
ASKED = task(
    required_slots=(slot("name", kind="name", label="이름"), slot("worry", label="고민"), slot("session_goal"))
)
GOAL = "발표를 끝까지 하고 싶어요"
FEAR = resting_on("발표가 무서워요", "발표 앞의 두려움을 나눴어요.")


async def closed(*answers, said=SAID, by_rule=False, **fields):
    """Make the closing, and return it with the room and the profile."""
    room = await ended_room(list(answers) or [WORK], ASKED, said=said, **fields)
    assert await (give_up if by_rule else close)(room.context, CLOSE) is JobResult.DONE
    return room, await closing_of(room), await profile_of(room)


async def test_words_of_a_turn_about_a_danger_are_not_read_by_the_user_of_a_closing_by_rule():
    def said_in(*turns):
        return [Source(seq=seq, quote=SAID[seq - 1]) for seq in turns]

    name, worry, goal = said_in(DANGER, DANGER, DANGER)
    kept = tuple(
        SourcedText(text=text, **source.model_dump(exclude={"text"}))
        for text, source in zip(("발표가 무섭다.", "죽고 싶다고 했다."), said_in(1, DANGER), strict=True)
    )
    given = {"name": "민지", "worry": SAID[2], "session_goal": SAID[2]}
    fields = {"user_info": given, "info_sources": {"name": name, "worry": worry, "session_goal": goal}}
    memory = {"summary_text": "발표가 무섭다. 죽고 싶다고 했다.", "summary_sources": kept, "danger_turns": (DANGER,)}
    _, record, profile = await closed(by_rule=True, **fields, **memory)
    opening = content().messages(Locale.KO).text("closing_by_rule")
    assert record["summary"] == f"{opening}\n발표가 무섭다."
    assert (record["goals"], profile.name, profile.goals) == ([], None, ())
    _, record, _ = await closed(by_rule=True, danger_turns=(DANGER,), summary_text="죽고 싶다고 했다.")
    assert "죽고 싶다" not in record["summary"], "an older summary without sources"


@pytest.mark.parametrize(("risk", "asked"), [(Risk(), False), (CRISIS, True), (Risk(over_seq=4), True)])
async def test_the_model_is_asked_for_plain_words_about_a_danger_also_when_it_is_over(risk, asked):
    room, _, _ = await closed(risk=risk)
    assert ("안전에 관한 이야기가 있었습니다" in room.model.asked("closer")[0].system) is asked


async def test_what_only_sounds_like_danger_loses_no_sentence():
    said = ("제가 회사를 옮겨요. 두달이나 준비했는데 아무도 몰라요", "놀라지 마, 괜찮아, 그 말을 듣고 싶었어요", "네")
    told = (
        *resting_on("두달이나 준비했는데 아무도 몰라요", "두 달 동안 혼자 준비해 온 일을 처음 꺼내 주셨어요."),
        *resting_on("놀라지 마, 괜찮아", "놀라지 말라는, 괜찮다는 말을 듣고 싶다고 하셨지요.", 2),
        *resting_on("죽을 만큼", "하지 않은 말이에요.", 2),
    )
    work = closing_work(sentences=told)
    _, record, _ = await closed(work, work, said=said)
    assert record["summary"] == " ".join(one.text for one in told[:2])


async def test_of_a_session_with_nothing_told_the_closing_says_just_that_once_the_model_says_so_twice():
    nothing = closing_work(sentences=())
    room, record, _ = await closed(nothing, nothing, said=("네", "몰라요", "이제 그만할게요"))
    little = content().messages(Locale.KO).text("closing_of_little")
    assert (record["summary"], record["origin"], len(room.model.asked("closer"))) == (little, "model", 2)
    _, record, _ = await closed(nothing, nothing, user_info={"worry": "발표"})
    assert record["origin"] == "rule", "something was told"


async def test_words_of_a_turn_about_a_danger_are_not_read_again_in_a_closing_of_a_model_and_are_no_goal():
    told = resting_on("죽고 싶다는 생각이 들어요", "“죽고 싶다는 생각이 들어요”라고 하셨어요.", 1)
    calm = resting_on("죽고 싶다는 생각이 들어요", "힘든 밤을 혼자 지내 오셨지요.", 1)
    goal = GoalKept(goal="이제 그만 사라지기", quote="죽고 싶다는 생각이 들어요")
    work = closing_work(sentences=(*told, *calm), goals=(goal,))
    _, record, _ = await closed(work, said=("죽고 싶다는 생각이 들어요", "네"), danger_turns=(1,))
    assert (record["summary"], record["goals"]) == ("힘든 밤을 혼자 지내 오셨지요.", [])


async def test_a_closing_whose_sentences_all_lack_a_quote_gives_way_to_what_was_given():
    invented = closing_work(sentences=resting_on("하지 않은 말이에요", "많이 좋아지셨어요."))
    _, record, profile = await closed(invented, invented, user_info={"worry": "발표"})
    opening = content().messages(Locale.KO).text("closing_by_rule")
    assert (record["summary"], record["origin"]) == (f"{opening}\n고민: 발표", "rule")
    assert profile.summary == record["summary"]


async def test_the_goals_begin_with_the_one_that_the_user_gave_as_such():
    work = closing_work(sentences=FEAR, goals=(GoalKept(goal="덜 떨기", quote="덜 떨고 싶어요"),))
    _, record, profile = await closed(work, user_info={"session_goal": GOAL})
    assert record["goals"] == [one.goal for one in profile.goals] == [GOAL, "덜 떨기"]
    stated = {"session_goal": Source(seq=2, quote="덜 떨고 싶어요")}
    _, record, _ = await closed(work, user_info={"session_goal": "발표 불안 줄이기"}, info_sources=stated)
    assert record["goals"] == ["발표 불안 줄이기"], "the same words of the user are one goal"


async def test_a_goal_needs_words_of_the_users_and_there_are_three_at_most():
    wishes = ("산책을 하고 싶어요", "그림을 그리고 싶어요", "잠을 자고 싶어요", "친구를 만나고 싶어요")
    kept = [GoalKept(goal=one.replace(" 싶어요", ""), quote=one) for one in wishes]
    said = (*SAID[:2], *wishes)
    for goals, found in (
        ((GoalKept(goal="승진", quote="승진하고 싶어요"),), []),
        ((GoalKept(goal="매일 10km 달리기", quote="네"),), []),
        ((GoalKept(goal=" ", quote=wishes[0]),), []),
        ((*kept[:1], *kept), [one.goal for one in kept[:3]]),
    ):
        _, record, _ = await closed(closing_work(sentences=FEAR, goals=goals), said=said)
        assert record["goals"] == found


@pytest.mark.parametrize(
    "wrong",
    [
        *("말씀을 들어 보니 우울증이에요.", "렉사프로 10mg을 하루 한 번 드세요.", "1393으로 전화해 보세요."),
        *("https://evil.kr 을 읽어 보세요.", "이 이야기는 비밀로 할게요.", "저도 사람이라 그 마음을 알아요."),
    ],
)
def test_what_no_reply_may_say_stands_in_no_closing(wrong):
    assert not sayable(wrong, content().guard_rules)


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
    assert sayable(told, content().guard_rules)
