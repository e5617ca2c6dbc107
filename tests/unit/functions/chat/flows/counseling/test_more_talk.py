"""Part 3: asked whether to end, the user wants to go on, and the Counselor takes it up."""

import pytest

from shared.content.catalogue import content
from shared.domain.counseling.background_events import ClosingStarted
from shared.domain.counseling.review import REST_AFTER_NO_TO_END
from shared.domain.counseling.session import SessionStatus, WrapUpAim, WrapUpStage
from shared.domain.counseling.task import MAX_RETURNS, Part, SufficientReason, TaskStatus
from shared.domain.counseling.user_state import EmotionLabel
from shared.domain.locale import Locale, Register
from tests.fakes.answers import task_completion, user_state_reading
from tests.fakes.counselling import task
from tests.fakes.talk import Talk

PLAIN = "오늘은 그냥 집에 있었어요"
NO = "아니요, 더 얘기하고 싶어요"
STORY = "사실은 동생이랑도 요즘 사이가 좋지 않아요"
FAREWELL = content().messages(Locale.KO).text("session_ended")
MORE = "task_more_1"


async def asked(talk):
    """Bring the talk to where Part 3 is covered and the user is asked whether to end."""
    talk.plan(task("a", 2))
    talk.happen(ClosingStarted(tasks=(task("last", 3, completion_rule="reply", max_turns=2),)))
    await talk.say(PLAIN)
    assert (await talk.say(PLAIN)).directive["stance"] == "confirm_end"
    return talk


@pytest.fixture
async def talk(talk):
    return await asked(talk)


def stance(said):
    return said.directive["stance"], said.directive["task_id"]


class TestANoToTheEnd:
    @pytest.mark.parametrize("text", [NO, "아니요", "네 근데 하나만 더요", "글쎄요, 아직 잘 모르겠어요"])
    async def test_is_taken_up_at_once_by_a_task_for_it(self, talk, text):
        said = await talk.say(text)
        assert stance(said) == ("work", MORE)
        assert "MoreWanted" in said.events
        assert (talk.state.status, talk.state.current_part) == (SessionStatus.ACTIVE, Part.CLOSING)
        assert "하고 싶은 이야기를 꺼내고" in talk.model.asked("counselor")[-1].system
        assert talk.state.task(MORE).created_at == talk.clock.now()

    async def test_is_followed_by_what_the_user_tells_and_no_asking(self, talk):
        await talk.say(NO)
        later = [await talk.say(f"{STORY}, {n}번째 이야기예요") for n in range(4)]
        assert {stance(said) for said in later} == {("work", MORE)}
        assert not any(said.directive["proposes"] for said in later)

    async def test_is_asked_about_again_when_it_is_covered_and_a_yes_ends(self, talk):
        await talk.say(NO)
        await talk.say(STORY)
        talk.model.scripts["task_completion_checker"] = task_completion(complete=True, evidence=STORY)
        covered = await talk.say("그 얘기를 하니까 조금 낫네요")
        assert talk.state.task(MORE).status is TaskStatus.SUFFICIENT
        assert stance(covered) == ("accompany", None)
        again = await talk.say(PLAIN)
        assert (again.directive["stance"], again.directive["proposes"]) == ("confirm_end", "end")
        assert (await talk.say("네, 이제 그만할게요")).reply == FAREWELL
        assert talk.state.ended

    async def test_that_was_covered_at_once_still_has_its_rest(self, talk):
        turn = talk.state.seq
        await talk.say(NO)
        talk.model.scripts["task_completion_checker"] = task_completion(complete=True, evidence=STORY)
        stances = [(await talk.say(STORY)).directive["stance"] for _ in range(REST_AFTER_NO_TO_END)]
        assert stances.index("confirm_end") + turn + 2 == turn + REST_AFTER_NO_TO_END

    async def test_is_bounded_so_that_the_end_is_proposed_again(self, talk):
        await talk.say(NO)
        stances = [(await talk.say(f"{STORY} {n}")).directive["stance"] for n in range(8)]
        assert "confirm_end" in stances
        assert {log.data["reason"] for log in talk.state.completion_log if log.data["task"] == MORE} == {
            SufficientReason.BOUNDED.value
        }

    async def test_holds_as_often_as_it_is_said_and_the_end_comes_by_a_yes_alone(self, talk):
        for _ in range(MAX_RETURNS + 3):
            said = await talk.say(NO)
            assert said.directive["stance"] in ("work", "accompany")
            for n in range(12):
                if (await talk.say(f"{STORY} {n}")).directive["stance"] == "confirm_end":
                    break
            else:
                pytest.fail("the end was never proposed again")
        assert not talk.state.ended
        assert len([one for one in talk.state.tasks if one.id == MORE]) == 1
        await talk.say("네")
        assert talk.state.ended

    @pytest.mark.parametrize(
        ("opening", "guide"),
        [({"locale": "en"}, "has room for it"), ({"register": "반말"}, "마무리보다 먼저")],
        ids=["English", "반말"],
    )
    async def test_is_taken_up_in_the_sessions_language(self, opening, guide):
        talk = await asked(Talk(**opening))
        await talk.say("no, I want to keep talking" if "locale" in opening else NO)
        register = talk.state.register_
        assert guide in talk.model.asked("counselor")[-1].system
        assert talk.state.task(MORE).title == content().more_talk(talk.state.locale, register).title


class TestTheEnd:
    async def test_may_be_asked_for_at_any_time(self, talk):
        await talk.say(NO)
        said = await talk.say("오늘은 이만 여기까지 할게요")
        assert said.directive["stance"] == "confirm_end"
        await talk.say("네")
        assert talk.state.ended

    async def test_is_proposed_at_once_to_who_has_said_it_all(self, talk):
        await talk.say(NO)
        await talk.say(STORY)
        said = await talk.say("하고 싶은 말은 이제 다 했어요")
        assert said.directive["stance"] == "confirm_end"

    async def test_is_not_proposed_in_mid_emotion(self, talk):
        await talk.say(NO)
        talk.model.scripts["user_state_detector"] = user_state_reading(emotion=EmotionLabel.SADNESS, intensity=9)
        talk.model.scripts["task_completion_checker"] = task_completion(complete=True, evidence=STORY)
        stances = {(await talk.say(STORY)).directive["stance"] for _ in range(6)}
        assert "confirm_end" not in stances
        talk.model.scripts["user_state_detector"] = user_state_reading()
        assert (await talk.say(PLAIN)).directive["stance"] == "confirm_end"


class TestANoWhileTheClosingIsOpen:
    async def test_goes_on_with_what_is_open(self, talk):
        talk = Talk()
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
            assert (more.part, more.status, more.id) == (Part.CLOSING, TaskStatus.PENDING, MORE)
