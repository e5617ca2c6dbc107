"""Opens a session: the template's tasks, the persona if one is given, and the greeting."""

from datetime import datetime

from shared.content.catalogue import Content
from shared.contracts.chat import CreateConversation
from shared.domain.conversation import RETENTION, Consent, Message, Role
from shared.domain.counseling.persona import persona_of
from shared.domain.counseling.session import Session, SessionType
from shared.domain.counseling.task import Task, rank
from shared.domain.counseling.task_events import SlotAsked, TaskStarted
from shared.domain.ids import ConversationId, ModuleId, UserId
from shared.domain.locale import Locale, Register

CONSENT_VERSION = "2026-11"
"""Version of the texts that the three consents are about."""
FLOW = "counseling"
ASKED_BY_GREETING = "name"
"""The first session's greeting ends with asking what to call the person."""


def open_session(
    content: Content, conversation_id: ConversationId, user_id: UserId, request: CreateConversation, now: datetime
) -> tuple[Session, Message]:
    """Return a new session with its first task in progress, and its greeting.

    Consents and age have been checked by the caller.
    """
    locale, register = Locale(request.locale), Register(request.register_)
    session_type = SessionType(request.session_type)
    messages = content.messages(locale, register)
    greeting = Message(
        seq=0,
        role=Role.COUNSELOR,
        text=messages.text("greeting" if session_type is SessionType.FIRST_SESSION else "greeting_follow_up"),
        created_at=now,
    )
    tasks = tuple(_made(task, now) for task in content.templates(session_type.value, locale, register))
    opening = tuple(task for task in tasks if task.part == 1)
    first = rank(opening, opening[0].part, wrapping_up=False)[0]
    session = Session(
        conversation_id=conversation_id,
        user_id=user_id,
        locale=locale,
        register_=register,
        consents={
            name: Consent(granted=granted, version=CONSENT_VERSION, at=now)
            for name, granted in request.consents.model_dump().items()
        },
        age_band=request.age_band,
        flow=FLOW,
        created_at=now,
        updated_at=now,
        expire_at=now + RETENTION,
        recent=(greeting,),
        session_type=session_type,
        title=messages.text("session_title"),
        tasks=opening,
        current_module=ModuleId(first.module_id),
        user_persona=persona_of(content.personas, request.persona),
    )
    session = TaskStarted(task_id=first.id).apply(session, now)
    if session_type is SessionType.FIRST_SESSION:
        session = SlotAsked(slot=ASKED_BY_GREETING).apply(session, now)
    return session, greeting


def _made(task: Task, now: datetime) -> Task:
    return task.model_copy(update={"created_at": now})
