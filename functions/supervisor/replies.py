"""Selects the replies to judge: only those made by the counsellor's model."""

from collections.abc import Sequence
from dataclasses import dataclass

from functions.supervisor.counting import Exchange
from functions.supervisor.judgement import JudgedLine
from shared.domain.conversation import Message, Role
from shared.domain.counseling.directive import Directive, Stance, counselors
from shared.domain.counseling.session import Session
from shared.domain.ids import ConversationId
from shared.ports.conversation_store import ConversationStore
from shared.services.counseling.dialogue import Line
from shared.services.counseling.fixed_replies import by_rule, turns_of


@dataclass(frozen=True)
class RepliesToJudge:
    """The replies of the turns under judgement.

    Attributes:
        judged: Turns whose reply the counsellor's model made.
        by_rule: Turns with a fixed reply: crisis protocol, farewell, apology, or another flow's.
        exchanges: The judged replies with the messages that they answer.
        directive: The newest judged reply's directive; the session may have moved on.
    """

    judged: tuple[int, ...]
    by_rule: tuple[int, ...]
    exchanges: tuple[Exchange, ...]
    directive: Directive | None

    def marked(self, messages: Sequence[Message], shown: Sequence[Line]) -> tuple[JudgedLine, ...]:
        """Return the lines, which are the newest of `messages`, marking replies not made by a model."""
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
) -> RepliesToJudge:
    """Read the turns of these messages."""
    replies = [message for message in messages if message.role is Role.COUNSELOR and message.seq > 0]
    records = await turns_of(store, conversation_id, replies)
    fixed = tuple(seq for seq, record in sorted(records.items()) if by_rule(record))
    judged = tuple(message.seq for message in replies if message.seq not in fixed)
    directed = {
        seq: record.directive for seq, record in records.items() if record.directive is not None and seq not in fixed
    }
    said = {message.seq: message.text for message in messages if message.role is Role.USER}
    newest = directed.get(judged[-1]) if judged else None
    return RepliesToJudge(
        judged=judged,
        by_rule=fixed,
        exchanges=tuple(
            Exchange(
                said=said.get(reply.seq, ""),
                reply=reply.text,
                with_help_lines=directed.get(reply.seq, {}).get("stance") == Stance.CARE.value,
            )
            for reply in replies
            if reply.seq in judged
        ),
        directive=counselors(newest),
    )
