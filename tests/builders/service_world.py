"""The counselling service as a whole, in one process: chat, background jobs, queue, triggers and sweep over one store.

Delivery between the parts is at-least-once, unordered and slow; the test decides what is delivered, and when.
"""

import logging
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import cast

import httpx

from functions.planner.replan import leave_unanswered, replan
from functions.planner.transitions import carry_out, recover
from functions.session_manager.dispatch import dispatch, give_up, stand_in
from functions.supervisor.supervise import supervise
from shared.adapters.documents import paths
from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.adapters.documents.mapping import from_document
from shared.content.catalogue import content
from shared.contracts.events import Done
from shared.contracts.tasks import JobKind, TaskPayload
from shared.contracts.triggers import TRIGGERS
from shared.domain.conversation import Role, touch
from shared.domain.counseling.session import Session
from shared.domain.errors import CBotError, SessionEnded
from shared.domain.event import apply_all
from shared.domain.ids import ConversationId, MessageId, UserId
from shared.engine.admission import Incoming
from shared.engine.jobs import CLAIM_SECONDS, CreatedDocument, JobResult
from shared.engine.overdue import marked
from shared.engine.runner import AgentRunner
from shared.engine.sweep import Sweep
from shared.engine.waiting import answer_waiting
from shared.ports.conversation_documents import Versioned
from shared.ports.document_writes import Create, Document, Remove
from shared.services.counseling.job_context import CounselingJobContext
from shared.web.background import TASK_ATTEMPTS, AtLast
from tests.builders.schema_answers import Known
from tests.builders.service_parts import Breakages, FlakyQueue, Ids, chat_parts
from tests.builders.shipped_settings import shipped_settings
from tests.fakes.drawn_model import DrawnModel
from tests.fakes.faulty_database import FaultyDatabase
from tests.fakes.memory_database import MemoryDocumentDatabase
from tests.fakes.settable_clock import SettableClock
from tests.support.chat_client import CONSENTS
from tests.support.overheard import SAID

USER = UserId("u1")
BETWEEN_MESSAGES = 20.0
"""Seconds between two messages: fewer than the rate limit minds."""
AFTER_A_FAILURE = 60.0
"""Seconds after which a client sends a message again; a lease that a dead instance held is over by then."""
MOST_TRIES = 6
TRIGGERING = {path.split("/")[2]: entry_point for entry_point, path in TRIGGERS.items()}
FAILED = {JobResult.RETRY, JobResult.POISON}
AGAIN = {*FAILED, JobResult.BUSY}


@dataclass(eq=False)
class Delivery:
    job: TaskPayload | CreatedDocument
    attempts: int = 0


