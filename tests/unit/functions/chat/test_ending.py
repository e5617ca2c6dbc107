"""How a talk moves on and ends: only the client ends it, and a no leads back to where it was."""

import pytest

from functions.chat.flows.counseling.farewell import farewell
from functions.chat.turn import ChatTurn
from shared.content.catalogue import content
from shared.domain.conversation import Consent
from shared.domain.counseling.background_events import ClosingStarted, Reviewed, WrapUpSuggested
from shared.domain.counseling.lifecycle import BOUNDED, PART2_MAX_TURNS, Work, leaving_for_closing, overdue_work
from shared.domain.counseling.review import HELD_BACK, REST_AFTER_DECLINE, may_suggest_wrap_up
from shared.domain.counseling.session import PlanStatus, SessionStatus, WrapUpAim, WrapUpStage
from shared.domain.counseling.session_events import ClosingAsked
from shared.domain.counseling.short_answers import OFFER_AFTER, QUIET_AFTER
from shared.domain.counseling.task import MAX_RETURNS, Part, TaskStatus
from shared.domain.errors import ModelStreamBroken, ModelUnavailable
from shared.lexicon.asking import asks_of
from shared.locale import Locale, Register
from tests.builders.answers import reads
from tests.builders.sessions import NOW, session, task
from tests.builders.talk import REPLY, Talk
from tests.fakes.scripted_model import Stream

PLAIN = "오늘은 그냥 집에 있었어요"
MESSAGES = content().messages(Locale.KO, Register.FORMAL)
QUESTIONS, PROPOSALS = MESSAGES.variants("confirm_end"), MESSAGES.variants("propose_wrap_up")
FAREWELL = MESSAGES.text("session_ended")
SUGGESTED, PROPOSED, DECLINED = WrapUpStage.SUGGESTED, WrapUpStage.PROPOSED, WrapUpStage.DECLINED
MORE = "task_more_1"
LAST = task("last", 3, completion_rule="reply", max_turns=2)
CUT = Stream(("많이 지치셨을 것 같아요. ", "오늘 이야기를 많이 나눴네요. ", "여기서"), error=ModelStreamBroken("cut"))


@pytest.fixture(params=[False, True], ids=["step_by_step", "early"])
def talk(request):
    """A talk whose turns run step by step, and with a reply that is begun early."""
    talk = Talk()
    talk.flow = ChatTurn(talk.content, early=request.param)
    return talk


async def read(talk, *signs, text=PLAIN, **more):
    """Say something in which the reader finds this."""
    talk.model.scripts["reader"] = reads(*signs, **{"next_task": talk.state.current_task or "none"} | more)
    return await talk.say(text)


async def stop(talk):
    """Say that this is enough for today."""
    return await read(talk, "wants_to_stop", text="오늘은 그만하고 싶어요")


def explored(talk):
    """Bring the talk to a Part 2 whose task is covered."""
    talk.plan(task("a", 2, status="sufficient", sufficient_at=NOW))
    return talk


def closing(talk, *tasks):
    """Bring the talk to Part 3."""
    talk.happen(ClosingAsked(), ClosingStarted(tasks=tasks or (LAST,)))
    return talk


async def proposed(talk):
    """Bring the talk to the proposal to wrap up."""
    talk.happen(WrapUpSuggested(reason=BOUNDED))
    said = await read(talk)
    assert (said.directive["stance"], said.directive["proposes"]) == ("propose_wrap_up", "wrap_up")
    return talk


def work(said):
    return said.directive["stance"], said.directive["task_id"]


class TestPart1:
    async def test_goes_on_until_it_is_covered_then_records_one_transition_and_bridges(self, talk):
        assert (await read(talk)).records("part_transitions") == []
        covered = (one.model_copy(update={"status": TaskStatus.SUFFICIENT}) for one in talk.state.tasks)
        talk.set(tasks=tuple(covered), current_task=None)
        said = await read(talk)
        (record,) = said.records("part_transitions")
        assert (record.record_id, record.from_part, record.to_part, record.seq) == ("1-2", 1, 2, 2)
        assert talk.state.plan_status is PlanStatus.PLANNING
        assert (said.directive["stance"], said.directive["task_id"], said.ask) == ("bridge", None, None)
        for _ in range(3):
            said = await read(talk)
            assert (said.records("part_transitions"), said.directive["stance"]) == ([], "bridge")

    async def test_is_covered_after_a_bound_of_turns_without_a_model(self, talk):
        talk.model.scripts = {}
        transitions = []
        for _ in range(40):
            transitions += (await talk.say("글쎄요, 별로 말하고 싶지 않은데")).records("part_transitions")
        assert [record.record_id for record in transitions] == ["1-2"]


