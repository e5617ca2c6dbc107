"""A crisis is answered by the protocol without a model; during the follow-through nothing ends or moves on."""

from itertools import pairwise

import pytest

from functions.chat.wordings import voice_of
from shared.content.catalogue import content
from shared.content.wordings import nth
from shared.domain.counseling.module import CRISIS_MODULE
from shared.domain.counseling.risk_events import RiskReviewed
from shared.domain.counseling.session import WrapUp, WrapUpStage
from shared.domain.counseling.staff_review import FlagReason
from shared.domain.counseling.task import TaskStatus
from shared.lexicon.session_words import without_questions
from shared.safety.help_seeking import Inquiry
from shared.safety.levels import CrisisOutcome, RiskLevel
from shared.safety.needs import Need
from shared.safety.protocol_questions import Topic
from shared.services.counseling.policy import CounselingPolicy
from tests.builders.answers import reads
from tests.builders.talk import EN, KO, REPLY, Talk, after, locale_of, told

REPLIES = content().crisis_replies
BLOCK = REPLIES.resource_block(KO, (Need.LIFE,))
FAILED = (Need.LIFE, Need.INJURY)
DANGER = "요즘 자꾸 죽고 싶어요"
PLAIN = "오늘은 그냥 집에 있었어요"
FRIEND = "친구가 죽고 싶대요"
THREAT = "그 사람을 죽여버리고 싶어요"
DETECTOR = "reader"


def numbers(talk):
    return {line.number for line in CounselingPolicy(content()).snapshot(talk.state).risk.resources}


class TestACrisisMessage:
    async def test_is_answered_by_the_protocol_without_a_model_and_recorded_without_content(self, talk):
        before = talk.state
        said = await talk.say(DANGER)
        assert talk.model.requests == []
        assert said.reply.startswith(REPLIES.reply(CrisisOutcome.CRISIS, KO, nth(0)))
        assert said.reply.endswith(REPLIES.questions(Topic.INTENT, KO)[0])
        assert "109" in said.reply
        decided = [(run.agent, run.decided_by.value) for run in said.runs]
        assert decided == [("safety_gate", "rule"), ("counselor", "rule")]
        assert (talk.state.risk.level, talk.state.risk.since_seq) == (RiskLevel.CRISIS, 1)
        assert talk.state.current_module == CRISIS_MODULE
        unchanged = ("tasks", "asked")
        assert [getattr(talk.state, name) for name in unchanged] == [getattr(before, name) for name in unchanged]
        assert talk.state.last_asked is None, "the next message answers no slot"
        assert said.outcome.flags == ("crisis",)
        assert [(hook.type, hook.data) for hook in said.outcome.hooks] == [("crisis_detected", {"level": "crisis"})]
        (audit,) = said.outcome.audit
        assert (audit.level, audit.action, audit.audit_id) == ("crisis", "protocol_reply", "c1-1-crisis")
        assert "ko-want-to-die" in audit.rule
        assert "죽고" not in audit.model_dump_json()

    async def test_is_answered_in_the_users_language_and_for_a_minor_with_the_youth_line(self, talk):
        _, said = await told("I want to die")
        assert (
            said.reply
            == f"{REPLIES.reply(CrisisOutcome.CRISIS, EN, nth(0))}\n\n{REPLIES.questions(Topic.INTENT, EN)[0]}"
        )
        replies = [(await one.say(DANGER)).reply for one in (talk, Talk(age_band="14_18"))]
        assert ["1388" in reply for reply in replies] == [False, True]

    async def test_is_found_in_an_agreement_to_end(self):
        talk, said = await told("오늘은 그만하고 싶어요", "네, 그만할게요. 죽고 싶어요")
        assert (said.outcome.flags, talk.state.ended) == (("crisis",), False)


