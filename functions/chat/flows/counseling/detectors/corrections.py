"""Values that the user corrects in words, and the answer to the question which of two values holds."""

import re
from collections.abc import Sequence

from functions.chat.flows.counseling.findings import Findings
from functions.chat.flows.counseling.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.counseling.level import LevelSign
from shared.domain.counseling.profile import NAME_SLOT
from shared.domain.counseling.session import Session
from shared.domain.counseling.sources import Contradiction
from shared.domain.counseling.task_events import ContradictionSettled, SlotFilled
from shared.domain.slots import Invalid, Slot, SlotKind, SlotValue, validate
from shared.engine.flow import Turn
from shared.lexicon.clause_text import clauses_of
from shared.lexicon.words import Answer
from shared.services.counseling.evidence import is_verbatim_quote

AGENT = "contradiction"

_CLAUSE = re.compile(r"[.!?,;~…\n]+")


def corrects(slot: Slot, value: SlotValue, quote: str, state: Session, text: str, content: Content) -> bool:
    """Return whether the user corrects a given slot, and does not only say something else.

    Args:
        slot: The slot, which has another value.
        value: The new value.
        quote: The user's words for it.
        state: The session.
        text: The message.
        content: The content.
    """
    if slot.kind is SlotKind.NAME and content.lexicon.calls_so(str(value), text):
        return True
    before = state.user_info.get(slot.name)
    if _denied(before, text):
        return True
    said = [one for one in content.session_words.corrections(text) if _overlap(one, quote)]
    return any(_concerns(slot, before, one, content) for one in said)


def corrected_by_rule(state: Session, slots: Sequence[Slot], text: str, content: Content) -> dict[str, SlotValue]:
    """Read corrections that need no model: "A가 아니라 B" of a known name or choice A, and of earlier counselling.

    What is told of it plainly, without words that correct ("상담은 처음이에요"), is read, too: it may contradict. A
    number or a word of free text may be meant of something else, so the model reads those.
    """
    given = [slot for slot in slots if slot.name in state.user_info]
    found: dict[str, SlotValue] = {}
    for slot in given:
        if told := _instead(state.user_info[slot.name], text):
            value = _read(slot, told, content)
            if value is not None and not isinstance(validate(slot, value, content.answers), Invalid):
                found[slot.name] = value
    for slot in given:
        if slot.kind is SlotKind.BOOLEAN and content.session_words.asks_for_experience(slot.questions):
            told_of = _experience(slot, state.user_info[slot.name], text, content)
            found |= {} if told_of is None else {slot.name: told_of}
    return found


def _experience(slot: Slot, before: SlotValue, text: str, content: Content) -> bool | None:
    """Return what a message tells of earlier counselling, or takes back; None without a word of it."""
    words, label = content.session_words, content.lexicon.read(slot.label).content_words
    corrections = words.corrections(text)
    named = [one for one in clauses_of(text) if label & content.lexicon.read(one).content_words]
    if any(map(words.says_first_time, (*corrections, *named))):
        return False
    if content.part1_words.sign(LevelSign.EXPERIENCE, text):
        return True
    taken_back = any(words.takes_back(one) for one in named)
    return not before if taken_back else None


def denies_name(text: str, state: Session) -> str | None:
    """Return the slot of the user's name if a clause says that they are not called so, and nothing else."""
    value = state.user_info.get(NAME_SLOT)
    if not isinstance(value, str):
        return None
    name = re.escape(value)
    ko = (
        r"(?:(?:아니요?|아뇨|근데|그런데|어|음|저기|저는?|나는?|난|전|제|내|(?:제 ?|내 ?)?이름은?) ?){0,4}"
        rf"{name}(?:이|가|님|씨)? ?(?:아니(?:에요|예요|야|라고요?|라니까요?|거든요?)|아닌데요?|아녜요|아냐)"
    )
    en = rf"(?:no |sorry |actually )*(?:(?:i'm|i am|my name is|my name's) not|my name isn't) {name}"
    denies = re.compile(f"{ko}|{en}", re.IGNORECASE)
    return NAME_SLOT if any(denies.fullmatch(clause) for clause in clauses_of(text)) else None


