"""Repairs a misreading that the user corrects, if the model's reply does not. Rules only."""

from functions.chat.flows.counseling.asked_before import unheard
from functions.chat.flows.counseling.misread import newest_reply
from functions.chat.flows.counseling.prepared_reply import PreparedReply
from functions.chat.flows.counseling.user_message import UserMessage
from functions.chat.flows.counseling.voice import voice_of
from shared.content.catalogue import Content
from shared.domain.counseling.session import Session
from shared.lexicon.asking import without_asks
from shared.lexicon.sentences import without_sentences


def with_the_repair(reply: PreparedReply, said: str, message: UserMessage, seq: int, content: Content) -> str:
    """Return the reply to a correction: it owns the misreading, or takes up what the user meant.

    What the model says again of the misreading is left out. A reply that does neither begins with a fixed repair. In
    place of what the model asks stands the question what was meant, or none if the user has told it. While a risk is
    open the reply stays whole, and the protocol's own words begin it.
    """
    directive, session = reply.directive, reply.session
    if not directive.misread:
        return said
    words = content.session_words
    # Who says only that they are not called so tells nothing that was meant.
    own = "" if directive.ruled else words.meant(message.text)
    denied = content.lexicon.read(message.text if directive.ruled else words.denied(message.text)).content_words
    meant = words.says_more(content.lexicon.read(own).content_words - denied)
    if not reply.in_danger:
        said = _without_the_misreading(said, meant, denied, session, content)
    taken_up = meant & content.lexicon.read(without_asks(said)).content_words
    if taken_up or words.owns_misreading(said):
        return said
    if reply.in_danger:
        return f"{content.crisis_replies.corrected(voice_of(session))} {said}"
    messages = content.messages(session.locale, session.register_)
    told = without_asks(said) if meant else ""
    key = "repair_hears" if meant else "repair_asks"
    then = directive.ruled or unheard(messages.variants(key), session, seq)
    return " ".join(filter(None, (unheard(messages.variants("repair"), session, seq), told, then)))


def _without_the_misreading(
    said: str, meant: frozenset[str], denied: frozenset[str], session: Session, content: Content
) -> str:
    """Return a reply without sentences that say again what the corrected reply said, and nothing that was meant."""
    words, corrected = content.session_words, content.lexicon.read(newest_reply(session))
    said_of_them = words.says_more(corrected.content_words | denied)
    wrong = frozenset(one for one in said_of_them if not words.is_common(one)) - meant

    def repeats(sentence: str) -> bool:
        read = content.lexicon.read(sentence)
        felt = read.emotion.intensity and read.emotion.label is corrected.emotion.label
        again = felt or not wrong.isdisjoint(read.content_words)
        return bool(again) and meant.isdisjoint(read.content_words) and not words.owns_misreading(sentence)

    return without_sentences(said, repeats)