class TestTheFollowThrough:
    @pytest.fixture
    async def talk(self):
        return await after(DANGER)

    async def test_cares_without_asking_for_slots_working_on_tasks_or_leaving_the_part(self, talk):
        talk.set(tasks=tuple(t.model_copy(update={"status": TaskStatus.SUFFICIENT}) for t in talk.state.tasks))
        said = await talk.say(PLAIN)
        assert (said.directive["stance"], said.directive["module_id"]) == ("care", CRISIS_MODULE)
        assert (said.ask, said.directive["task_id"], said.directive["proposes"]) == (None, None, None)
        assert (said.records("part_transitions"), talk.state.plan_status.value) == ([], "none")

    async def test_ignores_a_yes_to_an_earlier_question(self, talk):
        before = talk.state
        talk.set(wrap_up=WrapUp(stage=WrapUpStage.PROPOSED, aim="wrap_up", seq=talk.state.seq))
        said = await talk.say("네, 좋아요")
        assert (talk.state.status.value, said.directive["stance"]) == ("active", "care")
        talk.state = before
        talk.set(wrap_up=WrapUp(stage=WrapUpStage.PROPOSED, aim="end", seq=talk.state.seq - 1))
        await talk.say("네")
        assert not talk.state.ended

    async def test_is_left_after_two_statements_of_safety_or_denials(self, talk):
        before = talk.state
        for text in ("지금은 안전해요", "네, 정말 안전해요"):
            assert (await talk.say(text)).directive["stance"] == "care"
        assert (await talk.say("아니요, 없어요")).directive["stance"] == "accompany"
        assert talk.state.risk.level is RiskLevel.NONE
        assert talk.state.current_module != CRISIS_MODULE
        talk.state = before
        await talk.say("죽을 생각은 없어요")
        assert talk.state.risk.safe_statements == 1
        assert (await talk.say("네, 죽고 싶은 건 아니에요")).directive["concern"] is False
        await talk.say("없어요")
        assert not talk.state.risk.follow_through

    async def test_shows_the_help_lines_every_third_turn(self, talk):
        shown = [BLOCK in (await talk.say(PLAIN)).reply for _ in range(6)]
        assert shown == [False, False, True, False, False, True]

    async def test_without_a_model_replies_with_varying_fixed_words_and_the_help_lines(self, talk):
        talk.model.scripts = {}
        replies = [(await talk.say(PLAIN)).reply for _ in range(5)]
        question = content().help_seeking.questions(Inquiry.PLAN, KO)[0]
        block = REPLIES.resource_block(KO, FAILED)
        assert replies[0] == f"{without_questions(REPLIES.care(KO)[1])}\n\n{question}\n\n{block}"
        assert all(before != later for before, later in pairwise(replies))
        assert all(reply.count(block) == 1 for reply in replies)

    async def test_is_ended_by_a_review_unless_the_danger_is_newer(self, talk):
        talk.happen(RiskReviewed(reviewer="r1", seq=0))
        assert talk.state.risk.follow_through
        talk.happen(RiskReviewed(reviewer="r1", seq=1))
        assert talk.state.risk.level is RiskLevel.NONE
        assert (await talk.say(PLAIN)).directive["stance"] == "accompany"


@pytest.mark.parametrize(
    ("danger", "stop", "yes", "hm"),
    [(DANGER, "오늘은 그만할래요", "네", "음..."), ("I want to die", "let's stop here for today", "yes", "hmm")],
)
class TestAUserWhoWantsToLeaveInAFollowThrough:
    async def _asked(self, danger, stop):
        talk = Talk(locale=locale_of(danger))
        talk.model.scripts = {}
        await talk.say(danger)
        return talk, await talk.say(stop)

    async def test_is_asked_once_with_the_help_lines_and_may_leave_without_any_model(self, danger, stop, yes, hm):
        talk, asked = await self._asked(danger, stop)
        assert "109" in asked.reply
        assert not talk.state.ended
        left = await talk.say(yes)
        assert talk.state.ended
        assert left.reply.endswith(REPLIES.farewell_block(KO if locale_of(danger) == "ko" else EN, (Need.LIFE,)))
        assert talk.model.requests == []
        (audit,) = left.outcome.audit
        assert (audit.action, audit.level) == ("ended_in_follow_through", "crisis")

    async def test_may_say_the_end_in_place_of_a_yes(self, danger, stop, yes, hm):
        for agrees in (stop, f"{yes}, {stop}"):
            talk, _ = await self._asked(danger, stop)
            await talk.say(agrees)
            assert talk.state.ended, agrees

    async def test_does_not_leave_without_a_yes_or_by_an_answer_in_danger(self, danger, stop, yes, hm):
        talk, _ = await self._asked(danger, stop)
        await talk.say(hm)
        assert not talk.state.ended
        await talk.say(yes)
        assert not talk.state.ended, "the question was not in the last reply"
        talk, _ = await self._asked(danger, stop)
        assert (await talk.say(f"{yes}. {danger}")).outcome.flags == ("crisis",)
        assert not talk.state.ended


