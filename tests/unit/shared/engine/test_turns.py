"""Turns on one instance, and on two instances over one database: order, one reply per message id, failures."""

import asyncio
from copy import copy

import pytest

from shared.contracts.events import Done, Failed, Replace, Token
from shared.contracts.tasks import JobKind
from shared.domain.consents import ConsentsGiven
from shared.domain.conversation import Budget, Consent
from shared.domain.errors import DocumentExists, NotFound, StoreUnavailable, VersionConflict
from shared.domain.mailbox import LEASE_TTL
from shared.domain.records import Record
from shared.domain.turn import Hook
from shared.domain.usage import service_day
from shared.engine.admission import Admission, Limits
from shared.engine.commit import RETRY_DELAYS
from shared.engine.flow import Outcome
from shared.engine.send_budget import TURN_SENDS
from shared.engine.turn_worker import ANALYSIS_SECONDS, FIRST_WORD_SECONDS, KEPT_SECONDS, TURN_SECONDS
from shared.engine.unit_of_work import update
from shared.ports.conversation_documents import Versioned, VersionedMailbox
from shared.ports.model_settings import ModelSettings
from tests.builders.small_service import (
    CONVERSATION,
    USER,
    FailingStore,
    Heard,
    SmallFlow,
    SmallService,
    answered,
    ended,
    heard,
    incoming,
)
from tests.fakes.echo import ECHO, Echo, EchoInput

LEASE_SECONDS = LEASE_TTL.total_seconds()
TEN_WON = {"echo": ModelSettings(model="m", price_in=100_000)}


class Once(Record):
    collection = "onces"
    word: str = ""


class Paying(SmallFlow):
    """Asks a model for ten won in every run."""

    async def run(self, turn):
        await turn.runner.ask(ECHO, EchoInput(text=turn.text), turn.scope)
        return await super().run(turn)


async def won_of_the_day(service):
    return (await service.store.usage(USER, service_day(service.clock.now()))).cost_krw


def failing(service, *errors):
    return FailingStore(service.store, "commit_turn", *errors)


def stalled(service, times=1):
    """A store that fails as often as a turn tries to commit."""
    return failing(service, *(StoreUnavailable() for _ in range(times * (1 + len(RETRY_DELAYS)))))


def losing_an_answer(store, error):
    """Return a store that writes its first commit and raises an error, as Firestore for a commit that meets itself.

    The answer was lost with the connection, and the adapter sent the commit again (docs/decisions/0008).
    """
    losing, errors = copy(store), [error]

    async def commit_turn(commit):
        used = await store.commit_turn(commit)
        if errors:
            raise errors.pop()
        return used

    losing.commit_turn = commit_turn
    return losing


@pytest.fixture
def turns(service):
    return service.instance("one")


@pytest.fixture(params=[1, 2], ids=["one instance", "two instances"])
def instances(request, service):
    """Give the instance for the n-th caller."""
    started = [service.instance(f"i{number}") for number in range(request.param)]
    return lambda caller: started[caller % len(started)]


async def events_of(stream):
    return [event for _, event in await heard(stream)]


async def reached(flow):
    async with asyncio.timeout(10):
        await flow.reached.wait()


async def under_way(service, turns, *message):
    """Begin a turn that is held until `service.flow.hold` is set."""
    service.flow.hold = asyncio.Event()
    stream = await turns.submit(incoming(*message))
    await reached(service.flow)
    return stream


async def write_mailbox(service, **more):
    present = await service.mailbox()
    await service.store.save_mailbox(VersionedMailbox(present.box.model_copy(update=more), present.version))


