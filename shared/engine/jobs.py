"""Background jobs: their context, their results and the single write of what they found."""

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
"""Deadline of a job's model calls, seconds. A handler has 120 s (`DISPATCH_DEADLINE`) to also write its result."""

CLAIM_SECONDS = 20.0
"""Lifetime of a job's claim, seconds; it is renewed at half of that. Most jobs end earlier and never renew."""

POISONED_TWICE = 2
"""Jobs with useless answers after which the work counts as poison; a single one may be the end of an outage."""

FRESH_SECONDS = 1.0
"""Age up to which a read of the session proves that the user still consents, seconds."""


class JobResult(StrEnum):
    DONE = "done"
    """The result is stored."""
    MOOT = "moot"
    """There is nothing to do: done before, overtaken, or the conversation is gone."""
    RETRY = "retry"
    """It cannot be done now; only the cost of its calls was written. The work stays due."""
    POISON = "poison"
    """Like `RETRY`, but the model gave no usable answer twice; after the last attempt the work is given up."""
    BUSY = "busy"
    """Another delivery does the same work."""


@dataclass(frozen=True)
class CreatedDocument:
    """The document below a session whose creation triggered an event."""

    conversation_id: ConversationId
    collection: str
    document_id: str


@dataclass(frozen=True)
class JobOutcome(Generic[S]):
    """Result of a job for the state just read.

    Attributes:
        user: Change of the user's document in the same commit.
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
    """Dependencies of every job."""

    store: ConversationStore[S]
    policy: ServicePolicy[S]
    runner: AgentRunner
    claim_s: float = field(default=CLAIM_SECONDS, kw_only=True)

    @property
    def clock(self) -> Clock:
        return self.runner.clock

    @property
    def job_s(self) -> float:
        """Seconds for a job's model calls."""
        return JOB_SECONDS * self.runner.patience

    def may_work(self, state: S) -> bool:
        """Tell whether jobs may process a conversation: not after a consent was withdrawn.

        Checked when a job begins, before each of its model calls and before its result is written.
        """
        return not refused(state.consents)

    async def state(self, conversation_id: ConversationId) -> S | None:
        """Return the conversation's state; None if it does not exist or no job may process it."""
        snapshot = await self.store.load(conversation_id)
        if snapshot is None or not self.may_work(snapshot.session.state):
            return None
        return snapshot.session.state

    def scope(self, state: S, delivery: Delivery | None = None) -> JobScope:
        """Return a ledger, deadline and permit for a job's model calls; `state` was just read."""
        began = self.clock.monotonic()
        return JobScope(
            locale=state.locale,
            deadline=began + self.job_s,
            conversation=state.conversation_id,
            permit=_Permit(self, state.conversation_id, began),
            delivery=delivery,
        )

    @asynccontextmanager
    async def claimed(
        self, state: S, delivery: Delivery, due: Callable[[S], bool]
    ) -> AsyncIterator[JobScope | JobResult]:
        """Claim a job's work before its first model call, so that concurrent deliveries cost one set of calls.

        Args:
            state: The state just read.
            delivery: The delivery of the task or event.
            due: Tells from a state whether the work is still due.

        Yields:
            The job's scope, or the job's result if no model is to be asked now.

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
        """Return the document that an event is about and continue the trace of its creator.

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
        """Write a job's result on top of the newest state.

        Args:
            conversation_id: The conversation.
            scope: The job's scope; the cost of its calls is always written.
            found: Computes the result for the newest state, again after every conflict. None if the result was
                overtaken. Not called once jobs may not process the conversation; the result is then discarded.

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
        """Write the cost of a job's calls, and whether no answer was usable, for a job that is to be retried.

        Args:
            conversation_id: The conversation.
            scope: The job's scope.
            agent: The agent that got no usable answer.

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
        cost = scope.ledger.spent().cost_krw
        return UsageEntry(state.user_id, service_day(self.clock.now()), Used(cost_krw=cost)) if cost else None


class _Permit(Generic[S]):
    """Checks before each model call of a job whether it is still allowed.

    The state that the job read at its start serves the first call; every further call reads the session again.
    """

    def __init__(self, context: JobContext[S], conversation_id: ConversationId, read_at: float) -> None:
        self._context = context
        self._conversation_id = conversation_id
        self._fresh_until: float | None = read_at + FRESH_SECONDS

    async def __call__(self) -> None:
        """Allow the call.

        Raises:
            ModelNotAllowed: Jobs may not process the conversation any more, or it was erased.
            StoreUnavailable: The store does not answer.
        """
        fresh, self._fresh_until = self._fresh_until, None
        if fresh is not None and self._context.clock.monotonic() < fresh:
            return
        if await self._context.state(self._conversation_id) is None:
            raise ModelNotAllowed("the words may not go to a model any more").billed(sends=0)
