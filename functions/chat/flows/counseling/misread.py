"""The user says that the last reply misread them: the next reply repairs it, and it is counted. Rules only."""

import re

from functions.chat.findings import Findings
from functions.chat.flows.counseling.detectors.told_names import denies_name
from functions.chat.legacy.asked_before import QUESTION_WORD
from functions.chat.legacy.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.conversation import Role
from shared.domain.counseling.session import Session
from shared.domain.counseling.session_events import MisreadTold, WrapUpAgreed, WrapUpDeclined, WrapUpUnclear
from shared.engine.flow import Turn
from shared.lexicon.asking import asks_of, without_asks

AGENT = "misread"
MOST_DENIED = 2
"""Content words that a mere denial has at most."""
_GRANTED = re.compile(r"(?:죠|지요?|잖아요?)[?.!~ ]*$")


def hear_correction(
    turn: Turn[Session], message: UserMessage, session: Session, found: Findings, content: Content
) -> Findings:
    """Return that the user corrects the last reply; a denial of danger and an answer to a proposal correct nothing.

    In a follow-through a no may be a correction as well ("죽고 싶다는 게 아니라 쉬고 싶다는 말이에요"): it is repaired,
    and the follow-through goes on.
    """
    before, now = turn.state.risk, session.risk
    followed = before.follow_through and now.follow_through
    about_danger = before.asked_seq == turn.state.seq or before.follow_through or now.follow_through
    answered = found.of(WrapUpAgreed, WrapUpDeclined, WrapUpUnclear)
    asked_if_right = content.session_words.asks_if_right(newest_reply(turn.state))
    wrong = not about_danger and message.says_wrong and asked_if_right
    denied = denies_the_reply(message, turn.state, content) or _calls_it_wrong(turn, content)
    wrong = wrong or (not about_danger and denied)
    misnamed = not about_danger and denies_name(message.text, turn.state) is not None
    corrects = message.corrects or wrong or misnamed or (followed and message.speaks_of_a_work)
    if not message.answers or not corrects or answered or (about_danger and not followed):
        return Findings()
    turn.scope.ledger.ruled(AGENT, True, "the user says that the last reply misread them")
    return Findings(events=(MisreadTold(seq=turn.seq, of_a_work=message.speaks_of_a_work),))


def denies_the_reply(message: UserMessage, state: Session, content: Content) -> bool:
    """Return whether the user denies what the newest reply said of them: a word of it, or its feeling.

    A no to what the reply only asked denies nothing; "…죠?" takes it for granted. A longer clause tells something.
    """
    denied = content.lexicon.read(content.session_words.denied(message.text))
    said = content.lexicon.read(_asserted(newest_reply(state)))
    felt = denied.emotion.intensity and denied.emotion.label is said.emotion.label
    told = len(denied.content_words) > MOST_DENIED
    return bool(not told and denied.content_words and (felt or denied.content_words <= said.content_words))


def _calls_it_wrong(turn: Turn[Session], content: Content) -> bool:
    """Return whether a message says only that the newest reply is wrong; its own question may be denied instead."""
    reply, words = newest_reply(turn.state), content.session_words
    if not _asserted(reply) or any(one.asked_seq == turn.state.seq for one in turn.state.contradictions.values()):
        return False
    open_asks = all(QUESTION_WORD.search(one) or _GRANTED.search(one) for one in asks_of(reply))
    return words.says_all_wrong(turn.text) or (open_asks and words.says_not_so(turn.text))


def newest_reply(state: Session) -> str:
    """Return the counsellor's newest reply, if the window ends with it."""
    newest = state.recent[-1] if state.recent else None
    return newest.text if newest is not None and newest.role is Role.COUNSELOR else ""


def _asserted(reply: str) -> str:
    granted = (one for one in asks_of(reply) if _GRANTED.search(one))
    return " ".join((without_asks(reply), *granted))