class TestATurn:
    async def test_streams_its_events_and_is_stored_with_its_agent_runs(self, service, turns):
        stream = await turns.submit(incoming("m1", "안녕"))
        *events, done = await events_of(stream)
        assert events[:2] == [Token(text="re: "), Token(text="안녕")]
        assert isinstance(done, Done)
        assert (done.result.message_id, done.result.seq, done.result.reply) == ("m1", 1, "re: 안녕")
        assert stream.seq == 1
        state = await service.state()
        assert (state.seq, state.message_count, state.state_version, state.summary_text) == (1, 1, 1, "[안녕]")
        assert await service.history() == ["안녕", "re: 안녕"]
        assert await service.inbox() == ()
        assert (await service.store.view(CONVERSATION)).last_message == "re: 안녕"
        record, now = await service.store.turn(CONVERSATION, "m1"), service.clock.now()
        assert (record.seq, record.flow, record.snapshot_version) == (1, "small", 0)
        assert (record.text, record.received_at, record.committed_at) == ("안녕", now, now)
        assert [(run.agent, run.decided_by.value) for run in record.agents] == [("small", "rule")]
        assert (record.events, record.result.reply) == (("Heard",), "re: 안녕")

    async def test_is_recorded_under_the_service_that_answered_it(self, service, turns):
        service.flow.outcome = lambda turn: Outcome(reply="booked", flow="booking")
        await answered(turns, "m1")
        assert (await service.store.turn(CONVERSATION, "m1")).flow == "booking"
        state = await service.state()
        assert (state.flow, state.answered_by) == ("small", "booking")

    @pytest.mark.parametrize(("swept", "again"), [(0, ""), (1, "-again-1")], ids=["first", "swept before"])
    async def test_queues_the_due_work_after_its_commit(self, service, turns, swept, again):
        service.policy.due_kinds = [JobKind.SUPERVISE, JobKind.REVIEW]
        snapshot = await service.store.load(CONVERSATION)
        state = snapshot.session.state.model_copy(update={"swept": swept})
        await service.store.save_state(Versioned(state, snapshot.session.version), service.policy.view(state))
        await answered(turns)
        assert [payload.name for payload in service.queue.payloads] == [f"c1-supervise-1{again}", f"c1-review-1{again}"]
        assert service.queue.payloads[0].state_version == (await service.state()).state_version

    @pytest.mark.parametrize("patience", [1, 10])
    async def test_has_a_send_budget_and_deadlines_that_a_slow_model_multiplies(self, service, patience):
        found, service.patience = [], patience

        class Looking(SmallFlow):
            async def run(self, turn):
                found.append(turn.scope)
                return await super().run(turn)

        began = service.clock.monotonic()
        await answered(service.instance(flow=Looking()), "m1")
        (scope,) = found
        assert scope.sends.left == TURN_SENDS
        limits = (TURN_SECONDS, ANALYSIS_SECONDS, FIRST_WORD_SECONDS)
        ends = (scope.deadline, scope.answers_by, scope.first_word_by)
        assert ends == tuple(began + patience * limit for limit in limits)
        assert ANALYSIS_SECONDS < FIRST_WORD_SECONDS < 8

    async def test_is_committed_with_budget_times_directive_agents_events_result_and_retention(self):
        service, hooks = SmallService(), (Hook(type="asked", data={"n": 1}),)
        await service.open(budget=Budget(llm_calls=1, prompt_tokens=5, output_tokens=5, cost_krw=1))
        service.flow = Paying()

        def slowly(request):
            service.clock.advance(2)
            return Echo(word="네", count=0)

        def outcome(turn):
            service.clock.advance(0.5)
            fields = {"hooks": hooks, "flags": ("f",), "directive": {"stance": "work"}, "fixed": ("네",)}
            return Outcome(reply="네", events=(Heard(word="네"),), **fields)

        service.model.scripts["echo"], service.flow.outcome = slowly, outcome
        settings = {"echo": ModelSettings(model="m", price_in=1000, price_out=20000)}
        done = await answered(service.instance(settings=settings), "m1", "안녕")
        record, state = await service.store.turn(CONVERSATION, "m1"), await service.state()
        assert state.budget == Budget(llm_calls=2, prompt_tokens=105, output_tokens=15, cost_krw=1.3)
        assert record.spent == Budget(llm_calls=1, prompt_tokens=100, output_tokens=10, cost_krw=0.3)
        assert (record.total_ms, record.overhead_ms) == (2500, 500), "the model's time and ours"
        assert record.directive == {"stance": "work"}
        _, stored = await service.store.messages(CONVERSATION, 0, 1)
        assert stored == state.recent[-1]
        assert stored.fixed == record.fixed == ("네",)
        assert [run.agent for run in record.agents] == ["echo", "small"]
        assert record.events == ("Heard",)
        assert (record.result.hooks, record.result.flags) == (hooks, ("f",))
        assert record.result.reply == done.result.reply == "네"
        view = await service.store.view(CONVERSATION)
        assert record.expire_at == state.expire_at == view.expire_at
        assert record.result.state_snapshot == view.state_snapshot

    async def test_in_another_users_conversation_is_refused_even_for_a_message_under_way(self, service, turns):
        stranger = asyncio.create_task(turns.submit(incoming("m1", user="u2")))
        stream = await under_way(service, turns, "m1")
        for refused in (stranger, turns.submit(incoming("m1", user="u2"))):
            with pytest.raises(NotFound):
                await refused
        assert await service.inbox() == ("m1",)
        service.flow.hold.set()
        assert (await ended(stream)).result.seq == 1


