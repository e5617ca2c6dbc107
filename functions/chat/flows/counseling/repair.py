"""Repairs a misreading that the user corrects, if the model's reply does not. Rules only."""

from functions.chat.flows.counseling.user_message import UserMessage
from functions.chat.flows.counseling.voice import voice_of
from shared.content.catalogue import Content
from shared.domain.counseling.directive import Directive, Stance
from shared.domain.counseling.session import Session
from shared.lexicon.asking import without_asks


def with_the_repair(
    directive: Directive, said: str, message: UserMessage, session: Session, seq: int, content: Content
) -> str:
    """Return the reply to a correction: it owns the misreading, or takes up what the user meant.

    A reply that does neither begins with a fixed repair. In place of what the model asks stands the question what was
    meant, or none if the user has told it. In a follow-through the protocol's own words begin it, and its question
    about safety stays.
    """
    if not directive.misread:
        return said
    words = content.session_words
    meant = words.says_more(content.lexicon.read(words.meant(message.text)).content_words)
    taken_up = meant & content.lexicon.read(without_asks(said)).content_words
    if taken_up or words.owns_misreading(said):
        return said
    if directive.stance is Stance.CARE:
        return f"{content.crisis_replies.corrected(voice_of(session))} {said}"
    messages = content.messages(session.locale, session.register_)
    repair, after = (messages.variants(key) for key in ("repair", "repair_hears" if meant else "repair_asks"))
    told = without_asks(said) if meant else ""
    return " ".join(filter(None, (repair[seq % len(repair)], told, after[seq % len(after)])))
