"""The user wants to go on: back to where the talk was, with a task for what they want."""

import pytest

from shared.content.catalogue import content
from shared.domain.counseling.background_events import ClosingStarted, WrapUpSuggested
from shared.domain.counseling.lifecycle import BOUNDED, leaving_for_closing
from shared.domain.counseling.review import CALM_AFTER, REST_AFTER_DECLINE, may_suggest_wrap_up
from shared.domain.counseling.session import SessionStatus, WrapUpAim, WrapUpStage
from shared.domain.counseling.session_events import ClosingAsked
from shared.domain.counseling.task import MAX_RETURNS, Part, TaskStatus
from shared.domain.counseling.user_state import EmotionLabel
from shared.locale import Locale, Register
from tests.fakes.answers import task_completion, user_state_reading
from tests.fakes.counselling import NOW, task
from tests.fakes.talk import Talk

PLAIN = "오늘은 그냥 집에 있었어요"
NO = "아니요, 더 얘기하고 싶어요"
STORY = "사실은 동생이랑도 요즘 사이가 좋지 않아요"
MORE = "task_more_1"
LAST = task("last", 3, completion_rule="reply", max_turns=2)


def explored(talk):
    """Bring the talk to a Part 2 in which all is covered."""
    talk.plan(task("a", 2, status="sufficient", sufficient_at=NOW))
    return talk


def closing(talk):
    """Bring the talk from there to Part 3."""
    talk.happen(ClosingAsked(), ClosingStarted(tasks=(LAST,)))
    return talk


async def asked(talk):
    """Bring the talk to where Part 3 is covered and the user is asked whether to end."""
    closing(explored(talk))
    await talk.say(PLAIN)
    assert (await talk.say(PLAIN)).directive["stance"] == "confirm_end"
    return talk


def stance(said):
    return said.directive["stance"], said.directive["task_id"]


class TestANoToTheEnd:
    @pytest.fixture
    async def talk(self, talk):
        return await asked(talk)

    @pytest.mark.parametrize("text", [NO, "아니요", "네 근데 하나만 더요", "글쎄요, 아직 잘 모르겠어요"])
    async def test_leads_back_to_part_2_with_a_task_for_what_the_user_wants(self, talk, text):
        said = await talk.say(text)
        assert stance(said) == ("work", MORE)
        assert (talk.state.status, talk.state.current_part) == (SessionStatus.ACTIVE, Part.EXPLORATION)
        assert talk.state.task("a").status is TaskStatus.SUFFICIENT, "as it was"
        assert "하고 싶은 이야기를 꺼내고" in talk.model.asked("counselor")[-1].system
        assert not said.directive["part_changed"], "they were there before"

    async def test_leaves_the_record_of_a_transition(self, talk):
        (record,) = (await talk.say(NO)).records("part_transitions")
        assert (record.record_id, record.from_part, record.to_part) == ("3-2", Part.CLOSING, Part.EXPLORATION)

    async def test_is_followed_by_what_the_user_tells_and_no_asking(self, talk):
        await talk.say(NO)
        later = [await talk.say(f"{STORY}, {n}번째 이야기예요") for n in range(4)]
        assert {stance(said) for said in later} == {("work", MORE)}
        assert not any(said.directive["proposes"] for said in later)

    async def test_shows_nothing_yet_of_the_task_that_it_begins(self, talk):
        talk.model.scripts["task_completion_checker"] = task_completion(complete=True, evidence=NO)
        await talk.say(NO)
        assert talk.state.task(MORE).status is TaskStatus.IN_PROGRESS

    async def test_may_be_said_as_often_as_one_likes(self, talk):
        for turn in range(MAX_RETURNS + 2):
            assert (await talk.say(NO)).directive["stance"] in ("work", "accompany")
            assert talk.state.current_part is Part.EXPLORATION
            talk.happen(ClosingAsked(), ClosingStarted(tasks=(LAST,)))
            said = await talk.say("오늘은 여기까지 할게요")
            assert said.directive["proposes"] == "end", turn
        assert not talk.state.ended
        assert len([one for one in talk.state.tasks if one.id == MORE]) == 1
        assert talk.state.went_back == MAX_RETURNS + 2
        await talk.say("네")
        assert talk.state.ended

    async def test_is_taken_up_in_the_sessions_language(self, subtests):
        for opening, guide in (({"locale": "en"}, "has room for it"), ({"register": "반말"}, "마무리보다 먼저")):
            with subtests.test(guide=guide):
                talk = await asked(Talk(**opening))
                await talk.say("no, I want to keep talking" if "locale" in opening else NO)
                register = talk.state.register_
                assert guide in talk.model.asked("counselor")[-1].system
                assert talk.state.task(MORE).title == content().more_talk(talk.state.locale, register).title


