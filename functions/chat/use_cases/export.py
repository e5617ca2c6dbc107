"""Exports everything stored about a user as one JSON document, with one conversation in memory at a time."""

import json
from collections.abc import AsyncIterator
from datetime import datetime

from functions.chat.use_cases.retrieval import export
from shared.domain.counseling.profile import Profile
from shared.domain.counseling.session import Session
from shared.domain.errors import DocumentTooNew, DocumentUnreadable
from shared.domain.usage import service_day
from shared.ports.conversation_store import ConversationStore
from shared.ports.identity import Caller

PROFILE = "profile"
"""Names the profile among the unreadable documents."""


async def export_person(store: ConversationStore[Session], caller: Caller, now: datetime) -> AsyncIterator[str]:
    """Yield a `PersonExport` in pieces; the first one follows the first answer of the store.

    Unreadable documents are skipped and named at the end.

    Raises:
        StoreUnavailable: The store does not answer.
    """
    unreadable: list[str] = []
    profile = "null"
    try:
        found = await store.user(caller.user_id, Profile)
        profile = found.document.model_dump_json() if found else profile
    except (DocumentTooNew, DocumentUnreadable):
        unreadable.append(PROFILE)
    used = await store.usage(caller.user_id, service_day(now))
    usage = used.model_dump_json(exclude={"expire_at"}) if used else "null"
    ids = await store.conversations_of(caller.user_id)
    yield f'{{"user_id":{_json(caller.user_id)},"exported_at":{_json(now.isoformat())},"profile":{profile},'
    yield f'"usage":{usage},'
    yield '"conversations":['
    between = ""
    for conversation_id in ids:
        try:
            conversation = await export(store, conversation_id, now)
        except (DocumentTooNew, DocumentUnreadable):
            unreadable.append(conversation_id)
            continue
        yield between + conversation.model_dump_json(by_alias=True)
        between = ","
    yield f'],"unreadable":{_json(unreadable)}}}'


def _json(value: str | list[str]) -> str:
    return json.dumps(value, ensure_ascii=False)
