"""Runs one claimed turn: flow, commit, background work, `done`, hooks.

A finished turn that the store did not accept is kept, so that the retry commits it without asking a model.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Generic

from shared.contracts.chat import reply_of
from shared.contracts.events import Done, Replace
from shared.contracts.tasks import TaskPayload
from shared.domain.conversation import S
from shared.domain.errors import ConsentRequired, LeaseLost, NotFound, StoreUnavailable
from shared.domain.ids import ConversationId
from shared.domain.mailbox import Lease, QueuedMessage
from shared.engine.commit import Committed, TurnCommitter
from shared.engine.enqueue import begin_enqueueing
from shared.engine.event_stream import EventStream
from shared.engine.flow import Flow, Outcome, ServicePolicy, Turn
from shared.engine.hooks import HookContext, Hooks, run_hooks
from shared.engine.lease import HeldLease
from shared.engine.runner import AgentRunner
from shared.engine.scope import Scope
from shared.engine.send_budget import TURN_SENDS, SendBudget
from shared.engine.user_usage import UserUsage
from shared.locale import Locale, Register
from shared.observability.events import LogEvent
from shared.observability.facts import turn_facts
from shared.observability.log_event import log_event
from shared.ports.clock import Clock
from shared.ports.conversation_documents import Snapshot
from shared.ports.conversation_store import ConversationStore
from shared.ports.task_queue import TaskQueue
from shared.safety.screening import ScreenedMessage

KEPT_SECONDS = 300.0
"""How long a turn is kept for the client's retry, seconds; the user's text stays in memory no longer."""
KEPT_TURNS = 100
"""Turns kept per instance, some kilobytes each; the oldest is dropped."""


@dataclass(frozen=True)
class UnwrittenTurn(Generic[S]):
    """A finished turn that is not committed.

    Attributes:
        token: Token of its lease, which the store may not have freed either.
        until: When it is dropped, on the stopwatch.
    """

    turn: Turn[S]
    outcome: Outcome[S]
    token: int
    until: float


class UnwrittenTurns(Generic[S]):
    """The uncommitted turns of this instance, one per conversation: its next turn is of the same message."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._kept: OrderedDict[ConversationId, UnwrittenTurn[S]] = OrderedDict()

    def keep(self, turn: Turn[S], outcome: Outcome[S], claimed: Snapshot[S]) -> None:
        lease, conversation_id = claimed.mailbox.box.lease, turn.state.conversation_id
        self._kept.pop(conversation_id, None)
        self._kept[conversation_id] = UnwrittenTurn(
            turn=turn, outcome=outcome, token=lease.token if lease else 0, until=self._clock.monotonic() + KEPT_SECONDS
        )
        if len(self._kept) > KEPT_TURNS:
            self._kept.popitem(last=False)
        asyncio.get_running_loop().call_later(KEPT_SECONDS, self._drop_old)

    def take(self, turn: Turn[S]) -> UnwrittenTurn[S] | None:
        """Return the kept turn if it is the same one, and drop the conversation's kept turn.

        Background work may have written the session in between: the commit applies a turn's events to the newest state.
        If another turn was committed or a consent changed, the kept turn is not returned.
        """
        self._drop_old()
        kept = self._kept.pop(turn.state.conversation_id, None)
        return kept if kept is not None and _identity(kept.turn) == _identity(turn) else None

    def forget(self, conversation_id: ConversationId) -> None:
        """Drop the kept turn of a conversation."""
        self._kept.pop(conversation_id, None)

    def kept_under(self, conversation_id: ConversationId, lease: Lease) -> bool:
        """Whether a lease belongs to a kept turn, which has ended."""
        kept = self._kept.get(conversation_id)
        return kept is not None and kept.token == lease.token

    def _drop_old(self) -> None:
        now = self._clock.monotonic()
        for conversation_id in [one for one, kept in self._kept.items() if kept.until <= now]:
            del self._kept[conversation_id]


log = logging.getLogger(__name__)


