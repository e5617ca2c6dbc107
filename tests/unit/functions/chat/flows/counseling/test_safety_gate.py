"""A crisis is answered by the protocol, whatever the model could have said; nothing ends or moves on meanwhile."""

from itertools import pairwise

import pytest

from functions.chat.flows.counseling.safety_gate import voice_of
from shared.content.catalogue import content
from shared.domain.counseling.module import CRISIS_MODULE
from shared.domain.counseling.risk_events import RiskReviewed
from shared.domain.counseling.session import WrapUp, WrapUpStage
from shared.domain.counseling.task import TaskStatus
from shared.safety.levels import CrisisOutcome, RiskLevel
from shared.safety.needs import Need
from shared.services.counseling.policy import CounselingPolicy
from tests.builders.answers import user_state_reading
from tests.builders.talk import EN, KO, Talk, after, locale_of, told

REPLIES = content().crisis_replies
BLOCK = REPLIES.resource_block(KO, (Need.LIFE,))
DANGER = "요즘 자꾸 죽고 싶어요"
PLAIN = "오늘은 그냥 집에 있었어요"
FRIEND = "친구가 죽고 싶대요"
THREAT = "그 사람을 죽여버리고 싶어요"
DETECTOR = "user_state_detector"


def numbers(talk):
    return {line.number for line in CounselingPolicy(REPLIES).snapshot(talk.state).risk.resources}


class TestACrisisMessage:
    async def test_is_answered_by_the_protocol_without_a_model_and_leaves_everything_else_as_it_was(self, talk):
        before = talk.state
        said = await talk.say(DANGER)
        assert talk.model.requests == []
        assert said.reply == REPLIES.reply(CrisisOutcome.CRISIS, KO, 0)
        assert "109" in said.reply
        assert [(run.agent, run.decided_by.value) for run in said.runs] == [
            ("safety_gate", "rule"),
            ("counselor", "rule"),
        ]
        assert (talk.state.risk.level, talk.state.risk.since_seq) == (RiskLevel.CRISIS, 1)
        assert talk.state.current_module == CRISIS_MODULE
        unchanged = ("tasks", "asked", "last_asked")
        assert [getattr(talk.state, name) for name in unchanged] == [getattr(before, name) for name in unchanged]

    async def test_leaves_flag_hook_and_an_audit_line_without_content(self, talk):
        outcome = (await talk.say(DANGER)).outcome
        assert outcome.flags == ("crisis",)
        assert [(hook.type, hook.data) for hook in outcome.hooks] == [("crisis_detected", {"level": "crisis"})]
        (audit,) = outcome.audit
        assert (audit.level, audit.action, audit.audit_id) == ("crisis", "protocol_reply", "c1-1-crisis")
        assert "ko-want-to-die" in audit.rule
        assert "죽고" not in audit.model_dump_json()

    async def test_is_answered_in_the_users_language_and_to_a_minor_with_the_lines_for_minors(self, talk):
        _, said = await told("I want to die")
        assert said.reply == REPLIES.reply(CrisisOutcome.CRISIS, EN, 0)
        replies = [(await one.say(DANGER)).reply for one in (talk, Talk(age_band="14_18"))]
        assert ["1388" in reply for reply in replies] == [False, True]

    async def test_is_seen_even_when_it_agrees_to_close(self):
        talk, said = await told("오늘은 그만하고 싶어요", "네, 그만할게요. 죽고 싶어요")
        assert (said.outcome.flags, talk.state.ended) == (("crisis",), False)


