"""Background jobs: what they stand on, how they end, and how what they found is written once, or not at all."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import ClassVar, Generic

from pydantic import JsonValue

from shared.domain.consents import refused
from shared.domain.conversation import S
from shared.domain.errors import DocumentExists, ModelNotAllowed
from shared.domain.event import Event
from shared.domain.ids import ConversationId
from shared.domain.records import Record, Rewritten
from shared.domain.usage import UsageEntry, Used, service_day
from shared.engine.claims import Claims, Delivery, Taken
from shared.engine.extra_writes import ExtraWrites, UserChange
from shared.engine.flow import ServicePolicy
from shared.engine.job_scope import JobScope, Poisoned
from shared.engine.runner import AgentRunner
from shared.engine.unit_of_work import Decision, change, update
from shared.observability.trace_context import continue_trace
from shared.ports.clock import Clock
from shared.ports.conversation_store import ConversationStore

JOB_SECONDS = 90.0
"""Deadline of a job's model calls. A handler is given 120 s (`DISPATCH_DEADLINE`), to write what it found."""

CLAIM_SECONDS = 20.0
"""How long the claim of a job holds that died; half as long passes between two renewals. Most jobs take
less than half of it, and so renew nothing."""

POISONED_TWICE = 2
"""Jobs with useless answers after which the answers are taken for poison: one alone may be an outage's last throes."""

FRESH_SECONDS = 1.0
"""A reading of the session that is older is no word any more on whether its person still consents."""


class JobResult(StrEnum):
    """How a job ended."""

    DONE = "done"
    """Its result is stored."""
    MOOT = "moot"
    """There is nothing to do: done before, overtaken, or the conversation is gone."""
    RETRY = "retry"
    """It could not be done now; nothing was written but what its calls cost. It stays due until it is done."""
    POISON = "poison"
    """As `RETRY`, but no answer of the model was of use, twice by now: after the last attempt it is given up."""
    BUSY = "busy"
    """Another delivery of the same work is under way."""


@dataclass(frozen=True)
class CreatedDocument:
    """The document below a session that an event is about."""

    conversation_id: ConversationId
    collection: str
    document_id: str


@dataclass(frozen=True)
class JobOutcome(Generic[S]):
    """What a job found, as it applies to the state just read.

    Attributes:
        user: How the document of the conversation's user changes with it.
    """

    events: Sequence[Event[S]]
    records: Sequence[Record | Rewritten] = ()
    user: UserChange | None = None


class Failure(Record):
    """A task that was given up after its last attempt. Id: `{kind}-{seq}`, as in the task's name."""

    collection: ClassVar[str] = "failures"
    kind: str
    seq: int


