"""A whole turn: its ledger, a model that fails, a session without findings, and what it must not do to a child."""

import logging

import pytest

from functions.chat.flows.counseling.manifest import counseling
from functions.chat.flows.counseling.opening import FLOW
from functions.chat.reading import NOTHING_READ, READER, DangerRead, SignRead
from functions.chat.speaking import SPEAKER
from functions.chat.turn import ChatTurn
from shared.content.catalogue import content
from shared.content.wordings import nth
from shared.domain.counseling.background_events import ClosingStarted
from shared.domain.counseling.session import PlanStatus, SessionStatus, WrapUpAim, WrapUpStage
from shared.domain.counseling.session_events import WrapUpProposed
from shared.domain.counseling.task import Part
from shared.domain.errors import ModelBlocked, ModelStreamBroken, ModelUnavailable
from shared.domain.turn import TurnResult
from shared.engine.hooks import HookContext, run_hooks
from shared.locale import Locale, Register
from shared.safety.ages import StatedAge
from tests.builders.answers import reads
from tests.builders.sessions import task
from tests.builders.talk import KO, REPLY, Talk, speaking
from tests.fakes.scripted_model import Stream
from tests.support.tags import element

PLAIN = "오늘은 그냥 집에 있었어요"
NAMED = {
    *("intent", "safety_gate", "task_completion_checker", "user_state_detector", "task_selector", "module_selector")
}
"""What rules decide, or the reader in its name, in an ordinary turn."""


def talk_on_the_reading(*readings):
    talk = Talk()
    talk.flow = ChatTurn(talk.content)
    talk.model.scripts["reader"] = list(readings) or NOTHING_READ
    return talk


@pytest.mark.parametrize(("answer", "ends"), [("아니요", False), ("네", True)])
async def test_a_child_under_14_who_answers_plainly_whether_to_end_is_answered_without_a_model(answer, ends):
    talk = talk_on_the_reading()
    child = talk.state.model_copy(update={"stated_age": StatedAge.UNDER_14, "seq": 3})
    talk.state = WrapUpProposed(aim=WrapUpAim.END, seq=3).apply(child, talk.clock.now())
    said = await talk.say(answer)
    assert talk.model.requests == []
    assert said.state.ended is ends


async def test_a_concern_that_only_the_second_answer_of_the_reader_finds_is_asked_about_though_a_reply_was_shown():
    begun = NOTHING_READ.model_dump_json()
    broken = Stream((begun[: begun.index('"feeling"')], "oh no"))
    found = NOTHING_READ.model_copy(update={"danger": (DangerRead(kind="own_concern", quote="다 놓아 버리고 싶어요"),)})
    talk = talk_on_the_reading(broken, found)
    said = await talk.say("요즘은 다 놓아 버리고 싶어요")
    assert said.state.risk.asked_seq == 1
    assert talk.content.crisis_answers.asks_directly(said.reply)
    assert said.shown == said.reply


async def test_a_reading_that_breaks_late_keeps_what_had_arrived_if_asking_again_brings_none():
    stop = SignRead(id="wants_to_stop", quote="이만할게요")
    whole = NOTHING_READ.model_copy(update={"signs": (stop,)}).model_dump_json()
    broken = Stream((whole[: whole.index('"corrections"')], "oh no"))
    talk = talk_on_the_reading(broken, ModelUnavailable("off"))
    said = await talk.say("오늘은 이만할게요")
    assert said.state.wrap_up.stage is WrapUpStage.PROPOSED


async def test_who_skips_what_was_asked_in_plain_words_declines_it_without_a_model_reading_it():
    talk = Talk()
    talk.ask_for("name")
    said = await talk.say("패스할게요")
    assert "name" in said.state.declined_slots
    assert said.ask is None
    assert "reader" not in [run.agent for run in said.runs if run.prompt]


async def test_plain_words_ask_whether_a_person_speaks_where_no_model_reads_them():
    talk = talk_on_the_reading(ModelUnavailable("off"))
    assert (await talk.say("혹시 사람이에요?")).reply.startswith(talk.content.messages(Locale.KO).text("ai_notice"))


async def test_a_session_reaches_its_end_with_a_model_that_never_finds_anything():
    """Only the bounds move it on; the test writes what the planner would."""
    talk = Talk()
    for _ in range(200):
        state = talk.state
        if state.ended:
            break
        if state.plan_status is PlanStatus.PLANNING and state.current_part is Part.OPENING:
            talk.plan(task("p1", 2), task("p2", 2))
        elif state.status is SessionStatus.WRAPPING_UP and state.current_part is not Part.CLOSING:
            talk.happen(ClosingStarted(tasks=(task("c1", 3), task("c2", 3, completion_rule="reply"))))
        proposed = talk.state.wrap_up is not None and talk.state.wrap_up.stage is WrapUpStage.PROPOSED
        await talk.say("네, 좋아요" if proposed else PLAIN)
    assert talk.state.ended
    assert talk.state.current_part is Part.CLOSING


