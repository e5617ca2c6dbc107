import pytest

from shared.content.catalogue import content
from shared.domain.counseling.background_events import ClosingStarted, WrapUpSuggested
from shared.domain.counseling.lifecycle import BOUNDED, Work, overdue_work
from shared.domain.counseling.review import HELD_BACK
from shared.domain.counseling.session import PlanStatus, SessionStatus, WrapUpAim, WrapUpStage
from shared.domain.counseling.task import Part, TaskStatus
from shared.domain.counseling.user_state import EmotionLabel
from shared.locale import Locale
from tests.fakes.answers import user_state_reading, wrap_up_answer
from tests.fakes.counselling import task

READER = "wrap_up_answer"
PLAIN = "오늘은 그냥 집에 있었어요"
FAREWELL = content().messages(Locale.KO).text("session_ended")


class TestAProposalToWrapUp:
    @pytest.fixture
    async def talk(self, talk):
        talk.plan(task("a", 2))
        talk.happen(WrapUpSuggested(reason=BOUNDED))
        said = await talk.say(PLAIN)
        assert (said.directive["stance"], said.directive["proposes"]) == ("propose_wrap_up", "wrap_up")
        assert "<proposal>wrap_up</proposal>" in talk.model.asked("counselor")[0].system
        talk.model.scripts.pop("task_completion_checker")
        return talk

    @pytest.mark.parametrize("text", ["네", "네, 좋아요", "네, 그만할게요"])
    async def test_is_agreed_to_by_pattern_without_a_model(self, talk, text):
        said = await talk.say(text)
        assert talk.model.asked(READER) == []
        assert (said.run(READER).decided_by.value, said.run(READER).output) == ("rule", "confirm")
        assert (talk.state.status, talk.state.wrap_up.stage) == (SessionStatus.WRAPPING_UP, WrapUpStage.AGREED)
        (record,) = said.records("part_transitions")
        assert (record.record_id, record.from_part, record.to_part) == ("2-3", Part.EXPLORATION, Part.CLOSING)
        assert Work.PLAN in overdue_work(talk.state), "a lost event of the transition is to be made good"

    @pytest.mark.parametrize("text", ["아니요, 더 얘기할래요", "네, 근데 더 얘기하고 싶어요"])
    async def test_is_declined_by_pattern_without_a_model(self, talk, text):
        said = await talk.say(text)
        assert talk.model.asked(READER) == []
        assert said.run(READER).output == "cancel"
        assert (talk.state.status, talk.state.wrap_up.stage, talk.state.wrap_up.declined) == (
            SessionStatus.ACTIVE,
            WrapUpStage.DECLINED,
            1,
        )
        assert said.records("part_transitions") == []
        assert said.directive["stance"] == "work"

    @pytest.mark.parametrize(
        ("agreed", "quote", "stage"),
        [
            (True, "글쎄요", WrapUpStage.SUGGESTED),
            (True, "좋아요", WrapUpStage.DECLINED),
            (True, "", WrapUpStage.DECLINED),
            (False, "", WrapUpStage.DECLINED),
        ],
    )
    async def test_that_a_model_hears_agreed_to_stays_open_and_is_declined_else(self, talk, agreed, quote, stage):
        talk.model.scripts[READER] = wrap_up_answer(agreed=agreed, quote=quote)
        said = await talk.say("음 글쎄요, 어떻게 하죠")
        assert len(talk.model.asked(READER)) == 1
        assert said.run(READER).decided_by.value == "model"
        assert talk.state.wrap_up.stage is stage
        assert (talk.state.status, said.records("part_transitions")) == (SessionStatus.ACTIVE, [])
        assert said.directive["stance"] == "work", "what was said is answered first"

    @pytest.mark.parametrize("text", ["그렇게 생각하니 조금 가벼워요", "네 힘드네요", "음 글쎄요, 어떻게 하죠"])
    async def test_is_made_once_more_after_an_unclear_answer_and_then_declined(self, talk, text):
        talk.model.scripts[READER] = wrap_up_answer(agreed=True, quote=text)
        await talk.say(text)
        assert (await talk.say(PLAIN)).directive["proposes"] == "wrap_up"
        await talk.say(text)
        assert (talk.state.wrap_up.stage, talk.state.wrap_up.declined) == (WrapUpStage.DECLINED, 1)
        assert (await talk.say(PLAIN)).directive["proposes"] is None

    @pytest.mark.parametrize("text", ["아니 됐어요", "됐어요", "괜찮아요", "아뇨 괜찮습니다", "상관없어요"])
    async def test_stays_open_after_words_that_can_mean_both_without_a_model(self, talk, text):
        said = await talk.say(text)
        assert (talk.state.wrap_up.stage, talk.model.asked(READER)) == (WrapUpStage.SUGGESTED, [])
        assert said.run(READER).output == "unclear"

    async def test_is_no_answer_when_the_user_goes_on_telling_whatever_the_model_says(self, talk):
        told = "생각해 보니 어제 회사에서 정말 속상한 일이 있었는데 그 이야기를 아직 못 했어요"
        talk.model.scripts[READER] = wrap_up_answer(agreed=True, quote="생각해 보니")
        await talk.say(told)
        assert (talk.state.wrap_up.stage, talk.state.status) == (WrapUpStage.DECLINED, SessionStatus.ACTIVE)

    async def test_counts_as_not_agreed_when_the_model_fails(self, talk):
        said = await talk.say("음 글쎄요, 어떻게 하죠")
        assert said.run(READER).decided_by.value == "safe_default"
        assert (talk.state.wrap_up.stage, talk.state.status) == (WrapUpStage.DECLINED, SessionStatus.ACTIVE)

    async def test_is_answered_by_the_next_message_only(self, talk):
        await talk.say("아니요, 더 얘기할래요")
        said = await talk.say("네")
        assert [run for run in said.runs if run.agent == READER] == []
        assert talk.state.status is SessionStatus.ACTIVE

    async def test_that_a_crisis_came_between_is_no_longer_open(self, talk):
        await talk.say("친구가 죽고 싶대요")
        said = await talk.say("네, 좋아요")
        assert [run for run in said.runs if run.agent == READER] == []
        assert (talk.state.status, talk.state.ended) == (SessionStatus.ACTIVE, False)
        talk.happen(WrapUpSuggested(reason=BOUNDED))
        stances = [(await talk.say(PLAIN)).directive["stance"] for _ in range(3)]
        assert stances == ["accompany", "accompany", "propose_wrap_up"], "the helper comes first, but not for ever"

    async def test_agreed_to_bridges_until_the_closing_is_there(self, talk):
        first = await talk.say("네, 좋아요")
        second = await talk.say(PLAIN)
        assert (first.directive["stance"], second.directive["stance"]) == ("bridge", "bridge")
        assert second.records("part_transitions") == []

    async def test_that_was_agreed_to_leads_through_the_closing_to_the_end(self, talk):
        await talk.say("네, 좋아요")
        talk.happen(ClosingStarted(tasks=(task("last", 3, completion_rule="reply", max_turns=2),)))
        said = [await talk.say(PLAIN), await talk.say(PLAIN)]
        assert [(one.directive["stance"], one.directive["proposes"]) for one in said] == [
            ("work", None),
            ("confirm_end", "end"),
        ]
        assert (talk.state.status, talk.state.wrap_up.aim) == (SessionStatus.WRAPPING_UP, WrapUpAim.END)
        assert (await talk.say("네, 그만할게요")).reply == FAREWELL
        assert talk.state.status is SessionStatus.COMPLETED

    async def test_that_the_counselor_could_not_speak_is_no_proposal(self, talk):
        await talk.say("아니요, 더 얘기할래요")
        talk.happen(WrapUpSuggested(reason=BOUNDED))
        talk.model.scripts.pop("counselor")
        await talk.say(PLAIN)
        assert talk.state.wrap_up.stage is WrapUpStage.SUGGESTED