class ServiceWorld:
    """One user's session, and all functions that work on it.

    Attributes:
        model: Answers every agent, unless the test brought a model of its own.
        history: The session after every write to it, the newest last.
        sent: The texts that the service took, by message id, in the order of sending.
        on_their_way: Tasks and events that were not delivered yet.
    """

    def __init__(self, model=None, settings=None):
        self._settings = settings
        self.clock = SettableClock()
        self.model = DrawnModel(self._known)
        self._speaks = model or self.model
        self.memory = MemoryDocumentDatabase()
        self.database = FaultyDatabase(self.memory)
        self.database.written.append(self._note)
        self.store = DocumentConversationStore(self.database, Session)
        self.queue = FlakyQueue()
        self.context = CounselingJobContext.over(
            self.store, content(), AgentRunner(self._speaks, shipped_settings(), self.clock)
        )
        self.sweep = Sweep(self.store, self.context.policy, self.queue, self.clock)
        self.history = []
        self.sent = {}
        self.replies = {}
        self.on_their_way = []
        self.ended_by_endpoint = False
        self._ids = Ids()
        self._numbers = count(1)
        self._saying = []
        self._breakages = Breakages()
        logging.getLogger().addHandler(self._breakages)
        self._parts = self._started()
        self.conversation = ConversationId("")

    def close(self):
        logging.getLogger().removeHandler(self._breakages)

    @property
    def broke(self):
        return self._breakages.found

    @property
    def session(self):
        return self.history[-1]

    async def open(self, **request):
        body = {"age_band": "adult", "consents": CONSENTS, **request}
        response = await self._post("/api/conversations", body)
        assert response.status_code == 201, response.text
        self.conversation = ConversationId(response.json()["conversation_id"])

    async def end(self):
        """End the session by the endpoint; a client asks again when the store is away."""
        self.ended_by_endpoint = True
        for _ in range(MOST_TRIES):
            if (await self._post(f"/api/conversations/{self.conversation}/end", None)).status_code == 200:
                return
            await self._recover()
        raise AssertionError("the session could not be ended by the endpoint")

    async def say(self, text):
        """Send a message, again after a failure as a client does; None when the session is over."""
        self.clock.advance(BETWEEN_MESSAGES)
        return await self._send(MessageId(f"m{next(self._numbers)}"), text)

    async def say_again(self, message_id):
        """Send a message that was answered before."""
        return await self._send(message_id, self.sent[message_id])

    async def deliver(self, delivery):
        """Deliver a task or an event once; what is to come again is on its way again."""
        if delivery in self.on_their_way:
            self.on_their_way.remove(delivery)
        delivery.attempts += 1
        if isinstance(delivery.job, TaskPayload) and delivery.job.kind is JobKind.ANSWER:
            self.clock.advance(AFTER_A_FAILURE)  # the turn would wait in real time for the lease of a dead instance
        work, at_last = self._work(delivery)
        result = await _tried(work)
        if result is JobResult.BUSY:
            self.clock.advance(CLAIM_SECONDS)  # the claim has expired: no other worker runs
            delivery.attempts -= 1
        write = at_last.of(result) if result in FAILED and delivery.attempts >= TASK_ATTEMPTS else None
        if write is not None and isinstance(delivery.job, TaskPayload):
            result = await _tried(partial(write, delivery.job))
        if result in AGAIN and delivery.attempts <= TASK_ATTEMPTS and delivery not in self.on_their_way:
            self.on_their_way.append(delivery)
        self._collect()
        return result

    async def sweep_up(self):
        """Do the scheduled sweep, unless the store is away."""
        with suppress(CBotError):
            await self.sweep.run()
            self._collect()

    async def change(self, *events, **fields):
        snapshot = await self.store.load(self.conversation)
        assert snapshot is not None
        state = apply_all(snapshot.session.state, events, self.clock.now()).model_copy(update=fields)
        state = marked(self.context.policy, state, touch(state, self.clock.now()), self.clock.now())
        await self.store.save_state(Versioned(state, snapshot.session.version), self.context.policy.view(state))

    def restart(self):
        """Start the chat function again, as after its instance died; its lease is left to expire."""
        self.database.dead = False
        self._parts = self._started()

    async def documents(self):
        """Return all documents of the session, by collection; `messages` in order."""
        found = defaultdict(list)
        inner = await self.memory.tree(paths.session(self.conversation))
        for document in [*inner, *await self.memory.tree(paths.view(self.conversation))]:
            collection = document.path.split("/")[2:3]
            found[collection[0] if collection else "session"].append(document)
        found["messages"].sort(key=lambda document: cast("int", document.data["position"]))
        return found

    def _started(self):
        return chat_parts(self._speaks, self.clock, self._settings, store=self.store, queue=self.queue, ids=self._ids)

    async def _post(self, path, body):
        transport = httpx.ASGITransport(self._parts.app)
        headers = {"Authorization": f"Bearer {USER}"}
        async with httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers) as client:
            return await client.post(path, json=body) if body is not None else await client.post(path)

    async def _send(self, message_id, text):
        self._saying.append(text)
        SAID.add(text)
        try:
            for _ in range(MOST_TRIES):
                try:
                    stream = await self._parts.turns.submit(Incoming(USER, self.conversation, message_id, text))
                    ending = await stream.end()
                except SessionEnded:
                    return None
                except CBotError:
                    ending = None
                if isinstance(ending, Done):
                    self.sent[message_id] = text
                    self.replies.setdefault(message_id, ending.result)
                    self._collect()
                    return ending.result
                await self._recover()
        finally:
            self._saying.remove(text)
        raise AssertionError(f"no reply to {text!r} after {MOST_TRIES} tries")

    async def _recover(self):
        self.clock.advance(AFTER_A_FAILURE)
        if self.database.dead:
            self.restart()

    def _work(self, delivery):
        context, turns = self.context, self._parts.turns
        if isinstance(delivery.job, CreatedDocument):
            collection = delivery.job.collection
            event_work = {"on_part_transition": carry_out, "on_planner_feedback": replan}[TRIGGERING[collection]]
            return partial(event_work, context, delivery.job), AtLast(context.give_up)
        job = delivery.job.model_copy(update={"attempt": delivery.attempts})
        managed = partial(dispatch, context, job), AtLast(partial(give_up, context), partial(stand_in, context))
        return {
            JobKind.SUPERVISE: (partial(supervise, context, job), AtLast(context.give_up)),
            JobKind.PLAN: (partial(recover, context, job), AtLast(partial(leave_unanswered, context))),
            JobKind.REVIEW: managed,
            JobKind.SUMMARIZE: managed,
            JobKind.CLOSE: managed,
            JobKind.ANSWER: (partial(answer_waiting, turns, job), AtLast(context.give_up)),
            JobKind.ERASE: (partial(self._parts.erasure_requests.carry_out, job), AtLast(context.give_up)),
            JobKind.WITHDRAW: (partial(self._parts.consents.carry_out, job), AtLast(context.give_up)),
        }[job.kind]

    def _collect(self):
        self.on_their_way += [Delivery(payload) for payload in self.queue.take()]

    def _note(self, writes):
        """See what a commit wrote: the session's new state, and documents whose creation is an event."""
        for write in writes:
            collection, _, rest = write.path.partition("/")
            inner = rest.split("/")[1:]
            if isinstance(write, Remove):
                continue
            if collection == "sessions" and not inner and not write.path.endswith("/"):
                self.history.append(from_document(Session, Document(write.path, write.data, "")))
            elif collection == "sessions" and inner[0] in TRIGGERING and isinstance(write, Create):
                document = CreatedDocument(ConversationId(rest.split("/")[0]), inner[0], inner[1])
                self.on_their_way.append(Delivery(document))

    def _known(self):
        state = self.session
        modules, personas = content().modules(state.locale), content().personas.types
        return Known(
            said=[*(m.text for m in state.recent if m.role is Role.USER), *self._saying],
            ids=[*(one.id for one in (*state.tasks, *modules)), *(persona.type for persona in personas)],
            slots=[slot.name for task in state.tasks for slot in task.slots],
            keywords=state.user_persona.keywords,
        )


async def _tried(work):
    """Run a job: our own errors ask for a retry, any other error is a defect."""
    try:
        return await work()
    except CBotError:
        return JobResult.RETRY
