"""Values that the user corrects in words, and the answer to the question which of two values holds."""

import re
from collections.abc import Sequence

from functions.chat.findings import Findings
from functions.chat.flows.counseling.detectors.told_names import name_instead
from functions.chat.legacy.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.counseling.level import LevelSign
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
_SAID = r" ?(?:그 ?)?(?:말|얘기|이야기|이름|거|게|것|건|쪽|한|했|말씀)"
_FIRST_SAID = re.compile(
    rf"(?:앞(?:에서?|의)?|먼저|처음에?|첫 ?번째(?:에|로)?){_SAID}|\b(?:first|earlier) (?:one|thing)"
)
_LATER_SAID = re.compile(
    rf"(?:뒤(?:에서?|의)?|나중(?:에|의)?|두 ?번째(?:에|로)?|방금){_SAID}|\b(?:second|later|last) (?:one|thing)"
)
_HOLDS = "그게 맞아요. 맞는 것 같아요. that is right"
_WRONG = re.compile(r"틀[렸리려린]|잘못|아니[에예야라]|아닌|아녜|\bwrong")
_DENIES = re.compile(r"(?<![가-힣])(?:안|못) |지 ?(?:는 )?않|없|아니[에예야라고]|아닌|아녜|\bnot\b|n't|\bnever\b")


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
    said = content.session_words.corrections(text)
    quoted = [one for one in said if is_verbatim_quote(quote, one) or is_verbatim_quote(one, quote)]
    return any(_concerns(slot, before, one, content) for one in quoted)


def corrected_by_rule(state: Session, slots: Sequence[Slot], text: str, content: Content) -> dict[str, SlotValue]:
    """Read corrections that need no model: "A가 아니라 B" of a known name or choice A, and of earlier counselling.

    What is told of it plainly, without words that correct ("상담은 처음이에요"), is read, too: it may contradict. A
    number or a word of free text may be meant of something else, so the model reads those.
    """
    given = [slot for slot in slots if slot.name in state.user_info]
    found: dict[str, SlotValue] = {}
    for slot in given:
        value = _instead_of(slot, state, text, content)
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
    match _decision(message, name, newer, state, content):
        case Answer.CONFIRM:
            turn.scope.ledger.ruled(AGENT, True, "the user says that the later value holds")
            return Findings(events=(SlotFilled(slot=name, value=newer.value, source=newer.source),))
        case Answer.CANCEL:
            turn.scope.ledger.ruled(AGENT, False, "the user says that the first value holds")
            return Findings(events=(ContradictionSettled(slot=name),))
        case _:
            return Findings()


def _decision(message: UserMessage, slot: str, newer: Contradiction, state: Session, content: Content) -> Answer:
    """Return what the answer confirms; the value, the place or the words that it names decide before a yes or a no."""
    before, source = state.user_info.get(slot), state.info_sources.get(slot)
    first, later = (_names(value, message.text) for value in (before, newer.value))
    if first == later:
        first, later = _places(message.text)
    if first == later and isinstance(before, bool) and source is not None:
        first, later = _words_of(message.text, source.quote, newer.source.quote, content)
    if first != later:
        return Answer.CONFIRM if later else Answer.CANCEL
    if message.words.answer is not Answer.UNCLEAR:
        return message.words.answer
    opening = next((part for part in _CLAUSE.split(message.text) if part.strip()), "").strip()
    begins = content.lexicon.read(opening.split(" ", 1)[0]).answer if "?" not in message.text else Answer.UNCLEAR
    opened = content.lexicon.read(opening).answer
    return begins if opened is Answer.UNCLEAR else opened


def _places(text: str) -> tuple[bool, bool]:
    """Return whether an answer says that the first or the later thing holds ("뒤에 말한 게 맞아요")."""
    first, later = bool(_FIRST_SAID.search(text)), bool(_LATER_SAID.search(text))
    return (later, first) if _WRONG.search(text) else (first, later)


def _words_of(text: str, first: str, later: str, content: Content) -> tuple[bool, bool]:
    """Return whether an answer repeats words of the first or the later quote only, and whether it denies them."""
    said, before, now, holds = (content.lexicon.read(one).content_words for one in (text, first, later, _HOLDS))
    said -= holds
    of_first, of_later = said & (before - now), said & (now - before)
    if bool(of_first) == bool(of_later) or len(of_first | of_later) * 2 < len(said):
        return False, False
    denied = bool(_DENIES.search(text)) != bool(_DENIES.search(first if of_first else later))
    holds_later = bool(of_later) != denied
    return not holds_later, holds_later


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


def _instead_of(slot: Slot, state: Session, text: str, content: Content) -> SlotValue | None:
    before = state.user_info[slot.name]
    told = _instead(before, text)
    match slot.kind:
        case SlotKind.NAME:
            named = content.lexicon.name(f"my name is {told}") if told.isascii() and told else None
            return named or name_instead(str(before), text, content)
        case SlotKind.CHOICE:
            return next((one for one in slot.choices if told and told.casefold().startswith(one.casefold())), None)
        case SlotKind.TEXT | SlotKind.INTEGER | SlotKind.BOOLEAN:
            return None


def _concerns(slot: Slot, before: SlotValue | None, said: str, content: Content) -> bool:
    """Return whether a correction is about the slot: free text that names what was wrong must share a word with it."""
    if slot.kind is not SlotKind.TEXT:
        return True
    wrong = re.match(r"(.{1,40}?)(?:이|가|은|는)? ?(?:아니라|아니고|아니구|말고)", said)
    if wrong is None:
        return True
    return bool(content.lexicon.read(wrong[1]).content_words & content.lexicon.read(str(before)).content_words)