class TestASuggestion:
    @pytest.fixture
    def talk(self, talk):
        talk.plan(task("a", 2))
        talk.happen(WrapUpSuggested(reason=BOUNDED))
        return talk

    @pytest.mark.parametrize(
        "seen",
        [user_state_reading(emotion=EmotionLabel.SADNESS, intensity=9), user_state_reading(topic_changed=True)],
        ids=["in pain", "at a new topic"],
    )
    async def test_waits_while_something_opens_up_and_is_made_when_the_user_is_calm(self, talk, seen):
        talk.model.scripts["user_state_detector"] = seen
        held = await talk.say("사실은 그날 집에서 엄마랑 크게 다퉜거든요")
        assert (held.directive["stance"], talk.state.wrap_up.stage) == ("work", WrapUpStage.SUGGESTED)
        talk.model.scripts["user_state_detector"] = user_state_reading()
        stances = [(await talk.say(f"{PLAIN}, {n}번째로요")).directive["stance"] for n in range(HELD_BACK)]
        assert "propose_wrap_up" in stances

    async def test_waits_some_turns_after_a_relapse_though_the_newest_words_are_less_strong(self, talk):
        """Seen: lasting grief, calm, a relapse, and one turn later a proposal on "또 눈물이 나요"."""
        stances = []
        for intensity in (9, 2, 9, 5, 4, 3, 2, 2):
            emotion = EmotionLabel.SADNESS
            talk.model.scripts["user_state_detector"] = user_state_reading(emotion=emotion, intensity=intensity)
            stances.append((await talk.say(f"그날 일을 말하고 있어요, {len(stances)}번째로요")).directive["stance"])
        assert stances[:5] == ["work"] * 5, "the relapse is in the third turn"
        assert "propose_wrap_up" in stances[5:]

    async def test_does_not_wait_for_ever(self, talk):
        talk.model.scripts["user_state_detector"] = user_state_reading(emotion=EmotionLabel.SADNESS, intensity=9)
        stances = [
            (await talk.say(f"그날 일이 자꾸 떠올라요, {n}번째로요")).directive["stance"] for n in range(HELD_BACK + 1)
        ]
        assert stances == ["work"] * HELD_BACK + ["propose_wrap_up"]


