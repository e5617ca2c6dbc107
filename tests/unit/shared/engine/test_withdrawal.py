"""Consents that are withdrawn or given to an older text, and erasure: before and during a turn or a job."""

import asyncio
from datetime import timedelta

import pytest

from shared.contracts.events import Done, Failed, Token
from shared.domain.consents import ConsentsGiven, ConsentsWithdrawn, given, lacking
from shared.domain.conversation import Consent
from shared.domain.errors import ConsentRequired
from shared.domain.mailbox import revoke
from shared.engine.jobs import FRESH_SECONDS, JOB_SECONDS, JobContext
from shared.engine.runner import AgentRunner
from shared.engine.unit_of_work import update
from shared.ports.conversation_documents import VersionedMailbox
from shared.ports.model_settings import ModelSettings
from tests.builders.sessions import NOW
from tests.builders.small_service import CONVERSATION, SmallFlow, SmallService, answered, ended, heard, incoming
from tests.fakes.echo import ECHO, Echo, EchoInput

TERMS = {"terms": "2026-11", "abroad": "2026-11"}
SETTINGS = {"echo": ModelSettings(model="m-1")}
GIVEN = EchoInput(text="안녕")


@pytest.fixture
async def service():
    service = SmallService()
    service.terms = dict(TERMS)
    await service.open(consents=given(TERMS, TERMS, service.clock.now()))
    return service


@pytest.fixture
def turns(service):
    return service.instance()


async def change(service, *events):
    await update(service.store, service.policy, service.clock, CONVERSATION, *events)


def withdrawn(service, name="abroad", seconds=0):
    at = service.clock.now() + timedelta(seconds=seconds)
    return ConsentsWithdrawn(names=(name,), versions=TERMS, withdrawn_at=at)


async def withdraw(service):
    """Withdraw in the endpoint's order: the session first, then the lease."""
    await change(service, withdrawn(service))
    held = await service.mailbox()
    await service.store.save_mailbox(VersionedMailbox(revoke(held.box), held.version))


async def give(service):
    service.clock.advance(1)
    await change(service, ConsentsGiven(consents=given(TERMS, service.terms, service.clock.now())))


async def refused_at_once(service, turns):
    with pytest.raises(ConsentRequired) as refusal:
        await turns.submit(incoming("m2", "비밀이에요"))
    assert (service.flow.runs, await service.inbox(), await service.history()) == ([], (), [])
    return refusal.value.missing, refusal.value.versions


async def test_without_a_consent_no_message_is_stored_and_no_flow_runs(service, turns):
    await withdraw(service)
    assert await refused_at_once(service, turns) == (("abroad",), {"abroad": "2026-11"})


async def test_a_newer_consent_text_must_be_accepted_before_the_next_message(service, turns):
    service.terms["terms"] = "2026-12"
    turns = service.instance()
    assert await refused_at_once(service, turns) == (("terms",), {"terms": "2026-12"})
    await give(service)
    assert isinstance(await answered(turns, "m2", "비밀이에요"), Done)
    assert await service.history() == ["비밀이에요", "re: 비밀이에요"]


async def begun(service, turns):
    service.flow.hold = asyncio.Event()
    stream = await turns.submit(incoming("m1", "듣고 있나요"))
    await service.flow.reached.wait()
    return stream


async def test_a_turn_under_way_is_discarded_and_its_message_answered_after_a_new_consent(service, turns):
    stream = await begun(service, turns)
    await withdraw(service)
    service.flow.hold.set()
    ending = await ended(stream)
    assert (type(ending), ending.code, ending.retryable) == (Failed, "consent_required", False)
    assert (await service.history(), (await service.state()).seq) == ([], 0)
    assert await service.inbox() == ("m1",), "the message is kept and not processed"

    assert (await answered(turns, "m1", "듣고 있나요")).code == "consent_required"
    assert (await ended(await turns.resume(CONVERSATION))).code == "consent_required"
    assert len(service.flow.runs) == 1

    await give(service)
    assert isinstance(await answered(turns, "m1", "듣고 있나요"), Done)
    assert await service.history() == ["듣고 있나요", "re: 듣고 있나요"]


async def test_the_commit_checks_the_consents(service, turns):
    """A withdrawal marks the session before it revokes the lease."""
    stream = await begun(service, turns)
    await change(service, withdrawn(service, "terms"))
    service.flow.hold.set()
    assert (await ended(stream)).code == "consent_required"
    assert await service.history() == []
    assert len(service.flow.runs) == 1, "and the message is not tried again"