def answered_contradiction(state: Session) -> tuple[str, Contradiction] | None:
    """Return the slot and values that the newest reply asked about."""
    pairs = state.contradictions.items()
    return next(((name, one) for name, one in pairs if not one.settled and one.asked_seq == state.seq), None)


def hear_decision(turn: Turn[Session], message: UserMessage, state: Session, content: Content) -> Findings:
    """Return the user's plain answer to the question which value holds; without one the first value stays."""
    asked = answered_contradiction(state)
    if asked is None or not message.answers:
        return Findings()
    name, newer = asked
    match _decision(message, state.user_info.get(name), newer.value, content):
        case Answer.CONFIRM:
            turn.scope.ledger.ruled(AGENT, True, "the user says that the later value holds")
            return Findings(events=(SlotFilled(slot=name, value=newer.value, source=newer.source),))
        case Answer.CANCEL:
            turn.scope.ledger.ruled(AGENT, False, "the user says that the first value holds")
            return Findings(events=(ContradictionSettled(slot=name),))
        case _:
            return Findings()


def _decision(message: UserMessage, before: SlotValue | None, now: SlotValue, content: Content) -> Answer:
    """Return what the answer confirms; the value that it names decides before a yes or a no."""
    first, later = (_names(value, message.text) for value in (before, now))
    if first != later:
        return Answer.CONFIRM if later else Answer.CANCEL
    if message.words.answer is not Answer.UNCLEAR:
        return message.words.answer
    opening = next((part for part in _CLAUSE.split(message.text) if part.strip()), "")
    return content.lexicon.read(opening).answer


def _names(value: SlotValue | None, text: str) -> bool:
    """Return whether a text names a value; a yes or no has no name of its own."""
    if value is None or isinstance(value, bool):
        return False
    return bool(re.search(rf"(?<![\w]){re.escape(str(value))}(?!\d)", text, re.IGNORECASE))


def _denied(value: SlotValue | None, text: str) -> bool:
    """Return whether a text says that it is not this value ("민수 말고", "not Minsu")."""
    if value is None or isinstance(value, bool):
        return False
    words = re.escape(str(value))
    ko = rf"(?<!\w){words}(?:님|씨)?[^\s\d]{{0,3}}? ?(?:아니[라고구에야]|아닌|아녜|말고)"
    return bool(re.search(rf"{ko}|\bnot {words}\b", text, re.IGNORECASE))


def _instead(value: SlotValue, text: str) -> str:
    """Return the words that a text puts in place of a value; empty without any."""
    if isinstance(value, bool):
        return ""
    words = re.escape(str(value))
    ko = rf"(?<!\w){words}[^\s\d]{{0,3}}? ?(?:아니라|아니고|아니구|말고),? ?(?P<ko>[^,.!?~…\n]+)"
    en = rf"\bnot {words},? (?:but |it's |it is |i'm |i am )(?P<en>[^,.!?~…\n]+)"
    found = re.search(f"{ko}|{en}", text, re.IGNORECASE)
    return (found["ko"] or found["en"]).strip() if found else ""


def _read(slot: Slot, told: str, content: Content) -> SlotValue | None:
    match slot.kind:
        case SlotKind.NAME:
            return content.lexicon.name(f"my name is {told}" if told.isascii() else f"이름은 {told}")
        case SlotKind.CHOICE:
            return next((one for one in slot.choices if told.casefold().startswith(one.casefold())), None)
        case SlotKind.TEXT | SlotKind.INTEGER | SlotKind.BOOLEAN:
            return None


def _overlap(one: str, quote: str) -> bool:
    return is_verbatim_quote(quote, one) or is_verbatim_quote(one, quote)


def _concerns(slot: Slot, before: SlotValue | None, said: str, content: Content) -> bool:
    """Return whether a correction is about the slot: free text that names what was wrong must share a word with it."""
    if slot.kind is not SlotKind.TEXT:
        return True
    wrong = re.match(r"(.{1,40}?)(?:이|가|은|는)? ?(?:아니라|아니고|아니구|말고)", said)
    if wrong is None:
        return True
    return bool(content.lexicon.read(wrong[1]).content_words & content.lexicon.read(str(before)).content_words)
