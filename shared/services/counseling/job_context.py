"""Context of the counselling service's background jobs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Self

from shared.content.catalogue import Content
from shared.contracts.tasks import JobKind, TaskPayload
from shared.domain.conversation import Message, Role
from shared.domain.counseling.background_events import WorkGivenUp
from shared.domain.counseling.completions import CompletionsWritten, completions_due
from shared.domain.counseling.due import heard_upto, still_due
from shared.domain.counseling.lifecycle import Work
from shared.domain.counseling.session import Session
from shared.domain.ids import ConversationId
from shared.engine.claims import Delivery
from shared.engine.job_scope import JobScope, PoisonCleared
from shared.engine.jobs import Failure, JobContext, JobOutcome, JobResult
from shared.engine.runner import AgentRunner
from shared.ports.conversation_store import ConversationStore
from shared.services.counseling.policy import CounselingPolicy


@dataclass(frozen=True)
class CounselingJobContext(JobContext[Session]):
    """Job context with the service's content."""

    content: Content

    @classmethod
    def over(cls, store: ConversationStore[Session], content: Content, runner: AgentRunner) -> Self:
        """Build the context."""
        return cls(store=store, policy=CounselingPolicy(content), runner=runner, content=content)

    def may_work(self, state: Session) -> bool:
        """See `JobContext`; false under 14, even for a plan that was requested earlier."""
        return super().may_work(state) and not state.under_14

    async def turns(self, session: Session, upto: int, most: int) -> list[Message]:
        """Return the messages of the newest turns up to turn `upto`, at most `most` turns, oldest first."""
        first = max(0, upto - most + 1)
        found = await self.store.messages(session.conversation_id, first - 1, upto - first + 1)
        return [message for message in found if message.seq <= upto]

    async def settle(
        self, conversation_id: ConversationId, scope: JobScope, found: Callable[[Session], JobOutcome[Session] | None]
    ) -> JobResult:
        """See `JobContext`; also writes the task completions noted since the last job."""
        return await super().settle(conversation_id, scope, lambda state: _with_completions(state, found(state)))

    async def give_up(
        self, payload: TaskPayload, instead: Callable[[Session], JobOutcome[Session] | None] | None = None
    ) -> JobResult:
        """Record that the model gave no usable answer: the work counts as done, and the next period begins after it.

        Args:
            payload: The task.
            instead: Returns what to write for a state; by default only that the work is not due any more.

        Raises:
            StoreUnavailable: The store does not answer.
        """
        identifier, kind = ConversationId(payload.conversation_id), payload.kind.value
        session = await self.state(identifier)
        if session is None:
            return JobResult.MOOT

        def failed(state: Session) -> JobOutcome[Session] | None:
            if not still_due(state, Work(kind), payload.seq):
                return None
            failure = Failure(
                record_id=payload.name.removeprefix(f"{identifier}-"),
                created_at=self.clock.now(),
                expire_at=state.expire_at,
                kind=kind,
                seq=payload.seq,
            )
            cleared: PoisonCleared[Session] = PoisonCleared(work=delivery_of(payload).work)
            if instead is None:
                given_up = WorkGivenUp(work=Work(kind), upto=heard_upto(state, payload.seq))
                return JobOutcome(events=(given_up, cleared), records=(failure,))
            found = instead(state)
            return replace(found, events=(*found.events, cleared), records=(*found.records, failure)) if found else None

        return await self.settle(identifier, self.scope(session), failed)


def _with_completions(session: Session, found: JobOutcome[Session] | None) -> JobOutcome[Session] | None:
    due = completions_due(session)
    if found is None or not due:
        return found
    written = CompletionsWritten(upto=due[-1].seq)
    return replace(found, events=(*found.events, written), records=(*found.records, *due))


def delivery_of(payload: TaskPayload) -> Delivery:
    """Return the delivery of a task: supervision and review are claimed per period, other work one at a time."""
    judges = payload.kind in {JobKind.SUPERVISE, JobKind.REVIEW}
    work = f"{payload.kind.value}-{payload.seq}" if judges else payload.kind.value
    return Delivery(work=work, holder=payload.name, attempt=payload.attempt)


def users_words(messages: Sequence[Message]) -> str:
    """Return the user's words, for checking quotes."""
    return "\n".join(message.text for message in messages if message.role is Role.USER)
