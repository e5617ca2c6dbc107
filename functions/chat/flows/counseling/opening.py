"""Opens a session: the template's tasks, the record of earlier sessions, and the greeting.

Persona and level are those of the request, if any. A first session has else no persona, and level 1 until Part 1 is
heard. Other sessions take name, persona, level and record from the profile, if there is one and its session was not
deleted.
If the newest session ended in danger, the greeting asks about that, and a "yes" is a crisis; a safety plan is offered.

The greeting recalls only what is recorded, in the user's words, and quotes nothing alarming.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from shared.content.catalogue import Content
from shared.content.crisis_protocol import Voice
from shared.content.schemas.messages import Messages
from shared.contracts.chat import CreateConversation
from shared.domain.agreement.state import SERVICE_AGREEMENT, AgreementState
from shared.domain.conversation import RETENTION, Consent, Message, Role
from shared.domain.counseling.carried import Carried
from shared.domain.counseling.level import LevelSource
from shared.domain.counseling.persona import UserPersona, persona_of
from shared.domain.counseling.profile import NAME_SLOT, Profile, carried_from
from shared.domain.counseling.risk_events import DangerAsked
from shared.domain.counseling.safety_plan import PlanStage, PlanTalk
from shared.domain.counseling.session import MINOR_BAND, Session, SessionType
from shared.domain.counseling.task import Task, rank
from shared.domain.counseling.task_events import SlotAsked, TaskStarted
from shared.domain.ids import ConversationId, ModuleId, UserId
from shared.domain.slots import SlotValue, missing
from shared.locale import Locale, Register
from shared.safety.levels import CrisisOutcome
from shared.safety.needs import needs_of
from shared.safety.text_rules import TextRules

IN_DANGER = "in_danger"
QUOTE_LENGTH = 80
"""Maximum characters of a quote."""
_SENTENCE_END = re.compile(r"(?<=.)[.!?…。]+(?=\s|$)")


class Recollection(NamedTuple):
    """What the greeting recalls: the key of the sentence and the quoted words."""

    key: str
    words: str = ""


FLOW = "counseling"


def open_session(
    content: Content,
    conversation_id: ConversationId,
    user_id: UserId,
    request: CreateConversation,
    now: datetime,
    profile: Profile | None = None,
) -> tuple[Session, Message]:
    """Return a new session with its first task in progress, and its greeting; consents and age were checked before."""
    locale, register = Locale(request.locale), Register(request.register_)
    session_type = SessionType(request.session_type)
    messages = content.messages(locale, register)
    known = None if session_type is SessionType.FIRST_SESSION else profile
    carried = carried_from(known, now)
    in_danger = carried is not None and carried.in_danger
    opening = _opening(content.templates(session_type.value, locale, register), carried, now)
    first = rank(opening, opening[0].part, wrapping_up=False)[0]
    given: dict[str, SlotValue] = {NAME_SLOT: known.name} if known and known.name else {}
    due = [] if in_danger else missing([slot for task in opening for slot in task.required_slots], given)
    asked = due[0] if due else None
    if session_type is SessionType.FIRST_SESSION or not (asked or in_danger):
        text = messages.text("greeting")
    else:
        voice = Voice(locale=locale, register_=register, minor=request.age_band == MINOR_BAND)
        last = (
            asked.questions[0]
            if asked
            else content.crisis_replies.resource_lines(voice, needs_of(CrisisOutcome.CRISIS))
        )
        text = greeting_again(messages, carried, known.name if known else None, last, content.text_rules)
    if request.service != FLOW and not in_danger:
        asked, text = None, messages.text(f"greeting_{request.service}")
    greeting = Message(seq=0, role=Role.COUNSELOR, text=text, created_at=now)
    session = Session(
        conversation_id=conversation_id,
        user_id=user_id,
        locale=locale,
        register_=register,
        consents={
            name: Consent(
                granted=granted,
                version=content.consents.versions[name],
                at=now,
                stated=getattr(request.versions, name) is not None,
            )
            for name, granted in request.consents.model_dump().items()
        },
        age_band=request.age_band,
        flow=request.service,
        created_at=now,
        updated_at=now,
        expire_at=now + RETENTION,
        recent=(greeting,),
        session_type=session_type,
        title=messages.text("session_title" if request.service == FLOW else f"{request.service}_title"),
        tasks=opening,
        current_module=ModuleId(first.module_id),
        user_persona=_persona(content, request, known),
        user_info=given,
        info_sources={NAME_SLOT: known.name_source} if given and known and known.name_source else {},
        carried=carried,
        agreement=AgreementState(document_id=request.document_id or SERVICE_AGREEMENT),
        safety_plan=PlanTalk(stage=PlanStage.DUE) if in_danger else PlanTalk(),
    )
    session = TaskStarted(task_id=first.id).apply(session, now)
    if in_danger:
        session = DangerAsked(seq=greeting.seq).apply(session, now)
    return SlotAsked(slot=asked.name if asked else None).apply(session, now), greeting


def greeting_without(content: Content, session: Session, text: str, erased: ConversationId) -> str:
    """Return the greeting without its recollection of an erased conversation."""
    if session.carried is None:
        return text
    messages = content.messages(session.locale, session.register_)
    return unrecalled(messages, text, session.carried, session.carried.without(erased), content.text_rules)


def _opening(template: Sequence[Task], carried: Carried | None, now: datetime) -> tuple[Task, ...]:
    return tuple(
        task.model_copy(update={"created_at": now})
        for task in template
        if task.part == 1 and not (carried is None and task.asks_back)
    )


def _persona(content: Content, request: CreateConversation, known: Profile | None) -> UserPersona:
    kept = known.persona if known else None
    type_id = request.persona or (kept.type if kept else None)
    if request.counseling_level is not None:
        return persona_of(content.personas, type_id, request.counseling_level, LevelSource.GIVEN)
    if kept is not None:
        return persona_of(content.personas, type_id, kept.counseling_level, LevelSource.CARRIED)
    return persona_of(content.personas, type_id)


def greeting_again(messages: Messages, carried: Carried | None, name: str | None, last: str, rules: TextRules) -> str:
    """Return the greeting: hello, what CBot is and is not, the recollection, and `last`.

    Args:
        messages: The sentences.
        carried: The record of earlier sessions.
        name: The user's name.
        last: The template's first question, or the help lines.
        rules: Decide what is too alarming to quote.
    """
    called = name if name and not rules.alarming(name) else None
    hello = messages.recall("hello_named", name=called) if called else messages.recall("hello")
    taken_up = recollection(carried, rules)
    sentences = (
        hello,
        messages.recall("who_again" if carried else "who_without_record"),
        messages.recall("limits"),
        messages.recall(taken_up.key, words=taken_up.words) if taken_up else "",
    )
    apart = "\n\n" if taken_up and taken_up.key == IN_DANGER else " "
    return f"{' '.join(sentence for sentence in sentences if sentence)}{apart}{last}"


def recollection(carried: Carried | None, rules: TextRules) -> Recollection | None:
    """Return what to recall: the newest goal, else the counsellor's plan, else that there was a session, else None."""
    if carried is None:
        return None
    if carried.in_danger:
        return Recollection(IN_DANGER)
    for key, words in _kept(carried):
        quoted = clipped(words)
        if quoted and not rules.alarming(words, quoted):
            return Recollection(key, quoted)
    return Recollection("talked") if carried.summary else None


def unrecalled(messages: Messages, text: str, before: Carried, after: Carried | None, rules: TextRules) -> str:
    """Return the greeting without a recollection that an erasure removed from the record."""
    taken_up = recollection(before, rules)
    if taken_up is None or taken_up == recollection(after, rules):
        return text
    sentence = messages.recall(taken_up.key, words=taken_up.words)
    if sentence in text:
        return " ".join(piece for piece in (part.strip() for part in text.split(sentence)) if piece)
    return text.replace(taken_up.words, "…") if taken_up.words else text


def clipped(words: str) -> str:
    """Return the first sentence without its full stop, cut between words if it is too long."""
    text = " ".join(words.split()).replace("“", "").replace("”", "")
    if end := _SENTENCE_END.search(text):
        text = text[: end.end()].rstrip(".…。")
    if len(text) <= QUOTE_LENGTH:
        return text
    whole_words, _, _ = text[:QUOTE_LENGTH].rpartition(" ")
    return (whole_words or text[: QUOTE_LENGTH - 1]) + "…"


def _kept(carried: Carried) -> Iterator[Recollection]:
    for goal in carried.goals:
        yield Recollection("goal", goal)
    yield Recollection("next_plan", carried.next_plan)
