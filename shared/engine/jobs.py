"""Background jobs: what they stand on, how they end, and how what they found is written once, or not at all."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import ClassVar, Generic

from pydantic import JsonValue

from shared.domain.consents import refused
from shared.domain.conversation import Budget, S
from shared.domain.errors import DocumentExists, ModelNotAllowed
from shared.domain.event import Event
from shared.domain.ids import ConversationId
from shared.domain.records import Record, Rewritten
from shared.domain.usage import UsageEntry, Used, service_day
from shared.engine.beside import Beside, UserChange
from shared.engine.flow import House
from shared.engine.runner import AgentRunner
from shared.engine.scope import Scope
from shared.engine.update import update
from shared.observability.trace_context import continue_trace
from shared.ports.clock import Clock
from shared.ports.conversation_store import ConversationStore

JOB_SECONDS = 90.0
"""Deadline of a job's model calls. A handler is given 120 s (`DISPATCH_DEADLINE`), to write what it found."""

FRESH_SECONDS = 1.0
"""A reading of the session that is older is no word any more on whether its person still consents. Own figure."""


class JobResult(StrEnum):
    """How a job ended."""

    DONE = "done"
    """Its result is stored."""
    MOOT = "moot"
    """There is nothing to do: done before, overtaken, or the conversation is gone."""
    RETRY = "retry"
    """It could not be done now; nothing was written but what its calls cost."""


@dataclass(frozen=True)
class CreatedDocument:
    """The document below a session that an event is about."""

    conversation_id: ConversationId
    collection: str
    document_id: str


@dataclass(frozen=True)
class Found(Generic[S]):
    """What a job found, as it applies to the state just read.

    Attributes:
        user: How the document of the conversation's user changes with it.
    """

    events: Sequence[Event[S]]
    records: Sequence[Record | Rewritten] = ()
    user: UserChange | None = None


class Spent(Event[S]):
    """What a job's model calls cost, added to the conversation's budget; not to its person's own calls."""

    spent: Budget

    def apply(self, state: S, at: datetime) -> S:
        """Add it."""
        return state.model_copy(update={"budget": state.budget.plus(self.spent.in_background)})


class Failure(Record):
    """A task that was given up after its last attempt. Id: `{kind}-{seq}`, as in the task's name."""

    collection: ClassVar[str] = "failures"
    kind: str
    seq: int


@dataclass(frozen=True)
class Workbench(Generic[S]):
    """What every job stands on."""

    store: ConversationStore[S]
    house: House[S]
    runner: AgentRunner

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

    def scope(self, state: S) -> Scope:
        """Return a ledger, deadline and permit for a job's model calls; `state` was read just now."""
        began = self.clock.monotonic()
        return Scope(
            locale=state.locale,
            deadline=began + JOB_SECONDS,
            conversation=state.conversation_id,
            permit=_Permit(self, state.conversation_id, began),
        )

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
        self, conversation_id: ConversationId, scope: Scope, found: Callable[[S], Found[S] | None]
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
        answers: list[Found[S] | None] = []
        cost: Event[S] = Spent(spent=scope.ledger.spent())
        asked = scope.ledger.spent().llm_calls > 0

        def events_for(state: S) -> Sequence[Event[S]]:
            answers.append(found(state) if self.may_work(state) else None)
            if answers[-1] is None:
                return (cost,) if asked else ()
            return (*answers[-1].events, cost)

        def beside_for(state: S) -> Beside:
            answer = answers[-1]
            usage = self._usage(state, scope)
            return Beside(answer.records, answer.user, usage=usage) if answer else Beside(usage=usage)

        try:
            state = await update(
                self.store, self.house, conversation_id, events_for, clock=self.clock, beside_for=beside_for
            )
        except DocumentExists:
            await self._charge(conversation_id, scope)
            return JobResult.MOOT
        return JobResult.MOOT if state is None or answers[-1] is None else JobResult.DONE

    async def postpone(self, conversation_id: ConversationId, scope: Scope) -> JobResult:
        """Write what the job's calls cost and nothing else: it found nothing and is to be tried again.

        Raises:
            StoreUnavailable: The store does not answer.
        """
        await self._charge(conversation_id, scope)
        return JobResult.RETRY

    async def _charge(self, conversation_id: ConversationId, scope: Scope) -> None:
        spent = scope.ledger.spent()
        if spent.llm_calls:
            await update(
                self.store,
                self.house,
                conversation_id,
                lambda _: (Spent(spent=spent),),
                clock=self.clock,
                beside_for=lambda state: Beside(usage=self._usage(state, scope)),
            )

    def _usage(self, state: S, scope: Scope) -> UsageEntry | None:
        """Return what a job's calls add to its user's day."""
        cost = scope.ledger.spent().cost_krw
        return UsageEntry(state.user_id, service_day(self.clock.now()), Used(cost_krw=cost)) if cost else None


class _Permit(Generic[S]):
    """Looks before each model call of a job whether it may still be made.

    A job has no lease that could be taken away. What it read at its beginning serves its first call; every further one
    costs a reading of the session, beside seconds of a model's work.
    """

    def __init__(self, bench: Workbench[S], conversation_id: ConversationId, read_at: float) -> None:
        self._bench = bench
        self._conversation_id = conversation_id
        self._fresh_until: float | None = read_at + FRESH_SECONDS

    async def __call__(self) -> None:
        """Let the call be made.

        Raises:
            ModelNotAllowed: No job may work on the conversation any more, or it was erased.
            StoreUnavailable: The store does not answer.
        """
        fresh, self._fresh_until = self._fresh_until, None
        if fresh is not None and self._bench.clock.monotonic() < fresh:
            return
        if await self._bench.state(self._conversation_id) is None:
            raise ModelNotAllowed("the words may not go to a model any more").billed(sends=0)