async def test_the_wrap_up_is_proposed_at_the_bound_of_part_2_and_again_some_turns_after_a_no(talk):
    talk.plan(task("a", 2), task("b", 2))
    assert (await read(talk)).directive["part2_goal"] == "잠을 다시 자기"
    talk.set(seq=talk.state.part2_started_seq + PART2_MAX_TURNS)
    assert (await read(talk)).directive["proposes"] == "wrap_up"
    said = [await read(talk, "refuses", text="더 얘기할래요"), *[await read(talk) for _ in range(REST_AFTER_DECLINE)]]
    stances = [one.directive["stance"] for one in said]
    assert "propose_wrap_up" not in stances[:REST_AFTER_DECLINE]
    assert stances[REST_AFTER_DECLINE] == "propose_wrap_up"


async def test_between_the_last_covered_task_and_the_review_the_reply_gathers_what_was_shared(talk):
    talk.plan(task("only", 2))
    talk.work_on("only")
    stances = [(await read(talk, "complete", next_task="none")).directive["stance"] for _ in range(2)]
    talk.happen(Reviewed(seq=talk.state.seq, upto=talk.state.message_count, gist={}))
    stances.append((await read(talk, next_task="none")).directive["stance"])
    assert stances == ["gather", "gather", "accompany"]


class TestAProposalToWrapUp:
    @pytest.fixture
    async def talk(self, talk):
        talk.plan(task("a", 2))
        return await proposed(talk)

    async def test_is_codes_own_question_behind_the_reply(self, talk):
        said = talk.state.recent[-1].text
        assert said == f"{REPLY}\n\n{PROPOSALS[0]}"
        assert f"<follows>{PROPOSALS[0]}</follows>" in talk.model.asked("counselor")[0].system

    @pytest.mark.parametrize(("text", "signs"), [("네, 좋아요", ()), ("음 그럴까 봐요", ("agrees",))])
    async def test_is_agreed_to_by_a_plain_or_a_read_yes_and_bridges_until_the_closing_starts(self, talk, text, signs):
        said = await read(talk, *signs, text=text)
        assert len(talk.model.asked("reader")) == 1 + bool(signs), "a plain yes needs no model"
        assert (talk.state.status, talk.state.wrap_up.stage) == (SessionStatus.WRAPPING_UP, WrapUpStage.AGREED)
        (record,) = said.records("part_transitions")
        assert (record.record_id, record.from_part, record.to_part) == ("2-3", Part.EXPLORATION, Part.CLOSING)
        assert Work.PLAN in overdue_work(talk.state), "the sweep plans the closing if the transition's event is lost"
        later = await read(talk)
        assert (said.directive["stance"], later.directive["stance"]) == ("bridge", "bridge")
        assert later.records("part_transitions") == []

    @pytest.mark.parametrize(("text", "signs"), [("아니요", ()), ("더 얘기하고 싶어요", ("refuses",))])
    async def test_is_declined_and_a_later_yes_does_not_count(self, talk, text, signs):
        said = await read(talk, *signs, text=text)
        assert (talk.state.status, talk.state.wrap_up.stage) == (SessionStatus.ACTIVE, DECLINED)
        assert (talk.state.wrap_up.declined, said.records("part_transitions")) == (1, [])
        assert said.directive["stance"] == "work"
        await read(talk, "agrees", text="네")
        assert talk.state.status is SessionStatus.ACTIVE

    @pytest.mark.parametrize("signs", [(), ("agrees", "new_topic")])
    async def test_is_repeated_once_after_an_unclear_answer_and_then_declined(self, talk, signs):
        assert (await read(talk, *signs, text="음 글쎄요, 어떻게 하죠")).directive["proposes"] is None
        assert talk.state.wrap_up.stage is SUGGESTED
        for _ in range(HELD_BACK):
            if (await read(talk)).directive["proposes"]:
                break
        assert talk.state.wrap_up.stage is PROPOSED
        await read(talk, *signs, text="음 글쎄요, 어떻게 하죠")
        assert (talk.state.wrap_up.stage, talk.state.wrap_up.declined) == (DECLINED, 1)

    async def test_is_not_agreed_to_where_no_model_could_read_the_answer(self, talk):
        talk.model.scripts.pop("reader")
        await talk.say("음 글쎄요, 어떻게 하죠")
        assert (talk.state.wrap_up.stage, talk.state.status) == (SUGGESTED, SessionStatus.ACTIVE)

    async def test_answered_by_a_wish_to_end_now_gets_the_question_whether_to_end(self, talk):
        said = await stop(talk)
        assert (said.directive["proposes"], said.records("part_transitions")) == ("end", [])
        assert not talk.state.ended
        await talk.say("네")
        assert talk.state.ended

    async def test_is_withdrawn_by_anothers_danger_and_made_again_after_the_help_for_the_helper(self, talk):
        await talk.say("친구가 죽고 싶대요")
        await read(talk, "agrees", text="네, 좋아요")
        assert (talk.state.status, talk.state.ended) == (SessionStatus.ACTIVE, False)
        talk.happen(WrapUpSuggested(reason=BOUNDED))
        found = [(await read(talk)).directive["stance"] for _ in range(3)]
        assert found == ["accompany", "accompany", "propose_wrap_up"], "the help for the helper ends after some turns"

    async def test_leads_through_the_closing_to_the_end_once_it_is_agreed_to(self, talk):
        await talk.say("네, 좋아요")
        talk.happen(ClosingStarted(tasks=(LAST,)))
        said = [(await read(talk)).directive for _ in range(2)]
        assert [(one["stance"], one["proposes"]) for one in said] == [("work", None), ("confirm_end", "end")]
        assert (said[0]["part"], said[0]["task_id"], said[0]["part2_goal"]) == (3, "last", None)
        assert (talk.state.status, talk.state.wrap_up.aim) == (SessionStatus.WRAPPING_UP, WrapUpAim.END)
        assert (await talk.say("네")).reply == FAREWELL
        assert talk.state.status is SessionStatus.COMPLETED


