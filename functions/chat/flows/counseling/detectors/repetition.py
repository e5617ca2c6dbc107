"""Detects circular talk in the user's messages by rule."""

import re
from collections.abc import Iterator

from functions.chat.flows.counseling.voice import voice_of
from shared.content.catalogue import Content
from shared.domain.conversation import Role
from shared.domain.counseling.circular import Utterance, circles
from shared.domain.counseling.session import Session
from shared.domain.slots import SlotKind
from shared.lexicon.lexicon import Lexicon
from shared.lexicon.words import Words

_QUESTION = re.compile(r"[^.!?…\n]+\?")


def said_in_circles(words: Words, state: Session, content: Content) -> bool:
    """Return whether the newest message repeats the user's earlier messages.

    Earlier messages that the user was asked to send again are ignored.
    """
    lexicon = content.lexicon
    unread = (text.partition("\n")[0] for text in content.crisis_replies.unread(voice_of(state)))
    degraded = (*content.messages(state.locale, state.register_).variants("degraded_reply"), *unread)
    asked = "" if not state.recent or state.recent[-1].role is Role.USER else state.recent[-1].text
    newest = Utterance(
        words=words.content_words,
        question=_question(asked, lexicon),
        answers_again=_asked_again(state),
    )
    return circles(newest, list(_earlier(state, lexicon, degraded)))


def _asked_again(state: Session) -> bool:
    """Return whether the message answers a free-text question that was asked before in another wording."""
    slot = next((slot for task in state.tasks for slot in task.slots if slot.name == state.last_asked), None)
    return slot is not None and slot.kind is SlotKind.TEXT and state.asked.get(slot.name, 0) > 1


def _earlier(state: Session, lexicon: Lexicon, degraded: tuple[str, ...]) -> Iterator[Utterance]:
    asked, recent = "", state.recent
    for place, message in enumerate(recent):
        if message.role is not Role.USER:
            asked = message.text
            continue
        reply = recent[place + 1].text if place + 1 < len(recent) else ""
        if not reply.startswith(degraded) and message.seq != state.repeat_asked_seq:
            yield Utterance(words=lexicon.read(message.text).content_words, question=_question(asked, lexicon))


def _question(reply: str, lexicon: Lexicon) -> frozenset[str]:
    """Return the content words of the last question in a reply."""
    questions = _QUESTION.findall(reply)
    return lexicon.read(questions[-1]).content_words if questions else frozenset()