class TestCopiesOfOneMessage:
    @pytest.mark.parametrize("seen", ["", "/" * 1680], ids=["new", "id filter full"])
    async def test_ten_at_once_cost_one_run_and_get_one_result(self, service, turns, instances, seen):
        await write_mailbox(service, seen=seen)
        with pytest.raises(NotFound):
            await turns.attach(USER, CONVERSATION, "m1", wait=True)
        streams = await asyncio.gather(*(instances(n).submit(incoming("m1", "hi")) for n in range(10)))
        results = {(await ended(stream)).result.model_dump_json() for stream in streams}
        assert (len(results), service.flow.runs, (await service.state()).seq) == (1, ["hi"], 1)
        assert await service.history() == ["hi", "re: hi"]

    async def test_sent_later_get_the_identical_result_also_after_a_restart(self, service, turns):
        first = await answered(turns, "m0", "the first")
        for number in range(1, 40):
            service.clock.advance(10)
            await answered(turns, f"m{number}", f"t{number}")
        assert "the first" not in [message.text for message in (await service.state()).recent]
        assert await answered(turns, "m0", "the first") == first
        stream = await service.instance("after the restart").submit(incoming("m0", "the first"))
        assert await events_of(stream) == [Replace(text="re: the first"), first]
        assert (stream.seq, len(service.flow.runs), (await service.state()).seq) == (1, 40, 40)


class TestSeveralMessages:
    async def test_are_answered_one_at_a_time_in_order_of_arrival(self, service, instances):
        service.flow.hold = asyncio.Event()
        streams = [await instances(n).submit(incoming(f"m{n}", f"t{n}")) for n in range(5)]
        assert await service.inbox() == tuple(f"m{n}" for n in range(5))
        service.flow.hold.set()
        assert [(await ended(stream)).result.seq for stream in streams] == [1, 2, 3, 4, 5]
        assert service.flow.runs == [f"t{n}" for n in range(5)]
        state = await service.state()
        assert (state.summary_text, state.message_count) == ("[t0][t1][t2][t3][t4]", 5)
        assert await service.history() == [text for n in range(5) for text in (f"t{n}", f"re: t{n}")]
        assert await service.inbox() == ()


class TestADeadWorker:
    @pytest.fixture(autouse=True)
    async def orphan(self, service):
        """A message that was claimed by a worker that died."""
        dead = Admission(service.store, service.clock, Limits(), "dead")
        assert (await dead.admit(incoming("orphan", "orphan"))).claimed is not None

    async def test_has_its_message_answered_before_the_next_one_once_its_lease_expires(self, service, turns, caplog):
        stream = await turns.submit(incoming("m2", "next"))
        done = asyncio.create_task(ended(stream))
        for _ in range(50):
            await asyncio.sleep(0)
        assert (service.flow.runs, done.done()) == ([], False)
        service.clock.advance(LEASE_SECONDS)
        assert ((await done).result.seq, service.flow.runs) == (2, ["orphan", "next"])
        assert (await service.store.turn(CONVERSATION, "orphan")).result.seq == 1
        await answered(turns, "m3")
        assert caplog.text.count("lease_taken_over") == 1

    async def test_has_its_reply_streamed_to_a_client_that_attaches_again(self, service, turns):
        """The next message runs the orphan; a client that attached to the orphan on this instance gets its events."""
        next_one = await turns.submit(incoming("m2", "next"))
        again = await turns.submit(incoming("orphan", "orphan"))
        service.clock.advance(LEASE_SECONDS)
        assert (await events_of(again))[:2] == [Token(text="re: "), Token(text="orphan")]
        assert [(await ended(stream)).result.seq for stream in (again, next_one)] == [1, 2]
        assert service.flow.runs == ["orphan", "next"]


