"""Checks values that a model read in a message, before they fill a slot. Rules only."""

import re
from typing import assert_never

from functions.chat.flows.counseling.detectors.matters import asks_for, asks_to_agree, matter_words
from functions.chat.flows.counseling.detectors.slot_reading import ReadValue, is_no_name, tells_experience
from functions.chat.flows.counseling.detectors.told_names import only_names
from shared.content.catalogue import Content
from shared.domain.counseling.user_state import Resistance
from shared.domain.slots import AnswerWords, Invalid, Slot, SlotKind, validate
from shared.lexicon.clause_text import clauses_of
from shared.lexicon.sentences import sentences_of
from shared.lexicon.told_words import Told
from shared.lexicon.words import Answer, Words
from shared.services.counseling.evidence import is_verbatim_quote

_NUMERALS = {
    number: rf"(?<![가-힣])(?:{korean})(?:\s|번|개|명|살|시|점|달|주|해|시간|쯤|이요|요|$)|\b{english}\b"
    for number, (korean, english) in enumerate(
        (
            ("영|빵", "zero"),
            ("하나|한|일", "(?:one|once)"),
            ("둘|두|이", "(?:two|twice)"),
            ("셋|세|석|삼", "three"),
            ("넷|네|넉|사", "four"),
            ("다섯|오", "five"),
            ("여섯|육", "six"),
            ("일곱|칠", "seven"),
            ("여덟|팔", "eight"),
            ("아홉|구", "nine"),
            ("열|십", "ten"),
        )
    )
}
"""Numbers in words, as a whole word with a counter or without."""


def holds(slot: Slot, read: ReadValue, text: str, content: Content, reply: str = "") -> bool:
    """Return whether a value that a model read is of the slot's kind and stands in the user's words; no refusal does.

    A value that the user said but that is invalid, such as a number out of bounds, holds: they are told why.
    A wish may also be what the reply before proposed, if the user only agrees to it. Free text that the reply did not
    ask for must be about the slot's matter.
    """
    words, value = content.session_words, str(read.value)
    if slot.kind is SlotKind.NAME:
        told = words.beside_refusal(text, slot.kind)
        asks = "?" if text.rstrip().endswith(("?", "？")) else ""
        if is_no_name(value, told, content) or content.people_words.own(value, told):
            return False
        return content.lexicon.stands_as_name(value, told + asks)
    if (
        words.declines(value, slot.kind)
        or content.lexicon.read(value).is_unsure
        or _hurts(slot, read, text, reply, content)
    ):
        return False
    match slot.kind:
        case SlotKind.TEXT:
            agreed = _is_agreed_to(slot, value, text, reply, content)
            told = "\n".join(_told_in(slot, read, text, content))
            about = _may_fill(slot, told, content) or (
                asks_for(slot, reply, content) and _answers(slot, value, content)
            )
            return (agreed or (about and _stands_in(value, text, content))) and _is_told(slot, value, content)
        case SlotKind.BOOLEAN:
            return _agrees_with(slot, value, read.quote, reply, content)
        case SlotKind.INTEGER:
            return _number_stands_in(value, read.quote, content.answers)
        case SlotKind.CHOICE:
            return is_verbatim_quote(value, text)
        case _:
            assert_never(slot.kind)


def _answers(slot: Slot, value: str, content: Content) -> bool:
    """Return whether words that are not about the matter may answer its question; what happened and feelings do not."""
    words = content.told_words
    none = slot.none_is_answer and content.answers.says_none(value)
    if none or not words.lists(slot.name, Told.NO_ANSWER) or words.tells(slot.name, Told.ASKED, value):
        return True
    felt = content.lexicon.read(value).emotion.intensity > 0 or content.session_words.tells_hard(value)
    return not felt and not words.tells(slot.name, Told.NO_ANSWER, value)


def _told_in(slot: Slot, read: ReadValue, text: str, content: Content) -> list[str]:
    """Return the value and its quote; the whole clauses with the value, if a slot has words that never fill it."""
    value = str(read.value)
    whole = content.told_words.lists(slot.name, Told.NEVER)
    around = [clause for clause in clauses_of(text) if whole and (value in clause or clause in value)]
    return around or [value, read.quote]


