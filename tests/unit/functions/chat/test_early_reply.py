"""The Counselor begins while the message is read: what is shown, when, and what a changed plan costs."""

import asyncio

import pytest

from functions.chat.early_reply import AGENT, FEWEST_SENDS, LOOK_ENDS, begins_at_once, look_before
from functions.chat.reading import AGENT as READER
from functions.chat.reading import NOTHING_READ, SignRead, ValueRead
from functions.chat.turn import ChatTurn
from shared.contracts.events import Token
from shared.domain.counseling.background_events import WrapUpSuggested
from shared.domain.counseling.lifecycle import BOUNDED
from shared.domain.counseling.session import WrapUp, WrapUpStage
from shared.domain.counseling.task import TaskStatus
from shared.domain.errors import ModelUnavailable
from shared.engine.send_budget import SendBudget
from tests.builders.answers import reads
from tests.builders.sessions import session, slot, task
from tests.builders.talk import REPLY, Talk
from tests.fakes.scripted_model import Stream

SLOTS = (slot("reason"), slot("age", kind="integer", minimum=1, maximum=120))
BEFORE = session(task("t1", 2, min_turns=2, required_slots=SLOTS, status=TaskStatus.IN_PROGRESS), current_task="t1")
READ = NOTHING_READ.model_copy(
    update={
        "signs": (SignRead(id="told:reason", quote="cannot sleep"),),
        "asked": "reason",
        "next_task": "t1",
        "values": (ValueRead(slot="reason", value="sleep", quote="cannot sleep"),),
    }
)


def test_there_is_no_look_until_all_that_decides_the_reply_has_arrived() -> None:
    whole = READ.model_dump_json()
    looks = [look_before(LOOK_ENDS, whole[:end]) for end in range(len(whole) + 1)]
    first = next(end for end, one in enumerate(looks) if one is not None)
    assert whole[:first].endswith('"values"')
    assert not any(looks[:first])
    expected = READ.model_copy(update={"values": ()})
    assert all(one == expected for one in looks[first:])


@pytest.mark.parametrize(
    "broken",
    ['{"values":[]', 'no object "values"', '{"danger":"me","signs":[],"asked":"","next_task":"","module":"","values"'],
)
def test_a_beginning_that_is_no_reading_gives_no_look(broken: str) -> None:
    assert look_before(LOOK_ENDS, broken) is None


def test_no_reply_is_begun_on_nothing_while_an_answer_is_waited_for() -> None:
    assert begins_at_once(BEFORE)
    assert not begins_at_once(BEFORE.model_copy(update={"last_asked": "reason"}))
    assert not begins_at_once(BEFORE.model_copy(update={"wrap_up": WrapUp(stage=WrapUpStage.SUGGESTED)}))


COUNSELOR = "counselor"
PLAIN = "오늘은 그냥 집에 있었어요"
NEXT = "그 다음 이야기도 들려주시겠어요?"


@pytest.fixture
def early():
    """Part 2 with a task in progress whose place is told sooner or later, and one that waits."""
    talk = Talk()
    talk.flow = ChatTurn(talk.content)
    wanted = (slot("place", label="곳"), slot("age", kind="integer", minimum=1, maximum=120))
    talk.plan(task("work", 2, required_slots=wanted, min_turns=2), task("mother", 2))
    talk.work_on("work")
    talk.set(last_asked=None, asked={"place": 1, "age": 1}, asked_seq={"place": 0, "age": 0})
    talk.model.scripts[READER] = reads(next_task="work")
    return talk


def outcome(said):
    return said.run(AGENT).output


def counselors(said):
    return [run.cancelled for run in said.runs if run.agent == COUNSELOR and run.attempts]


def by_task(request):
    """Say something else in another task."""
    return NEXT if 'id="mother"' in request.system else REPLY


class Gated:
    """Holds the reader back where a piece of its answer holds some words, until the gate is open."""

    def __init__(self, talk, words=None):
        self.reached, self.gate, self.replied = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._words, self._stream, self._seen = words, talk.model.stream, ""
        talk.model.stream = self._gated

    async def _gated(self, request):
        if request.agent == READER and self._words is None:
            await self.gate.wait()
        async for chunk in self._stream(request):
            yield chunk
            self._seen += chunk.text if request.agent == READER else ""
            if self._words and self._words in self._seen and not self.reached.is_set():
                self.reached.set()
                await self.gate.wait()
        if request.agent == COUNSELOR:
            self.replied.set()


def text_of(shown):
    return "".join(event.text for event in shown if isinstance(event, Token))


async def test_a_plan_that_holds_costs_one_call_of_the_reader_and_one_of_the_counselor(early):
    said = await early.say(PLAIN)
    assert sorted(request.agent for request in early.model.requests) == [COUNSELOR, READER]
    assert (said.reply, outcome(said)) == (REPLY, "held")


async def test_no_token_is_shown_before_the_first_look_is_in(early):
    held, shown = Gated(early), []
    running = asyncio.create_task(early.flow.run(early.turn(PLAIN, shown)))
    await asyncio.wait_for(held.replied.wait(), 5)
    assert text_of(shown) == ""
    held.gate.set()
    assert (await running).reply == REPLY


@pytest.mark.parametrize(("signs", "begun"), [((), True), (("good_news",), False)])
async def test_without_a_sign_a_reply_is_begun_and_held_while_the_rest_of_the_look_arrives(early, signs, begun):
    early.set(last_asked="place")
    early.model.scripts[READER] = reads(*signs, next_task="work")
    held, shown = Gated(early, '"asked"'), []
    running = asyncio.create_task(early.flow.run(early.turn(PLAIN, shown)))
    await asyncio.wait_for(held.reached.wait(), 5)
    for _ in range(50):
        await asyncio.sleep(0)
    assert (held.replied.is_set(), text_of(shown)) == (begun, "")
    held.gate.set()
    await running