class TestAWishToGoOn:
    async def test_in_the_closing_leads_back(self, talk):
        closing(explored(talk))
        said = await talk.say("저 아직 더 얘기하고 싶은데요")
        assert stance(said) == ("work", MORE)
        assert talk.state.current_part is Part.EXPLORATION
        assert talk.state.task("last").status is TaskStatus.PENDING

    async def test_takes_back_a_closing_that_was_agreed_to_and_not_begun(self, talk):
        explored(talk).happen(WrapUpSuggested(reason=BOUNDED))
        await talk.say(PLAIN)
        await talk.say("네, 좋아요")
        assert leaving_for_closing(talk.state)
        said = await talk.say("아, 잠깐만요. 하고 싶은 말이 아직 있어요")
        assert not leaving_for_closing(talk.state)
        assert (talk.state.status, stance(said)) == (SessionStatus.ACTIVE, ("work", MORE))
        assert said.records("part_transitions") == [], "no Part was left"

    async def test_is_taken_up_while_a_proposal_is_open(self, talk):
        explored(talk).happen(WrapUpSuggested(reason=BOUNDED))
        await talk.say(PLAIN)
        said = await talk.say(NO)
        assert stance(said) == ("work", MORE)
        assert talk.state.wrap_up.stage is WrapUpStage.DECLINED

    async def test_is_taken_up_before_the_proposal_is_made(self, talk):
        explored(talk).happen(WrapUpSuggested(reason=BOUNDED))
        said = await talk.say("저 더 얘기하고 싶은 게 있어요. 이야기 더 해도 돼요?")
        assert stance(said) == ("work", MORE)
        assert talk.state.wrap_up.stage is WrapUpStage.DECLINED

    async def test_goes_on_with_what_waits_where_something_does(self, talk):
        talk.plan(task("a", 2), task("b", 2))
        talk.happen(WrapUpSuggested(reason=BOUNDED))
        await talk.say(PLAIN)
        said = await talk.say(NO)
        assert said.directive["task_id"] in ("a", "b")
        assert talk.state.task(MORE) is None

    async def test_leads_back_to_part_1_where_the_closing_came_from_there(self, talk):
        talk.happen(ClosingAsked(), ClosingStarted(tasks=(LAST,)))
        (record,) = (await talk.say("저 더 얘기하고 싶은데요")).records("part_transitions")
        assert record.record_id == "3-1"
        assert talk.state.current_part is Part.OPENING
        assert talk.state.task(MORE) is None

    async def test_for_the_next_session_is_none_for_now(self, talk):
        explored(talk).happen(ClosingAsked(), ClosingStarted(tasks=(task("next", 3, kind="next_session"),)))
        await talk.say(PLAIN)
        await talk.say("엄마 얘기를 더 하고 싶어요")
        assert talk.state.current_part is Part.CLOSING

    async def test_changes_no_part_in_danger(self, talk):
        closing(explored(talk))
        await talk.say("죽고 싶어요")
        await talk.say("저 더 얘기하고 싶은데요")
        assert talk.state.current_part is Part.CLOSING

    async def test_is_not_answered_by_another_suggestion_for_a_while(self, talk):
        await asked(talk)
        await talk.say(NO)
        allowed = []
        for n in range(REST_AFTER_DECLINE + 1):
            allowed.append(may_suggest_wrap_up(talk.state))
            await talk.say(f"{STORY} {n}")
        assert allowed.index(True) == REST_AFTER_DECLINE


class TestTheEnd:
    async def test_may_be_asked_for_at_any_time(self, talk):
        await asked(talk)
        await talk.say(NO)
        said = await talk.say("오늘은 이만 여기까지 할게요")
        assert said.directive["stance"] == "confirm_end"
        await talk.say("네")
        assert talk.state.ended

    async def test_is_not_asked_about_in_mid_emotion(self, talk):
        closing(explored(talk))
        talk.model.scripts["user_state_detector"] = user_state_reading(emotion=EmotionLabel.SADNESS, intensity=9)
        stances = {(await talk.say(STORY)).directive["stance"] for _ in range(6)}
        assert "confirm_end" not in stances
        talk.model.scripts["user_state_detector"] = user_state_reading()
        calm = [(await talk.say(f"{PLAIN}, {n}")).directive["stance"] for n in range(CALM_AFTER)]
        assert calm[0] != "confirm_end", "one calm sentence is no calm yet"
        assert "confirm_end" in calm


class TestANoWhileTheClosingIsOpen:
    async def test_goes_on_with_what_is_open(self, talk):
        talk.plan(task("a", 2))
        talk.happen(ClosingStarted(tasks=(task("one", 3), task("two", 3))))
        await talk.say(PLAIN)
        assert (await talk.say("오늘은 여기까지 할게요")).directive["proposes"] == WrapUpAim.END
        said = await talk.say("아니요, 계속할래요")
        assert stance(said)[0] == "work"
        assert talk.state.task(MORE) is None
        assert talk.state.wrap_up.stage is WrapUpStage.DECLINED


def test_the_task_is_there_in_every_language_and_register():
    for locale in Locale:
        for register in Register:
            more = content().more_talk(locale, register)
            assert (more.part, more.status, more.id) == (Part.EXPLORATION, TaskStatus.PENDING, MORE)
