"""Finds which slots a reply asks for, in a wording of the slot, one like it, or words of its matter."""

from shared.content.catalogue import Content
from shared.domain.counseling.profile import NAME_SLOT
from shared.domain.slots import Slot
from shared.lexicon.asking import asks_of, asks_of_wording
from shared.lexicon.session_words import without_questions

ALIKE = 2
"""Content words that a question shares at least with a wording; one of them must name the matter."""
SHARE = 0.5
"""Share of the shorter question's content words that it shares with the other."""
EXPLAINED = 0.5
"""Share of an explanation's content words in a reply that gives it."""


def matters_asked(reply: str, content: Content) -> frozenset[str]:
    return frozenset().union(*(content.intake_words.matters(question) for question in asks_of(reply)))


def asks_for(slot: Slot, reply: str, content: Content) -> bool:
    """Return whether a reply asks for a slot; words of another matter ask for that one.

    A slot of a plan has no list of its matter: one word that names it is enough.
    """
    listed = content.intake_words.knows(slot.name)
    if listed and (matters := matters_asked(reply, content)):
        return slot.name in matters
    asks = asks_of(reply)
    if any(is_worded_alike(question, slot, content) for question in asks):
        return True
    asked = content.lexicon.read(" ".join(asks)).content_words
    return not listed and not slot.agrees and bool(matter_words(slot, content) & asked)


def leads_to(slot: Slot, reply: str, content: Content) -> bool:
    """Return whether a reply asks for a slot or, with no other matter, only to go on telling ("더 들려주시겠어요?")."""
    if asks_for(slot, reply, content):
        return True
    asked = content.lexicon.read(" ".join(asks_of(reply)) or reply).content_words
    return not matters_asked(reply, content) and bool(_words(slot, content) & asked)


def matter_words(slot: Slot, content: Content) -> frozenset[str]:
    """Return the content words of a slot's label and questions that do not stand in questions about any matter."""
    return about(_words(slot, content), content)


def is_worded_alike(question: str, slot: Slot, content: Content) -> bool:
    """Return whether a question is a wording of a slot, or like one, or has the words of its label."""
    asked = content.lexicon.read(question).content_words
    if slot.name == NAME_SLOT and content.session_words.asks_for_name(question):
        return True
    label = about(content.lexicon.read(slot.label).content_words, content)
    if label and label <= asked:
        return True
    wordings = [one for wording in slot.questions for one in asks_of_wording(wording)]
    return any(question.endswith(one) or _alike(asked, one, content) for one in wordings)


def explains(reply: str, question: str, content: Content) -> bool:
    """Return whether a reply gives the explanation that the question of an agreement holds."""
    told, guide = (content.lexicon.read(text).content_words for text in (reply, without_questions(question)))
    return len(told & guide) >= len(guide) * EXPLAINED


def asks_to_agree(slot: Slot, reply: str, content: Content) -> bool:
    """Return whether a reply explains what the slot is an agreement to, or asks for it in the slot's words."""
    asked = asks_of(reply)
    return any(explains(reply, one, content) or not {*asks_of_wording(one)}.isdisjoint(asked) for one in slot.questions)


def about(words: frozenset[str], content: Content) -> frozenset[str]:
    return frozenset(word for word in words if not content.session_words.is_common(word))


def _words(slot: Slot, content: Content) -> frozenset[str]:
    return content.lexicon.read(" ".join((slot.label, *slot.questions))).content_words


def _alike(asked: frozenset[str], wording: str, content: Content) -> bool:
    wanted = content.lexicon.read(wording).content_words
    shared = asked & wanted
    enough = len(shared) >= max(ALIKE, SHARE * min(len(asked), len(wanted)))
    return enough and bool(about(shared, content))
