"""The event of a session whose earlier session was erased."""

from datetime import datetime

from shared.domain.conversation import Message, Role
from shared.domain.counseling.session import Session
from shared.domain.counseling.sources import Source
from shared.domain.event import Event
from shared.domain.ids import ConversationId


class OriginErased(Event[Session]):
    """An earlier session was erased, so what was carried over from it is removed.

    Attributes:
        greeting: Replacement of a greeting that mentioned the earlier session.
    """

    conversation_id: ConversationId
    greeting: str | None = None

    def apply(self, state: Session, at: datetime) -> Session:
        left = state.carried.without(self.conversation_id) if state.carried else None
        sources = sources_without(state, self.conversation_id)
        if left is state.carried and sources == state.info_sources:
            return state
        recent = tuple(self._told_anew(message) for message in state.recent)
        return state.model_copy(update={"carried": left, "recent": recent, "info_sources": sources})

    def _told_anew(self, message: Message) -> Message:
        first = message.seq == 0 and message.role is Role.COUNSELOR
        return message.model_copy(update={"text": self.greeting}) if first and self.greeting is not None else message


def sources_without(state: Session, erased: ConversationId) -> dict[str, Source]:
    """Return the sources of the session's values without those in an erased conversation."""
    return {name: source for name, source in state.info_sources.items() if source.conversation_id != erased}
