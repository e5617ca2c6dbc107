"""A proposal to wrap up, a suggestion that waits for calm, the user's wish to end, and the answers to each."""

import pytest

from shared.content.catalogue import content
from shared.domain.counseling.background_events import ClosingStarted, WrapUpSuggested
from shared.domain.counseling.lifecycle import BOUNDED, Work, overdue_work
from shared.domain.counseling.review import HELD_BACK
from shared.domain.counseling.session import PlanStatus, SessionStatus, WrapUpAim, WrapUpStage
from shared.domain.counseling.task import Part, TaskStatus
from shared.locale import Locale
from tests.builders.answers import user_state_reading, wrap_up_answer
from tests.builders.sessions import task
from tests.builders.talk import Talk, after

READER, DETECTOR = "wrap_up_answer", "user_state_detector"
PLAIN = "오늘은 그냥 집에 있었어요"
STOP = "오늘은 그만하고 싶어요"
FAREWELL = content().messages(Locale.KO).text("session_ended")
SUGGESTED, DECLINED = WrapUpStage.SUGGESTED, WrapUpStage.DECLINED


@pytest.fixture
def suggested(talk):
    """Part 2 in which the wrap-up is suggested."""
    talk.plan(task("a", 2))
    talk.happen(WrapUpSuggested(reason=BOUNDED))
    return talk


async def stances(talk, *texts):
    return [(await talk.say(text)).directive["stance"] for text in texts]


def numbered(text, times):
    return [f"{text}, {number}번째로요" for number in range(times)]