@pytest.mark.parametrize(("signs", "more"), [((), {"feeling": ("sadness", 9)}), (("new_topic",), {})])
async def test_a_suggestion_waits_during_a_strong_emotion_or_a_new_topic_until_the_user_is_calm(talk, signs, more):
    talk.plan(task("a", 2))
    talk.work_on("a")
    talk.set(last_asked=None)
    talk.happen(WrapUpSuggested(reason=BOUNDED))
    assert (await read(talk, *signs, **more)).directive["stance"] == "work"
    assert talk.state.wrap_up.stage is SUGGESTED
    assert "propose_wrap_up" in [(await read(talk)).directive["stance"] for _ in range(HELD_BACK)]


async def test_a_wrap_up_that_the_model_failed_to_propose_stays_suggested_and_ignores_a_yes(talk):
    talk.model.scripts["counselor"] = ModelUnavailable("503")
    talk.happen(WrapUpSuggested(reason=BOUNDED))
    assert (await read(talk)).directive["stance"] == "propose_wrap_up"
    assert talk.state.wrap_up.stage is SUGGESTED
    assert (await talk.say("네")).state.status is SessionStatus.ACTIVE


class TestTheQuestionWhetherToEnd:
    @pytest.fixture
    async def asked(self, talk):
        said = await stop(talk)
        assert (said.directive["stance"], said.directive["end_cause"]) == ("confirm_end", "asked")
        assert said.reply == f"{REPLY}\n\n{QUESTIONS[0]}"
        assert not talk.state.ended
        return talk

    async def test_follows_whatever_the_model_said(self, talk):
        guarded = "네, 오늘 애쓰셨어요. 오늘 상담을 여기서 마치겠습니다."
        for reply in ("오늘 이야기 나눠 주셔서 고마워요.", "그 마음이 지금도 남아 있나요?", CUT, guarded):
            talk.set(wrap_up=None, recent=(), questions_said=talk.state.questions_said)
            talk.model.scripts["counselor"] = reply
            said = await stop(talk)
            assert said.reply.endswith(QUESTIONS), reply
            assert talk.state.wrap_up.stage is PROPOSED

    async def test_comes_in_no_wording_twice_before_all_were_used(self, talk):
        asked = []
        for _ in QUESTIONS:
            asked += asks_of((await stop(talk)).reply.rpartition("\n\n")[2])
            await read(talk, "refuses", text="더 얘기할래요")
        assert len({*asked}) == len(asked) == len(QUESTIONS), asked

    @pytest.mark.parametrize(
        ("locale", "register", "yes"),
        [(Locale.KO, Register.FORMAL, "네"), (Locale.KO, Register.CASUAL, "응"), (Locale.EN, Register.FORMAL, "yes")],
    )
    async def test_stands_alone_in_fixed_words_where_the_counselors_model_fails_and_a_yes_ends(
        self, locale, register, yes
    ):
        talk = Talk(locale=locale.value, register=register.value)
        talk.model.scripts.pop("counselor")
        asked = await stop(talk)
        messages = content().messages(locale, register)
        received, _, question = asked.reply.partition("\n\n")
        assert received in messages.variants("received_leaving")
        assert question == messages.variants("confirm_end")[0]
        assert asked.outcome.flags == ("degraded",)
        assert (await talk.say(yes)).state.status is SessionStatus.COMPLETED

    @pytest.mark.parametrize("yes", ["네", "그만할래요"])
    async def test_answered_by_a_plain_yes_ends_with_a_farewell_and_without_a_model(self, asked, yes):
        requests = len(asked.model.requests)
        said = await asked.say(yes)
        assert len(asked.model.requests) == requests
        assert said.reply == FAREWELL
        assert asked.state.ended_at == asked.clock.now()
        assert {one.status for one in asked.state.tasks} == {TaskStatus.COMPLETED}
        assert [hook.type for hook in said.outcome.hooks] == ["session_completed"]
        assert (asked.state.current_part, asked.state.plan_status) == (Part.OPENING, PlanStatus.NONE)

    @pytest.mark.parametrize(("signs", "ends"), [(("agrees",), True), (("wants_to_stop",), True), ((), False)])
    async def test_ends_by_words_only_if_they_are_quoted(self, asked, signs, ends):
        assert (await read(asked, *signs, text="이만 총총")).state.ended is ends

    async def test_is_not_answered_by_a_yes_whose_quote_was_not_said(self, asked):
        await read(asked, "agrees", text="음 글쎄요", quote="네, 마칠게요")
        assert not asked.state.ended

    @pytest.mark.parametrize("sign", ["asks_counsellor", "new_topic", "wants_advice"])
    async def test_is_repeated_a_turn_later_after_a_yes_beside_an_open_matter(self, asked, sign):
        said = await read(asked, "agrees", sign, text="네, 근데 조금 무서워요")
        assert not asked.state.ended
        assert (said.directive["proposes"], said.ask) == (None, None), "who is about to leave is asked nothing else"
        assert (await read(asked)).directive["proposes"] == "end"
        await asked.say("네")
        assert asked.state.ended

    async def test_is_asked_once_more_after_an_unclear_answer_and_then_declined(self, asked):
        await read(asked, text="됐어요")
        assert asked.state.wrap_up.stage is SUGGESTED
        assert (await read(asked)).directive["proposes"] == "end"
        await read(asked, text="됐어요")
        assert (asked.state.ended, asked.state.wrap_up.stage) == (False, DECLINED)

    async def test_is_withdrawn_by_a_no_and_the_session_goes_on(self, asked):
        assert (await read(asked, "refuses", text="더 얘기할래요")).directive["stance"] == "work"
        assert not asked.state.ended

    async def test_is_not_answered_by_a_message_that_was_sent_before_it(self, talk):
        sent = talk.clock.now()
        talk.clock.advance(2)
        await stop(talk)
        said = await talk.say("네", received_at=sent)
        assert not talk.state.ended
        assert said.directive["stance"] != "confirm_end" or said.directive["proposes"] == "end"

    async def test_in_a_danger_is_asked_with_the_lines_and_only_a_later_plain_yes_ends(self, talk):
        sent = talk.clock.now()
        talk.clock.advance(2)
        for text in ("죽고 싶어요", "그만할래요"):
            await talk.say(text)
        said = await talk.say("그만할래요", received_at=sent)
        assert (talk.state.ended, "109" in said.reply) == (False, True)
        await talk.say("네")
        assert talk.state.ended


