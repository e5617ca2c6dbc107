"""Tells which replies are fixed text, which says nothing about the counsellor's work."""

import asyncio
from collections.abc import Mapping, Sequence

from shared.domain.conversation import Message, Role
from shared.domain.counseling.directive import counselors
from shared.domain.counseling.session import Session
from shared.domain.ids import ConversationId
from shared.domain.turn import TurnRecord
from shared.ports.conversation_store import ConversationStore

_COUNSELING = "counseling"
DEGRADED = "degraded"
"""Flag of a turn in which no model answered (`TurnResult.flags`)."""


async def turns_of(
    store: ConversationStore[Session], conversation_id: ConversationId, messages: Sequence[Message]
) -> dict[int, TurnRecord]:
    """Return the stored records of the turns that made these replies, by turn."""
    known = [message for message in messages if message.role is Role.COUNSELOR and message.seq > 0]
    ids = [message.message_id for message in known if message.message_id]
    found = await asyncio.gather(*(store.turn(conversation_id, one) for one in ids))
    return {record.seq: record for record in found if record is not None}


def without_digressions(messages: Sequence[Message], turns: Mapping[int, TurnRecord]) -> list[Message]:
    """Return the messages without those that another service took: what they ask of it shows nothing of the session."""
    return [one for one in messages if one.seq not in turns or turns[one.seq].flow == _COUNSELING]


def by_rule(record: TurnRecord) -> bool:
    """Return whether a reply is no counsellor's: crisis protocol, farewell, apology, or another service's."""
    return counselors(record.directive) is None or DEGRADED in record.result.flags
