"""Checks values that a model read in a message, before they fill a slot. Rules only."""

import re
from typing import assert_never

from functions.chat.flows.counseling.detectors.matters import asks_to_agree
from functions.chat.flows.counseling.detectors.slot_reading import ReadValue, is_no_name
from shared.content.catalogue import Content
from shared.domain.counseling.user_state import Resistance
from shared.domain.slots import AnswerWords, Invalid, Slot, SlotKind, validate
from shared.lexicon.clause_text import clauses_of
from shared.lexicon.sentences import sentences_of
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
    """Return whether a value that a model read with the user's own words for it counts.

    What the words mean is the model's to read, so free text may say it in other words. It is no value if the words
    decline, only agree or say nothing; a wish may be what the reply before proposed, if the user only agrees to it.
    A value that is invalid, such as a number out of bounds, holds: the user is told why.
    """
    words, value = content.session_words, str(read.value)
    if slot.kind is SlotKind.NAME:
        return _is_own_name(slot, read, text, content)
    if words.declines(value, slot.kind) or content.lexicon.read(value).is_unsure:
        return False
    match slot.kind:
        case SlotKind.TEXT:
            if words.only_agrees(read.quote):
                return _is_proposed(slot, value, reply, content)
            declined = words.declines(read.quote, slot.kind) or content.lexicon.read(read.quote).is_unsure
            told = all(_tells_value(slot, each, content) for each in (value, read.quote))
            return told and not declined and not value.rstrip().endswith(("?", "？"))
        case SlotKind.BOOLEAN:
            return _agrees_with(slot, value, read.quote, reply, content)
        case SlotKind.INTEGER:
            return _number_stands_in(value, read.quote, content.answers)
        case SlotKind.CHOICE:
            return is_verbatim_quote(value, text)
        case _:
            assert_never(slot.kind)


def _is_own_name(slot: Slot, read: ReadValue, text: str, content: Content) -> bool:
    """Return whether a name is neither a refusal nor another person's; one that corrects may stand in any form."""
    value, told = str(read.value), content.session_words.beside_refusal(text, slot.kind)
    if is_no_name(value, told, content) or content.people_words.own(value, told):
        return False
    if read.corrects and is_verbatim_quote(value, read.quote):
        return True
    asks = "?" if text.rstrip().endswith(("?", "？")) else ""
    return content.lexicon.stands_as_name(value, told + asks)


def _tells_value(slot: Slot, value: str, content: Content) -> bool:
    """Return whether free text tells something: a bare yes and "I don't know" do not."""
    none = content.answers.says_none(value) or content.session_words.wants_none(value)
    return _is_wish(value, content) or (slot.none_is_answer and none)


def _is_proposed(slot: Slot, value: str, reply: str, content: Content) -> bool:
    wanted = content.lexicon.read(value).content_words
    said = (content.lexicon.read(sentence).content_words for sentence in sentences_of(reply))
    return not slot.none_is_answer and bool(wanted) and any(wanted <= words for words in said)


def _agrees_with(slot: Slot, value: str, quote: str, reply: str, content: Content) -> bool:
    """Return whether the value is a yes or no, and the quote does not plainly say the other one.

    A yes to another question agrees to no proposal.
    """
    given, said = validate(slot, value, content.answers), validate(slot, quote, content.answers)
    if isinstance(given, Invalid):
        return False
    if slot.agrees and not asks_to_agree(slot, reply, content):
        named = content.lexicon.read(slot.label).content_words & content.lexicon.read(quote).content_words
        return said == given and bool(named)
    return said == given or isinstance(said, Invalid)


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
