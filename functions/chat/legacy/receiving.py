"""What stands before a question whether to close: words that take up what the user said, else a fixed sentence."""

import re

from functions.chat.legacy.asked_before import unheard
from functions.chat.legacy.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.conversation import Role
from shared.domain.counseling.session import Session
from shared.domain.counseling.user_state import PLEASANT
from shared.lexicon.sentences import sentences_of

_QUESTIONS = ("confirm_end", "propose_wrap_up")
_MARKS = re.compile('["“”‘’]')
"""A quotation of the user takes up their words."""


def takes_up(told: str, message: UserMessage, session: Session, content: Content) -> bool:
    """Return whether words take up what the user said: a word of theirs, or the feeling that they name.

    A message that says nothing but yes, no or goodbye is taken up by any words. Words that every question whether to
    close has ("이야기") show nothing.
    """
    if not told.strip():
        return False
    own = beside_leaving(message.text, content)
    read, mine = content.lexicon.read(_MARKS.sub(" ", told)), content.lexicon.read(own)
    if not mine.content_words or mine.says_little or mine.has_nothing_to_say:
        return True
    if mine.emotion.intensity and read.emotion.label is mine.emotion.label:
        return True
    messages = content.messages(session.locale, session.register_)
    common = content.lexicon.read(" ".join(text for key in _QUESTIONS for text in messages.variants(key))).content_words
    earlier = " ".join(one.text for one in session.recent if one.role is Role.USER)
    theirs = mine.content_words | content.lexicon.read(earlier).content_words
    return bool((read.content_words - common) & theirs)


def receiving(message: UserMessage, session: Session, content: Content) -> str:
    """Return a fixed sentence that receives the message, in the wording that the window lacks."""
    messages = content.messages(session.locale, session.register_)
    return unheard(messages.variants(_kind(message, content)), session)


def _kind(message: UserMessage, content: Content) -> str:
    own = beside_leaving(message.text, content)
    read = content.lexicon.read(own)
    if not own:
        return "received_leaving"
    if read.emotion.intensity:
        return "received_good" if read.emotion.label in PLEASANT else "received_feeling"
    if content.session_words.tells_hard(own):
        return "received_hard"
    if read.says_little or read.has_nothing_to_say or not read.content_words:
        return "received_short"
    return "received"


def beside_leaving(text: str, content: Content) -> str:
    """Return a message without the sentences that ask to end."""
    return " ".join(one for one in sentences_of(text) if not content.lexicon.read(one).asks_to_end).strip()
