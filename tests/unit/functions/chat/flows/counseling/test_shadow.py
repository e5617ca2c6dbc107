"""The reader beside today's agents: the turn's record tells where it heard otherwise, and nothing else changes."""

import asyncio
from dataclasses import replace

import pytest

from functions.chat.flows.counseling.shadow import AGENT
from functions.chat.flows.counseling.turn_options import STEP_BY_STEP, Speculating, TurnOptions
from functions.chat.reading import READER
from shared.contracts.events import AgentDone, AgentRetry, AgentStart
from shared.domain.errors import ModelTimeout, StoreUnavailable
from shared.engine.send_budget import SendBudget
from shared.safety.ages import StatedAge
from tests.builders.answers import answer
from tests.builders.talk import Talk

SHADOW = replace(STEP_BY_STEP, reader_shadow=True)
PLAIN, CRISIS = "팀장이 자꾸 저만 빼고 회의를 잡아요", "요즘 자꾸 죽고 싶어요"


def shadowed(**read):
    talk = Talk(options=SHADOW)
    talk.model.scripts["reader"] = answer(READER, **read)
    return talk


def runs_of(said, agent):
    return [run for run in said.runs if run.agent == agent]


def without(said):
    """What a turn says and keeps, but for the reader's part."""
    seen = [event for event in said.stream if getattr(event, "agent", "") != "reader"]
    runs = [(run.agent, run.decided_by, run.output) for run in said.runs if not run.agent.startswith("reader")]
    return said.reply, said.outcome.events, said.outcome.flags, said.state, seen, runs


class TestWhatIsKept:
    async def test_the_record_names_only_what_the_reader_heard_otherwise(self):
        talk = shadowed(
            signs=[{"id": "mild_resistance", "quote": "재미가"}],
            values=[{"slot": "reason", "value": "일이 재미없음", "quote": "일이 재미가"}],
            next_task="task_info_1",
            module="trust_building",
        )
        talk.work_on("task_info_1", covered=["task_welcome_1"])
        said = await talk.say("요즘 일이 재미가 없어요")
        run, today = said.run(AGENT), talk.state.current_module
        assert run.decided_by.value == "rule"
        assert run.output == {
            "user_state_detector": {"today": {"resistance": "none"}, "reader": {"resistance": "mild"}},
            "module_selector": {"today": today, "reader": "trust_building"},
            "slots": {"today": {"reason": None}, "reader": {"reason": "filled"}},
        }

    async def test_a_danger_and_an_ending_that_one_alone_hears_are_named(self):
        talk = shadowed(
            danger=[{"kind": "own_concern", "quote": "저만 빼고"}],
            signs=[{"id": "wants_to_stop", "quote": "회의를 잡아요"}],
        )
        output = (await talk.say(PLAIN)).run(AGENT).output
        assert output["danger"] == {"today": [], "reader": ["concern"]}
        assert output["ending"] == {"today": "none", "reader": "asked"}

    async def test_a_reader_that_hears_the_same_leaves_an_empty_entry(self):
        talk = shadowed(next_task="task_info_1", module="trust_building")
        talk.work_on("task_info_1", covered=["task_welcome_1"])
        assert (await talk.say("음 그냥 그래요")).run(AGENT).output == {}

    async def test_a_value_that_only_today_took_and_one_declined_are_named(self):
        talk = shadowed(signs=[{"id": "declines", "quote": "넘어가요"}])
        talk.ask_for("name")
        output = (await talk.say("지은이라고 불러 주세요, 넘어가요")).run(AGENT).output
        assert output["slots"] == {"today": {"name": "filled"}, "reader": {"name": "declined"}}

    async def test_what_is_compared_holds_no_words_of_the_user(self):
        told = {"slot": "name", "value": "지은", "quote": "지은"}
        talk = shadowed(values=[told], danger=[{"kind": "own_crisis", "quote": "그냥 사라지고"}])
        output = str((await talk.say("지은이라고 불러 주세요 그냥 사라지고 싶네요")).run(AGENT).output)
        assert "지은" not in output
        assert "사라지" not in output