class TestTheFollowThrough:
    @pytest.fixture
    async def talk(self):
        return await after(DANGER)

    async def test_cares_and_neither_asks_for_slots_nor_works_on_tasks_nor_leaves_the_part(self, talk):
        talk.set(tasks=tuple(t.model_copy(update={"status": TaskStatus.SUFFICIENT}) for t in talk.state.tasks))
        said = await talk.say(PLAIN)
        assert (said.directive["stance"], said.directive["module_id"]) == ("care", CRISIS_MODULE)
        assert (said.ask, said.directive["task_id"], said.directive["proposes"]) == (None, None, None)
        assert (said.records("part_transitions"), talk.state.plan_status.value) == ([], "none")

    async def test_no_yes_to_a_question_from_before_is_read(self, talk):
        before = talk.state
        talk.set(wrap_up=WrapUp(stage=WrapUpStage.PROPOSED, aim="wrap_up", seq=talk.state.seq))
        said = await talk.say("네, 좋아요")
        assert (talk.state.status.value, said.directive["stance"]) == ("active", "care")
        talk.state = before
        talk.set(wrap_up=WrapUp(stage=WrapUpStage.PROPOSED, aim="end", seq=talk.state.seq - 1))
        await talk.say("네")
        assert not talk.state.ended

    async def test_is_left_when_the_user_has_said_twice_to_be_safe_or_denied_it(self, talk):
        before = talk.state
        assert (await talk.say("지금은 안전해요")).directive["stance"] == "care"
        assert (await talk.say("네, 정말 안전해요")).directive["stance"] == "work"
        assert talk.state.risk.level is RiskLevel.NONE
        assert talk.state.current_module != CRISIS_MODULE
        talk.state = before
        await talk.say("죽을 생각은 없어요")
        assert talk.state.risk.safe_statements == 1
        assert (await talk.say("네, 죽고 싶은 건 아니에요")).directive["concern"] is False
        assert not talk.state.risk.follow_through

    async def test_shows_the_help_lines_every_third_turn_whatever_the_model_writes(self, talk):
        shown = [BLOCK in (await talk.say(PLAIN)).reply for _ in range(6)]
        assert shown == [False, False, True, False, False, True]

    async def test_without_a_model_it_cares_by_fixed_words_with_the_help_lines_never_twice_the_same(self, talk):
        talk.model.scripts = {}
        replies = [(await talk.say(PLAIN)).reply for _ in range(5)]
        assert replies[0] == f"{REPLIES.care(KO, 1)}\n\n{BLOCK}"
        assert all(before != later for before, later in pairwise(replies))
        assert all(reply.count("109") == 1 for reply in replies)

    async def test_a_review_by_the_staff_ends_it_but_for_what_is_newer(self, talk):
        talk.happen(RiskReviewed(reviewer="r1", seq=0))
        assert talk.state.risk.follow_through
        talk.happen(RiskReviewed(reviewer="r1", seq=1))
        assert talk.state.risk.level is RiskLevel.NONE
        assert (await talk.say(PLAIN)).directive["stance"] == "work"


@pytest.mark.parametrize(
    ("danger", "stop", "yes", "hm"),
    [(DANGER, "오늘은 그만할래요", "네", "음..."), ("I want to die", "let's stop here for today", "yes", "hmm")],
)
class TestWhoWantsToLeaveInAFollowThrough:
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

    async def test_stays_when_they_do_not_say_yes_or_the_answer_is_a_crisis(self, danger, stop, yes, hm):
        talk, _ = await self._asked(danger, stop)
        await talk.say(hm)
        assert not talk.state.ended
        await talk.say(yes)
        assert not talk.state.ended, "the question was another reply's"
        talk, _ = await self._asked(danger, stop)
        assert (await talk.say(f"{yes}. {danger}")).outcome.flags == ("crisis",)
        assert not talk.state.ended


async def test_the_question_whether_to_leave_counts_as_a_reply_so_the_next_one_has_other_words():
    talk = await after(DANGER)
    talk.model.scripts = {}
    before = talk.state.protocol_replies
    await talk.say("그만할래요")
    assert talk.state.protocol_replies == before + 1
    first, second = (REPLIES.leave_question(KO, before + asked, (Need.LIFE,)) for asked in (0, 1))
    assert first != second


class TestSomebodyElse:
    async def test_in_danger_the_helper_is_helped_for_some_turns_and_may_end_at_any_time(self):
        talk, first = await told(FRIEND)
        assert first.reply == REPLIES.reply(CrisisOutcome.THIRD_PARTY, KO, 0)
        assert not talk.state.risk.follow_through
        said = [await talk.say(PLAIN) for _ in range(4)]
        assert [one.directive["heed"] for one in said] == ["helper", "helper", "helper", None]
        assert [one.directive["stance"] for one in said] == ["accompany", "accompany", "accompany", "work"]
        assert [BLOCK in one.reply for one in said] == [False, False, True, False]
        await talk.say("친구가 자살한다고 문자를 보냈어요")
        assert (await talk.say("오늘은 여기까지 할게요")).directive["stance"] == "confirm_end"

    async def test_threatened_is_followed_through_in_its_own_way(self):
        talk, said = await told(THREAT)
        assert said.reply == REPLIES.reply(CrisisOutcome.HARM_TO_OTHERS, KO, 0)
        directive = (await talk.say(PLAIN)).directive
        assert (directive["stance"], directive["heed"]) == ("care", "harm_to_others")

    async def test_threatened_by_a_minor_sends_them_to_no_parent_then_or_later(self):
        talk = Talk(age_band="14_18")
        for text in ("아빠를 죽여버리고 싶어요", "죽고 싶어요"):
            reply = (await talk.say(text)).reply
            assert "상담 선생님" in reply
            assert not any(word in reply for word in ("부모", "가족", "친척"))


