"""Propagates a stated age under 14 from one conversation to the user's profile and other conversations.

The profile comes first, since opening a conversation reads it. A failure in one conversation does not stop the others.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass

from functions.chat.use_cases.consents import AT_ONCE
from functions.chat.use_cases.user_documents import update_user_document
from shared.domain.counseling.profile import Profile, aged, kept_until
from shared.domain.counseling.risk_events import AgeStated
from shared.domain.counseling.session import Session
from shared.domain.errors import DocumentTooNew, DocumentUnreadable, StoreUnavailable
from shared.domain.ids import ConversationId
from shared.engine.flow import ServicePolicy
from shared.engine.unit_of_work import Decision, change
from shared.ports.clock import Clock
from shared.ports.conversation_store import ConversationStore
from shared.ports.user_store import VersionedUser
from shared.safety.ages import StatedAge


@dataclass(frozen=True)
class AgePropagation:
    """Propagates an age under 14, or its correction, to everything of the user.

    Unreadable documents are skipped: no conversation can be opened or continued with them.
    """

    store: ConversationStore[Session]
    policy: ServicePolicy[Session]
    clock: Clock

    async def heard(self, state: Session) -> None:
        """Propagate a session's stated age; repeating it changes nothing.

        Raises:
            StoreUnavailable: The store does not answer. The turn is then not committed, and its retry repeats this.
        """
        with suppress(DocumentTooNew, DocumentUnreadable):
            await self._keep(state)
        ids = await self.store.conversations_of(state.user_id)
        others = [one for one in ids if one != state.conversation_id]
        failures: list[StoreUnavailable] = []
        for first in range(0, len(others), AT_ONCE):
            found = await asyncio.gather(*(self._tried(one, state) for one in others[first : first + AT_ONCE]))
            failures += [failure for failure in found if failure is not None]
        if failures:
            raise failures[0]

    async def _keep(self, state: Session) -> None:
        """Update the profile; an erased one is not recreated."""

        async def written(found: VersionedUser[Profile] | None) -> None:
            if found is None:
                return
            after = aged(found.document, under_14=state.under_14, now=self.clock.now())
            if after is not found.document:
                await self.store.save_user(VersionedUser(kept_until(after, state.expire_at), found.version))

        await update_user_document(self.store, state.user_id, written)

    async def _tried(self, conversation_id: ConversationId, said_in: Session) -> StoreUnavailable | None:
        """Update one conversation and return its failure, if any."""
        said = AgeStated(age=StatedAge.UNDER_14 if said_in.under_14 else StatedAge.MINOR)

        def decide(state: Session) -> Decision[Session, None]:
            return Decision(None, () if state.under_14 is said_in.under_14 else (said,))

        try:
            with suppress(DocumentTooNew, DocumentUnreadable):
                await change(self.store, self.policy, self.clock, conversation_id, decide)
        except StoreUnavailable as failure:
            return failure
        return None