async def test_the_reply_is_shown_at_the_look_while_the_evidence_still_arrives(early):
    held, shown = Gated(early, '"values"'), []
    running = asyncio.create_task(early.flow.run(early.turn(PLAIN, shown)))
    await asyncio.wait_for(held.reached.wait(), 5)
    for _ in range(50):
        await asyncio.sleep(0)
    assert text_of(shown) == REPLY
    assert not running.done(), "the commit waits for the whole reading"
    held.gate.set()
    await running


async def test_another_task_cancels_the_early_reply_and_counts_its_tokens_as_wasted(early):
    early.model.scripts |= {READER: reads(next_task="mother"), COUNSELOR: by_task}
    said = await early.say(PLAIN)
    assert (said.reply, said.shown, said.directive["task_id"]) == (NEXT, NEXT, "mother")
    assert outcome(said) == "changed"
    assert counselors(said) == [True, False]


@pytest.mark.parametrize("more", [{"danger": "own_concern"}, {"told": {"age": "30"}}, {"corrects": {"name": "지민"}}])
async def test_a_danger_a_value_that_may_be_wrong_or_a_correction_is_waited_for(early, more):
    early.set(user_info={"name": "지훈"})
    early.model.scripts[READER] = reads(next_task="work", **more)
    held, shown = Gated(early, '"feeling"'), []
    running = asyncio.create_task(early.flow.run(early.turn(PLAIN, shown)))
    await asyncio.wait_for(held.reached.wait(), 5)
    for _ in range(50):
        await asyncio.sleep(0)
    assert text_of(shown) == ""
    held.gate.set()
    await running


async def test_a_reply_that_asks_for_what_is_being_told_is_never_shown(early):
    early.set(asked={}, asked_seq={})
    early.model.scripts[READER] = reads(next_task="work", told={"place": "집"})
    early.model.scripts[COUNSELOR] = lambda request: REPLY if 'slot="place"' in request.system else NEXT
    said = await early.say(PLAIN)
    assert (said.reply, said.shown) == (NEXT, NEXT)
    assert early.state.last_asked != "place"


@pytest.mark.parametrize("asks", [True, False])
async def test_a_reply_that_asks_or_proposes_waits_for_the_feeling_which_is_received_first(early, asks):
    early.set(asked={}, asked_seq={}) if asks else early.happen(WrapUpSuggested(reason=BOUNDED))
    early.model.scripts[READER] = reads(next_task="work", feeling=("sadness", 9))
    said = await early.say(PLAIN)
    assert (said.ask, said.directive["proposes"], said.directive["stance"]) == (None, None, "work")
    assert said.shown == said.reply


async def test_a_value_that_comes_late_leaves_what_was_shown_and_is_kept(early):
    early.set(tasks=(early.state.task("mother"), task("work", 2, required_slots=(slot("place"),))))
    early.work_on("work")
    early.model.scripts |= {READER: reads(next_task="work", told={"place": "집에 있었어요"}), COUNSELOR: by_task}
    said = await early.say(PLAIN)
    assert (said.reply, outcome(said)) == (REPLY, "contradicted")
    assert early.state.user_info["place"] == "집에 있었어요"
    assert early.state.task("work").covered


@pytest.mark.parametrize("danger", ["own_crisis", "violence_now"])
async def test_nothing_is_shown_when_only_the_model_hears_a_danger(early, danger):
    early.model.scripts[READER] = reads(danger=danger)
    said = await early.say(PLAIN)
    assert REPLY not in said.shown
    assert "crisis" in said.outcome.flags
    assert counselors(said) == [True]


async def test_a_danger_that_only_a_second_answer_tells_of_takes_the_place_of_what_was_shown(early):
    begun = NOTHING_READ.model_copy(update={"next_task": "work"}).model_dump_json()
    broken = Stream((begun[: begun.index('"feeling"')], "oh no"))
    early.model.scripts[READER] = [broken, reads(danger="own_crisis", quote=PLAIN)]
    said = await early.say(PLAIN)
    assert "crisis" in said.outcome.flags
    assert (said.shown, said.outcome.directive) == (said.reply, None)
    assert counselors(said) == [True]


async def test_a_model_that_says_nothing_is_asked_twice_and_apologized_for(early):
    early.model.scripts[COUNSELOR] = ModelUnavailable("503")
    said = await early.say(PLAIN)
    assert "degraded" in said.outcome.flags
    assert len(early.model.asked(COUNSELOR)) == 2


async def test_a_cancelled_turn_closes_the_early_stream(early):
    begun, closed = asyncio.Event(), asyncio.Event()

    async def endless(request):
        try:
            begun.set() if request.agent == COUNSELOR else None
            await asyncio.Event().wait()
            yield
        finally:
            closed.set() if request.agent == COUNSELOR else None

    early.model.stream = endless
    running = asyncio.create_task(early.flow.run(early.turn(PLAIN)))
    await asyncio.wait_for(begun.wait(), 5)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert closed.is_set()


async def test_no_reply_is_begun_early_where_its_requests_may_be_needed_later(early):
    turn = early.turn(PLAIN)
    turn.scope.sends = SendBudget(FEWEST_SENDS - 1)
    assert (await early.flow.run(turn)).reply == REPLY
    assert AGENT not in {run.agent for run in turn.scope.ledger.runs}
