"""What the counselling service's background jobs stand on."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from shared.content.catalogue import Content, content
from shared.contracts.tasks import TaskPayload
from shared.domain.conversation import Message, Role
from shared.domain.counseling.completions import CompletionsWritten, completions_due
from shared.domain.counseling.due import still_due
from shared.domain.counseling.lifecycle import Work
from shared.domain.counseling.session import Session
from shared.domain.event import Event
from shared.domain.ids import ConversationId
from shared.engine.jobs import Failure, Found, JobResult, Workbench
from shared.engine.runner import AgentRunner
from shared.engine.scope import Scope
from shared.observability.spans import NO_TRACER, Tracer
from shared.ports.clock import Clock
from shared.ports.conversation_store import ConversationStore
from shared.ports.language_model import LanguageModel, ModelSettings
from shared.services.counseling.house import CounselingHouse


def no_events(_session: Session) -> Sequence[Event[Session]]:
    """Let a failure change nothing in the session."""
    return ()


@dataclass(frozen=True)
class CounselingBench(Workbench[Session]):
    """A workbench with the service's content."""

    content: Content

    @classmethod
    def over(
        cls,
        store: ConversationStore[Session],
        model: LanguageModel,
        settings: Mapping[str, ModelSettings],
        clock: Clock,
        tracer: Tracer = NO_TRACER,
    ) -> Self:
        """Build the bench over a platform; `settings` are the language model's for each agent by name."""
        runner = AgentRunner(model, settings, clock, tracer)
        return cls(store=store, house=CounselingHouse(), runner=runner, content=content())

    def may_work(self, state: Session) -> bool:
        """See `Workbench`; who is under 14 is read by no model either, be it for a plan that was asked for before."""
        return super().may_work(state) and not state.under_14

    async def turns(self, session: Session, upto: int, most: int) -> list[Message]:
        """Return the messages of the newest turns up to turn `upto`, at most `most` turns, oldest first."""
        first = max(0, upto - most + 1)
        found = await self.store.messages(session.conversation_id, first - 1, upto - first + 1)
        return [message for message in found if message.seq <= upto]

    async def settle(
        self, conversation_id: ConversationId, scope: Scope, found: Callable[[Session], Found[Session] | None]
    ) -> JobResult:
        """See `Workbench`; the completions that turns have noted since the last job are written along with it."""
        return await super().settle(conversation_id, scope, lambda state: _with_completions(state, found(state)))

    async def give_up(
        self, payload: TaskPayload, events_for: Callable[[Session], Sequence[Event[Session]]] = no_events
    ) -> JobResult:
        """Record that a task failed for the last time; its work is due again when its period has passed once more.

        Raises:
            StoreUnavailable: The store does not answer.
        """
        identifier, kind = ConversationId(payload.conversation_id), payload.kind.value
        session = await self.state(identifier)
        if session is None:
            return JobResult.MOOT

        def failed(state: Session) -> Found[Session] | None:
            if not still_due(state, Work(kind), payload.seq):
                return None
            failure = Failure(
                record_id=f"{kind}-{payload.seq}",
                created_at=self.clock.now(),
                expire_at=state.expire_at,
                kind=kind,
                seq=payload.seq,
            )
            return Found(events=events_for(state), records=(failure,))

        return await self.settle(identifier, self.scope(session), failed)


def _with_completions(session: Session, found: Found[Session] | None) -> Found[Session] | None:
    due = completions_due(session)
    if found is None or not due:
        return found
    written = CompletionsWritten(upto=due[-1].seq)
    return replace(found, events=(*found.events, written), records=(*found.records, *due))


def users_words(messages: Sequence[Message]) -> str:
    """Return what the user said, for checking quotes."""
    return "\n".join(message.text for message in messages if message.role is Role.USER)
