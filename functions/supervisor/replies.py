"""Which of the newest replies are judged: what no model made is context, and nobody is judged for it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from functions.supervisor.judgement import JudgedLine
from shared.domain.conversation import Message, Role
from shared.domain.counseling.directive import Directive
from shared.domain.counseling.session import Session
from shared.domain.ids import ConversationId
from shared.domain.turn import TurnRecord
from shared.ports.conversation_store import ConversationStore
from shared.services.counseling.dialogue import Line

DEGRADED = "degraded"
"""The flag of a turn in which no model could speak (`TurnResult.flags`)."""


@dataclass(frozen=True)
class Replies:
    """The replies of the turns under judgement.

    Attributes:
        judged: Turns whose reply the Counselor's model made.
        by_rule: Turns whose reply is fixed text: the crisis protocol, a farewell, an honest failure, another flow's.
        directive: What the newest judged reply was directed to do; the session may have moved on since.
    """

    judged: tuple[int, ...]
    by_rule: tuple[int, ...]
    directive: Directive | None

    def marked(self, messages: Sequence[Message], shown: Sequence[Line]) -> tuple[JudgedLine, ...]:
        """Return the lines, the newest of `messages`, with those marked that no model made."""
        newest = messages[len(messages) - len(shown) :]
        return tuple(
            JudgedLine(
                speaker=line.speaker,
                text=line.text,
                by_rule=message.role is Role.COUNSELOR and message.seq in self.by_rule,
            )
            for message, line in zip(newest, shown, strict=True)
        )


async def replies_of(
    store: ConversationStore[Session], conversation_id: ConversationId, messages: Sequence[Message]
) -> Replies:
    """Look the turns of these messages up."""
    replies = [message for message in messages if message.role is Role.COUNSELOR and message.seq > 0]
    known = [message for message in replies if message.message_id]
    found = await asyncio.gather(
        *(store.turn(conversation_id, message.message_id) for message in known if message.message_id)
    )
    records = {message.seq: record for message, record in zip(known, found, strict=True) if record is not None}
    by_rule = tuple(seq for seq, record in sorted(records.items()) if not _spoken_by_model(record))
    judged = tuple(message.seq for message in replies if message.seq not in by_rule)
    newest = records.get(judged[-1]) if judged else None
    directed = newest.directive if newest else None
    return Replies(judged=judged, by_rule=by_rule, directive=Directive.model_validate(directed) if directed else None)


def _spoken_by_model(record: TurnRecord) -> bool:
    return record.directive is not None and DEGRADED not in record.result.flags
