"""What is done about a message that tells of a danger, besides its turn: whoever gets no reply is told who can help.

Nothing of what the message says is kept. Of a session that is over the reviewers learn that it was written to.
"""

import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from shared.domain.consents import refused
from shared.domain.counseling.session import Session
from shared.domain.counseling.staff_review import reason_of
from shared.domain.counseling.staff_review_events import FlaggedBehindTheTalk
from shared.domain.errors import CBotError, StoreUnavailable
from shared.domain.event import Event
from shared.domain.first_reading import FirstReading
from shared.domain.ids import ConversationId
from shared.domain.records import AuditEntry
from shared.engine.beside import Beside
from shared.engine.flow import House
from shared.engine.update import update
from shared.observability.events import Event as Happening
from shared.observability.log_event import log_event
from shared.ports.clock import Clock
from shared.ports.conversation_store import ConversationStore
from shared.ports.identity import Caller
from shared.web.danger import Danger

AFTER_END = "after_end"
"""Stands among a flag's rules, and in the audit trail."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class DangerDesk:
    """The routes' side of the safety gate."""

    store: ConversationStore[Session]
    house: House[Session]
    clock: Clock

    async def danger(self, caller: Caller, conversation_id: ConversationId, reading: FirstReading) -> Danger:
        """Return what a message calls for; where the conversation cannot be read, without what it knows of the user."""
        with suppress(StoreUnavailable):
            snapshot = await self.store.load(conversation_id)
            state = snapshot.session.state if snapshot else None
            if state is not None and state.user_id == caller.user_id:
                return Danger(reading.needs, state.minor)
        return Danger(reading.needs)

    async def after_end(self, conversation_id: ConversationId, reading: FirstReading) -> None:
        """Bring a session that is over to the reviewers; the answer does not wait for a store that is away.

        Without consent nothing is noted.
        """
        outcome = reading.outcome

        def events_for(state: Session) -> Sequence[Event[Session]]:
            if not state.ended or refused(state.consents):
                return ()
            return (FlaggedBehindTheTalk(reason=reason_of(outcome), rules=(AFTER_END, *reading.rule_ids)),)

        def beside_for(state: Session) -> Beside:
            line = AuditEntry(
                audit_id=f"{conversation_id}-v{state.state_version}-{AFTER_END}",
                at=self.clock.now(),
                conversation_id=conversation_id,
                rule=", ".join(reading.rule_ids),
                level=outcome.value,
                action=AFTER_END,
            )
            return Beside(audit=(line,))

        log_event(log, Happening.CRISIS, level=outcome.value, conversation=conversation_id)
        with suppress(CBotError):
            await update(self.store, self.house, conversation_id, events_for, clock=self.clock, beside_for=beside_for)