class TestAProposalToWrapUp:
    @pytest.fixture
    async def talk(self, suggested):
        said = await suggested.say(PLAIN)
        assert (said.directive["stance"], said.directive["proposes"]) == ("propose_wrap_up", "wrap_up")
        assert "<proposal>wrap_up</proposal>" in suggested.model.asked("counselor")[0].system
        suggested.model.scripts.pop("task_completion_checker")
        return suggested

    @pytest.mark.parametrize("text", ["오늘은 여기까지 할게요", "네, 이제 자야 해요. 오늘은 여기까지만 할게요"])
    async def test_answered_by_a_wish_to_end_now_gets_the_question_whether_to_end(self, talk, text):
        said = await talk.say(text)
        assert (said.directive["proposes"], said.records("part_transitions")) == ("end", [])
        assert not talk.state.ended
        await talk.say("네")
        assert talk.state.ended

    @pytest.mark.parametrize("text", ["네", "네, 좋아요", "네, 그만할게요"])
    async def test_is_agreed_to_by_pattern_without_a_model_and_bridges_until_the_closing_starts(self, talk, text):
        said = await talk.say(text)
        assert talk.model.asked(READER) == []
        assert (said.run(READER).decided_by.value, said.run(READER).output) == ("rule", "confirm")
        assert (talk.state.status, talk.state.wrap_up.stage) == (SessionStatus.WRAPPING_UP, WrapUpStage.AGREED)
        (record,) = said.records("part_transitions")
        assert (record.record_id, record.from_part, record.to_part) == ("2-3", Part.EXPLORATION, Part.CLOSING)
        assert Work.PLAN in overdue_work(talk.state), "the sweep plans the closing if the transition's event is lost"
        later = await talk.say(PLAIN)
        assert (said.directive["stance"], later.directive["stance"]) == ("bridge", "bridge")
        assert later.records("part_transitions") == []

    @pytest.mark.parametrize("text", ["아니요, 더 얘기할래요", "네, 근데 더 얘기하고 싶어요"])
    async def test_is_declined_by_pattern_without_a_model_and_a_later_yes_does_not_count(self, talk, text):
        said = await talk.say(text)
        assert (talk.model.asked(READER), said.run(READER).output) == ([], "cancel")
        assert (talk.state.status, talk.state.wrap_up.stage) == (SessionStatus.ACTIVE, DECLINED)
        assert (talk.state.wrap_up.declined, said.records("part_transitions")) == (1, [])
        assert said.directive["stance"] == "work"
        later = await talk.say("네")
        assert [run for run in later.runs if run.agent == READER] == []
        assert talk.state.status is SessionStatus.ACTIVE

    @pytest.mark.parametrize(
        ("agreed", "quote", "stage"),
        [(True, "글쎄요", SUGGESTED), (True, "좋아요", DECLINED), (True, "", DECLINED), (False, "", DECLINED)],
    )
    async def test_stays_open_if_the_model_quotes_an_agreement_and_is_declined_otherwise(
        self, talk, agreed, quote, stage
    ):
        talk.model.scripts[READER] = wrap_up_answer(agreed=agreed, quote=quote)
        said = await talk.say("음 글쎄요, 어떻게 하죠")
        assert (len(talk.model.asked(READER)), said.run(READER).decided_by.value) == (1, "model")
        assert (talk.state.wrap_up.stage, talk.state.status) == (stage, SessionStatus.ACTIVE)
        assert said.records("part_transitions") == []
        assert said.directive["stance"] == "work", "the reply answers the message first"

    @pytest.mark.parametrize("text", ["그렇게 생각하니 조금 가벼워요", "네 힘드네요", "음 글쎄요, 어떻게 하죠"])
    async def test_is_repeated_once_after_an_unclear_answer_and_then_declined(self, talk, text):
        talk.model.scripts[READER] = wrap_up_answer(agreed=True, quote=text)
        await talk.say(text)
        assert (await talk.say(PLAIN)).directive["proposes"] == "wrap_up"
        await talk.say(text)
        assert (talk.state.wrap_up.stage, talk.state.wrap_up.declined) == (DECLINED, 1)
        assert (await talk.say(PLAIN)).directive["proposes"] is None

    @pytest.mark.parametrize("text", ["아니 됐어요", "됐어요", "괜찮아요", "아뇨 괜찮습니다", "상관없어요"])
    async def test_stays_open_after_an_ambiguous_answer_without_a_model(self, talk, text):
        said = await talk.say(text)
        assert (talk.state.wrap_up.stage, talk.model.asked(READER)) == (SUGGESTED, [])
        assert said.run(READER).output == "unclear"

    async def test_is_declined_by_a_long_message_or_when_the_model_fails(self, talk):
        before = talk.state
        said = await talk.say("음 글쎄요, 어떻게 하죠")
        assert said.run(READER).decided_by.value == "safe_default"
        assert (talk.state.wrap_up.stage, talk.state.status) == (DECLINED, SessionStatus.ACTIVE)
        talk.state = before
        talk.model.scripts[READER] = wrap_up_answer(agreed=True, quote="생각해 보니")
        await talk.say("생각해 보니 어제 회사에서 정말 속상한 일이 있었는데 그 이야기를 아직 못 했어요")
        assert (talk.state.wrap_up.stage, talk.state.status) == (DECLINED, SessionStatus.ACTIVE)

    async def test_is_withdrawn_by_a_crisis_and_made_again_after_the_help_for_the_helper(self, talk):
        await talk.say("친구가 죽고 싶대요")
        said = await talk.say("네, 좋아요")
        assert [run for run in said.runs if run.agent == READER] == []
        assert (talk.state.status, talk.state.ended) == (SessionStatus.ACTIVE, False)
        talk.happen(WrapUpSuggested(reason=BOUNDED))
        found = await stances(talk, *[PLAIN] * 3)
        assert found == ["accompany", "accompany", "propose_wrap_up"], "the help for the helper ends after some turns"

    async def test_leads_through_the_closing_to_the_end_once_it_is_agreed_to(self, talk):
        await talk.say("네, 좋아요")
        talk.happen(ClosingStarted(tasks=(task("last", 3, completion_rule="reply", max_turns=2),)))
        said = [(await talk.say(PLAIN)).directive for _ in range(2)]
        assert [(one["stance"], one["proposes"]) for one in said] == [("work", None), ("confirm_end", "end")]
        assert (said[0]["part"], said[0]["task_id"], said[0]["part2_goal"]) == (3, "last", None)
        assert (talk.state.status, talk.state.wrap_up.aim) == (SessionStatus.WRAPPING_UP, WrapUpAim.END)
        assert (await talk.say("네, 그만할게요")).reply == FAREWELL
        assert talk.state.status is SessionStatus.COMPLETED


class TestASuggestion:
    @pytest.mark.parametrize("seen", [{"emotion": "sadness", "intensity": 9}, {"topic_changed": True}])
    async def test_waits_during_a_strong_emotion_or_a_new_topic_and_is_made_when_the_user_is_calm(
        self, suggested, seen
    ):
        suggested.model.scripts[DETECTOR] = user_state_reading(**seen)
        assert await stances(suggested, "사실은 그날 집에서 엄마랑 크게 다퉜거든요") == ["work"]
        assert suggested.state.wrap_up.stage is SUGGESTED
        suggested.model.scripts[DETECTOR] = user_state_reading()
        assert "propose_wrap_up" in await stances(suggested, *numbered(PLAIN, HELD_BACK))