async def test_the_question_whether_to_leave_counts_as_a_protocol_reply():
    talk = await after(DANGER)
    talk.model.scripts = {}
    before = talk.state.protocol_replies
    await talk.say("그만할래요")
    assert talk.state.protocol_replies == before + 1


class TestAnotherPerson:
    async def test_in_danger_leads_to_some_turns_of_help_for_the_helper_who_may_end(self):
        talk, first = await told(FRIEND)
        assert first.reply.startswith(REPLIES.reply(CrisisOutcome.THIRD_PARTY, KO, nth(0)))
        assert first.reply.endswith(REPLIES.questions(Topic.IN_TOUCH, KO)[0])
        assert not talk.state.risk.follow_through
        said = [await talk.say(PLAIN) for _ in range(4)]
        assert [one.directive["heed"] for one in said] == ["helper", "helper", "helper", None]
        assert [one.directive["stance"] for one in said] == ["accompany", "accompany", "accompany", "work"]
        assert [BLOCK in one.reply for one in said] == [False, False, True, False]
        await talk.say("친구가 자살한다고 문자를 보냈어요")
        talk.model.scripts[DETECTOR] = reads("wants_to_stop")
        assert (await talk.say("오늘은 여기까지 할게요")).directive["stance"] == "confirm_end"

    async def test_threatened_by_the_user_is_followed_through_as_harm_to_others(self):
        talk, said = await told(THREAT)
        assert said.reply.startswith(REPLIES.reply(CrisisOutcome.HARM_TO_OTHERS, KO, nth(0)))
        directive = (await talk.say(PLAIN)).directive
        assert (directive["stance"], directive["heed"]) == ("care", "harm_to_others")

    async def test_threatened_by_a_minor_refers_them_to_no_relative(self):
        talk = Talk(age_band="14_18")
        for text in ("아빠를 죽여버리고 싶어요", "죽고 싶어요"):
            reply = (await talk.say(text)).reply
            assert "상담 선생님" in reply
            assert not any(word in reply for word in ("부모", "가족", "친척"))


class TestViolenceAgainstTheUser:
    async def test_that_goes_on_is_answered_by_the_protocol_and_attended_to(self, talk):
        said = await talk.say("남편이 술만 마시면 저를 때려요")
        assert talk.model.requests == []
        assert said.reply.startswith(REPLIES.reply(CrisisOutcome.ABUSE, KO, nth(0), needs=(Need.VIOLENCE,)))
        assert {"1366", "112"} <= numbers(talk)
        directive = (await talk.say(PLAIN)).directive
        assert (directive["heed"], directive["stance"]) == ("abuse", "accompany")

    async def test_at_this_moment_is_followed_through(self):
        talk, said = await told("남편이 때려서 지금 화장실에 숨어 있어요")
        assert said.outcome.hooks[0].data == {"level": "abuse_now"}
        assert talk.state.risk.level is RiskLevel.IMMINENT
        assert (await talk.say(PLAIN)).directive["heed"] == "abuse"

    async def test_long_ago_is_acknowledged_by_the_counselor_without_the_protocol(self):
        talk, said = await told("어릴 때 아빠한테 많이 맞았어요")
        assert (said.directive["heed"], said.ask, said.outcome.flags) == ("abuse_told", None, ())
        assert talk.state.risk.level is RiskLevel.NONE
        assert (await talk.say(PLAIN)).directive["heed"] is None

    async def test_with_a_wish_to_die_gets_the_more_pressing_reply_and_all_lines(self):
        talk, said = await told("남편이 매일 때려서 죽고 싶어요")
        assert said.outcome.hooks[0].data == {"level": "crisis"}
        assert {"109", "1366", "112"} <= numbers(talk)
        assert all(number in said.reply for number in ("109", "1366", "112"))
        assert {"ko-want-to-die", "ko-beaten"} <= set(said.outcome.audit[0].rule.split(", "))

    async def test_against_a_minor_lists_the_youth_line_first(self):
        _, said = await told("어제도 아빠가 때렸어요", age_band="14_18")
        assert said.reply.index("1388") < said.reply.index("1366")
        assert "어른" in said.reply

    @pytest.mark.parametrize("words", ["엄마가 저 데리고 같이 죽자고 해요", "아빠가 우리 다 같이 죽자고 했어요"])
    async def test_by_a_relative_who_would_take_them_along_into_death_asks_whether_they_are_safe(self, words):
        talk, said = await told(words, age_band="14_18")
        assert talk.state.risk.outcome is CrisisOutcome.ABUSE
        assert {"112", "1388", "109"} <= numbers(talk)
        assert "선생님" in said.reply
        assert said.reply.endswith(REPLIES.questions(Topic.AWAY, KO)[0])

    async def test_changes_the_protocols_voice_in_a_later_crisis(self):
        assert voice_of((await after("아빠가 매일 저를 때려요", DANGER)).state).hurt_at_home