@dataclass(frozen=True)
class JobContext(Generic[S]):
    """What every job stands on."""

    store: ConversationStore[S]
    policy: ServicePolicy[S]
    runner: AgentRunner
    claim_s: float = field(default=CLAIM_SECONDS, kw_only=True)

    @property
    def clock(self) -> Clock:
        """The clock."""
        return self.runner.clock

    def may_work(self, state: S) -> bool:
        """Tell whether a job may work on a conversation at all: not once a consent was withdrawn.

        One place for all jobs, however they come: asked before one begins, before each of its model calls and before
        what it found is kept.
        """
        return not refused(state.consents)

    async def state(self, conversation_id: ConversationId) -> S | None:
        """Return the conversation's state; None when there is none (any more), or no job may work on it."""
        snapshot = await self.store.load(conversation_id)
        if snapshot is None or not self.may_work(snapshot.session.state):
            return None
        return snapshot.session.state

    def scope(self, state: S, delivery: Delivery | None = None) -> JobScope:
        """Return a ledger, deadline and permit for a job's model calls; `state` was read just now."""
        began = self.clock.monotonic()
        return JobScope(
            locale=state.locale,
            deadline=began + JOB_SECONDS,
            conversation=state.conversation_id,
            permit=_Permit(self, state.conversation_id, began),
            delivery=delivery,
        )

    @asynccontextmanager
    async def claimed(
        self, state: S, delivery: Delivery, due: Callable[[S], bool]
    ) -> AsyncIterator[JobScope | JobResult]:
        """Claim a job's work before its first model call, so that deliveries at once cost one set of calls.

        Args:
            state: As read just now.
            delivery: The task's or event's.
            due: Tells whether there is still work, as the job read it.

        Yields:
            The job's scope; the job's result where there is nothing to ask a model for now.

        Raises:
            StoreUnavailable: The store does not answer.
        """
        claims = Claims(self.store, self.policy, self.clock, timedelta(seconds=self.claim_s))
        async with claims.held(
            state.conversation_id, delivery, lambda newest: self.may_work(newest) and due(newest)
        ) as taken:
            match taken:
                case Taken.OURS:
                    yield self.scope(state, delivery)
                case Taken.ANOTHERS:
                    yield JobResult.BUSY
                case Taken.GONE:
                    yield JobResult.MOOT

    async def created(self, document: CreatedDocument) -> dict[str, JsonValue] | None:
        """Return the document that an event is about, and go on in the trace of whoever created it.

        Raises:
            StoreUnavailable: The store does not answer.
        """
        found = await self.store.record(document.conversation_id, document.collection, document.document_id)
        if found is not None:
            continue_trace(found.get("trace"))
        return found

    async def settle(
        self, conversation_id: ConversationId, scope: JobScope, found: Callable[[S], JobOutcome[S] | None]
    ) -> JobResult:
        """Write what the job found over the newest state.

        Args:
            conversation_id: The conversation.
            scope: The job's; what its calls cost is written with the result, and without one too.
            found: Tells from the state as it is now what to write; asked again after every conflict. None when the
                result has been overtaken. It is not asked once no job may work on it: what was found is not kept.

        Raises:
            StoreUnavailable: The store does not answer.
        """

        def decide(state: S) -> Decision[S, JobResult]:
            outcome = found(state) if self.may_work(state) else None
            if outcome is None:
                return Decision(JobResult.MOOT, scope.closing_events())
            writes = ExtraWrites(outcome.records, outcome.user, usage=self._usage(state, scope))
            events = (*outcome.events, *scope.cleared(), *scope.closing_events())
            return Decision(JobResult.DONE, events, lambda _: writes)

        try:
            settled = await change(self.store, self.policy, self.clock, conversation_id, decide)
        except DocumentExists:
            await self._end(conversation_id, scope)
            return JobResult.MOOT
        return settled.value if settled else JobResult.MOOT

    async def postpone(self, conversation_id: ConversationId, scope: JobScope, agent: str) -> JobResult:
        """Write what the job's calls cost and whether its answers were of no use: it is to be tried again.

        Args:
            conversation_id: The conversation.
            scope: The job's.
            agent: Who gave no answer, or none of use.

        Raises:
            StoreUnavailable: The store does not answer.
        """
        if not scope.ledger.poisoned(agent):
            await self._end(conversation_id, scope)
            return JobResult.RETRY
        work = scope.delivery.work if scope.delivery else agent
        state = await self._end(conversation_id, scope, Poisoned(work=work))
        times = state.poisoned.get(work, 0) if state else 0
        return JobResult.POISON if times >= POISONED_TWICE else JobResult.RETRY

    async def _end(self, conversation_id: ConversationId, scope: JobScope, *more: Event[S]) -> S | None:
        return await update(self.store, self.policy, self.clock, conversation_id, *more, *scope.closing_events())

    def _usage(self, state: S, scope: JobScope) -> UsageEntry | None:
        """Return what a job's calls add to its user's day. What fails is not theirs."""
        cost = scope.ledger.spent().cost_krw
        return UsageEntry(state.user_id, service_day(self.clock.now()), Used(cost_krw=cost)) if cost else None


class _Permit(Generic[S]):
    """Looks before each model call of a job whether it may still be made.

    A job has no lease that could be taken away. What it read at its beginning serves its first call; every further one
    costs a reading of the session, beside seconds of a model's work.
    """

    def __init__(self, context: JobContext[S], conversation_id: ConversationId, read_at: float) -> None:
        self._context = context
        self._conversation_id = conversation_id
        self._fresh_until: float | None = read_at + FRESH_SECONDS

    async def __call__(self) -> None:
        """Let the call be made.

        Raises:
            ModelNotAllowed: No job may work on the conversation any more, or it was erased.
            StoreUnavailable: The store does not answer.
        """
        fresh, self._fresh_until = self._fresh_until, None
        if fresh is not None and self._context.clock.monotonic() < fresh:
            return
        if await self._context.state(self._conversation_id) is None:
            raise ModelNotAllowed("the words may not go to a model any more").billed(sends=0)
