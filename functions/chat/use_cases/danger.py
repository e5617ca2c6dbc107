"""What is done about a message that tells of a danger, besides its turn: whoever gets no reply is told who can help.

Nothing of what the message says is kept. Of a session that is over the reviewers learn that it was written to.
"""

import logging
from contextlib import suppress
from dataclasses import dataclass

from shared.domain.consents import refused
from shared.domain.conversation import ConversationState
from shared.domain.counseling.session import Session
from shared.domain.counseling.staff_review import reason_of
from shared.domain.counseling.staff_review_events import FlaggedAfterSessionEnd
from shared.domain.errors import CBotError, DocumentExists
from shared.domain.ids import ConversationId, MessageId
from shared.domain.records import AuditEntry
from shared.domain.turn import digest_of
from shared.engine.extra_writes import ExtraWrites
from shared.engine.flow import ServicePolicy
from shared.engine.unit_of_work import Decision, change
from shared.observability.events import LogEvent
from shared.observability.log_event import log_event
from shared.ports.clock import Clock
from shared.ports.conversation_store import ConversationStore
from shared.ports.identity import Caller
from shared.safety.follow_through import needs_now
from shared.safety.screening import ScreenedMessage, Screening
from shared.web.danger import DangerNotice

AFTER_END = "after_end"
"""Stands among a flag's rules, and in the audit trail."""
DIGITS = 16
"""Of the digest of an id that name its audit line: enough for what is said of one session."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class DangerReports:
    """The routes' side of the safety gate."""

    store: ConversationStore[Session]
    policy: ServicePolicy[Session]
    clock: Clock
    screening: Screening

    async def danger(self, caller: Caller, conversation_id: ConversationId, screened: ScreenedMessage) -> DangerNotice:
        """Return what a message calls for; where the conversation cannot be read, without what it knows of the user."""
        with suppress(CBotError):
            snapshot = await self.store.load(conversation_id)
            state = snapshot.session.state if snapshot else None
            if state is not None and state.user_id == caller.user_id:
                return DangerNotice(screened.needs, state.minor)
        return DangerNotice(screened.needs)

    async def waiting(
        self, caller: Caller, conversation_id: ConversationId, message_id: MessageId
    ) -> DangerNotice | None:
        """Return what a message of the caller's calls for that was sent before and has no reply yet."""
        with suppress(CBotError):
            snapshot = await self.store.load(conversation_id)
            if snapshot is None or snapshot.session.state.user_id != caller.user_id:
                return None
            message = snapshot.mailbox.box.waiting(message_id)
            screened = self.screening.screen(message.text) if message else ScreenedMessage()
            if message and screened.pressing:
                return DangerNotice(screened.needs, snapshot.session.state.minor)
            return danger_in(snapshot.session.state) if message else None
        return None

    async def after_end(self, conversation_id: ConversationId, said_in: str, screened: ScreenedMessage) -> None:
        """Bring a session that is over to the reviewers; the answer does not wait for a store away.

        Without consent nothing is noted, in the log neither.

        Args:
            conversation_id: The session.
            said_in: Id of the message or rating, for which it is noted once.
            screened: What was found in it.
        """
        outcome = screened.outcome
        found = FlaggedAfterSessionEnd(reason=reason_of(outcome), rules=(AFTER_END, *screened.rule_ids))
        line = AuditEntry(
            audit_id=f"{conversation_id}-{AFTER_END}-{digest_of(said_in)[:DIGITS]}",
            at=self.clock.now(),
            conversation_id=conversation_id,
            rule=", ".join(screened.rule_ids),
            level=outcome.value,
            action=AFTER_END,
        )

        tells = False

        def decide(state: Session) -> Decision[Session, None]:
            nonlocal tells
            tells = not refused(state.consents) and found.tells(state)
            return Decision(None, (found,) if tells else (), lambda _: ExtraWrites(audit=(line,)))

        with suppress(CBotError):
            try:
                await change(self.store, self.policy, self.clock, conversation_id, decide)
            except DocumentExists:  # it was noted before
                tells = False
        if tells:
            log_event(log, LogEvent.CRISIS, level=outcome.value, conversation=conversation_id)


def danger_in(state: ConversationState) -> DangerNotice | None:
    """Return what a conversation calls for whose talk is about a danger, whatever the message says; None else."""
    if not isinstance(state, Session) or not state.in_danger:
        return None
    return DangerNotice(needs_now(state.risk), state.minor)
