"""Talks brought to where a test begins."""

from shared.content.crisis_protocol import Voice
from shared.locale import Locale, Register
from tests.fakes.talk import Said, Talk

KO = Voice(locale=Locale.KO, register_=Register.FORMAL)
EN = Voice(locale=Locale.EN, register_=Register.FORMAL)


def locale_of(text: str) -> str:
    return "en" if text.isascii() else "ko"


async def told(*messages: str, **opened: object) -> tuple[Talk, Said]:
    """Say these messages in a new talk, in the language of the first, and return the talk and its last turn."""
    talk = Talk(**{"locale": locale_of(messages[0])} | opened)
    turns = [await talk.say(text) for text in messages]
    return talk, turns[-1]


async def after(*messages: str, **opened: object) -> Talk:
    """Return a new talk in which these messages have been said."""
    talk, _ = await told(*messages, **opened)
    return talk


def speaking(**scripts: object) -> Talk:
    """Return a new talk whose agents answer so."""
    talk = Talk()
    talk.model.scripts |= scripts
    return talk