async def test_an_answered_message_is_shown_again_without_a_consent(service, turns):
    await answered(turns, "m1")
    await withdraw(service)
    assert isinstance(await answered(service.instance("two"), "m1"), Done)


@pytest.mark.parametrize("order", [1, -1])
async def test_the_later_of_consent_and_withdrawal_counts_in_either_order_of_arrival(service, order):
    consents = given(TERMS, TERMS, service.clock.now() + timedelta(seconds=1))
    for event in [ConsentsGiven(consents=consents), withdrawn(service, seconds=5)][::order]:
        await change(service, event)
    assert lacking((await service.state()).consents, TERMS) == ("abroad",)


@pytest.mark.parametrize(
    ("granted", "version", "is_lacking"),
    [(False, "2026-11", True), (True, "2026-10", True), (True, "2026-11", False), (True, "2026-11-15", True)],
)
def test_a_consent_is_lacking_unless_it_is_given_to_the_current_text(granted, version, is_lacking):
    consents = {"terms": Consent(granted=granted, version=version, at=NOW)}
    assert bool(lacking(consents, {"terms": "2026-11"})) is is_lacking
    assert lacking({}, {"terms": "2026-11"})


class AskingFlow(SmallFlow):
    """Asks a model, waits for a test, and asks again."""

    async def run(self, turn):
        await turn.runner.ask(ECHO, GIVEN, turn.scope)
        turn.scope.emit(Token(text="그러셨"))
        self.reached.set()
        await self.hold.wait()
        turn.scope.emit(Token(text="군요"))
        await turn.runner.ask(ECHO, GIVEN, turn.scope)
        return await super().run(turn)


async def withdraw_consent(service):
    await change(service, withdrawn(service))


async def erase(service):
    await service.store.erase(CONVERSATION)


async def test_a_jobs_deadline_is_later_where_the_model_is_slow(service):
    runner = AgentRunner(service.model, SETTINGS, service.clock, patience=10)
    scope = JobContext(service.store, service.policy, runner).scope(await service.state())
    assert scope.deadline == service.clock.monotonic() + 10 * JOB_SECONDS


class TestThePermitOfAModelCall:
    """Every model call is checked first: a turn's by its lease, a job's by its session."""

    @pytest.fixture(autouse=True)
    def answers(self, service):
        service.flow, service.model.scripts["echo"] = AskingFlow(), Echo(word="네", count=0)

    @pytest.mark.parametrize(("revokes", "code"), [(withdraw_consent, "consent_required"), (erase, "not_found")])
    async def test_is_lost_when_the_turn_is_stopped_which_then_streams_no_token(self, service, revokes, code):
        turns = service.instance(settings=SETTINGS)
        stream = await begun(service, turns)
        await revokes(service)
        turns.stop(CONVERSATION)
        assert (await ended(stream)).code == code, "though the flow is still held"
        assert len(service.model.requests) == 1
        assert [event.text for _, event in await heard(stream) if isinstance(event, Token)] == ["그러셨"]
        if revokes is withdraw_consent:
            assert (await service.inbox(), await service.history()) == (("m1",), [])

    @pytest.fixture
    async def ask(self, service):
        context = JobContext(service.store, service.policy, AgentRunner(service.model, SETTINGS, service.clock))
        self.scope = context.scope(await service.state())
        return lambda: context.runner.ask(ECHO, GIVEN, self.scope)

    async def test_is_checked_before_the_first_call_of_a_job_that_read_its_session_a_while_ago(self, service, ask):
        await withdraw_consent(service)
        service.clock.advance(FRESH_SECONDS)
        assert await ask() == ECHO.safe_default
        assert service.model.requests == []
        assert [run.error.split(":")[0] for run in self.scope.ledger.runs] == ["model_not_allowed"]
        assert self.scope.ledger.spent().llm_calls == 0

    @pytest.mark.parametrize("revokes", [withdraw_consent, erase])
    async def test_is_lost_by_a_job_whose_consent_is_withdrawn_or_conversation_erased(self, service, ask, revokes):
        await revokes(service)
        assert (await ask()).word == "네", "the session was read just before"
        assert await ask() == ECHO.safe_default
        assert len(service.model.requests) == 1
