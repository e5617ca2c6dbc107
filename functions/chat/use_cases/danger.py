"""Handles messages about a danger outside of turns: a user who gets no reply is told sources of help.

Nothing of the message is stored. Reviewers are told that an ended session received it.
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
"""Id among a flag's rules and in the audit trail."""
DIGITS = 16
"""Digits of an id's digest in its audit id: enough within one session."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class DangerReports:
    """Finds the needs of messages and flags ended sessions."""

    store: ConversationStore[Session]
    policy: ServicePolicy[Session]
    clock: Clock
    screening: Screening

    async def danger(self, caller: Caller, conversation_id: ConversationId, screened: ScreenedMessage) -> DangerNotice:
        """Return a message's notice; if the conversation is unreadable, without its facts about the user."""
        with suppress(CBotError):
            snapshot = await self.store.load(conversation_id)
            state = snapshot.session.state if snapshot else None
            if state is not None and state.user_id == caller.user_id:
                return DangerNotice(screened.needs, state.minor)
        return DangerNotice(screened.needs)

    async def waiting(
        self, caller: Caller, conversation_id: ConversationId, message_id: MessageId
    ) -> DangerNotice | None:
        """Return the notice of an unanswered earlier message of the caller, or None."""
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
        """Flag an ended session for reviewers, without waiting for an unavailable store.

        Without consent nothing is stored or logged.

        Args:
            conversation_id: The session.
            said_in: Id of the message or rating, which is flagged once.
            screened: Its safety findings.
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
            except DocumentExists:  # it was flagged before
                tells = False
        if tells:
            log_event(log, LogEvent.CRISIS, level=outcome.value, conversation=conversation_id)


def danger_in(state: ConversationState) -> DangerNotice | None:
    """Return the notice of a conversation about a danger, independent of the message; else None."""
    if not isinstance(state, Session) or not state.in_danger:
        return None
    return DangerNotice(needs_now(state.risk), state.minor)