def log_turn(committed: Committed[S]) -> None:
    """Log the turn, and one line per entry of the audit trail."""
    facts = turn_facts(committed.record)
    log_event(log, LogEvent.TURN, severity=logging.WARNING if facts["degraded"] else None, **facts)
    for entry in committed.audit:
        rules = tuple(rule.strip() for rule in entry.rule.split(",") if rule.strip())
        log_event(
            log,
            LogEvent.AUDIT,
            conversation=entry.conversation_id,
            seq=facts["seq"],
            level=entry.level,
            rule=rules[0] if rules else "",
            rules=rules,
            result=entry.action,
        )


TURN_SECONDS = 45.0
"""Deadline of a turn's model calls, seconds; the commit follows it."""

ANALYSIS_SECONDS = 4.5
"""Time for a turn's analysers, seconds; then their safe defaults are used. A healthy model takes 1 to 2 s for all."""

FIRST_WORD_SECONDS = 7.0
"""Time until the first word or the apology is shown, seconds: 8 s are promised, one is for all the rest."""

Labels = Callable[[Locale, Register, str, int], str]
"""Returns the user-visible label of an agent's attempt, counted from 1."""


class TurnWorker(Generic[S]):
    """Runs turns whose lease this instance holds."""

    def __init__(
        self,
        store: ConversationStore[S],
        queue: TaskQueue,
        flow: Flow[S],
        policy: ServicePolicy[S],
        runner: AgentRunner,
        labels: Labels,
        usage: UserUsage | None = None,
        hooks: Hooks[S] | None = None,
    ) -> None:
        self._store = store
        self._queue = queue
        self._flow = flow
        self._policy = policy
        self._runner = runner
        self._labels = labels
        self._hooks = hooks or Hooks()
        self.patience = runner.patience
        self._clock: Clock = runner.clock
        self._committer = TurnCommitter(store, policy, self._clock, usage or UserUsage(self._clock))
        self._held: dict[ConversationId, HeldLease] = {}
        self._unwritten: UnwrittenTurns[S] = UnwrittenTurns(self._clock)

    def stop(self, conversation_id: ConversationId) -> None:
        """Cancel the turn that this instance runs in a conversation, if any, because it lost its right to run.

        It asks no model and emits nothing any more; its message stays queued.
        """
        self._unwritten.forget(conversation_id)
        if (held := self._held.get(conversation_id)) is not None:
            held.lose()

    def runs(self, conversation_id: ConversationId, lease: Lease) -> bool:
        """Whether the turn of a lease runs on this instance."""
        held = self._held.get(conversation_id)
        return held is not None and held.token == lease.token

    def stale_lease(self, conversation_id: ConversationId, lease: Lease) -> bool:
        """Whether a lease belongs to a turn that ended here but whose lease the store could not free."""
        return not self.runs(conversation_id, lease) and self._unwritten.kept_under(conversation_id, lease)

    async def run(self, claimed: Snapshot[S], stream: EventStream, screened: ScreenedMessage | None = None) -> None:
        """Run the turn at the head of the inbox up to its commit and emit its events.

        Args:
            claimed: Conversation and mailbox as claimed.
            stream: Receives the turn's events.
            screened: The message with its safety findings, if this instance received it.

        Raises:
            LeaseLost: Another worker took or finished the turn; its result will be in the store.
            NotFound: The conversation was deleted during the turn.
            ConsentRequired: A consent was withdrawn during the turn; nothing was written.
            StoreUnavailable: Nothing was written; the message stays queued.
        """
        held, received = HeldLease(self._store, claimed.mailbox, self._clock), claimed.mailbox.box.inbox[0]
        turn = replace(self._turn(claimed, received, stream, held), screened=screened)
        stream.seq = turn.seq
        with self._runner.tracer.turn(turn.state.conversation_id, turn.seq) as span:
            try:
                async with held.renewed(), self._stoppable(held):
                    outcome = self._finished(turn) or await self._outcome(turn)
                    committed = await self._commit(turn, outcome, received, claimed, held)
            except LeaseLost:
                raise
            except BaseException:  # on any error, the next turn need not wait for the expiry
                await held.give_up()
                raise
            enqueueing = await begin_enqueueing(self._queue, self._due_after(turn, committed.state))
            stream.emit(Done(result=reply_of(committed.result)))
            span.committed(committed.record)
            log_turn(committed)
        context = HookContext(state=committed.state, result=committed.result)
        await run_hooks(context, self._hooks.handlers, self._hooks.after_turn)
        await enqueueing

    def _due_after(self, turn: Turn[S], state: S) -> Sequence[TaskPayload]:
        """Return the due tasks, under new names if the sweep enqueued them before without success."""
        due = self._policy.due(state)
        return [task.model_copy(update={"again": state.seq}) for task in due] if turn.state.swept else due

    async def _commit(
        self, turn: Turn[S], outcome: Outcome[S], received: QueuedMessage, claimed: Snapshot[S], held: HeldLease
    ) -> Committed[S]:
        """Commit the outcome; if it cannot be written, commit an apology, so that the queue is not blocked."""
        try:
            return await self._written(turn, outcome, received, claimed, held)
        except (LeaseLost, NotFound, ConsentRequired, StoreUnavailable):
            raise
        except Exception as error:  # noqa: BLE001 - a defect in what a flow found: the person gets an answer
            service, conversation = outcome.flow or turn.state.flow, turn.state.conversation_id
            log_event(log, LogEvent.COMMIT_BROKE, error=error, flow=service, conversation=conversation)
        honest = self._flow.apologize(turn)
        turn.scope.emit(Replace(text=honest.reply))
        return await self._written(turn, honest, received, claimed, held)

    async def _written(
        self, turn: Turn[S], outcome: Outcome[S], received: QueuedMessage, claimed: Snapshot[S], held: HeldLease
    ) -> Committed[S]:
        """Commit the outcome; if the store fails or the turn is cancelled, keep it for the retry."""
        try:
            return await self._committer.commit(turn, outcome, received, claimed.session, held)
        except (StoreUnavailable, asyncio.CancelledError):
            if not held.lost:
                self._unwritten.keep(turn, outcome, claimed)
            raise

    def _finished(self, turn: Turn[S]) -> Outcome[S] | None:
        """Return the kept outcome of an earlier, uncommitted run of this message, and emit its reply."""
        kept = self._unwritten.take(turn)
        if kept is None:
            return None
        turn.scope.ledger = kept.turn.scope.ledger
        turn.scope.emit(Replace(text=kept.outcome.reply))
        return kept.outcome

    @asynccontextmanager
    async def _stoppable(self, held: HeldLease) -> AsyncIterator[None]:
        self._held[held.conversation_id] = held
        try:
            yield
        finally:
            if self._held.get(held.conversation_id) is held:
                del self._held[held.conversation_id]

    def _turn(self, claimed: Snapshot[S], received: QueuedMessage, stream: EventStream, held: HeldLease) -> Turn[S]:
        state, now, patience = claimed.session.state, self._clock.monotonic(), self.patience
        scope = Scope(
            locale=state.locale,
            deadline=now + TURN_SECONDS * patience,
            answers_by=now + ANALYSIS_SECONDS * patience,
            first_word_by=now + FIRST_WORD_SECONDS * patience,
            sends=SendBudget(TURN_SENDS),
            emit=stream.emit,
            label=lambda agent, attempt: self._labels(state.locale, state.register_, agent, attempt),
            conversation=state.conversation_id,
            permit=held.confirmed,
        )
        return Turn(
            state=state,
            seq=state.seq + 1,
            message_id=received.message_id,
            text=received.text,
            now=self._clock.now(),
            runner=self._runner,
            scope=scope,
            received_at=received.received_at,
            declines=received.declines,
            document_id=received.document_id,
        )

    async def _outcome(self, turn: Turn[S]) -> Outcome[S]:
        """Run the flow; an unexpected error becomes an apology, so that the message is not retried for ever."""
        try:
            return await self._flow.run(turn)
        except (LeaseLost, NotFound, StoreUnavailable):
            raise
        except Exception as error:  # noqa: BLE001 - the outermost edge of a flow: the person gets an answer
            outcome = self._flow.apologize(turn)
            service, conversation = outcome.flow or turn.state.flow, turn.state.conversation_id
            log_event(log, LogEvent.FLOW_BROKE, error=error, flow=service, conversation=conversation)
        turn.scope.emit(Replace(text=outcome.reply))
        return outcome


def _identity(turn: Turn[S]) -> tuple[object, ...]:
    return turn.seq, turn.message_id, turn.text, turn.declines, turn.document_id, turn.state.consents