class TestANoToTheEnd:
    @pytest.fixture
    async def talk(self, talk):
        """A covered closing in which the end is asked about, though the client gave no sign."""
        closing(explored(talk))
        await read(talk)
        assert (await read(talk)).directive["end_cause"] == "covered"
        return talk

    @pytest.mark.parametrize(("text", "signs"), [("아니요", ()), ("네 근데 하나만 더요", ("refuses", "complete"))])
    async def test_leads_back_to_part_2_with_a_task_for_the_users_topic(self, talk, text, signs):
        said = await read(talk, *signs, text=text)
        assert work(said) == ("work", MORE)
        assert (talk.state.status, talk.state.current_part) == (SessionStatus.ACTIVE, Part.EXPLORATION)
        assert talk.state.task("a").status is TaskStatus.SUFFICIENT, "the covered task is unchanged"
        assert talk.state.task(MORE).status is TaskStatus.IN_PROGRESS, "the no is no evidence for the new task"
        assert not said.directive["part_changed"], "Part 2 is not new to the user"
        (record,) = said.records("part_transitions")
        assert (record.record_id, record.from_part, record.to_part) == ("3-2", Part.CLOSING, Part.EXPLORATION)

    async def test_leads_to_work_without_another_proposal_until_the_user_asks_for_the_end(self, talk):
        await read(talk, "refuses", text="더 얘기하고 싶어요")
        allowed, told = [], []
        for _ in range(max(REST_AFTER_DECLINE + 1, 4)):
            allowed.append(may_suggest_wrap_up(talk.state))
            told.append(await read(talk))
        assert {(*work(said), said.directive["proposes"]) for said in told[:4]} == {("work", MORE, None)}
        assert allowed.index(True) == REST_AFTER_DECLINE
        assert (await stop(talk)).directive["stance"] == "confirm_end"
        await talk.say("네")
        assert talk.state.ended

    async def test_may_be_repeated_without_limit(self, talk):
        for turn in range(MAX_RETURNS + 2):
            await read(talk, "refuses", text="더 얘기하고 싶어요")
            assert talk.state.current_part is Part.EXPLORATION
            assert (await stop(closing(talk))).directive["proposes"] == "end", turn
        assert not talk.state.ended
        assert len([one for one in talk.state.tasks if one.id == MORE]) == 1
        assert talk.state.went_back == MAX_RETURNS + 2
        await talk.say("네")
        assert talk.state.ended