class TestEveryPath:
    @pytest.mark.parametrize(
        "text",
        [
            pytest.param(PLAIN, id="reply"),
            pytest.param(CRISIS, id="protocol"),
            pytest.param("오늘은 그만하고 싶어요", id="fixed"),
        ],
    )
    async def test_the_reader_is_asked_once_after_the_reply_about_the_session_before(self, text):
        talk = shadowed()
        await talk.say("안녕하세요")
        before = talk.state.recent
        said = await talk.say(text)
        assert len(talk.model.asked("reader")) == 2
        assert talk.model.requests[-1].agent == "reader"
        assert (said.run("reader").decided_by.value, said.run("reader").attempts) == ("model", 1)
        shown = talk.model.asked("reader")[-1].messages[0].text
        assert shown.count(text) == 1
        assert all(line.text in shown for line in before)
        assert said.reply not in shown

    async def test_a_farewell_is_read_too(self):
        talk = shadowed()
        await talk.say("오늘은 그만하고 싶어요")
        said = await talk.say("네")
        assert talk.state.ended
        assert len(runs_of(said, "reader")) == 1
        assert said.run(AGENT).output["ending"] == {"today": "ended", "reader": "none"}

    async def test_a_danger_heard_in_another_service_is_read_once_it_is_answered(self):
        talk = shadowed()
        turn = talk.turn(CRISIS)
        await talk.flow.overhear(turn)
        assert len(talk.model.asked("reader")) == 1
        passed = talk.turn("다음 주 화요일에 예약할게요")
        assert await talk.flow.overhear(passed) is None
        assert len(talk.model.asked("reader")) == 1


class TestNothingElseChanges:
    @pytest.mark.parametrize("way", [STEP_BY_STEP, TurnOptions(speculation=Speculating.ALWAYS)], ids=["steps", "early"])
    @pytest.mark.parametrize("texts", [(PLAIN, CRISIS), ("안녕하세요", "오늘은 그만하고 싶어요", "네")])
    async def test_reply_events_stream_and_the_other_entries_are_those_without_it(self, way, texts):
        plain, talk = (Talk(options=one) for one in (way, replace(way, reader_shadow=True)))
        danger = [{"kind": "own_imminent", "quote": "회의"}]
        talk.model.scripts["reader"] = answer(READER, danger=danger, next_task="none", module="cbt_basics")
        for text in texts:
            assert without(await plain.say(text)) == without(await talk.say(text))
        assert talk.model.asked("reader")

    async def test_the_listener_is_told_nothing_of_it(self):
        said = await shadowed().say(PLAIN)
        told = [one.agent for one in said.stream if isinstance(one, AgentStart | AgentRetry | AgentDone)]
        assert told
        assert "reader" not in told

    @pytest.mark.parametrize("fault", [ModelTimeout("slow"), "no JSON", StoreUnavailable("away"), ValueError("odd")])
    async def test_a_reader_that_fails_leaves_its_error_in_the_record_alone(self, fault):
        plain, talk = Talk(options=STEP_BY_STEP), shadowed()
        talk.model.scripts["reader"] = fault
        said = await talk.say(PLAIN)
        assert without(said) == without(await plain.say(PLAIN))
        failed = [run for run in said.runs if run.agent in ("reader", AGENT)]
        assert failed
        assert all(run.error or run.reason.startswith("broke: ") for run in failed)

    async def test_it_is_off_unless_it_is_set(self):
        assert not TurnOptions().reader_shadow
        talk = Talk(options=STEP_BY_STEP)
        await talk.say(PLAIN)
        assert talk.model.asked("reader") == []

    async def test_a_user_under_14_is_never_read(self):
        talk = shadowed()
        talk.set(stated_age=StatedAge.UNDER_14)
        await talk.say(PLAIN)
        other = shadowed()
        await other.say("저 12살이에요")
        assert (talk.model.asked("reader"), other.model.asked("reader")) == ([], [])

    async def test_a_cancelled_turn_asks_no_reader(self):
        talk = shadowed()
        begun = asyncio.Event()

        talk.model.stream = hang_stream(begun)
        running = asyncio.ensure_future(talk.flow.run(talk.turn(PLAIN)))
        await asyncio.wait_for(begun.wait(), 5)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert talk.model.asked("reader") == []

    async def test_its_time_is_its_own(self):
        """The turn's time for analysis is over when the reply is there."""
        talk = shadowed()
        turn = talk.turn(PLAIN)
        turn.scope.answers_by = talk.clock.monotonic() - 1
        await talk.flow.run(turn)
        (request,) = talk.model.asked("reader")
        assert 0 < request.settings.timeout_s <= talk.runner.configured("reader").timeout_s

    async def test_its_requests_count_for_the_turn(self):
        talk = shadowed()
        turn = talk.turn(PLAIN)
        await talk.flow.run(turn)
        assert turn.scope.ledger.spent().llm_calls == len(talk.model.requests)

    async def test_it_asks_nothing_when_the_turn_has_no_request_left(self):
        talk = shadowed()
        turn = talk.turn(CRISIS)
        turn.scope.sends = SendBudget(0)
        outcome = await talk.flow.run(turn)
        assert outcome.reply
        assert talk.model.asked("reader") == []
        assert turn.scope.ledger.failed("reader")


def hang_stream(begun):
    async def stream(_request):
        begun.set()
        await asyncio.Event().wait()
        yield

    return stream
