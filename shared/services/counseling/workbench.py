"""What the counselling service's background jobs stand on."""

from collections.abc import Sequence
from dataclasses import dataclass

from shared.content.catalogue import Content
from shared.domain.conversation import Message, Role
from shared.domain.counseling.session import Session
from shared.engine.jobs import Workbench


@dataclass(frozen=True)
class CounselingBench(Workbench[Session]):
    """A workbench with the service's content."""

    content: Content

    async def turns(self, session: Session, upto: int, most: int) -> list[Message]:
        """Return the messages of the newest turns up to turn `upto`, at most `most` turns, oldest first."""
        first = max(0, upto - most + 1)
        found = await self.store.messages(session.conversation_id, first - 1, upto - first + 1)
        return [message for message in found if message.seq <= upto]


def users_words(messages: Sequence[Message]) -> str:
    """Return what the user said, for checking quotes."""
    return "\n".join(message.text for message in messages if message.role is Role.USER)
