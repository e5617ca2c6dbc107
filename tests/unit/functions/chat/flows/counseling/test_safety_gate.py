"""A crisis is answered by the protocol, whatever the model could have said; nothing ends or moves on meanwhile."""

import pytest

from shared.content.crisis_protocol import protocol_reply, resource_block
from shared.domain.counseling.module import CRISIS_MODULE
from shared.domain.counseling.session import WrapUp, WrapUpStage
from shared.domain.counseling.task import TaskStatus
from shared.domain.locale import Locale, Register
from shared.domain.safety.levels import CrisisOutcome, RiskLevel
from tests.fakes.talk import Talk

DANGER = "요즘 자꾸 죽고 싶어요"
PLAIN = "오늘은 그냥 집에 있었어요"


class TestACrisisMessage:
    async def test_is_answered_by_the_protocol_without_any_model_call(self, talk):
        said = await talk.say(DANGER)
        assert talk.model.requests == []
        assert said.reply == protocol_reply(CrisisOutcome.CRISIS, Locale.KO, Register.FORMAL, 0, minor=False)
        assert "109" in said.reply
        assert {run.decided_by.value for run in said.runs} == {"rule"}
        assert [run.agent for run in said.runs] == ["safety_gate", "counselor"]

    async def test_leaves_flag_hook_and_an_audit_line_without_content(self, talk):
        said = await talk.say(DANGER)
        assert said.outcome.flags == ("crisis",)
        assert [(hook.type, hook.data) for hook in said.outcome.hooks] == [("crisis_detected", {"level": "crisis"})]
        (audit,) = said.outcome.audit
        assert (audit.level, audit.action, audit.audit_id) == ("crisis", "protocol_reply", "c1-1-crisis")
        assert "ko-want-to-die" in audit.rule
        assert "죽고" not in audit.model_dump_json()

    async def test_raises_the_risk_and_takes_the_crisis_module(self, talk):
        await talk.say(DANGER)
        assert talk.state.risk.level is RiskLevel.CRISIS
        assert (talk.state.risk.since_seq, talk.state.current_module) == (1, CRISIS_MODULE)

    async def test_leaves_tasks_and_questions_as_they_were(self, talk):
        before = talk.state
        await talk.say(DANGER)
        assert (talk.state.tasks, talk.state.asked, talk.state.last_asked) == (
            before.tasks,
            before.asked,
            before.last_asked,
        )

    async def test_again_is_answered_in_other_words(self, talk):
        replies = [(await talk.say(DANGER)).reply for _ in range(3)]
        assert replies[0] != replies[1] != replies[2]

    async def test_of_a_minor_names_the_lines_for_minors(self, talk):
        adult = await talk.say(DANGER)
        minor = await Talk(age_band="14_18").say(DANGER)
        assert len(minor.reply) > len(adult.reply)

    async def test_in_english_is_answered_in_english(self):
        said = await Talk(locale="en").say("I want to die")
        assert said.reply == protocol_reply(CrisisOutcome.CRISIS, Locale.EN, Register.FORMAL, 0, minor=False)

    async def test_about_somebody_else_helps_the_helper(self, talk):
        said = await talk.say("친구가 죽고 싶대요")
        assert said.reply == protocol_reply(CrisisOutcome.THIRD_PARTY, Locale.KO, Register.FORMAL, 0, minor=False)
        assert not talk.state.risk.follow_through

    async def test_is_seen_even_when_it_agrees_to_close(self, talk):
        await talk.say("오늘은 그만하고 싶어요")
        said = await talk.say("네, 그만할게요. 죽고 싶어요")
        assert said.outcome.flags == ("crisis",)
        assert not talk.state.ended


class TestTheFollowThrough:
    @pytest.fixture
    async def talk(self):
        talk = Talk()
        await talk.say(DANGER)
        return talk

    async def test_cares_and_neither_asks_for_slots_nor_works_on_tasks(self, talk):
        said = await talk.say(PLAIN)
        assert (said.directive["stance"], said.directive["module_id"]) == ("care", CRISIS_MODULE)
        assert (said.ask, said.directive["task_id"], said.directive["proposes"]) == (None, None, None)

    async def test_no_part_is_left(self, talk):
        talk.set(tasks=tuple(t.model_copy(update={"status": TaskStatus.SUFFICIENT}) for t in talk.state.tasks))
        said = await talk.say(PLAIN)
        assert said.records("part_transitions") == []
        assert talk.state.plan_status.value == "none"

    async def test_no_yes_is_read_as_an_end(self, talk):
        talk.set(wrap_up=WrapUp(stage=WrapUpStage.PROPOSED, aim="end", seq=talk.state.seq))
        said = await talk.say("네, 그만할게요")
        assert not talk.state.ended
        assert said.directive["stance"] == "care"

    async def test_a_wish_to_end_is_not_proposed_to_be_confirmed(self, talk):
        said = await talk.say("오늘은 그만하고 싶어요")
        assert (said.directive["stance"], said.directive["proposes"]) == ("care", None)

    async def test_is_left_when_the_user_has_said_twice_to_be_safe(self, talk):
        first = await talk.say("지금은 안전해요")
        assert first.directive["stance"] == "care"
        second = await talk.say("네, 정말 안전해요")
        assert second.directive["stance"] == "work"
        assert talk.state.risk.level is RiskLevel.NONE
        assert talk.state.current_module != CRISIS_MODULE

    async def test_shows_the_help_lines_every_third_turn_whatever_the_model_writes(self, talk):
        block = resource_block(Locale.KO, Register.FORMAL, minor=False, imminent=False)
        shown = [block in (await talk.say(PLAIN)).reply for _ in range(6)]
        assert shown == [False, False, True, False, False, True]

    async def test_shows_them_when_the_counselor_fails_too(self, talk):
        talk.model.scripts.pop("counselor")
        block = resource_block(Locale.KO, Register.FORMAL, minor=False, imminent=False)
        assert [block in (await talk.say(PLAIN)).reply for _ in range(3)] == [False, False, True]


async def test_who_asks_for_numbers_gets_them_at_any_time(talk):
    said = await talk.say("상담 전화번호 알려 주세요")
    assert said.reply.endswith(resource_block(Locale.KO, Register.FORMAL, minor=False, imminent=False))


async def test_a_turn_that_broke_still_answers_a_crisis_by_the_protocol(talk):
    turn = talk.turn(DANGER)
    outcome = talk.flow.apologize(turn)
    assert outcome.reply == protocol_reply(CrisisOutcome.CRISIS, Locale.KO, Register.FORMAL, 0, minor=False)
    assert outcome.flags == ("crisis",)
    talk.commit(turn, outcome)
    assert talk.state.risk.follow_through


async def test_harmless_words_pass(talk):
    said = await talk.say("배고파 죽겠어요, 오늘 밥을 못 먹었거든요")
    assert (said.outcome.flags, talk.state.risk.level) == ((), RiskLevel.NONE)
    assert said.run("safety_gate").output == "none"