async def test_an_answered_message_taken_for_new_gets_its_first_answer_and_blocks_no_later_message(service, turns):
    """As after an old mailbox is restored: the commit fails because it creates the turn record, which exists."""
    first = await answered(turns, "m1")
    await write_mailbox(service, seen="")
    before, other = await service.state(), service.instance("another")
    events = await events_of(await other.submit(incoming("m1")))
    assert (events[-2:], Replace(text="sorry") in events) == ([Replace(text="re: hi"), first], False)
    assert await service.state() == before
    assert await service.history() == ["hi", "re: hi"]
    assert (await service.mailbox()).box.lease is None
    assert (await answered(other, "m2")).result.seq == 2


class TestATakeover:
    async def test_the_worker_that_lost_its_lease_commits_nothing(self, service):
        slow_stream = await under_way(service, service.instance("slow"), "m1")
        service.clock.advance(LEASE_SECONDS)
        quick = await answered(service.instance("quick", flow=SmallFlow()), "m1")
        service.flow.outcome = lambda turn: Outcome(reply="late", events=(Heard(word="late"),))
        service.flow.hold.set()
        assert await ended(slow_stream) == quick
        assert (await service.state()).summary_text == "[hi]"
        assert await service.history() == ["hi", "re: hi"]
        assert (await service.store.turn(CONVERSATION, "m1")).result.reply == "re: hi"

    async def test_the_worker_that_lost_its_lease_commits_nothing_while_the_new_holder_works(self, service):
        slow_stream, other = await under_way(service, service.instance("slow"), "m1"), SmallFlow()
        other.hold = asyncio.Event()
        service.clock.advance(LEASE_SECONDS)
        other_stream = await service.instance("other", flow=other).submit(incoming("m1"))
        await reached(other)
        service.flow.hold.set()
        for _ in range(50):
            await asyncio.sleep(0)
        assert (await service.state()).seq == 0
        other.hold.set()
        assert await ended(slow_stream) == await ended(other_stream)
        assert (await service.state()).summary_text == "[hi]"


class TestDuringATurn:
    async def test_the_write_of_a_background_worker_is_kept(self, service, turns):
        stream = await under_way(service, turns, "m1")
        await update(service.store, service.policy, service.clock, CONVERSATION, Heard(word="background"))
        service.flow.hold.set()
        done = await ended(stream)
        state = await service.state()
        assert (state.summary_text, state.seq, state.state_version) == ("[background][hi]", 1, 2)
        assert done.result.reply == "re: hi"
        assert (await service.store.turn(CONVERSATION, "m1")).snapshot_version == 0

    async def test_a_record_that_exists_already_is_kept_and_does_not_stop_the_turn(self, service, turns):
        stamps = dict.fromkeys(["created_at", "expire_at"], service.clock.now())
        mine = [Once(record_id=record_id, word="mine", **stamps) for record_id in ("1-2", "x")]
        theirs = Once(record_id="1-2", word="theirs", **stamps)
        snapshot = await service.store.load(CONVERSATION)
        await service.store.save_state(snapshot.session, service.policy.view(snapshot.session.state), [theirs])
        service.flow.outcome = lambda turn: Outcome(reply="r", records=mine)
        assert isinstance(await answered(turns), Done)
        assert (await service.store.record(CONVERSATION, "onces", "1-2"))["word"] == "theirs"
        assert (await service.store.record(CONVERSATION, "onces", "x"))["word"] == "mine"

    async def test_an_erased_conversation_is_not_written_and_its_messages_end_with_not_found(self, service, turns):
        stream = await under_way(service, turns, "m1")
        waiting = await turns.submit(incoming("m2"))
        await service.store.erase(CONVERSATION)
        service.flow.hold.set()
        assert [(await ended(one)).code for one in (stream, waiting)] == ["not_found"] * 2
        assert await service.store.export(CONVERSATION) == []

    async def test_a_caller_and_a_listener_that_disconnect_do_not_stop_the_turn(self, service, turns):
        service.flow.hold = asyncio.Event()
        caller = asyncio.create_task(turns.submit(incoming("m1")))
        await asyncio.sleep(0)
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller
        stream = await turns.attach(USER, CONVERSATION, "m1", wait=True)
        listener = asyncio.create_task(events_of(stream))
        await reached(service.flow)
        listener.cancel()
        service.flow.hold.set()
        assert isinstance(await ended(stream), Done)
        assert (await service.history(), service.flow.runs) == (["hi", "re: hi"], ["hi"])


