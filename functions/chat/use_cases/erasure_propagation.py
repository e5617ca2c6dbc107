"""Removes an erased conversation's contents from its user's profile and later conversations.

What a later conversation made of it (its plan, its summary, what was said again there) belongs to that one and stays.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from shared.domain.counseling.origin_events import OriginErased, sources_without
from shared.domain.counseling.profile import Profile, forget
from shared.domain.counseling.session import Session
from shared.domain.errors import DocumentTooNew, DocumentUnreadable
from shared.domain.ids import ConversationId, UserId
from shared.engine.extra_writes import ExtraWrites
from shared.engine.flow import ServicePolicy
from shared.engine.unit_of_work import Decision, change
from shared.ports.clock import Clock
from shared.ports.conversation_store import ConversationStore
from shared.ports.user_store import VersionedUser

Unrecalled = Callable[[Session, str, ConversationId], str]
"""Returns a session's greeting without references to an erased conversation."""


@dataclass(frozen=True)
class ErasurePropagation:
    """Removes a conversation's contents from everything else of its user's."""

    store: ConversationStore[Session]
    policy: ServicePolicy[Session]
    clock: Clock
    unrecalled: Unrecalled

    async def in_later_ones(self, user_id: UserId, conversation_id: ConversationId, opened_at: datetime) -> None:
        """Remove it from later conversations. The profile no longer has it, so new ones do not get it.

        Raises:
            StoreUnavailable: The store does not answer, or every attempt met a conflict. It may be repeated.
            DocumentTooNew: Newer code wrote one of them; the others were changed. It may be repeated.
        """
        newer: list[DocumentTooNew] = []
        for later in await self.store.conversations_of(user_id, since=opened_at):
            if later == conversation_id:
                continue
            try:
                await self._in_session(later, conversation_id)
            except DocumentTooNew as error:
                newer.append(error)
        if newer:
            raise newer[0]

    async def profile_without(self, user_id: UserId, conversation_id: ConversationId) -> VersionedUser[Profile] | None:
        """Return the profile without the conversation, with the version read; None if nothing changes.

        Raises:
            StoreUnavailable: The store does not answer.
        """
        found = await self.store.user(user_id, Profile)
        if found is None:
            return None
        left = forget(found.document, conversation_id, self.clock.now())
        return None if left is found.document else VersionedUser(left, found.version)

    async def _in_session(self, holder: ConversationId, erased: ConversationId) -> None:
        """Remove it from a session. An unreadable session is never shown, so it is skipped."""
        with suppress(DocumentUnreadable):
            greeting = next(iter(await self.store.messages(holder, -1, 1)), None)

            def decide(state: Session) -> Decision[Session, None]:
                carried = state.carried is not None and state.carried.without(erased) is not state.carried
                if not carried and sources_without(state, erased) == state.info_sources:
                    return Decision(None)
                text = greeting.text if greeting else ""
                anew = self.unrecalled(state, text, erased)
                if greeting is None or anew == text:
                    return Decision(None, (OriginErased(conversation_id=erased),))
                written = ExtraWrites(messages=(greeting.model_copy(update={"text": anew}),))
                return Decision(None, (OriginErased(conversation_id=erased, greeting=anew),), lambda _: written)

            await change(self.store, self.policy, self.clock, holder, decide)
