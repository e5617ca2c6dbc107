"""The agreement service on the engine: a killed instance's turn is finished by another from the stored checkpoint."""

import asyncio

import pytest

from functions.chat.flows.agreement.flow import NAME, agreement
from functions.chat.flows.agreement.nodes import MOST_TRIES
from shared.adapters.documents.checkpoints import DocumentCheckpoints
from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.content.catalogue import content
from shared.domain.agreement.search_state import SearchState
from shared.domain.agreement.tools import run_tool
from shared.domain.conversation import Message, Role
from shared.domain.counseling.session import Session
from shared.domain.errors import StoreUnavailable
from shared.domain.turn import TurnResult
from shared.engine.hooks import HookContext
from tests.builders.agreements import Asking, Shelf, enough, form
from tests.builders.sessions import session
from tests.builders.shipped_settings import shipped_settings
from tests.builders.small_service import CONVERSATION, USER, SmallService, incoming
from tests.support.polling import eventually

TEXT = "해지 조건이 뭐야?"
SCRIPTS = {"agreement_evaluator": enough(), "agreement_responder": "언제든 해지할 수 있어요. [제10조]"}


class Dying(DocumentCheckpoints):
    """The instance dies right after it kept so many checkpoints."""

    left = 99

    async def save_checkpoint(self, *args):
        await super().save_checkpoint(*args)
        self.left -= 1
        if not self.left:
            raise asyncio.CancelledError


async def house():
    service = SmallService()
    service.store = DocumentConversationStore(service.database, Session)
    now = service.clock.now()
    state = session(flow=NAME, conversation_id=CONVERSATION, user_id=USER, created_at=now)
    greeting = Message(seq=0, role=Role.COUNSELOR, text="안녕하세요", created_at=now)
    await service.store.create(state, greeting, service.policy.view(state))
    service.model.scripts.update(SCRIPTS)
    return service


def instance(service, owner, checkpoints):
    manifest = agreement(content(), Shelf(), service.clock, lambda: (form(),), checkpoints)
    settings = dict(shipped_settings())
    return service.instance(owner, flow=manifest.flow, settings=settings, after_turn=manifest.after_turn)


async def kept(service):
    return [one.path for one in await service.database.tree(f"sessions/{CONVERSATION}") if "/checkpoints/" in one.path]


async def has_died(service, dying):
    return not dying.left and (await service.mailbox()).box.lease is None


async def is_gone(service):
    return not await kept(service)


@pytest.mark.parametrize("nodes", [3, 5, 6])
async def test_another_instance_goes_on_after_the_last_node_and_deletes_the_checkpoint(nodes):
    service = await house()
    dying = Dying(service.database)
    dying.left = nodes
    async with asyncio.timeout(10):
        await instance(service, "one", dying).submit(incoming("m1", TEXT))
        await eventually(lambda: has_died(service, dying))
        assert len(await kept(service)) == 1
        turns = instance(service, "two", DocumentCheckpoints(service.database))
        stream = await turns.attach(USER, CONVERSATION, "m1", wait=True)
        result = (await stream.end()).result
    assert result.reply.startswith("언제든 해지할 수 있어요 [제10조].")
    assert [request.agent for request in service.model.requests] == ["agreement_evaluator", "agreement_responder"]
    state = await service.state()
    assert state.agreement.advice_declined
    await eventually(lambda: is_gone(service))


async def test_a_turn_that_another_service_answered_deletes_nothing():
    service, ended = await house(), []

    class Counting(DocumentCheckpoints):
        async def end_checkpoint(self, *args):
            ended.append(args)
            await super().end_checkpoint(*args)

    [follow] = agreement(content(), Shelf(), service.clock, checkpoints=Counting(service.database)).after_turn
    result = TurnResult(message_id="m1", seq=1, reply="네", state_snapshot={})
    for answered_by in ("counseling", NAME):
        await follow(HookContext(session(conversation_id=CONVERSATION, answered_by=answered_by), result))
    assert ended == [(CONVERSATION, "m1")]


async def test_a_checkpoint_of_another_release_begins_the_search_anew():
    service = await house()
    checkpoints = DocumentCheckpoints(service.database)
    state = SearchState(document_id="service", document_version="1", question_digest="x")
    await checkpoints.save_checkpoint(CONVERSATION, "m1", state, service.clock.now())
    assert await checkpoints.checkpoint(CONVERSATION, "m1", SearchState) == state
    assert await checkpoints.checkpoint(CONVERSATION, "m1", Message) is None
    await checkpoints.end_checkpoint(CONVERSATION, "m1")
    assert await checkpoints.checkpoint(CONVERSATION, "m1", SearchState) is None


@pytest.mark.parametrize(("failures", "found"), [(MOST_TRIES - 1, True), (MOST_TRIES, False)])
async def test_a_tool_that_fails_is_tried_twice_more(failures, found):
    asking, errors = Asking(SCRIPTS), [StoreUnavailable("down")] * failures

    async def tools(question, call):
        if call.tool == "hybrid_search" and errors:
            raise errors.pop()
        return run_tool(question.library, call)

    asking.flow = agreement(content(), Shelf(), asking.clock, tools=tools).flow
    outcome = await asking.ask(TEXT)
    (run,) = [one for one in outcome.directive["runs"] if one["call"]["tool"] == "hybrid_search"][:1]
    assert (run["error"] is None, run["tries"]) == (found, min(MOST_TRIES, failures + 1))


def test_the_service_claims_questions_on_agreements_and_holds_no_conversation():
    manifest = agreement(content(), Shelf(), SmallService().clock)
    assert manifest.claims("그런데 상담 내용은 누가 봐요?")
    assert not manifest.claims("요즘 잠이 안 와요.")
    assert manifest.mid_flow is None