class TestFailures:
    async def test_a_flow_that_raises_ends_with_an_apology_and_blocks_no_later_message(self, service, turns, caplog):
        service.flow.error = RuntimeError("a bug")
        stream = await turns.submit(incoming("m1"))
        events = await events_of(stream)
        assert Replace(text="sorry") in events
        assert (events[-1].result.reply, events[-1].result.flags) == ("sorry", ("degraded",))
        assert "RuntimeError" in caplog.text
        assert "a bug" not in caplog.text, "a foreign error may quote what a person wrote"
        assert await service.history() == ["hi", "sorry"]
        service.flow.error = None
        assert (await answered(turns, "m2")).result.seq == 2

    async def test_a_commit_that_fails_twice_is_retried_within_the_turn(self, service):
        for error in (StoreUnavailable(), VersionConflict("s")):
            turns = service.instance(store=failing(service, error, error))
            assert isinstance(await answered(turns, type(error).__name__), Done)
        assert (service.flow.runs, (await service.state()).summary_text) == (["hi"] * 2, "[hi]" * 2)

    async def test_a_failed_commit_is_reported_as_retryable_and_the_retry_writes_the_shown_reply(self, service):
        turns, left = service.instance(store=stalled(service)), [Outcome(reply="shown", events=(Heard(word="hi"),))]
        service.flow.outcome = lambda turn: left.pop()
        assert await answered(turns, "m1") == Failed(code="store_unavailable", detail="", retryable=True)
        assert (await service.inbox(), (await service.mailbox()).box.lease) == (("m1",), None)
        assert (await service.state()).seq == 0
        events = await events_of(await turns.submit(incoming("m1")))
        assert (events[0], events[-1].result.reply) == (Replace(text="shown"), "shown")
        assert (service.flow.runs, await service.history()) == (["hi"], ["hi", "shown"]), "no model was asked again"
        assert (await service.state()).summary_text == "[hi]"
        record = await service.store.turn(CONVERSATION, "m1")
        assert [run.agent for run in record.agents] == ["small"], "the turn's cost is kept"

    async def test_the_next_message_first_commits_the_turn_that_failed(self, service):
        turns = service.instance(store=stalled(service))
        await answered(turns, "m1", "a")
        assert (await answered(turns, "m2", "b")).result.seq == 2
        assert (await service.state()).summary_text == "[a][b]"
        assert service.flow.runs == ["a", "b"]

    async def test_a_retry_does_not_wait_for_a_lease_that_could_not_be_released(self, service):
        async def refusing(_mailbox):
            raise StoreUnavailable

        store = stalled(service)
        turns = service.instance(store=store)
        stream = await under_way(service, turns, "m1")
        store.save_mailbox = refusing
        service.flow.hold.set()
        assert (await ended(stream)).retryable
        assert (await service.mailbox()).box.lease is not None
        store.save_mailbox = service.store.save_mailbox
        assert (await answered(turns, "m1")).result.seq == 1, "though no second of the clock has passed"
        assert service.flow.runs == ["hi"]

    @pytest.mark.parametrize(("bugs", "stalls"), [(0, 2), (1, 1), (1, 0)])
    async def test_a_turns_cost_counts_once_however_often_its_commit_fails(self, service, bugs, stalls):
        service.model.scripts["echo"] = Echo(word="a", count=0)
        store = stalled(service, stalls)
        store.errors = [*[ZeroDivisionError()] * bugs, *store.errors]
        turns = service.instance(flow=Paying(), settings=TEN_WON, store=store)
        while isinstance(await answered(turns, "m1"), Failed):
            pass
        assert len(service.model.requests) == 1
        assert await won_of_the_day(service) == 10

    @pytest.mark.parametrize("cause", ["consent given again", "too long ago", "stopped"])
    async def test_an_unwritten_reply_is_dropped_and_the_flow_runs_again(self, service, cause):
        turns = service.instance(store=stalled(service))
        await answered(turns, "m1")
        if cause == "consent given again":
            given = ConsentsGiven(consents={"privacy": Consent(granted=True, version="1", at=service.clock.now())})
            await update(service.store, service.policy, service.clock, CONVERSATION, given)
        elif cause == "too long ago":
            service.clock.advance(KEPT_SECONDS)
        else:
            turns.stop(CONVERSATION)
        assert (await answered(turns, "m1")).result.reply == "re: hi"
        assert service.flow.runs == ["hi", "hi"]

    @pytest.mark.parametrize(
        "error", [DocumentExists("sessions/c1/turns/m1"), VersionConflict("sessions/c1"), StoreUnavailable()]
    )
    async def test_a_commit_whose_answer_was_lost_is_recognised_and_not_repeated(self, service, error, caplog):
        service.model.scripts["echo"], service.flow = Echo(word="a", count=0), Paying()
        service.policy.due_kinds = [JobKind.REVIEW]
        followed = asyncio.Queue()

        async def follow(context):
            followed.put_nowait((context.state.seq, context.result.reply))

        store = losing_an_answer(service.store, error)
        turns = service.instance(store=store, settings=TEN_WON, after_turn=[follow])
        events = await events_of(await turns.submit(incoming()))
        assert [payload.name for payload in service.queue.payloads] == ["c1-review-1"]
        assert await asyncio.wait_for(followed.get(), 10) == (1, "re: hi")
        assert (events[-1].result.reply, service.flow.runs) == ("re: hi", ["hi"])
        assert Replace(text="sorry") not in events
        assert "commit_broke" not in caplog.text
        assert await service.history() == ["hi", "re: hi"]
        assert ((await service.state()).seq, await service.inbox()) == (1, ())
        assert (await answered(turns, "m2")).result.seq == 2
        assert (await asyncio.wait_for(followed.get(), 10))[0] == 2, "the hooks of each turn run once"
        assert await won_of_the_day(service) == 20

    async def test_an_outcome_that_cannot_be_written_becomes_an_apology_or_a_final_failure(self, service, caplog):
        turns = service.instance(store=failing(service, *[ZeroDivisionError("a bug")] * 3))
        failed = await answered(turns)
        assert (failed.code, failed.retryable) == ("internal", False)
        assert (await service.mailbox()).box.lease is None
        assert "degraded" in (await answered(turns)).result.flags
        assert "commit_broke flow=small conversation=c1 error=ZeroDivisionError" in caplog.text
        assert "a bug" not in caplog.text, "a foreign error may quote what a person wrote"
        assert (await answered(turns, "m2")).result.seq == 2