class TestTheUsersWishToEnd:
    async def test_is_confirmed_before_anything_ends(self, talk):
        said = await talk.say("오늘은 그만하고 싶어요")
        assert (said.directive["stance"], said.directive["proposes"]) == ("confirm_end", "end")
        assert "<proposal>end</proposal>" in talk.model.asked("counselor")[0].system
        assert not talk.state.ended

    @pytest.mark.parametrize("yes", ["네", "네, 그만할게요", "오늘은 그만하고 싶어요"])
    async def test_confirmed_the_session_is_over_with_a_farewell_and_no_model(self, talk, yes):
        await talk.say("오늘은 그만하고 싶어요")
        asked = len(talk.model.requests)
        said = await talk.say(yes)
        assert len(talk.model.requests) == asked
        assert said.reply == FAREWELL
        assert talk.state.ended
        assert talk.state.ended_at == talk.clock.now()
        assert {one.status for one in talk.state.tasks} == {TaskStatus.COMPLETED}
        assert [hook.type for hook in said.outcome.hooks] == ["session_completed"]

    @pytest.mark.parametrize("half", ["음 글쎄요", "네, 근데 조금 무서워요", "그래도 될까요?", "잘 모르겠어요"])
    async def test_is_not_confirmed_by_half_a_yes_whatever_the_model_says(self, talk, half):
        await talk.say("오늘은 그만하고 싶어요")
        talk.model.scripts[READER] = wrap_up_answer(agreed=True, quote=half)
        said = await talk.say(half)
        assert not talk.state.ended
        assert said.run(READER).decided_by.value == "rule"

    @pytest.mark.parametrize("text", ["이만 총총", "네 힘드네요", "네 다들 떠나네요", "오늘 밤은 눈이 오네요"])
    async def test_is_not_confirmed_by_words_that_only_the_model_reads_as_a_yes(self, talk, text):
        await talk.say("오늘은 그만하고 싶어요")
        talk.model.scripts[READER] = wrap_up_answer(agreed=True, quote=text)
        await talk.say(text)
        assert not talk.state.ended
        assert (await talk.say(PLAIN)).directive["proposes"] == "end", "asked once more, a turn later"
        await talk.say("네")
        assert talk.state.ended

    @pytest.mark.parametrize("text", ["네ㅠㅠ", "네 ㅜㅜ", "응 ㅠ", "좋아요ㅠㅠ", "더 할 얘기는 없어요ㅠㅠ"])
    async def test_is_not_confirmed_by_a_yes_in_tears(self, talk, text):
        await talk.say("오늘은 그만하고 싶어요")
        talk.model.scripts[READER] = wrap_up_answer(agreed=True, quote=text)
        await talk.say(text)
        assert not talk.state.ended

    async def test_said_twice_in_ones_own_words_is_confirmed_tears_or_not(self, talk):
        await talk.say("오늘은 그만하고 싶어요ㅠㅠ")
        await talk.say("네 이제 그만할게요ㅠㅠ")
        assert talk.state.ended

    @pytest.mark.parametrize("text", ["아니 됐어요", "됐어요", "아니 괜찮아요"])
    async def test_answered_by_words_that_can_mean_both_is_asked_once_more(self, talk, text):
        await talk.say("그만할래요")
        await talk.say(text)
        assert (talk.state.ended, talk.state.wrap_up.stage) == (False, WrapUpStage.SUGGESTED)
        assert (await talk.say(PLAIN)).directive["proposes"] == "end"
        await talk.say(text)
        assert (talk.state.ended, talk.state.wrap_up.stage) == (False, WrapUpStage.DECLINED)

    async def test_sent_again_before_the_question_was_there_confirms_nothing(self, talk):
        sent = talk.clock.now()
        talk.clock.advance(2)
        await talk.say("오늘은 그만하고 싶어요")
        said = await talk.say("오늘은 그만하고 싶어요", received_at=sent)
        assert not talk.state.ended
        assert said.directive["proposes"] == "end"
        await talk.say("네")
        assert talk.state.ended

    async def test_in_a_follow_through_sent_again_before_the_question_was_there_confirms_nothing(self, talk):
        sent = talk.clock.now()
        talk.clock.advance(2)
        for text in ("죽고 싶어요", "그만할래요"):
            await talk.say(text)
        asked_again = await talk.say("그만할래요", received_at=sent)
        assert not talk.state.ended
        assert "109" in asked_again.reply

    async def test_taken_back_the_talk_goes_on(self, talk):
        await talk.say("오늘은 그만하고 싶어요")
        said = await talk.say("아니요, 더 얘기할래요")
        assert not talk.state.ended
        assert said.directive["stance"] == "work"

    async def test_in_part_1_needs_no_plan(self, talk):
        await talk.say("오늘은 그만하고 싶어요")
        await talk.say("네")
        assert (talk.state.current_part, talk.state.plan_status) == (Part.OPENING, PlanStatus.NONE)
