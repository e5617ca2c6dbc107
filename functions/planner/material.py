"""The dialogue that the planner reads; answers to safety questions are marked, as they are no subject of a plan.

"My wife is in the next room", in answer to whether the user is alone, says nothing about a marriage.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from shared.contracts.tasks import JobKind
from shared.domain.conversation import Message
from shared.domain.counseling.directive import Stance, counselors
from shared.domain.counseling.session import Session
from shared.domain.turn import TurnRecord
from shared.engine.claims import Delivery
from shared.engine.jobs import CreatedDocument
from shared.services.counseling.dialogue import Line, lines
from shared.services.counseling.fixed_replies import turns_of
from shared.services.counseling.job_context import CounselingJobContext, users_words

PART1_TURNS = 40
"""Maximum turns of Part 1 that are read: its five tasks are bounded at six turns each."""
CRISIS = "crisis"
"""Flag of a turn that the crisis protocol answered (`TurnResult.flags`)."""


class ToldLine(Line):
    """One message in a prompt.

    Attributes:
        safety: The user said it in a turn in which a crisis was answered or followed through.
    """

    safety: bool = False


@dataclass(frozen=True)
class Material:
    """The messages of a conversation, oldest first.

    Attributes:
        safety: Turns in which a crisis was answered or followed through.
    """

    messages: Sequence[Message]
    safety: frozenset[int] = frozenset()

    @property
    def words(self) -> str:
        """The user's words for checking quotes, without the turns about safety."""
        return users_words([message for message in self.messages if message.seq not in self.safety])

    def lines(self, limit: int) -> tuple[ToldLine, ...]:
        """Return the newest messages that fit the limit (in characters), oldest first."""
        return tuple(
            ToldLine(**line.model_dump(), safety=line.speaker == "user" and line.seq in self.safety)
            for line in lines(self.messages, limit)
        )


async def material(context: CounselingJobContext, session: Session, upto: int, most: int) -> Material:
    """Return the newest turns up to turn `upto`, at most `most`; turn records are read only if there was a crisis."""
    messages = await context.turns(session, upto, most)
    if not session.protocol_replies:
        return Material(messages)
    records = await turns_of(context.store, session.conversation_id, messages)
    return Material(messages, frozenset(seq for seq, record in records.items() if _about_safety(record)))


def planning_on(document: CreatedDocument) -> Delivery:
    """Return the delivery of an event; a conversation has one plan made at a time."""
    return Delivery(work=JobKind.PLAN.value, holder=f"{document.collection}/{document.document_id}")


def _about_safety(record: TurnRecord) -> bool:
    if CRISIS in record.result.flags:
        return True
    directive = counselors(record.directive)
    return directive is not None and directive.stance is Stance.CARE