class TestTheUsersWishToEnd:
    @pytest.fixture
    async def asked(self, talk):
        """The user has said that they want to end and is asked to confirm."""
        said = await talk.say(STOP)
        assert (said.directive["stance"], said.directive["proposes"]) == ("confirm_end", "end")
        assert "<proposal>end</proposal>" in talk.model.asked("counselor")[0].system
        assert not talk.state.ended
        return talk

    @pytest.mark.parametrize("yes", ["네", "네, 그만할게요", STOP])
    async def test_once_confirmed_ends_the_session_with_a_farewell_and_without_a_model(self, asked, yes):
        requests = len(asked.model.requests)
        said = await asked.say(yes)
        assert len(asked.model.requests) == requests
        assert said.reply == FAREWELL
        assert asked.state.ended
        assert asked.state.ended_at == asked.clock.now()
        assert {one.status for one in asked.state.tasks} == {TaskStatus.COMPLETED}
        assert [hook.type for hook in said.outcome.hooks] == ["session_completed"]
        assert (asked.state.current_part, asked.state.plan_status) == (Part.OPENING, PlanStatus.NONE)

    @pytest.mark.parametrize(
        "text",
        [
            *("음 글쎄요", "네, 근데 조금 무서워요", "그래도 될까요?", "잘 모르겠어요"),
            *("네ㅠㅠ", "네 ㅜㅜ", "응 ㅠ", "좋아요ㅠㅠ"),
        ],
    )
    async def test_is_not_confirmed_by_a_hesitant_or_tearful_yes_even_if_the_model_reads_a_yes(self, asked, text):
        asked.model.scripts[READER] = wrap_up_answer(agreed=True, quote=text)
        said = await asked.say(text)
        assert (asked.state.ended, said.run(READER).decided_by.value) == (False, "rule")

    @pytest.mark.parametrize(
        "text", ["이만 총총", "네 힘드네요", "네 다들 떠나네요", "오늘 밤은 눈이 오네요", "더 할 얘기는 없어요ㅠㅠ"]
    )
    async def test_is_not_confirmed_by_words_that_only_the_model_reads_as_a_yes(self, asked, text):
        asked.model.scripts[READER] = wrap_up_answer(agreed=True, quote=text)
        said = await asked.say(text)
        assert not asked.state.ended
        assert said.directive["ask"] is None, "nobody who is about to leave is asked for their name or the like"
        assert (await asked.say(PLAIN)).directive["proposes"] == "end", "the question is repeated a turn later"
        await asked.say("네")
        assert asked.state.ended

    async def test_is_confirmed_by_a_second_explicit_wish_to_end_even_in_tears(self):
        assert (await after("오늘은 그만하고 싶어요ㅠㅠ", "네 이제 그만할게요ㅠㅠ")).state.ended

    @pytest.mark.parametrize("text", ["아니 됐어요", "됐어요", "아니 괜찮아요"])
    async def test_is_asked_about_once_more_after_an_ambiguous_answer(self, asked, text):
        await asked.say(text)
        assert (asked.state.ended, asked.state.wrap_up.stage) == (False, SUGGESTED)
        assert (await asked.say(PLAIN)).directive["proposes"] == "end"
        await asked.say(text)
        assert (asked.state.ended, asked.state.wrap_up.stage) == (False, DECLINED)

    async def test_is_not_confirmed_by_a_message_that_was_sent_before_the_question(self):
        for before, stop, there in (((), STOP, False), (("죽고 싶어요",), "그만할래요", True)):
            talk = Talk()
            sent = talk.clock.now()
            talk.clock.advance(2)
            for text in (*before, stop):
                await talk.say(text)
            said = await talk.say(stop, received_at=sent)
            assert (talk.state.ended, "109" in said.reply) == (False, there)
            assert there or said.directive["proposes"] == "end"
            await talk.say("네")
            assert talk.state.ended

    async def test_is_withdrawn_by_a_no_and_the_session_goes_on(self, asked):
        assert await stances(asked, "아니요, 더 얘기할래요") == ["work"]
        assert not asked.state.ended