async def test_a_deleted_conversation_is_not_found_even_while_its_reply_is_in_memory(service, turns):
    await answered(turns)
    await service.store.erase(CONVERSATION)
    with pytest.raises(NotFound):
        await turns.submit(incoming())
    for wait in (True, False):
        with pytest.raises(NotFound):
            await turns.attach(USER, CONVERSATION, "m1", wait=wait)


class TestResuming:
    async def test_answers_the_messages_of_a_dead_instance_in_order(self, service, turns):
        service.flow.hold = asyncio.Event()
        left = [await turns.submit(incoming(f"m{n}", f"text {n}")) for n in range(2)]
        await reached(service.flow)
        for running in list(turns._running.values()):
            running.task.cancel()
        service.clock.advance(60)
        service.flow.hold = None
        done = await ended(await service.instance("next").resume(CONVERSATION))
        assert (done.result.message_id, done.result.seq) == ("m1", 2)
        assert await service.history() == ["text 0", "re: text 0", "text 1", "re: text 1"]
        assert not any(stream.closed for stream in left)

    async def test_without_a_waiting_message_does_nothing(self, service, turns):
        await answered(turns)
        assert await turns.resume(CONVERSATION) is None
        assert await turns.resume("unknown") is None
        assert service.flow.runs == ["hi"]


class TestAttaching:
    async def test_to_a_turn_under_way_returns_its_stream_only_to_a_caller_that_waits(self, service, turns):
        stream, other = await under_way(service, turns, "m1"), service.instance("two")
        for instance in (turns, other):
            assert await instance.attach(USER, CONVERSATION, "m1", wait=False) is None
        assert await turns.attach(USER, CONVERSATION, "m1", wait=True) is stream
        elsewhere = await other.attach(USER, CONVERSATION, "m1", wait=True)
        service.flow.hold.set()
        done = await ended(stream)
        assert await ended(elsewhere) == done
        assert service.flow.runs == ["hi"]
        for instance in (turns, service.instance("three")):
            for wait in (True, False):
                assert (await instance.attach(USER, CONVERSATION, "m1", wait=wait)).ending == done

    @pytest.mark.parametrize(("user", "message"), [("u2", "m1"), (USER, "m2")])
    async def test_to_an_unknown_message_or_another_users_conversation_is_not_found(self, turns, user, message):
        await answered(turns, "m1")
        for wait in (True, False):
            with pytest.raises(NotFound):
                await turns.attach(user, CONVERSATION, message, wait=wait)