def _hurts(slot: Slot, read: ReadValue, text: str, reply: str, content: Content) -> bool:
    """Return whether all clauses with the value tell a hard fact or a hurt, and do not answer who supports the user."""
    words, asked = content.told_words, asks_for(slot, reply, content)
    if not words.lists(slot.name, Told.NEVER):
        return False

    def hurts(clause: str) -> bool:
        fills = words.tells(slot.name, Told.UNASKED, clause)
        hard = words.tells(slot.name, Told.NO_ANSWER, clause) and content.session_words.tells_hard_fact(clause)
        return (hard and not fills) or (words.tells(slot.name, Told.NEVER, clause) and not (asked and fills))

    return all(map(hurts, _told_in(slot, read, text, content)))


def _may_fill(slot: Slot, told: str, content: Content) -> bool:
    """Return whether words that nobody asked for are about the matter of a slot of free text."""
    if content.told_words.tells(slot.name, Told.UNASKED, told):
        return True
    if content.part1_words.holds_reason(slot.name):
        hard = content.session_words.tells_hard(told) or content.session_words.tells_hard_fact(told)
        return hard or content.lexicon.read(told).emotion.intensity > 0 or bool(content.part1_words.reason(told, {}))
    return not content.told_words.lists(slot.name) and _is_about(slot, told, content)


def _is_told(slot: Slot, value: str, content: Content) -> bool:
    """Return whether free text tells something: a bare yes, an agreement, "I don't know" and a question do not.

    A name is no reason for coming.
    """
    named = content.part1_words.holds_reason(slot.name) and only_names(value, content)
    if named or value.rstrip().endswith(("?", "？")) or content.session_words.only_agrees(value):
        return False
    none = content.answers.says_none(value) or content.session_words.wants_none(value)
    return _is_wish(value, content) or (slot.none_is_answer and none)


def _stands_in(value: str, text: str, content: Content) -> bool:
    """Return whether a text has the value, or all of its words, in another order or with other endings."""
    wanted, said = (content.lexicon.read(each).content_words for each in (value, text))
    return is_verbatim_quote(value, text) or (bool(wanted) and wanted <= said)


def _is_agreed_to(slot: Slot, value: str, text: str, reply: str, content: Content) -> bool:
    """Return whether the slot is for a wish, the message only agrees, and a sentence of the reply has the value."""
    if slot.none_is_answer or not content.session_words.only_agrees(text):
        return False
    return any(_stands_in(value, sentence, content) for sentence in sentences_of(reply))


def _agrees_with(slot: Slot, value: str, quote: str, reply: str, content: Content) -> bool:
    """Return whether the value is a yes or no, and what the quote plainly says, or at least a word about the matter.

    Any words may answer a reply that asked for the slot. A yes to another question agrees to no proposal.
    """
    given, said = validate(slot, value, content.answers), validate(slot, quote, content.answers)
    if isinstance(given, Invalid):
        return False
    if slot.agrees and not asks_to_agree(slot, reply, content):
        named = content.lexicon.read(slot.label).content_words & content.lexicon.read(quote).content_words
        return said == given and bool(named)
    return said == given or (
        isinstance(said, Invalid) and (asks_for(slot, reply, content) or _is_about(slot, quote, content))
    )


def _is_about(slot: Slot, quote: str, content: Content) -> bool:
    told = content.lexicon.read(quote).content_words
    return bool(matter_words(slot, content) & told) or tells_experience(slot, quote, content)


def _number_stands_in(value: str, quote: str, words: AnswerWords) -> bool:
    """Return whether the quote has the number, in digits or words; "none" is 0."""
    digits = re.fullmatch(r"\s*(-?\d{1,9})\s*\D{0,6}\s*", value)
    if not digits:
        return words.says_none(value) and words.says_none(quote)
    number = int(digits[1])
    spoken = number == 0 and words.says_none(quote)
    return spoken or number in map(int, re.findall(r"\d{1,9}", quote)) or _spelt(number, quote)


def _spelt(number: int, quote: str) -> bool:
    return number in _NUMERALS and bool(re.search(_NUMERALS[number], quote, re.IGNORECASE))


def _is_wish(value: str, content: Content) -> bool:
    """Return whether the text says more than a yes, a no, "none" or "I don't know"."""
    words = content.lexicon.read(value)
    none = content.session_words.wants_none(value) or words.is_backchannel
    return (
        not none
        and words.answer is not Answer.CONFIRM
        and any(map(_tells, map(content.lexicon.read, clauses_of(value))))
    )


def _tells(clause: Words) -> bool:
    """Return whether a clause has content; "글쎄요" and "모르겠어요" have none."""
    return bool(clause.content_words) and clause.resistance is Resistance.NONE and not clause.is_unsure