async def more(talk):
    return await read(talk, "refuses", text="아직 더 얘기하고 싶은데요")


class TestAWishToGoOn:
    async def test_in_the_closing_leads_back_to_part_2(self, talk):
        said = await more(closing(explored(talk)))
        assert (work(said), talk.state.current_part) == (("work", MORE), Part.EXPLORATION)
        assert talk.state.task("last").status is TaskStatus.PENDING

    async def test_cancels_a_closing_that_was_agreed_to_and_has_not_started(self, talk):
        await (await proposed(explored(talk))).say("네, 좋아요")
        assert leaving_for_closing(talk.state)
        said = await more(talk)
        assert not leaving_for_closing(talk.state)
        assert (talk.state.status, work(said)) == (SessionStatus.ACTIVE, ("work", MORE))
        assert said.records("part_transitions") == [], "no Part was left"

    @pytest.mark.parametrize("open_proposal", [True, False])
    async def test_declines_an_open_or_a_suggested_proposal_and_starts_the_task(self, talk, open_proposal):
        explored(talk).happen(WrapUpSuggested(reason=BOUNDED))
        if open_proposal:
            await read(talk)
        said = await more(talk)
        assert (work(said), talk.state.wrap_up.stage) == (("work", MORE), DECLINED)

    async def test_leads_to_a_waiting_task_if_there_is_one(self, talk):
        talk.plan(task("a", 2), task("b", 2))
        said = await more(await proposed(talk))
        assert said.directive["task_id"] in ("a", "b")
        assert talk.state.task(MORE) is None

    async def test_leads_back_to_part_1_if_the_closing_came_from_there(self, talk):
        (record,) = (await more(closing(talk))).records("part_transitions")
        assert (record.record_id, talk.state.current_part, talk.state.task(MORE)) == ("3-1", Part.OPENING, None)

    async def test_does_not_leave_the_closing_in_danger(self, talk):
        closing(explored(talk))
        await talk.say("죽고 싶어요")
        await more(talk)
        assert talk.state.current_part is Part.CLOSING


