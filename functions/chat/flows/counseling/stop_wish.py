"""A wish to stop that does not come first is kept, and asked about in the next turn that is free for it. Rules only.

"그만하고 싶어요. 너무 비참해요" names a feeling, which the reply receives. A bare wish to stop may mean more than the
talk: a question about danger goes before it, too.
"""

from functions.chat.findings import Findings
from functions.chat.flows.counseling.wrap_up import answers_a_proposal
from functions.chat.legacy.asking import feeling_first, tells
from functions.chat.legacy.user_message import UserMessage
from shared.domain.counseling.session import Session
from shared.domain.counseling.stop_wish import StopWished, StopWishForgotten
from shared.engine.flow import Turn
from shared.lexicon.session_words import questions_of

AGENT = "stop_wish"
LONGEST_KEPT = 3
"""Turns for which a wish waits for a free one."""


def keep_stop_wish(turn: Turn[Session], message: UserMessage, session: Session, found: Findings) -> Findings:
    """Return that a wish to stop waits, or that a waiting one is forgotten.

    It is forgotten when the user goes on telling or says otherwise, and after some turns.
    """
    wished, again = session.stop_wished_seq, message.wishes_to_stop
    if again and wished is None and not message.words.asks_to_end and not answers_a_proposal(found):
        turn.scope.ledger.ruled(AGENT, True, "the user wishes to stop, and something else goes first")
        return Findings(events=(StopWished(seq=turn.seq),))
    if wished is None:
        return Findings()
    goes_on = message.wants_more or (tells(message.words) and not again) or answers_a_proposal(found)
    if not goes_on and turn.seq - wished <= LONGEST_KEPT:
        return Findings()
    turn.scope.ledger.ruled(AGENT, False, "the user goes on")
    return Findings(events=(StopWishForgotten(),))


def stop_wish_due(turn: Turn[Session], message: UserMessage, session: Session) -> bool:
    """Return whether this turn is free for the question whether to end that an earlier wish to stop left open."""
    wished = session.stop_wished_seq
    waits = wished is not None and 0 < turn.seq - wished <= LONGEST_KEPT
    return waits and not questions_of(message.text) and not feeling_first(turn, message, session)