class TestTheLedger:
    async def test_lists_every_agent_of_the_turn_with_its_decider_prompt_and_cost(self, talk):
        said = await talk.say(PLAIN)
        by_model = {READER.name: READER.prompt, SPEAKER.name: SPEAKER.prompt}
        found = sorted((run.agent, run.decided_by.value) for run in said.runs)
        assert found == sorted([*((one, "model") for one in by_model), *((one, "rule") for one in NAMED)])
        for run in said.runs:
            if prompt := by_model.get(run.agent):
                assert run.prompt == f"{run.agent}/v{prompt.version}.ko"
                assert run.input_digest
                assert (run.prompt_tokens, run.output_tokens) == (100, 10)
                assert run.cost_krw > 0

    async def test_every_model_gets_the_history_before_the_turn_and_the_new_message(self, talk):
        for earlier in ("회사가 힘들어요", "팀장이 무서워요"):
            await talk.say(earlier)
        talk.model.requests.clear()
        before = [message.text for message in talk.state.recent]
        await talk.say(PLAIN)
        asked = talk.model.asked("reader")[0].messages[0].text
        told = [line.partition(": ")[2] for line in element(asked, "dialogue").splitlines()]
        assert (told, element(asked, "newest")) == (before, PLAIN)
        spoken = [message.text for message in talk.model.asked("counselor")[0].messages]
        assert spoken == [*before[1:], PLAIN], "the greeting is in the prompt"

    async def test_lists_the_safe_defaults_when_every_model_fails(self, talk):
        talk.model.scripts = {}
        said = await talk.say(PLAIN)
        first, second = (run for run in said.runs if run.agent == "counselor")
        assert {run.decided_by.value for run in said.runs if run is not first} == {"rule", "safe_default"}
        assert first.error == second.error == "model_unavailable: nothing is scripted for counselor"
        assert first.model != second.model, "the fallback was asked"

    async def test_names_no_model_for_a_plain_answer_to_what_code_asked(self, talk):
        talk.happen(WrapUpProposed(aim=WrapUpAim.END, seq=0))
        said = await talk.say("아니요")
        assert (said.run("plain_answer").output, talk.model.asked("reader")) == ("no", [])


class TestWhenTheCounselorFails:
    @pytest.mark.parametrize(
        "failure",
        [ModelUnavailable("503"), ModelBlocked("safety"), Stream(()), Stream(("네",), ModelStreamBroken("x"))],
    )
    async def test_the_reply_says_so_values_are_kept_and_the_question_does_not_count_as_asked(self, failure):
        talk = speaking(counselor=failure, reader=reads(told={"name": "지민"}))
        before = talk.state.asked
        said = await talk.say("지민이라고 불러 주세요")
        degraded = content().messages(Locale.KO, Register.FORMAL).variants("degraded_reply")
        assert (said.reply, said.outcome.flags) == (degraded[0], ("degraded",))
        assert talk.state.degraded_replies == 1
        errors = [run.error.partition("_")[0] for run in said.runs if run.agent == "counselor"]
        assert errors == ["model", "model"]
        assert (talk.state.user_info, talk.state.asked) == ({"name": "지민"}, before)

    @pytest.mark.parametrize(
        ("opened", "voice"),
        [({"locale": "en"}, (Locale.EN, Register.FORMAL)), ({"register": "반말"}, (Locale.KO, Register.CASUAL))],
    )
    async def test_the_reply_is_in_the_users_language_and_register(self, opened, voice):
        talk = Talk(**opened)
        talk.model.scripts.pop("counselor")
        assert (await talk.say(PLAIN)).reply == content().messages(*voice).variants("degraded_reply")[0]

    async def test_the_fallback_model_answers_if_there_is_one(self):
        talk = Talk(fallback_model="other")
        talk.model.scripts["counselor"] = [ModelUnavailable("503"), REPLY]
        said = await talk.say(PLAIN)
        assert (said.reply, said.outcome.flags) == (REPLY, ())
        assert [run.decided_by.value for run in said.runs if run.agent == "counselor"] == ["model", "fallback_model"]

    async def test_a_turn_with_an_unexpected_error_gets_the_reply_to_a_message_that_nobody_read(self, talk):
        stream = []
        outcome = talk.flow.apologize(talk.turn(PLAIN, stream))
        unread = content().crisis_replies.unread_reply(KO, nth(0))
        assert (outcome.reply, outcome.flags, stream[-1].text) == (unread, ("degraded",), unread)


async def test_a_crisis_and_an_end_are_logged_without_words_of_the_user(talk, caplog):
    caplog.set_level(logging.INFO)
    handlers = counseling(talk.flow).hook_handlers
    for seq, text in enumerate(("요즘 자꾸 죽고 싶어요", "오늘은 그만하고 싶어요", "네"), start=1):
        said = await talk.say(text)
        result = TurnResult(message_id="m", seq=seq, reply=said.reply, state_snapshot={}, hooks=said.outcome.hooks)
        await run_hooks(HookContext(talk.state, result), handlers, [])
    assert "crisis_detected level=crisis conversation=c1" in caplog.text
    assert "session_completed conversation=c1 turns=3" in caplog.text
    assert "죽고" not in caplog.text


def test_a_session_opens_in_the_flow_that_the_manifest_names(talk):
    assert counseling(talk.flow).name == FLOW == talk.state.flow