class TestTheSecondOpinion:
    async def test_raises_a_crisis_that_the_rules_missed(self, talk):
        words = "이제 다 정리하고 끝내려고요, 어제부터요"
        talk.model.scripts[DETECTOR] = reads(danger="own_crisis", quote="끝내려고요")
        said = await talk.say(words)
        assert said.reply.startswith(REPLIES.reply(CrisisOutcome.CRISIS, KO, nth(0)))
        assert said.outcome.flags == ("crisis",)
        assert (talk.state.risk.level, said.outcome.audit[0].rule) == (RiskLevel.CRISIS, "model")
        assert REPLY not in said.shown

    async def test_without_the_users_words_is_a_concern(self, talk):
        talk.model.scripts[DETECTOR] = reads(danger="own_imminent", quote="뛰어내릴 거예요")
        said = await talk.say(PLAIN)
        assert (said.directive["concern"], said.outcome.flags) == (True, ())
        assert talk.state.risk.level is RiskLevel.CONCERN
        assert '<notice kind="concern">' in talk.model.asked("counselor")[-1].system

    async def test_of_an_unknown_level_is_ignored(self, talk):
        talk.model.scripts[DETECTOR] = reads(danger="own_catastrophic")
        await talk.say(PLAIN)
        assert talk.state.risk.level is RiskLevel.NONE

    @pytest.mark.parametrize("words", ["사는 게 의미가 없는 것 같아요", "왜 사는지 모르겠어요"])
    async def test_never_lowers_the_finding_of_a_rule(self, talk, words):
        talk.model.scripts[DETECTOR] = reads()
        assert (await talk.say(words)).directive["concern"] is True
        assert talk.state.risk.level is RiskLevel.CONCERN


async def test_without_a_model_a_concern_is_asked_about_directly_in_varying_words(talk):
    talk.model.scripts = {}
    said = [await talk.say(text) for text in ("숨이 막혀서 죽을 것 같아요", "더는 못 버티겠어요")]
    assert talk.state.risk.level is RiskLevel.CONCERN
    first, second = (REPLIES.reply(CrisisOutcome.CONCERN, KO, nth(count), needs=FAILED) for count in (0, 1))
    assert first != second
    assert [(one.reply, one.outcome.flags) for one in said] == [(first, ("degraded",)), (second, ("degraded",))]


async def test_no_reply_is_repeated_in_a_row_when_the_outcomes_alternate(talk):
    messages = [DANGER, DANGER, FRIEND, "남편이 저를 때려요", THREAT] * 4
    replies = [(await talk.say(text)).reply for text in messages]
    assert all(before != later for before, later in pairwise(replies))


async def test_a_user_who_asks_for_help_lines_gets_them(talk):
    assert (await talk.say("상담 전화번호 알려 주세요")).reply.endswith(BLOCK)


async def test_a_failed_turn_answers_a_crisis_by_the_protocol_and_flags_it(talk):
    turn = talk.turn(DANGER)
    outcome = talk.flow.apologize(turn)
    assert outcome.reply.startswith(REPLIES.reply(CrisisOutcome.CRISIS, KO, nth(0)))
    assert outcome.flags == ("crisis",)
    talk.commit(turn, outcome)
    assert talk.state.risk.follow_through
    assert [(flag.reason, flag.seqs) for flag in talk.state.staff_review.flags] == [(FlagReason.CRISIS, (1,))]


async def test_a_harmless_idiom_is_no_finding(talk):
    said = await talk.say("배고파 죽겠어요, 오늘 밥을 못 먹었거든요")
    assert (said.outcome.flags, talk.state.risk.level) == ((), RiskLevel.NONE)
    assert said.run("safety_gate").output == "none"