class TestViolenceAgainstTheUser:
    async def test_that_goes_on_is_answered_by_the_protocol_and_attended_to(self, talk):
        said = await talk.say("남편이 술만 마시면 저를 때려요")
        assert talk.model.requests == []
        assert said.reply == REPLIES.reply(CrisisOutcome.ABUSE, KO, 0, needs=(Need.VIOLENCE,))
        assert {"1366", "112"} <= numbers(talk)
        directive = (await talk.say(PLAIN)).directive
        assert (directive["heed"], directive["stance"]) == ("abuse", "accompany")

    async def test_at_this_moment_is_followed_through(self):
        talk, said = await told("남편이 때려서 지금 화장실에 숨어 있어요")
        assert said.outcome.hooks[0].data == {"level": "abuse_now"}
        assert talk.state.risk.level is RiskLevel.IMMINENT
        assert (await talk.say(PLAIN)).directive["heed"] == "abuse"

    async def test_long_ago_is_believed_by_the_counsellor_and_no_protocol_case(self):
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

    async def test_of_somebody_young_names_the_youth_line_first(self):
        _, said = await told("어제도 아빠가 때렸어요", age_band="14_18")
        assert said.reply.index("1388") < said.reply.index("1366")
        assert "어른" in said.reply

    async def test_is_remembered_by_the_protocol(self):
        assert voice_of((await after("아빠가 매일 저를 때려요", DANGER)).state).hurt_at_home


class TestTheSecondOpinion:
    async def test_raises_what_the_rules_let_pass(self, talk):
        words = "이제 다 정리하고 끝내려고요, 어제부터요"
        talk.model.scripts[DETECTOR] = user_state_reading(risk="crisis", evidence="끝내려고요")
        said = await talk.say(words)
        assert (said.reply, said.outcome.flags) == (REPLIES.reply(CrisisOutcome.CRISIS, KO, 0), ("crisis",))
        assert (talk.state.risk.level, said.outcome.audit[0].rule) == (RiskLevel.CRISIS, "model")
        assert talk.model.asked("counselor") == []

    async def test_without_the_users_words_is_a_reason_to_ask(self, talk):
        talk.model.scripts[DETECTOR] = user_state_reading(risk="imminent", evidence="뛰어내릴 거예요")
        said = await talk.say(PLAIN)
        assert (said.directive["concern"], said.outcome.flags) == (True, ())
        assert talk.state.risk.level is RiskLevel.CONCERN
        assert '<notice kind="concern">' in talk.model.asked("counselor")[0].system

    async def test_of_a_level_that_does_not_exist_is_none(self, talk):
        talk.model.scripts[DETECTOR] = user_state_reading(risk="catastrophic")
        await talk.say(PLAIN)
        assert talk.state.risk.level is RiskLevel.NONE

    @pytest.mark.parametrize("words", ["사는 게 의미가 없는 것 같아요", "왜 사는지 모르겠어요"])
    async def test_never_lowers_a_rules_finding(self, talk, words):
        talk.model.scripts[DETECTOR] = user_state_reading(risk="none")
        assert (await talk.say(words)).directive["concern"] is True
        assert talk.state.risk.level is RiskLevel.CONCERN


async def test_a_concern_is_asked_about_directly_when_no_model_can_speak_each_time_in_other_words(talk):
    talk.model.scripts = {}
    said = [await talk.say(text) for text in ("숨이 막혀서 죽을 것 같아요", "더는 못 버티겠어요")]
    assert talk.state.risk.level is RiskLevel.CONCERN
    first, second = (REPLIES.reply(CrisisOutcome.CONCERN, KO, count) for count in (0, 1))
    assert first != second
    assert [(one.reply, one.outcome.flags) for one in said] == [(first, ("degraded",)), (second, ("degraded",))]


async def test_no_text_comes_twice_running_though_the_outcomes_take_turns(talk):
    messages = [DANGER, DANGER, FRIEND, "남편이 저를 때려요", THREAT] * 4
    replies = [(await talk.say(text)).reply for text in messages]
    assert all(before != later for before, later in pairwise(replies))


async def test_who_asks_for_numbers_gets_them_at_any_time(talk):
    assert (await talk.say("상담 전화번호 알려 주세요")).reply.endswith(BLOCK)


async def test_a_turn_that_broke_still_answers_a_crisis_by_the_protocol(talk):
    turn = talk.turn(DANGER)
    outcome = talk.flow.apologize(turn)
    assert (outcome.reply, outcome.flags) == (REPLIES.reply(CrisisOutcome.CRISIS, KO, 0), ("crisis",))
    talk.commit(turn, outcome)
    assert talk.state.risk.follow_through


async def test_harmless_words_pass(talk):
    said = await talk.say("배고파 죽겠어요, 오늘 밥을 못 먹었거든요")
    assert (said.outcome.flags, talk.state.risk.level) == ((), RiskLevel.NONE)
    assert said.run("safety_gate").output == "none"