async def test_a_no_to_the_end_in_an_open_closing_leads_back_too(talk):
    talk.plan(task("a", 2))
    talk.happen(ClosingStarted(tasks=(task("one", 3), task("two", 3))))
    await read(talk)
    assert (await stop(talk)).directive["proposes"] == "end"
    assert (await talk.say("아니요")).directive["stance"] == "work"
    assert talk.state.wrap_up.stage is DECLINED


def test_the_task_for_more_talk_exists_in_every_language_and_register():
    tasks = [content().more_talk(locale, register) for locale in Locale for register in Register]
    assert {(one.part, one.status, one.id) for one in tasks} == {(Part.EXPLORATION, TaskStatus.PENDING, MORE)}


class TestARunOfShortAnswers:
    async def run(self, talk, times=OFFER_AFTER):
        return [await read(talk, text="네") for _ in range(times)]

    async def test_ends_the_counsellors_questions_and_then_brings_one_offer(self, talk):
        said = await self.run(talk)
        assert [one.directive["quiet"] for one in said[QUIET_AFTER - 1 : -1]] == [True] * (OFFER_AFTER - QUIET_AFTER)
        assert said[-1].directive["end_cause"] == "short_answers"
        assert said[-1].reply.endswith(MESSAGES.variants("rest_or_end")), "it offers to stay as well"
        assert (talk.state.wrap_up.aim, talk.state.wrap_up.choice) == (WrapUpAim.END, True)

    @pytest.mark.parametrize("answer", ["네", "글쎄요"])
    async def test_a_bare_yes_or_no_answer_to_the_choice_ends_nothing_and_it_rests(self, talk, answer):
        await self.run(talk)
        passed = await read(talk, "agrees", text=answer)
        assert (talk.state.ended, talk.state.wrap_up.stage) == (False, DECLINED)
        later = await self.run(talk, REST_AFTER_DECLINE - 2)
        assert [one.directive["proposes"] for one in (passed, *later)] == [None] * (len(later) + 1)

    async def test_words_that_name_the_end_end_the_session(self, talk):
        await self.run(talk)
        await read(talk, "wants_to_stop", text="후자요")
        assert talk.state.status is SessionStatus.COMPLETED

    async def test_the_rest_is_offered_once_and_later_only_the_choice(self, talk):
        said = await self.run(talk, OFFER_AFTER + REST_AFTER_DECLINE + OFFER_AFTER)
        asked = [one.directive["follows"] for one in said if one.directive["end_cause"] == "short_answers"]
        rest, choice = MESSAGES.variants("rest_or_end"), MESSAGES.variants("stay_or_end")
        assert [(one in rest, one in choice) for one in asked] == [(True, False), (False, True)]
        assert not talk.state.ended

    async def test_declined_begins_anew_and_the_offer_rests(self, talk):
        await self.run(talk)
        await read(talk, "refuses", text="아니요, 더 있을래요")
        assert talk.state.short_answers == 0
        assert [one.directive["proposes"] for one in await self.run(talk)] == [None] * OFFER_AFTER

    async def test_is_broken_by_a_value_or_a_feeling_and_not_counted_in_a_danger(self, talk):
        await self.run(talk, 3)
        await read(talk, text="지민요", told={"name": "지민"})
        assert talk.state.short_answers == 0
        await self.run(talk, 3)
        await read(talk, text="슬퍼요", feeling=("sadness", 8))
        assert talk.state.short_answers == 0
        await talk.say("죽고 싶어요")
        for _ in range(OFFER_AFTER):
            await talk.say("네")
        assert talk.state.short_answers == 0


@pytest.mark.parametrize("granted", [True, False])
def test_the_farewell_promises_a_summary_unless_a_consent_was_withdrawn(granted):
    consent = Consent(granted=granted, version="1", at=NOW, withdrawn_at=None if granted else NOW)
    for locale, promise in {Locale.KO: "정리해 둘게요", Locale.EN: "I will put together"}.items():
        left = session(locale=locale, consents={"overseas_transfer": consent})
        assert (promise in farewell(content(), left)) is granted, locale
