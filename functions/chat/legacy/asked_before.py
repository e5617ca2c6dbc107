"""What the session's replies have asked and said: a wording is chosen that was not used, or the least recent one."""

import re
from collections.abc import Sequence
from functools import lru_cache

from functions.chat.wordings import SENTENCE_END, opening_of, unsaid, voice_of
from shared.content.catalogue import Content
from shared.content.crisis_protocol import Voice
from shared.content.wordings import Pick
from shared.domain.conversation import Role
from shared.domain.counseling.questions_said import digest
from shared.domain.counseling.session import Session
from shared.lexicon.asking import asks_of, asks_of_wording
from shared.safety.follow_through import needs_now
from shared.safety.levels import Danger
from shared.safety.needs import Need

QUESTION_WORD = re.compile(
    r"(?<!\w)(?:언제|어디|누구|누가|왜|어떻게|얼마나|무엇|뭐|뭘|무슨 ?\S{1,2}|어떤 ?\S{1,2}|몇 ?\S)"
    r"(?:부터|까지|에서|서|와|랑)?"
    r"|\b(?:when|where|who|why|how(?: long| often)?|what)\b",
    re.IGNORECASE,
)
_Beginning = tuple[str, str]
CARED_FOR = (Danger.OWN_LIFE, Danger.VIOLENCE, Danger.OTHERS)
"""The dangers that a follow-through has fixed replies for."""


def said_before(session: Session) -> tuple[str, ...]:
    """Return the digests of what was asked, the least recent first; older sessions kept only their window."""
    window = (one.text for one in session.recent if one.role is Role.COUNSELOR)
    return (*(digest(words) for text in window for words in asks_of(text)), *session.questions_said)


def asks_again(spoken: str, session: Session) -> bool:
    """Return whether a reply asks what an earlier reply asked in the same words."""
    asks = asks_of(spoken)
    return bool(asks) and not {digest(words) for words in asks}.isdisjoint(said_before(session))


def _gist(question: str, content: Content) -> frozenset[str]:
    """Return the question words and the words of a matter in a question, without endings; empty if few."""
    asked = {"".join(found.split()) for found in QUESTION_WORD.findall(question)}
    rest = content.lexicon.read(QUESTION_WORD.sub(" ", question)).content_words
    matter = {word for word in content.session_words.says_more(rest) if not content.session_words.is_common(word)}
    return frozenset(asked | matter) if asked or len(matter) > 1 else frozenset()


def fresh(wordings: Sequence[str], session: Session) -> str:
    """Return the first wording whose question was not asked; if all were, the one asked longest ago."""
    return freshest_first(wordings, session)[0]


def freshest_first(wordings: Sequence[str], session: Session) -> tuple[str, ...]:
    """Return the wordings whose question was not asked, then the others, the one asked longest ago first."""
    order = {one: place for place, one in enumerate(said_before(session))}

    def last_use(text: str) -> int:
        return max((order.get(digest(words), -1) for words in asks_of_wording(text)), default=-1)

    return tuple(sorted(wordings, key=last_use))


def picking(session: Session, first: int = 0) -> Pick:
    """Return the choice of a wording by what the session has heard (`unheard`)."""
    return lambda wordings: unheard(wordings, session, first)


def unheard(wordings: Sequence[str], session: Session, first: int = 0) -> str:
    """Return the wording that the session has not heard, or heard longest ago.

    Args:
        wordings: The wordings of one sentence or text.
        session: The session.
        first: A counter; of those unheard, the wording of this number is preferred.
    """
    begin = first % len(wordings)
    return unsaid((*wordings[begin:], *wordings[:begin]), session)


def fixed_openings(reply: str, session: Session, content: Content) -> tuple[str, ...]:
    """Return the first sentences of the fixed wordings that a reply holds.

    A reply of the protocol may begin with an acknowledgment instead; its next sentence shows which one it is.
    """
    openings, of_the_protocol = _fixed(content, voice_of(session), needs_now(session.risk))
    sentences = frozenset(filter(None, SENTENCE_END.split(reply)))
    known = (opening for opening in openings if opening in reply)
    begun = (opening for opening, following in of_the_protocol if opening in reply or following in sentences)
    return (*known, *begun)


@lru_cache(256)
def _fixed(content: Content, voice: Voice, needs: tuple[Need, ...]) -> tuple[tuple[str, ...], tuple[_Beginning, ...]]:
    """Return the first sentences of the fixed wordings; those of the protocol with the next one, if a third follows."""
    replies, locale, register = content.crisis_replies, voice.locale, voice.register_
    cares = (text for danger in CARED_FOR for text in replies.care(voice, danger))
    fixed = (
        *content.messages(locale, register).every_variant(),
        *cares,
        *replies.leave_question(voice, needs),
        *replies.unread(voice),
        *content.under_14_replies.every_wording(voice),
        *content.help_seeking.every_wording(voice),
        *content.safe_endings.every_wording(locale, register),
    )
    return tuple(map(opening_of, fixed)), tuple(map(_beginning, replies.every_wording(voice)))


def _beginning(wording: str) -> _Beginning:
    opening, *rest = SENTENCE_END.split(wording, maxsplit=2)
    return opening, rest[0] if len(rest) > 1 else ""
